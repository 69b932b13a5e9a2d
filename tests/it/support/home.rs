//! Owns an empty home folder and the binary run in it, with nothing of the real environment. Never reads the user's own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A home folder that is removed with this value.
pub struct Home(PathBuf);

impl Home {
    /// An empty one.
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("avenir-home-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a home folder");
        Self(path)
    }

    /// A path in it.
    pub fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// Writes a file in it, with its folders.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("folders");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// Writes a file that only its owner can read.
    pub fn write_closed(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.write(path, text);
        set_mode(&path, 0o600);
        path
    }

    /// The binary, with only this home in its environment and nothing to read.
    pub fn binary(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_avenir-mcp"));
        command.args(arguments).env_clear().env("HOME", &self.0).stdin(Stdio::null());
        command
    }

    /// Text with this home and the binary called by their roles.
    pub fn plain(&self, text: &[u8]) -> String {
        String::from_utf8_lossy(text)
            .replace(&self.0.display().to_string(), "HOME")
            .replace(env!("CARGO_BIN_EXE_avenir-mcp"), "BINARY")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Sets a file's permissions, where there are any.
pub fn set_mode(path: &Path, mode: u32) {
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("permissions");
    #[cfg(not(unix))]
    let _ = (path, mode);
}

/// How a run ended.
pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}
