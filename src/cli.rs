//! Owns the command line: which of the few commands runs, the logs, the exit code. Never serves or computes itself.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
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
use crate::install::place::{PROGRAMS, Program};
use crate::install::{self, Install};
use crate::journal::Journal;
use crate::server::{App, serve};
use crate::statements::Statements;
use crate::{bundle, doctor, reference, refuse, tour};

const HELP: &str = "\
avenir-mcp: an MCP server that lets an AI agent read and change a YNAB plan, with your own yes

Usage:
  avenir-mcp                    serve MCP on stdin and stdout (this is what a client starts)
  avenir-mcp --demo             the same on an invented plan, without a token
  avenir-mcp tour               a short conversation on the invented plan, printed for you (--plain: no colours)
  avenir-mcp install CLIENT     show how CLIENT starts it; with --apply, write that into its file
                                (--write: allow changes; --demo: the invented plan; --file PATH: another file)
  avenir-mcp uninstall CLIENT   take that back
  avenir-mcp reference          every tool with its arguments and an answer, in Markdown
  avenir-mcp doctor             check the set-up and say how to mend it (--demo; --plan ID: that plan too)
  avenir-mcp bundle FOLDER      pack this program as a Claude Desktop extension, with its registry page
                                (--repository URL: the project's page)
  avenir-mcp --help, --version

CLIENT: claude-desktop, claude-code, cursor, vscode, lm-studio or generic.
Settings are environment variables: YNAB_API_KEY_FILE, AVENIR_MCP_WRITE=1 and others; see the README.
avenir-mcp is not affiliated with or endorsed by YNAB.
";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Serve { demo: bool },
    Tour { plain: bool },
    Doctor { demo: bool, plan: Option<String> },
    Install(Install),
    Uninstall { program: Program, file: Option<PathBuf> },
    Bundle { folder: PathBuf, repository: String },
    Reference,
    Help,
    Version,
}

/// The words after a command: those that stand alone, and the options.
#[derive(Default)]
struct Words {
    alone: Vec<OsString>,
    options: BTreeMap<&'static str, OsString>,
}

impl Words {
    /// Reads the words; nothing when there is an option that the command does not have.
    fn read(words: &[OsString], switches: &[&'static str], valued: &[&'static str]) -> Option<Self> {
        let mut read = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if let Some(option) = switches.iter().find(|option| word == **option) {
                read.options.insert(option, OsString::new());
            } else if let Some(option) = valued.iter().find(|option| word == **option) {
                read.options.insert(option, words.next()?.clone());
            } else if word.to_string_lossy().starts_with('-') {
                return None;
            } else {
                read.alone.push(word.clone());
            }
        }
        Some(read)
    }

    fn has(&self, option: &str) -> bool {
        self.options.contains_key(option)
    }

    fn value(&self, option: &str) -> Option<OsString> {
        self.options.get(option).cloned()
    }
}

fn command(arguments: &[OsString]) -> Result<Command, Refusal> {
    let unknown = || Refusal::new("avenir-mcp does not know these arguments: avenir-mcp --help lists what it takes.");
    let (first, rest) = match arguments.split_first() {
        Some((first, rest)) if !first.to_string_lossy().starts_with('-') => (first.to_str().unwrap_or("?"), rest),
        _ => ("", arguments),
    };
    let read = |switches: &[&'static str], valued: &[&'static str], alone: usize| {
        Words::read(rest, switches, valued).filter(|words| words.alone.len() == alone).ok_or_else(unknown)
    };
    Ok(match (first, rest) {
        ("reference", []) => Command::Reference,
        ("help", []) => Command::Help,
        ("", [only]) if only == "--help" || only == "-h" => Command::Help,
        ("", [only]) if only == "--version" || only == "-V" => Command::Version,
        ("", _) => Command::Serve { demo: read(&["--demo"], &[], 0)?.has("--demo") },
        ("tour", _) => Command::Tour { plain: read(&["--plain"], &[], 0)?.has("--plain") },
        ("doctor", _) => {
            let words = read(&["--demo"], &["--plan"], 0)?;
            let plan = words.value("--plan").map(|plan| plan.to_string_lossy().into_owned());
            Command::Doctor { demo: words.has("--demo"), plan }
        }
        ("install", _) => {
            let words = read(&["--apply", "--write", "--demo"], &["--file"], 1)?;
            Command::Install(Install {
                program: program(&words.alone)?,
                file: words.value("--file").map(PathBuf::from),
                apply: words.has("--apply"),
                write: words.has("--write"),
                demo: words.has("--demo"),
            })
        }
        ("uninstall", _) => {
            let words = read(&[], &["--file"], 1)?;
            Command::Uninstall { program: program(&words.alone)?, file: words.value("--file").map(PathBuf::from) }
        }
        ("bundle", _) => {
            let words = read(&[], &["--repository"], 1)?;
            let repository = words.value("--repository").map(|page| page.to_string_lossy().into_owned());
            Command::Bundle {
                folder: words.alone.iter().map(PathBuf::from).collect(),
                repository: repository.unwrap_or_else(|| bundle::REPOSITORY.into()),
            }
        }
        _ => return Err(unknown()),
    })
}

fn program(words: &[OsString]) -> Result<Program, Refusal> {
    PROGRAMS.into_iter().find(|program| words.first().is_some_and(|word| word == program.word())).ok_or_else(|| {
        let words: Vec<&str> = PROGRAMS.iter().map(|program| program.word()).collect();
        refuse!("avenir-mcp does not know this client. It knows {}.", words.join(", "))
    })
}

/// Runs the command and returns the process's exit code: 0, 1 when it failed, 2 for a bad command line or setting.
pub async fn run(arguments: Vec<OsString>) -> u8 {
    let done = match command(&arguments) {
        Err(refusal) => Err((2, refusal)),
        Ok(command) => carry_out(command).await,
    };
    match done {
        Ok(()) => 0,
        Err((code, refusal)) => {
            let _ = tell(&format!("avenir-mcp: {refusal}"));
            code
        }
    }
}

async fn carry_out(command: Command) -> Result<(), (u8, Refusal)> {
    let config = || Config::from_env().map_err(|error| (2, Refusal::new(error.to_string())));
    let done = match command {
        Command::Help => print(HELP),
        Command::Version => print(concat!("avenir-mcp ", env!("CARGO_PKG_VERSION"), "\n")),
        Command::Serve { demo } => {
            let config = config()?;
            log(&config);
            serve(Arc::new(app(config, demo))).await
        }
        Command::Tour { plain } => {
            let config = Config { write: true, require_elicitation: true, ..config()? };
            tour::play(Arc::new(app(config, true)), plain).await
        }
        Command::Reference => {
            let config = Config { write: true, require_elicitation: true, ..config()? };
            let page = reference::page(|| Arc::new(app(config.clone(), true))).await;
            page.and_then(|page| print(&page))
        }
        Command::Doctor { demo, plan } => {
            let (config, bad) = doctor::settings().map_err(|refusal| (2, refusal))?;
            let app = app(config.clone(), demo);
            let report = doctor::examine(&config, bad, &app, demo, plan.as_deref()).await;
            print(&report.to_string()).and_then(|()| report.verdict())
        }
        Command::Install(ask) => install::install(&ask),
        Command::Uninstall { program, file } => install::uninstall(program, file.as_deref()),
        Command::Bundle { folder, repository } => bundle::bundle(&folder, &repository),
    };
    done.map_err(|refusal| (1, refusal))
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
        .with_statements(Statements::new(config.statements))
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

/// Writes a line to stderr: what a person should know beside a command's output.
pub fn tell(line: &str) -> Result<(), Refusal> {
    // Nobody may be listening, which stops nothing.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
    Ok(())
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
        assert_eq!(read(&["doctor", "--plan", "x"]), Ok(Command::Doctor { demo: false, plan: Some("x".into()) }));
        assert_eq!(
            read(&["install", "--apply", "cursor", "--file", "/f"]),
            Ok(Command::Install(Install {
                program: Program::Cursor,
                file: Some("/f".into()),
                apply: true,
                write: false,
                demo: false,
            }))
        );
        assert_eq!(read(&["uninstall", "vscode"]), Ok(Command::Uninstall { program: Program::VsCode, file: None }));
        for bad in [&["serve"][..], &["--demo", "x"], &["install"], &["install", "emacs"], &["doctor", "--plan"]] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
        // A token has no place on a command line, where others can see it.
        assert!(read(&["install", "cursor", "--token", "x"]).is_err());
    }
}
