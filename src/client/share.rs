//! Owns the count of requests that processes of one user share: in memory, and in a small file where a folder allows it.
//! Never holds the token (the file is named by a hash of it), and never refuses a request because of the file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::pace::{Pace, Wait};
use crate::config::Token;

/// How much of the file is read, in bytes; 180 lines of it are under 4,000.
const FILE_MAX: u64 = 65_536;
/// How often a held lock is tried, and the wait in between.
const LOCK_TRIES: u32 = 20;
const LOCK_WAIT: Duration = Duration::from_millis(5);

/// The count, in memory and on disk.
#[derive(Debug)]
pub(super) struct Shared {
    folder: Option<PathBuf>,
    url: String,
    here: Mutex<Pace>,
    /// Whether a file that cannot be used was logged.
    told: Once,
}

impl Shared {
    /// A count of what is sent to that address, shared in that folder.
    pub(super) fn new(url: &str, folder: Option<PathBuf>) -> Self {
        Self { folder, url: url.to_owned(), here: Mutex::default(), told: Once::new() }
    }

    /// Counts a request that is about to leave, or says why it must wait.
    pub(super) async fn admit(&self, token: &Token, now: u64) -> Result<(), Wait> {
        self.with(token, |pace| pace.admit(now)).await
    }

    /// Starts the pause of a 429, and says how long it is in seconds.
    pub(super) async fn pause(&self, token: &Token, now: u64, retry_after: Option<u64>) -> u64 {
        self.with(token, |pace| pace.pause(now, retry_after)).await
    }

    /// How many requests left in the last hour.
    pub(super) async fn used(&self, token: &Token, now: u64) -> usize {
        self.with(token, |pace| pace.used(now)).await
    }

    /// Works on the file's count where it can be had, else on this process's own.
    async fn with<T>(&self, token: &Token, work: impl Fn(&mut Pace) -> T) -> T {
        let file = match &self.folder {
            Some(folder) => self.locked(folder, token).await.inspect_err(|error| {
                self.told.call_once(|| tracing::debug!(%error, "requests are counted for this process only"));
            }),
            None => Err(std::io::ErrorKind::NotFound.into()),
        };
        if let Ok(mut file) = file
            && let Ok(mut pace) = read(&mut file)
        {
            let answer = work(&mut pace);
            if write(&mut file, &pace).is_ok() {
                *self.here.lock().unwrap_or_else(PoisonError::into_inner) = pace;
                return answer;
            }
        }
        work(&mut self.here.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The file, locked until it is dropped.
    async fn locked(&self, folder: &Path, token: &Token) -> std::io::Result<File> {
        let hash = Sha256::digest(format!("avenir-mcp requests to {} with {}", self.url, token.reveal()).as_bytes());
        let name: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let path = folder.join(format!("requests-{name}"));
        let file = match options.open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let mut builder = std::fs::DirBuilder::new();
                builder.recursive(true);
                #[cfg(unix)]
                std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
                builder.create(folder)?;
                options.open(&path)?
            }
            opened => opened?,
        };
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_WAIT).await,
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(std::io::ErrorKind::WouldBlock.into())
    }
}

fn read(file: &mut File) -> std::io::Result<Pace> {
    let mut text = Vec::new();
    file.take(FILE_MAX).read_to_end(&mut text)?;
    Ok(Pace::parse(&String::from_utf8_lossy(&text)))
}

fn write(file: &mut File, pace: &Pace) -> std::io::Result<()> {
    let text = pace.render();
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "http://127.0.0.1/v1";

    #[tokio::test]
    async fn point_54_the_hour_is_shared_by_processes_of_one_token() {
        let folder = std::env::temp_dir().join(format!("avenir-pace-{}", std::process::id())).join("made");
        let (one, two) = (Shared::new(HERE, Some(folder.clone())), Shared::new(HERE, Some(folder.clone())));
        let (mine, other) = (Token::new("mine").expect("a token"), Token::new("other").expect("a token"));
        for n in 0..180 {
            let from = if n % 2 == 0 { &one } else { &two };
            assert_eq!(from.admit(&mine, 1000).await, Ok(()));
        }
        assert_eq!(one.admit(&mine, 1001).await, Err(Wait::Full(3599)));
        assert_eq!(two.used(&mine, 1001).await, 180);
        assert_eq!(two.admit(&other, 1001).await, Ok(()));
        assert_eq!(Shared::new("https://elsewhere", Some(folder.clone())).used(&mine, 1001).await, 0);
        assert_eq!(one.pause(&other, 1001, Some(70)).await, 70);
        assert_eq!(two.admit(&other, 1002).await, Err(Wait::Paused(69)));
        for file in std::fs::read_dir(&folder).expect("the folder") {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("text");
            assert!(!text.contains("mine") && !path.to_string_lossy().contains("mine"));
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(path.metadata().expect("about").permissions().mode() & 0o777, 0o600);
            }
        }
        std::fs::remove_dir_all(folder.parent().expect("its folder")).expect("cleaned up");
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_used_is_no_obstacle() {
        let shared = Shared::new(HERE, Some("/proc/nowhere".into()));
        let token = Token::new("mine").expect("a token");
        assert_eq!(shared.admit(&token, 1000).await, Ok(()));
        assert_eq!(shared.used(&token, 1000).await, 1);
    }
}
