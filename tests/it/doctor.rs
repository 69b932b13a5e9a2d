//! The doctor on set-ups that are whole and broken: each problem is named with what mends it, in one golden file.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::process::Command;

use avenir_mcp::demo::Ynab;

use crate::support::golden::golden;
use crate::support::home::{Home, code, set_mode};
use crate::support::ynab::{Action, Fault, Server, TOKEN};

const TWO_PLANS: &[u8] = include_bytes!("../golden/two-plans/plan.json");

/// A home whose token is good, and a YNAB that it is good for.
fn whole() -> (Home, Server) {
    let home = Home::new();
    home.write_closed("token", TOKEN);
    (home, Server::start(Ynab::from_json(TWO_PLANS).expect("a plan file")))
}

fn doctor(home: &Home, server: &Server, arguments: &[&str]) -> Command {
    let mut command = home.binary(&[&["doctor"], arguments].concat());
    command.env("YNAB_API_KEY_FILE", home.at("token")).env("AVENIR_MCP_YNAB_URL", server.url());
    command
}

#[test]
fn each_broken_set_up_is_named_with_what_mends_it() {
    let mut seen = String::new();
    let mut case = |name: &str, wanted: i32, home: &Home, mut command: Command| {
        let output = command.output().expect("the doctor runs");
        assert_eq!(code(&output), wanted, "{name}: {}", home.plain(&output.stdout));
        let mut text = home.plain(&output.stdout) + &home.plain(&output.stderr);
        for (name, value) in command.get_envs() {
            if let (true, Some(url)) = (name == "AVENIR_MCP_YNAB_URL", value) {
                text = text.replace(&*url.to_string_lossy(), "http://YNAB");
            }
        }
        let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        text = text
            .replace(&format!("avenir-mcp {} on {platform}", env!("CARGO_PKG_VERSION")), "avenir-mcp VERSION on HERE");
        assert!(!text.contains(TOKEN), "{name}");
        // How far off the clock is depends on the day of the test.
        if let Some((before, rest)) = text.split_once("this machine's is ")
            && let Some((days, after)) = rest.split_once(" days behind")
        {
            assert!(days.parse::<u32>().is_ok_and(|days| days > 9000), "{text}");
            text = format!("{before}this machine's is MANY days behind{after}");
        }
        writeln!(seen, "== {name}: exit code {wanted}\n{text}").expect("text");
    };

    let (home, server) = whole();
    case("everything in order", 0, &home, doctor(&home, &server, &["--plan", "last-used"]));
    case("the invented plan", 0, &home, home.binary(&["doctor", "--demo"]));

    let mut command = doctor(&home, &server, &[]);
    command.env_remove("YNAB_API_KEY_FILE");
    case("no token", 1, &home, command);

    home.write_closed(".config/avenir-mcp/token", TOKEN);
    let mut command = doctor(&home, &server, &[]);
    command.env_remove("YNAB_API_KEY_FILE");
    case("the token that install kept", 0, &home, command);

    let (home, server) = whole();
    home.write_closed("token", "another-token");
    case("wrong token", 1, &home, doctor(&home, &server, &[]));

    let (home, server) = whole();
    set_mode(&home.at("token"), 0o644);
    case("token file too open", 1, &home, doctor(&home, &server, &[]));

    let (home, server) = whole();
    server.fault(Fault::new(Action::Header("Date", "Tue, 05 Jan 2100 10:00:00 GMT".into())));
    case("clock off", 1, &home, doctor(&home, &server, &[]));

    let (home, server) = whole();
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    let mut command = doctor(&home, &server, &[]);
    command.env("AVENIR_MCP_YNAB_URL", format!("http://{free}/v1"));
    case("YNAB down", 1, &home, command);

    let (home, server) = whole();
    server.fault(Fault::new(Action::Status(429, Some(120))));
    case("too many requests", 1, &home, doctor(&home, &server, &[]));

    let (home, server) = whole();
    let python = r#"{"operation_id":"old","plan_id":"gone","kind":"categorize","applied_at":"2026-01-01T00:00:00Z",
        "moves":[{"transaction_id":"t","from_category_id":null,"to_category_id":"c"}]}"#;
    let python = python.replace('\n', "");
    let journal = home.write_closed("journal", format!("{python}\n{{\"event\":\"inte\nnot a line\n"));
    let mut command = doctor(&home, &server, &[]);
    command.env("AVENIR_MCP_JOURNAL", journal);
    case("damaged journal", 1, &home, command);

    let (home, server) = whole();
    let mut command = doctor(&home, &server, &[]);
    command.env("AVENIR_MCP_JOURNAL", home.at("token/journal"));
    case("a folder that cannot be written", 1, &home, command);

    let (home, server) = whole();
    let mut command = doctor(&home, &server, &[]);
    command.env("AVENIR_MCP_WRITE", "yes").env("AVENIR_MCP_LOG_LEVEL", "LOUD").env("AVENIR_MCP_WRIT", "1");
    case("bad variables", 1, &home, command);

    let (home, server) = whole();
    case("unknown plan", 1, &home, doctor(&home, &server, &["--plan", "my-plan"]));

    let (home, server) = whole();
    home.write(".cursor/mcp.json", r#"{"mcpServers": {"ynab": {"command": "/gone/avenir-mcp"}}}"#);
    let mut command = doctor(&home, &server, &[]);
    command.env("AVENIR_MCP_STATEMENTS", home.at("statements"));
    case("a client that starts what is gone, a folder that is missing", 1, &home, command);

    golden("doctor.txt", &seen);
}
