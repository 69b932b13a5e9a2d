//! Owns the command line: which of the few commands runs, the logs, the exit code. Never serves or computes itself.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::client::{Client, Http};
use crate::clock::{Clock, monotonic};
use crate::config::{Config, LogFormat, LogLevel};
use crate::confirm::{Gate, new_operation_id};
use crate::demo::Ynab;
use crate::error::Refusal;
use crate::journal::Journal;
use crate::server::{App, serve};
use crate::tour;

const HELP: &str = "\
avenir-mcp: an MCP server that lets an AI agent read and change a YNAB plan, with your own yes

Usage:
  avenir-mcp           serve MCP on stdin and stdout (this is what a client starts)
  avenir-mcp --demo    the same on an invented plan, without a token
  avenir-mcp tour      a short conversation on the invented plan, printed for you
  avenir-mcp --help, --version

Settings are environment variables: YNAB_API_KEY or YNAB_API_KEY_FILE, AVENIR_MCP_WRITE=1 and others; see the README.
avenir-mcp is not affiliated with or endorsed by YNAB.
";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Serve { demo: bool },
    Tour { plain: bool },
    Help,
    Version,
}

fn command(arguments: &[OsString]) -> Result<Command, Refusal> {
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or("?")).collect();
    match words.as_slice() {
        [] => Ok(Command::Serve { demo: false }),
        ["--demo"] => Ok(Command::Serve { demo: true }),
        ["tour"] => Ok(Command::Tour { plain: false }),
        ["tour", "--plain"] => Ok(Command::Tour { plain: true }),
        ["--help" | "-h" | "help"] => Ok(Command::Help),
        ["--version" | "-V"] => Ok(Command::Version),
        _ => Err(Refusal::new("avenir-mcp does not know these arguments: avenir-mcp --help lists what it takes.")),
    }
}

/// Runs the command and returns the process's exit code: 0, 1 when it failed, 2 for a bad command line or setting.
pub async fn run(arguments: Vec<OsString>) -> u8 {
    let (command, config) =
        match command(&arguments).and_then(|command| Ok((command, Config::from_env().map_err(told)?))) {
            Ok(both) => both,
            Err(refusal) => {
                complain(&refusal);
                return 2;
            }
        };
    let done = match command {
        Command::Help => print(HELP),
        Command::Version => print(concat!("avenir-mcp ", env!("CARGO_PKG_VERSION"), "\n")),
        Command::Serve { demo } => {
            log(&config);
            serve(Arc::new(app(config, demo))).await
        }
        Command::Tour { plain } => {
            let config = Config { write: true, require_elicitation: true, ..config };
            tour::play(Arc::new(app(config, true)), plain).await
        }
    };
    match done {
        Ok(()) => 0,
        Err(refusal) => {
            complain(&refusal);
            1
        }
    }
}

fn told(error: crate::config::ConfigError) -> Refusal {
    Refusal::new(error.to_string())
}

/// The application of these settings, on YNAB or on the invented plan. Nothing is read or connected yet.
fn app(config: Config, demo: bool) -> App {
    let clock = Clock::new(config.today);
    let process: String = new_operation_id().bytes().filter(u8::is_ascii_alphanumeric).map(char::from).collect();
    // The demo plan's journal is its own: the user's is never opened for it.
    let (client, journal) = if demo {
        let journal = match config.journal {
            Some(named) => Journal::on_disk(Some(named), None, process),
            None => Journal::in_memory(),
        };
        (Client::in_memory(Ynab::demo(clock.today())), journal)
    } else {
        let journal = Journal::on_disk(config.journal, config.state, process);
        let shared_rate = journal.path().and_then(|path| path.parent()).map(Path::to_path_buf);
        (Client::over_http(Http { clock, shared_rate, ..Http::new(config.url, config.token) }), journal)
    };
    let gate = Gate::new(monotonic, config.require_elicitation);
    App::new(client, clock, gate, journal, config.write, config.confidence_threshold)
}

/// Logs go to stderr; rmcp's own stay out, since at debug level they carry whole messages.
fn log(config: &Config) {
    let level = match config.log_level {
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Warning => LevelFilter::WARN,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Critical => LevelFilter::OFF,
    };
    let targets = Targets::new().with_target("avenir_mcp", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let registry = tracing_subscriber::registry();
    let set = match config.log_format {
        LogFormat::Text => registry.with(targets).with(lines).try_init(),
        LogFormat::Json => registry.with(targets).with(lines.json()).try_init(),
    };
    drop(set);
    for name in &config.unknown {
        tracing::warn!("{name} is not a setting of avenir-mcp and is ignored");
    }
}

/// Writes to stdout, for the commands that are not the server.
pub fn print(text: &str) -> Result<(), Refusal> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Refusal::new(format!("The output could not be written: {error}.")))
}

fn complain(refusal: &Refusal) {
    let _ = writeln!(std::io::stderr().lock(), "avenir-mcp: {refusal}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands() {
        let read = |words: &[&str]| command(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(read(&[]), Ok(Command::Serve { demo: false }));
        assert_eq!(read(&["--demo"]), Ok(Command::Serve { demo: true }));
        assert_eq!(read(&["tour", "--plain"]), Ok(Command::Tour { plain: true }));
        assert_eq!(read(&["--version"]), Ok(Command::Version));
        assert!(read(&["serve"]).is_err() && read(&["--demo", "x"]).is_err());
    }
}
