//! Owns what goes with one call: its cancellation, what it cost, what must be told, how far it is.
//! Never outlives the call, and never decides anything.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;

/// How far a call is, for the client that asked for progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A large answer is arriving.
    Downloading {
        /// Bytes so far.
        bytes: u64,
        /// Bytes in all, where YNAB says so.
        total: Option<u64>,
    },
    /// YNAB did not answer; asked again soon.
    Retrying {
        /// Which try comes next, from 2.
        attempt: u32,
    },
}

/// Hears of progress; must not wait.
pub type OnProgress = Box<dyn Fn(Progress) + Send + Sync>;

/// One call's own account.
#[derive(Default)]
pub struct Scope {
    cancel: CancellationToken,
    requests: AtomicU32,
    bytes: AtomicU64,
    notes: Mutex<BTreeSet<String>>,
    progress: Option<OnProgress>,
}

impl Scope {
    /// A call that ends when this token is cancelled.
    pub fn new(cancel: CancellationToken) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// The same call, telling of its progress.
    pub fn with_progress(self, progress: OnProgress) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// How many requests it sent to YNAB.
    pub fn requests(&self) -> u32 {
        self.requests.load(Ordering::Relaxed)
    }

    /// How many bytes YNAB's answers had, unpacked.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// What its answer must say besides, each sentence once.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().map(|notes| notes.iter().cloned().collect()).unwrap_or_default()
    }

    /// Whether the client took the call back.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(super) fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Adds a sentence that the answer must say besides.
    pub fn note(&self, sentence: String) {
        if let Ok(mut notes) = self.notes.lock() {
            notes.insert(sentence);
        }
    }

    pub(super) fn sent(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn received(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn progress(&self, progress: Progress) {
        if let Some(hear) = &self.progress {
            hear(progress);
        }
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Scope({} requests)", self.requests())
    }
}
