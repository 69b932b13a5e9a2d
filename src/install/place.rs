//! Owns which clients there are and where each keeps its list of servers, on every system. Never looks at the disk: what
//! the environment says is an argument.

use std::path::PathBuf;

/// A program that can start an MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Anthropic's desktop application.
    ClaudeDesktop,
    /// Anthropic's command line.
    ClaudeCode,
    /// The editor Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// LM Studio.
    LmStudio,
    /// Any other that reads the same shape of file.
    Generic,
}

/// Every one, in the order it is named to the user.
pub const PROGRAMS: [Program; 6] = [
    Program::ClaudeDesktop,
    Program::ClaudeCode,
    Program::Cursor,
    Program::VsCode,
    Program::LmStudio,
    Program::Generic,
];

/// The systems whose folders differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux and the like.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl System {
    /// The one this program was built for.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Mac
    } else {
        Self::Linux
    };
}

/// The folder that a variable names, if it is set to a whole path.
pub type Folder<'a> = &'a dyn Fn(&str) -> Option<PathBuf>;

impl Program {
    /// The word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::LmStudio => "lm-studio",
            Self::Generic => "generic",
        }
    }

    /// The name people know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::LmStudio => "LM Studio",
            Self::Generic => "your client",
        }
    }

    /// The object in its file that holds the servers.
    pub fn servers(self) -> &'static str {
        if self == Self::VsCode { "servers" } else { "mcpServers" }
    }

    /// Whether an entry says by which transport the server is reached.
    pub fn says_stdio(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::VsCode)
    }

    /// Where its file may be: the first whose folder exists, else the first.
    pub fn files(self, system: System, folder: Folder<'_>) -> Vec<PathBuf> {
        let Some(home) = home(system, folder) else { return Vec::new() };
        let settings = || settings(system, folder);
        match self {
            Self::ClaudeDesktop => {
                settings().map(|at| at.join("Claude/claude_desktop_config.json")).into_iter().collect()
            }
            Self::ClaudeCode => vec![folder("CLAUDE_CONFIG_DIR").unwrap_or(home).join(".claude.json")],
            Self::Cursor => vec![home.join(".cursor/mcp.json")],
            Self::VsCode => settings().map(|at| at.join("Code/User/mcp.json")).into_iter().collect(),
            Self::LmStudio => vec![home.join(".lmstudio/mcp.json"), home.join(".cache/lm-studio/mcp.json")],
            Self::Generic => Vec::new(),
        }
    }
}

/// The user's own folder.
pub fn home(system: System, folder: Folder<'_>) -> Option<PathBuf> {
    if system == System::Windows { folder("USERPROFILE") } else { folder("HOME") }
}

/// The folder where programs keep their settings.
pub fn settings(system: System, folder: Folder<'_>) -> Option<PathBuf> {
    match system {
        System::Windows => folder("APPDATA").or_else(|| Some(home(system, folder)?.join("AppData/Roaming"))),
        System::Mac => Some(home(system, folder)?.join("Library/Application Support")),
        System::Linux => folder("XDG_CONFIG_HOME").or_else(|| Some(home(system, folder)?.join(".config"))),
    }
}

/// Where the token is kept when the user names no file.
pub fn token(system: System, folder: Folder<'_>) -> Option<PathBuf> {
    Some(settings(system, folder)?.join("avenir-mcp/token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_each_client_keeps_its_servers() {
        let linux = |name: &str| (name == "HOME").then(|| PathBuf::from("/home/me"));
        let mac = |name: &str| (name == "HOME").then(|| PathBuf::from("/Users/me"));
        let windows = |name: &str| match name {
            "USERPROFILE" => Some(PathBuf::from("C:/Users/me")),
            "APPDATA" => Some(PathBuf::from("C:/Users/me/AppData/Roaming")),
            _ => None,
        };
        let of = |program: Program, system, folder: Folder<'_>| {
            program.files(system, folder).iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let cases: [(Program, [&str; 3]); 5] = [
            (
                Program::ClaudeDesktop,
                [
                    "/home/me/.config/Claude/claude_desktop_config.json",
                    "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
                    "C:/Users/me/AppData/Roaming/Claude/claude_desktop_config.json",
                ],
            ),
            (Program::ClaudeCode, ["/home/me/.claude.json", "/Users/me/.claude.json", "C:/Users/me/.claude.json"]),
            (
                Program::Cursor,
                ["/home/me/.cursor/mcp.json", "/Users/me/.cursor/mcp.json", "C:/Users/me/.cursor/mcp.json"],
            ),
            (
                Program::VsCode,
                [
                    "/home/me/.config/Code/User/mcp.json",
                    "/Users/me/Library/Application Support/Code/User/mcp.json",
                    "C:/Users/me/AppData/Roaming/Code/User/mcp.json",
                ],
            ),
            (
                Program::LmStudio,
                ["/home/me/.lmstudio/mcp.json", "/Users/me/.lmstudio/mcp.json", "C:/Users/me/.lmstudio/mcp.json"],
            ),
        ];
        for (program, [on_linux, on_mac, on_windows]) in cases {
            assert_eq!(of(program, System::Linux, &linux)[0], on_linux);
            assert_eq!(of(program, System::Mac, &mac)[0], on_mac);
            assert_eq!(of(program, System::Windows, &windows)[0], on_windows);
        }
        assert!(of(Program::Generic, System::Linux, &linux).is_empty());
        assert!(of(Program::Cursor, System::Linux, &|_| None).is_empty());
        let moved = |name: &str| Some(PathBuf::from(if name == "HOME" { "/home/me" } else { "/etc/me" }));
        assert_eq!(of(Program::ClaudeCode, System::Linux, &moved), ["/etc/me/.claude.json"]);
        assert_eq!(of(Program::VsCode, System::Linux, &moved), ["/etc/me/Code/User/mcp.json"]);
        assert_eq!(token(System::Linux, &linux), Some("/home/me/.config/avenir-mcp/token".into()));
    }
}
