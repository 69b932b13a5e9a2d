//! `install` and `uninstall` on each client's file: what is there stays, byte for byte.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::home::{Home, code, set_mode};

/// Each client, its file on Linux, and a file as its users have it.
const CLIENTS: [(&str, &str, &str); 5] = [
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "{\n  \"globalShortcut\": \"\",\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"x\"]\n    }\n  }\n}",
    ),
    ("claude-code", ".claude.json", "{\"numStartups\":12,\"projects\":{\"/p\":{\"mcpServers\":{}}},\"userID\":\"é\"}"),
    ("cursor", ".cursor/mcp.json", "{\r\n\t\"mcpServers\": {}\r\n}\r\n"),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        "{\n    // my servers\n    \"servers\": {\n        \"git\": { \"command\": \"git-mcp\" }, // fine\n    },\n    /* asked at start */\n    \"inputs\": [],\n}\n",
    ),
    ("lm-studio", ".lmstudio/mcp.json", "\u{FEFF}{ \"mcpServers\": { \"a\": { \"url\": \"http://x\" } } }\n"),
];

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

/// The file as JSON, where its comments end their lines and its trailing commas are known.
fn loose(text: &str) -> Value {
    let lines: String =
        text.lines().map(|line| line.split(" //").next().unwrap_or_default().to_owned() + "\n").collect();
    let plain = lines.replace("// my servers", "").replace("/* asked at start */", "");
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ").replace(", }", " }");
    serde_json::from_str(plain.trim_start_matches('\u{FEFF}')).expect("JSON")
}

#[test]
fn in_and_out_again_leaves_every_clients_file_byte_for_byte() {
    for (client, place, before) in CLIENTS {
        let home = Home::new();
        home.write_closed("token", "a-token");
        let file = home.write(place, before);
        set_mode(&file, 0o640);
        let run = |arguments: &[&str]| {
            let output = home.binary(arguments).env("YNAB_API_KEY_FILE", home.at("token")).output().expect("it runs");
            assert_eq!(code(&output), 0, "{client}: {}", home.plain(&output.stderr));
            home.plain(&output.stdout)
        };

        run(&["install", client]);
        assert_eq!(text(&file), before, "without --apply nothing is written");

        run(&["install", client, "--apply"]);
        let servers = if client == "vscode" { "servers" } else { "mcpServers" };
        let given = loose(&text(&file));
        let mut wanted = loose(before);
        let mut entry = json!({
            "command": env!("CARGO_BIN_EXE_avenir-mcp"),
            "args": [],
            "env": { "YNAB_API_KEY_FILE": home.at("token") }
        });
        if ["claude-code", "vscode"].contains(&client) {
            entry["type"] = "stdio".into();
        }
        wanted[servers]["ynab"] = entry;
        assert_eq!(given, wanted, "{client}");
        let kept = format!("{place}.before-avenir-mcp");
        assert_eq!(text(&home.at(&kept)), before, "{client}: a copy is kept");

        run(&["install", client, "--apply"]);
        assert_eq!(loose(&text(&file)), wanted, "{client}: a second time changes nothing");

        run(&["uninstall", client]);
        assert_eq!(text(&file), before, "{client}");
        assert!(!home.at(&kept).exists(), "{client}: nothing is left over");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = file.metadata().expect("about").permissions().mode();
            assert_eq!(mode & 0o777, 0o640, "{client}: permissions stay");
        }
        run(&["uninstall", client]);
        assert_eq!(text(&file), before, "{client}: a second time changes nothing");
    }
}

#[test]
fn what_changed_in_between_stays() {
    let home = Home::new();
    let file = home.write(".cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n");
    let run = |arguments: &[&str]| home.binary(arguments).output().expect("it runs");
    assert_eq!(code(&run(&["install", "cursor", "--apply", "--demo"])), 0);
    let changed = text(&file).replace("\"a\": {}", "\"a\": {}, // mine\n    \"b\": {}");
    std::fs::write(&file, &changed).expect("changed");
    let output = run(&["uninstall", "cursor"]);
    assert_eq!(code(&output), 0);
    assert_eq!(text(&file), "{\n  \"mcpServers\": {\n    \"a\": {}, // mine\n    \"b\": {}\n  }\n}\n");
    assert_eq!(text(&home.at(".cursor/mcp.json.before-avenir-mcp")), changed);
}

#[test]
fn a_file_that_was_not_there_goes_again_and_a_link_stays_one() {
    let home = Home::new();
    let run = |arguments: &[&str]| code(&home.binary(arguments).output().expect("it runs"));
    assert_eq!(run(&["install", "claude-desktop", "--apply", "--demo"]), 0);
    let file = home.at(".config/Claude/claude_desktop_config.json");
    let server = &loose(&text(&file))["mcpServers"]["ynab"];
    assert_eq!((&server["args"], &server["env"]), (&json!(["--demo"]), &json!({})));
    assert_eq!(run(&["uninstall", "claude-desktop"]), 0);
    assert!(!file.exists());
    #[cfg(unix)]
    {
        let real = home.write("dotfiles/mcp.json", "{}");
        std::fs::create_dir_all(home.at(".cursor")).expect("a folder");
        std::os::unix::fs::symlink(&real, home.at(".cursor/mcp.json")).expect("a link");
        assert_eq!(run(&["install", "cursor", "--apply", "--demo", "--write"]), 0);
        assert_eq!(loose(&text(&real))["mcpServers"]["ynab"]["env"]["AVENIR_MCP_WRITE"], "1");
        assert_eq!(run(&["uninstall", "cursor"]), 0);
        assert_eq!(text(&real), "{}");
        assert!(home.at(".cursor/mcp.json").symlink_metadata().expect("about").is_symlink());
    }
}

#[test]
fn the_tokens_file_is_made_for_the_owner_alone() {
    let home = Home::new();
    let mut running = home
        .binary(&["install", "generic", "--apply", "--file", "mcp.json"])
        .current_dir(home.at(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    running.stdin.take().expect("its input").write_all(b"  the-typed-token \n").expect("typed");
    let output = running.wait_with_output().expect("it ends");
    let said = home.plain(&output.stdout) + &home.plain(&output.stderr);
    assert_eq!(code(&output), 0, "{said}");
    assert!(!said.contains("the-typed-token"), "{said}");
    let token = home.at(".config/avenir-mcp/token");
    assert_eq!(text(&token), "the-typed-token\n");
    let written = text(&home.at("mcp.json"));
    assert!(!written.contains("the-typed-token"));
    let server = loose(&written)["mcpServers"]["ynab"].clone();
    assert_eq!(server["env"]["YNAB_API_KEY_FILE"], token.to_string_lossy().as_ref());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(token.metadata().expect("about").permissions().mode() & 0o777, 0o600);
        assert_eq!(home.at(".config/avenir-mcp").metadata().expect("about").permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let home = Home::new();
    home.write_closed("token", "a-token");
    home.write_closed("open", "a-token");
    set_mode(&home.at("open"), 0o644);
    let cases: [(&str, &[&str], &str, &str); 7] = [
        (
            "{\"mcpServers\": {\"ynab\": {\"command\": \"uvx\"}}}",
            &["install", "cursor", "--apply"],
            "token",
            "already has",
        ),
        (
            "{\"mcpServers\": {\"ynab\": {\"command\": \"uvx\"}}}",
            &["uninstall", "cursor"],
            "token",
            "starts another program",
        ),
        ("{\"mcpServers\": [],}", &["install", "cursor", "--apply"], "token", "without braces"),
        ("{\"mcpServers\": ", &["install", "cursor", "--apply"], "token", "is not JSON (line 1)"),
        ("{}", &["install", "cursor", "--apply"], "open", "chmod 600"),
        ("{}", &["install", "generic", "--apply"], "token", "--file PATH"),
        ("{}", &["install", "emacs", "--apply"], "token", "does not know this client. It knows claude-desktop"),
    ];
    for (before, arguments, token, told) in cases {
        let file = home.write(".cursor/mcp.json", before);
        let output = home.binary(arguments).env("YNAB_API_KEY_FILE", home.at(token)).output().expect("it runs");
        let said = home.plain(&output.stderr);
        assert!(code(&output) != 0 && said.contains(told), "{arguments:?}: {said}");
        assert_eq!(text(&file), before);
        assert!(!home.at(".cursor/mcp.json.before-avenir-mcp").exists());
    }
}
