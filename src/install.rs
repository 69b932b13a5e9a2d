//! Owns `install` and `uninstall`: the entry that a client's file gets, the token's own file, what is said about them.
//! Never takes a token from the command line, and never changes anything else in a client's file.

use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::{print, tell};
use crate::client::error::TokenFault;
use crate::client::secret;
use crate::config::{Token, TokenSource};
use crate::error::Refusal;
use crate::refuse;

pub mod jsonc;
pub mod place;

use jsonc::Undone;
use place::{Program, System};

/// The server's name in every client.
const NAME: &str = "ynab";
/// What is added to a file's name for the copy of what was there before.
const BEFORE: &str = ".before-avenir-mcp";
/// How much of a typed token is read.
const TOKEN_MAX: u64 = 4096;

/// What to install.
#[derive(Debug, PartialEq, Eq)]
pub struct Install {
    /// The client.
    pub program: Program,
    /// Its file, where it is not the usual one.
    pub file: Option<PathBuf>,
    /// Whether the file is written, or only shown what would be.
    pub apply: bool,
    /// Whether the server may change the plan.
    pub write: bool,
    /// Whether it serves the invented plan.
    pub demo: bool,
}

/// Shows the entry for a client, or puts it into the client's file.
pub fn install(ask: &Install) -> Result<(), Refusal> {
    let program = ask.program;
    let binary = std::env::current_exe()
        .map_err(|_| Refusal::new("This program's own place cannot be found, so no client could start it."))?;
    let token = if ask.demo { None } else { Some(token_file()?) };
    let server = entry(program, &binary, token.as_deref(), ask);
    if !ask.apply {
        return show(ask, &server);
    }
    let file = file(program, ask.file.as_deref())?;
    let before = read(&file)?;
    let text = before.as_deref().unwrap_or_default();
    let about = |fault: String| refuse!("{} {fault}. Nothing was changed.", file.display());
    match jsonc::find(text, program.servers(), NAME).map_err(about)? {
        Some(there) if there == server => {
            return tell(&format!("{} is already set up in {}.", program.name(), file.display()));
        }
        Some(_) => {
            return Err(refuse!(
                "{} already has a server named {NAME}, set up differently. Nothing was changed: take it out first (avenir-mcp \
                 uninstall {}) or edit it there.",
                file.display(),
                program.word()
            ));
        }
        None => {}
    }
    let after = jsonc::insert(text, program.servers(), NAME, &server).map_err(about)?;
    if let Some(token) = &token {
        keep_token(token)?;
    }
    if before.is_some() {
        let kept = beside(&file, BEFORE);
        fs::copy(&file, &kept).map_err(|error| cannot("be copied", &file, &error))?;
        tell(&format!("Kept what was there as {}.", kept.display()))?;
    }
    write(&file, &after)?;
    tell(&format!("Added the server {NAME} to {}.", file.display()))?;
    if binary.components().any(|part| part.as_os_str() == "target") {
        tell(&format!(
            "Note: it starts {}, a build folder; cargo install --path . puts the program where it stays.",
            binary.display()
        ))?;
    }
    tell(&format!("Restart {}, then ask it: \"How is this month going in YNAB?\"", program.name()))?;
    tell("If it does not work, run: avenir-mcp doctor")
}

/// Takes the entry back.
pub fn uninstall(program: Program, file_given: Option<&Path>) -> Result<(), Refusal> {
    let file = file(program, file_given)?;
    let about = |fault: String| refuse!("{} {fault}. Nothing was changed.", file.display());
    let text = read(&file)?.unwrap_or_default();
    let kept = beside(&file, BEFORE);
    let there = jsonc::find(&text, program.servers(), NAME).map_err(about)?;
    let command = there.as_ref().and_then(|server| server["command"].as_str()).map(Path::new);
    let ours = command.and_then(Path::file_stem).is_some_and(|stem| stem == "avenir-mcp");
    if there.is_some() && !ours {
        return Err(refuse!(
            "The server named {NAME} in {} starts another program. Nothing was changed.",
            file.display()
        ));
    }
    match jsonc::undo(&text, read(&kept)?.as_deref(), program.servers(), NAME).map_err(about)? {
        None => return tell(&format!("There is no server named {NAME} in {}.", file.display())),
        Some(Undone::Before(before)) => {
            write(&file, &before)?;
            remove(&kept)?;
            tell(&format!("{} is again as it was before.", file.display()))?;
        }
        Some(Undone::NoFile) => {
            remove(&file)?;
            tell(&format!("Removed {}, which held nothing else.", file.display()))?;
        }
        Some(Undone::Less(less)) => {
            fs::copy(&file, &kept).map_err(|error| cannot("be copied", &file, &error))?;
            write(&file, &less)?;
            tell(&format!(
                "Took the server {NAME} out of {}; what was there is kept as {}.",
                file.display(),
                kept.display()
            ))?;
        }
    }
    if let Some(token) = kept_token() {
        tell(&format!(
            "The token is still in {}: delete that file, and the token in YNAB, if you are done.",
            token.display()
        ))?;
    }
    Ok(())
}

/// The clients whose usual file has this server, each with the command it starts.
pub fn set_up() -> Vec<(Program, String)> {
    let command = |program: Program| {
        let text = read(&file(program, None).ok()?).ok()??;
        let server = jsonc::find(&text, program.servers(), NAME).ok()??;
        Some((program, server["command"].as_str()?.to_owned()))
    };
    place::PROGRAMS.into_iter().filter_map(command).collect()
}

/// Says what would be written, and where.
fn show(ask: &Install, server: &Value) -> Result<(), Refusal> {
    let program = ask.program;
    match file(program, ask.file.as_deref()) {
        Ok(file) => tell(&format!("For {}, in {}:\n", program.name(), file.display()))?,
        Err(_) => tell("For your client, in its list of MCP servers:\n")?,
    }
    let mut shown = jsonc::insert("", program.servers(), NAME, server).unwrap_or_default();
    if shown.is_empty() {
        shown = server.to_string();
    }
    print(&shown)?;
    tell("\nNothing was changed. With --apply it is merged into the file, and the token's file is made for you.")
}

/// How a client starts the server.
fn entry(program: Program, binary: &Path, token: Option<&Path>, ask: &Install) -> Value {
    let mut server = json!({});
    if program.says_stdio() {
        server["type"] = "stdio".into();
    }
    server["command"] = binary.to_string_lossy().into();
    server["args"] = if ask.demo { json!(["--demo"]) } else { json!([]) };
    server["env"] = json!({});
    if let Some(token) = token {
        server["env"]["YNAB_API_KEY_FILE"] = token.to_string_lossy().into();
    }
    if ask.write {
        server["env"]["AVENIR_MCP_WRITE"] = "1".into();
    }
    server
}

/// The folder that a variable names.
fn folder(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The client's file.
fn file(program: Program, given: Option<&Path>) -> Result<PathBuf, Refusal> {
    if let Some(given) = given {
        return std::path::absolute(given).map_err(|error| cannot("be found", given, &error));
    }
    let files = program.files(System::HERE, &folder);
    let there = files.iter().find(|file| file.parent().is_some_and(Path::is_dir));
    there.or(files.first()).cloned().ok_or_else(|| match program {
        Program::Generic => Refusal::new("A generic client's file is not known here: name it with --file PATH."),
        _ => Refusal::new("Your home folder is not known here: set HOME, or name the client's file with --file PATH."),
    })
}

/// The token's file: the one that the user names, else the usual one.
fn token_file() -> Result<PathBuf, Refusal> {
    let named = std::env::var_os("YNAB_API_KEY_FILE").filter(|name| !name.is_empty()).map(PathBuf::from);
    let path = named.or_else(|| place::token(System::HERE, &folder));
    let path = path.ok_or_else(|| {
        Refusal::new("Your home folder is not known here: set HOME, or name the token's file in YNAB_API_KEY_FILE.")
    })?;
    std::path::absolute(&path).map_err(|error| cannot("be found", &path, &error))
}

/// The token's file, where there is one.
pub fn kept_token() -> Option<PathBuf> {
    token_file().ok().filter(|path| path.exists())
}

/// Makes the token's file if it is not there, and checks the one that is.
fn keep_token(path: &Path) -> Result<(), Refusal> {
    let found = match secret::read(&TokenSource::File(path.to_owned())) {
        Err(TokenFault::FileMissing(_)) => {
            let token = match std::env::var("YNAB_API_KEY").ok().and_then(|text| Token::new(&text)) {
                Some(token) => Some(token),
                None => typed()?,
            };
            make_token_file(path, token.as_ref()).map_err(|error| cannot("be made", path, &error))?;
            tell(&format!("Made {}, which only you can read, for the token.", path.display()))?;
            secret::read(&TokenSource::File(path.to_owned()))
        }
        found => found,
    };
    match found {
        Ok(_) => Ok(()),
        Err(TokenFault::FileEmpty(_)) => tell(&format!(
            "The token is still missing: make one at app.ynab.com (Account Settings, Developer Settings, New Token) and \
             put it in {}.",
            path.display()
        )),
        Err(fault) => Err(refuse!("The token cannot be used: {fault}. Nothing was changed.")),
    }
}

fn make_token_file(path: &Path, token: Option<&Token>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    if let Some(token) = token {
        writeln!(file, "{}", token.reveal())?;
    }
    file.sync_all()
}

/// The token that the user types, or that a pipe brings; none when nothing comes.
fn typed() -> Result<Option<Token>, Refusal> {
    let mut text = String::new();
    let read = if io::stdin().is_terminal() {
        tell(
            "Paste your YNAB token and press Enter (app.ynab.com: Account Settings, Developer Settings, New Token).\n\
             It goes into a file that only you can read; press Enter alone to do that later.",
        )?;
        match hidden() {
            Some(line) => {
                text = line;
                Ok(0)
            }
            None => io::stdin().lock().take(TOKEN_MAX).read_line(&mut text),
        }
    } else {
        io::stdin().lock().take(TOKEN_MAX).read_line(&mut text)
    };
    read.map_err(|error| refuse!("The token could not be read: {error}. Nothing was changed."))?;
    match (text.trim().is_empty(), Token::new(&text)) {
        (true, _) => Ok(None),
        (false, Some(token)) => Ok(Some(token)),
        (false, None) => Err(Refusal::new(
            "What was typed is no token: a token has no spaces. Nothing was changed; copy it again from YNAB.",
        )),
    }
}

/// A line from the terminal that is not shown while it is typed; the shell puts the terminal right again, on Ctrl-C too.
#[cfg(unix)]
fn hidden() -> Option<String> {
    const SCRIPT: &str = "trap 'stty echo; exit 130' INT TERM; stty -echo || exit 1; IFS= read -r line; stty echo; \
                          printf %s \"$line\"";
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", SCRIPT])
        .stdin(std::process::Stdio::inherit())
        .stderr(std::process::Stdio::inherit())
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(not(unix))]
fn hidden() -> Option<String> {
    None
}

/// A client's file as text, if it is there.
fn read(file: &Path) -> Result<Option<String>, Refusal> {
    match fs::read(file) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| refuse!("{} is not UTF-8 text. Nothing was changed.", file.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot("be read", file, &error)),
    }
}

/// Puts a file's new text in its place in one step, so that a crash leaves the old one or the new one.
fn write(file: &Path, text: &str) -> Result<(), Refusal> {
    // A link stays a link: what it points to is written.
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let fresh = beside(&file, ".avenir-mcp-new");
    let written = (|| {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut out = OpenOptions::new().write(true).create(true).truncate(true).open(&fresh)?;
        if let Ok(about) = fs::metadata(&file) {
            out.set_permissions(about.permissions())?;
        }
        out.write_all(text.as_bytes())?;
        out.sync_all()?;
        fs::rename(&fresh, &file)
    })();
    written.map_err(|error| {
        let _ = fs::remove_file(&fresh);
        cannot("be written", &file, &error)
    })
}

fn remove(file: &Path) -> Result<(), Refusal> {
    fs::remove_file(file).map_err(|error| cannot("be removed", file, &error))
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    file.with_file_name(name)
}

fn cannot(be: &str, file: &Path, error: &io::Error) -> Refusal {
    refuse!("{} cannot {be}: {error}.", file.display())
}
