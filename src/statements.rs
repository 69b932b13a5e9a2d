//! Owns reading a statement's file from the folder that the user names. Never reads outside it, and never what is in it.

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use crate::error::Refusal;
use crate::refuse;
use crate::text::safe;

/// The largest statement that is read, in bytes.
pub const STATEMENT_MAX: u64 = 2 * 1024 * 1024;

/// The folder that statements may be read from.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    folder: Option<PathBuf>,
}

impl Statements {
    /// That folder; none when the user named none.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    /// The bytes of a file inside the folder. Refused when no folder is named, when the path leads out of it (a link
    /// included), when it is no file, or when it is larger than [`STATEMENT_MAX`].
    pub fn read(&self, path: &str) -> Result<Vec<u8>, Refusal> {
        let Some(folder) = &self.folder else {
            return Err(refuse!(
                "No folder of statements is set. Pass the statement's text as content, or let the user set \
                 AVENIR_MCP_STATEMENTS to the folder it lies in."
            ));
        };
        let inside = Path::new(path);
        if !inside.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(refuse!("file: must be a path inside the folder of statements, such as 2026-03.csv."));
        }
        let absent = || refuse!("file: there is no statement '{}' in the folder of statements.", safe(path));
        let root =
            folder.canonicalize().map_err(|_| refuse!("The folder of AVENIR_MCP_STATEMENTS cannot be opened."))?;
        // Links are followed before the look at where it lies.
        let found = root.join(inside).canonicalize().map_err(|_| absent())?;
        if !found.starts_with(&root) {
            return Err(refuse!("file: '{}' leads out of the folder of statements.", safe(path)));
        }
        // Before it is opened: a pipe would wait for its other end for ever.
        if !found.metadata().is_ok_and(|about| about.is_file()) {
            return Err(refuse!("file: '{}' is no file.", safe(path)));
        }
        let file = File::open(&found).map_err(|_| absent())?;
        let mut bytes = Vec::new();
        file.take(STATEMENT_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(|_| refuse!("file: '{}' cannot be read.", safe(path)))?;
        if bytes.len() as u64 > STATEMENT_MAX {
            return Err(refuse!("file: '{}' is larger than 2 MB. Export a shorter period.", safe(path)));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("avenir-statements-{}-{name}", std::process::id()));
        fs::create_dir_all(path.join("in/sub")).unwrap();
        fs::write(path.join("in/a.csv"), "a").unwrap();
        fs::write(path.join("in/sub/b.csv"), "b").unwrap();
        fs::write(path.join("secret"), "s").unwrap();
        path
    }

    #[test]
    fn only_what_lies_in_the_folder_is_read() {
        let base = folder("inside");
        let statements = Statements::new(Some(base.join("in")));
        assert_eq!(statements.read("a.csv").unwrap(), b"a");
        assert_eq!(statements.read("./sub/b.csv").unwrap(), b"b");
        for outside in ["../secret", "sub/../../secret", "/etc/passwd", "", "sub", "absent.csv"] {
            assert!(statements.read(outside).is_err(), "{outside}");
        }
        assert!(statements.read(base.join("in/a.csv").to_str().unwrap()).is_err());
        fs::remove_dir_all(base).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_refused_and_one_within_it_read() {
        let base = folder("link");
        std::os::unix::fs::symlink(base.join("secret"), base.join("in/out.csv")).unwrap();
        std::os::unix::fs::symlink(base.join("in/a.csv"), base.join("in/same.csv")).unwrap();
        let statements = Statements::new(Some(base.join("in")));
        assert!(statements.read("out.csv").unwrap_err().to_string().contains("leads out"));
        assert_eq!(statements.read("same.csv").unwrap(), b"a");
        fs::remove_dir_all(base).unwrap();
    }

    #[test]
    fn without_a_folder_or_beyond_two_megabytes_it_is_refused() {
        assert!(Statements::default().read("a.csv").unwrap_err().to_string().contains("AVENIR_MCP_STATEMENTS"));
        let base = folder("large");
        let large = usize::try_from(STATEMENT_MAX).unwrap();
        fs::write(base.join("in/large.csv"), vec![b'x'; large + 1]).unwrap();
        fs::write(base.join("in/full.csv"), vec![b'x'; large]).unwrap();
        let statements = Statements::new(Some(base.join("in")));
        assert!(statements.read("large.csv").unwrap_err().to_string().contains("2 MB"));
        assert_eq!(statements.read("full.csv").unwrap().len(), large);
        fs::remove_dir_all(base).unwrap();
    }
}
