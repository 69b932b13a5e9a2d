//! Owns one server command under measure, on a YNAB of its own: what it takes, asks YNAB and answers. Never judges.

use std::time::{Duration, Instant};

use avenir_mcp::demo::Ynab;
use serde_json::{Value, json};

use crate::clock::{self, Clock};
use crate::session::{Answer, Session, Setup, User};
use crate::ynab::Server;

/// A server command, and the name it has in tables.
#[derive(Clone, Debug)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// The program and its arguments.
    pub words: Vec<String>,
}

/// A running server and its YNAB.
pub struct Served {
    session: Session,
    ynab: Server,
    folder: std::path::PathBuf,
    /// From the start of the process to its list of tools.
    pub start: Duration,
    /// How many bytes that list has.
    pub listing: usize,
}

/// What one call took.
pub struct Taken {
    /// The answer.
    pub answer: Answer,
    /// From the request to the answer, without the time that YNAB took.
    pub time: Duration,
    /// How many requests YNAB got.
    pub requests: usize,
    /// How many bytes YNAB answered.
    pub bytes: usize,
}

impl Served {
    /// Starts the command on a copy of that YNAB, with a user who says yes.
    pub fn start(command: &Command, ynab: &Ynab) -> Self {
        let ynab = Server::start(ynab.clone());
        let place = ynab.url().chars().filter(char::is_ascii_digit).collect::<String>();
        let folder = std::env::temp_dir().join(format!("avenir-bench-{place}"));
        std::fs::create_dir_all(&folder).expect("a folder of its own");
        let home = folder.display().to_string();
        let mut setup = Setup::on(&ynab, &folder.join("journal.jsonl")).user(User::yes());
        for (name, value) in
            [("HOME", &*home), ("XDG_STATE_HOME", &*home), ("XDG_CACHE_HOME", &*home), ("LANG", "C.UTF-8")]
        {
            setup = setup.env(name, value);
        }
        for (name, value) in [("AVENIR_MCP_LOG_LEVEL", "ERROR"), ("AVENIR_MCP_NO_UPDATE_CHECK", "1")] {
            setup = setup.env(name, value);
        }
        setup.words.clone_from(&command.words);
        let began = Instant::now();
        let mut session = setup.open();
        let listing = session.request("tools/list", json!({}))["result"]["tools"].to_string().len();
        let start = match Clock::get() {
            Clock::Wall => began.elapsed(),
            Clock::Processor => clock::of_process(session.child.id()),
        };
        Self { session, ynab, folder, start, listing }
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Taken {
        let process = self.session.child.id();
        let (asked, spent) = (self.ynab.log().len(), clock::of_process(process));
        let began = Instant::now();
        let answer = self.session.call(tool, arguments.clone());
        let time = began.elapsed();
        let asked = self.ynab.log().split_off(asked);
        let inside: Duration = asked.iter().map(|request| request.took).sum();
        Taken {
            answer,
            time: match Clock::get() {
                Clock::Wall => time.saturating_sub(inside),
                Clock::Processor => clock::of_process(process).saturating_sub(spent),
            },
            requests: asked.len(),
            bytes: asked.iter().map(|request| request.answered).sum(),
        }
    }

    /// The memory that the process holds, and the most it ever held, in bytes; 0 where the system does not say.
    pub fn memory(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.session.child.id())).unwrap_or_default();
        let line = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            number.unwrap_or_default() * 1024
        };
        (line("VmRSS:"), line("VmHWM:"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.session.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
