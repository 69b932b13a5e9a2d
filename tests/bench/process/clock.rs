//! Owns the two ways to measure a time: by the clock, or by what the processor spent, for a machine that has other work.
//! The second is Linux's alone. Never decides what is measured.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How times are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// By the clock on the wall.
    Wall,
    /// By the processor's time.
    Processor,
}

static CLOCK: OnceLock<Clock> = OnceLock::new();

impl Clock {
    /// Says how times are measured from now on.
    pub fn set(self) {
        let _ = CLOCK.set(self);
    }

    /// How times are measured.
    pub fn get() -> Self {
        *CLOCK.get_or_init(|| Self::Wall)
    }
}

/// The processor's time that is in a file of Linux's scheduler.
fn spent(file: &str) -> Duration {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    Duration::from_nanos(text.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default())
}

/// How long some work of this thread takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    const OWN: &str = "/proc/thread-self/schedstat";
    let (began, before) = (Instant::now(), spent(OWN));
    let made = std::hint::black_box(work());
    let took = match Clock::get() {
        Clock::Wall => began.elapsed(),
        Clock::Processor => spent(OWN) - before,
    };
    drop(made);
    took
}

/// The processor's time that a process has spent.
pub fn of_process(id: u32) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    threads.map(|thread| spent(&thread.path().join("schedstat").to_string_lossy())).sum()
}
