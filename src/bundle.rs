//! Owns `bundle`: this binary as a Claude Desktop extension (.mcpb), and its page for the MCP registry (server.json).
//! Never builds anything: it packs the binary that runs it.

use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::cli::tell;
use crate::error::Refusal;
use crate::refuse;
use crate::server;

mod zip;

use zip::Entry;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const TITLE: &str = "YNAB, with your own yes";
/// The registry takes at most 100 characters.
const DESCRIPTION: &str = "Ask about your YNAB plan and let it be changed with your own yes. Unofficial.";
const LONG: &str = "Answers questions about your YNAB plan: a month in figures, where money went, what waits for a category, \
    what comes. It only reads until you switch changes on; then every change is shown to you first, happens only with your \
    yes, and can be taken back.\n\nWe are not affiliated, associated, or in any way officially connected with YNAB or any of \
    its subsidiaries or affiliates. The official YNAB website can be found at https://www.ynab.com.";
/// The project's page, until `--repository` says the real one.
pub const REPOSITORY: &str = "https://github.com/OWNER/avenir-mcp";

/// A switch of the extension: its key, its variable, its title, its description.
const SWITCHES: [[&str; 4]; 2] = [
    [
        "write",
        "AVENIR_MCP_WRITE",
        "Allow changes",
        "Off: it can only read. On: it can also change your plan, each change shown to you first.",
    ],
    [
        "require_elicitation",
        "AVENIR_MCP_REQUIRE_ELICITATION",
        "Only my own answer counts",
        "On: a change needs your answer in the client's own dialog; codes passed on by the assistant are refused.",
    ],
];
const TOKEN_TITLE: &str = "YNAB token";
const TOKEN_HELP: &str = "In YNAB: Account Settings, Developer Settings, New Token.";

/// Packs this binary into `folder`, as `avenir-mcp-VERSION-SYSTEM-MACHINE.mcpb` with `server.json` beside it.
pub fn bundle(folder: &Path, repository: &str) -> Result<(), Refusal> {
    let owner = repository.strip_prefix("https://github.com/").and_then(|path| path.split_once('/'));
    let Some((owner, _)) = owner.filter(|(owner, name)| !owner.is_empty() && !name.is_empty()) else {
        return Err(refuse!("--repository takes a page such as {REPOSITORY}."));
    };
    let cannot = |what: &str, error: std::io::Error| refuse!("{what} failed: {error}.");
    let binary = std::env::current_exe()
        .and_then(std::fs::read)
        .map_err(|error| cannot("Reading this program's own file", error))?;
    let program = if cfg!(windows) { "server/avenir-mcp.exe" } else { "server/avenir-mcp" };
    let manifest = format!("{:#}\n", manifest(program, repository));
    let entries = [
        Entry { name: "manifest.json", bytes: manifest.as_bytes(), mode: 0o644 },
        Entry { name: "LICENSE", bytes: include_bytes!("../LICENSE"), mode: 0o644 },
        Entry { name: program, bytes: &binary, mode: 0o755 },
    ];
    let archive = zip::archive(&entries).ok_or_else(|| Refusal::new("This program is too large to be packed."))?;
    let file = format!("avenir-mcp-{VERSION}-{}-{}.mcpb", std::env::consts::OS, std::env::consts::ARCH);
    let hash: String = Sha256::digest(&archive).iter().map(|byte| format!("{byte:02x}")).collect();
    let page = format!("{:#}\n", page(owner, repository, &file, &hash));
    let write = |name: &str, bytes: &[u8]| {
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(folder.join(name), bytes))
            .map_err(|error| cannot(&format!("Writing {}", folder.join(name).display()), error))?;
        tell(&format!("Made {}.", folder.join(name).display()))
    };
    write(&file, &archive)?;
    write("server.json", page.as_bytes())?;
    if repository == REPOSITORY {
        tell("Before publishing, make them again with --repository and the project's real page.")?;
    }
    Ok(())
}

/// What Claude Desktop reads of the extension.
fn manifest(program: &str, repository: &str) -> Value {
    let system = if cfg!(windows) {
        "win32"
    } else if cfg!(target_os = "macos") {
        "darwin"
    } else {
        "linux"
    };
    let tools: Vec<Value> = server::all_tools()
        .iter()
        .map(|tool| json!({ "name": tool.words.name, "description": tool.words.description }))
        .collect();
    let mut settings = json!({
        "ynab_token": {
            "type": "string", "title": TOKEN_TITLE, "description": TOKEN_HELP, "sensitive": true, "required": true
        }
    });
    let mut env = json!({ "YNAB_API_KEY": "${user_config.ynab_token}" });
    for [key, variable, title, description] in SWITCHES {
        settings[key] = json!({
            "type": "boolean", "title": title, "description": description, "required": false, "default": false
        });
        env[variable] = format!("${{user_config.{key}}}").into();
    }
    json!({
        "manifest_version": "0.3",
        "name": "avenir-mcp",
        "display_name": TITLE,
        "version": VERSION,
        "description": DESCRIPTION,
        "long_description": LONG,
        "author": { "name": "The avenir-mcp authors" },
        "repository": { "type": "git", "url": repository },
        "license": "MIT",
        "keywords": ["ynab", "budget", "money"],
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": { "command": format!("${{__dirname}}/{program}"), "args": [], "env": env }
        },
        "tools": tools,
        "user_config": settings,
        "compatibility": { "platforms": [system] }
    })
}

/// What the MCP registry publishes.
fn page(owner: &str, repository: &str, file: &str, hash: &str) -> Value {
    let mut variables = vec![json!({
        "name": "YNAB_API_KEY", "description": TOKEN_HELP, "isRequired": true, "isSecret": true, "format": "string"
    })];
    for [_, variable, title, description] in SWITCHES {
        variables.push(json!({
            "name": variable,
            "description": format!("{title}. {description}"),
            "format": "string",
            "choices": ["0", "1"],
            "default": "0"
        }));
    }
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": format!("io.github.{owner}/avenir-mcp"),
        "title": TITLE,
        "description": DESCRIPTION,
        "version": VERSION,
        "repository": { "url": repository, "source": "github" },
        "packages": [{
            "registryType": "mcpb",
            "identifier": format!("{repository}/releases/download/v{VERSION}/{file}"),
            "version": VERSION,
            "fileSha256": hash,
            "transport": { "type": "stdio" },
            "environmentVariables": variables
        }]
    })
}
