//! Owns edits of a client's JSON file as text: a server is put in or taken out, and every other byte stays, comments and
//! trailing commas included. Never reads or writes a file.

use std::ops::Range;

use serde::Serialize as _;
use serde_json::{Map, Value};

/// What a file looked like before, or how it is to be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// Exactly the text that was there before.
    Before(String),
    /// There was no file before.
    NoFile,
    /// The text less the server: the file was changed since.
    Less(String),
}

/// Why a text is left alone, as the end of a sentence that begins with the file's name.
pub type Fault = String;

/// The text with a server under that name in the object `servers`, which is made where it is missing.
pub fn insert(text: &str, servers: &str, name: &str, server: &Value) -> Result<String, Fault> {
    let one = |key: &str, value: &Value| Value::Object(Map::from_iter([(key.to_owned(), value.clone())]));
    if text.trim_start_matches('\u{FEFF}').trim().is_empty() {
        return Ok(format!("{}\n", pretty(&one(servers, &one(name, server)), "  ")));
    }
    let page = Page::read(text)?;
    match page.servers(servers)? {
        Some(object) if object.member(name).is_some() => Err(format!("already has a server named {name}")),
        Some(object) => Ok(page.with(&object, name, server)),
        None => Ok(page.with(&page.root, servers, &one(name, server))),
    }
}

/// The server under that name, if the text holds one.
pub fn find(text: &str, servers: &str, name: &str) -> Result<Option<Value>, Fault> {
    if text.trim_start_matches('\u{FEFF}').trim().is_empty() {
        return Ok(None);
    }
    let page = Page::read(text)?;
    let object = page.servers(servers)?;
    let member = object.as_ref().and_then(|object| object.member(name));
    Ok(member.map(|member| page.value(&member.value)))
}

/// How to take back a server that [`insert`] put in; `before` is the text that was kept then.
pub fn undo(text: &str, before: Option<&str>, servers: &str, name: &str) -> Result<Option<Undone>, Fault> {
    let Some(server) = find(text, servers, name)? else { return Ok(None) };
    let gives_this = |before: &str| insert(before, servers, name, &server).as_deref() == Ok(text);
    if let Some(before) = before.filter(|before| gives_this(before)) {
        return Ok(Some(Undone::Before(before.to_owned())));
    }
    if gives_this("") {
        return Ok(Some(Undone::NoFile));
    }
    let page = Page::read(text)?;
    let object = page.servers(servers)?;
    Ok(object.map(|object| Undone::Less(page.without(&object, name))))
}

/// A text with what its JSON is made of.
struct Page<'a> {
    text: &'a str,
    /// The same text, byte for byte as long, with spaces for comments and trailing commas.
    strict: String,
    /// Where the trailing commas are.
    trailing: Vec<usize>,
    root: Object,
}

/// An object: the places of its braces and of its members.
struct Object {
    open: usize,
    close: usize,
    members: Vec<Member>,
}

struct Member {
    name: String,
    /// Where its name begins.
    start: usize,
    value: Range<usize>,
}

impl Object {
    fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl<'a> Page<'a> {
    fn read(text: &'a str) -> Result<Self, Fault> {
        let (strict, trailing) = strict(text);
        let whole = strict.trim_start_matches('\u{FEFF}');
        let value: Value = serde_json::from_str(whole)
            .map_err(|error| format!("is not JSON (line {}): correct it first", error.line()))?;
        if !value.is_object() {
            return Err("does not hold a JSON object: correct it first".into());
        }
        let open = strict.find('{').unwrap_or_default();
        let root = members(&strict, open);
        Ok(Self { text, strict, trailing, root })
    }

    fn value(&self, place: &Range<usize>) -> Value {
        self.strict.get(place.clone()).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The object of servers, if there is one.
    fn servers(&self, name: &str) -> Result<Option<Object>, Fault> {
        let mut found = self.root.members.iter().filter(|member| member.name == name);
        let Some(member) = found.next() else { return Ok(None) };
        if found.next().is_some() {
            return Err(format!("names {name} twice: correct it first"));
        }
        if !self.value(&member.value).is_object() {
            return Err(format!("has {name} without braces: correct it first"));
        }
        Ok(Some(members(&self.strict, member.value.start)))
    }

    /// The white space at the beginning of the line of this place.
    fn indent(&self, place: usize) -> &'a str {
        let before = self.text.get(..place).unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let rest = self.text.get(line..).unwrap_or_default().trim_start_matches('\u{FEFF}');
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }

    /// One step of indentation, as the file has it.
    fn step(&self) -> &'a str {
        let first = self.root.members.first().filter(|member| self.breaks(self.root.open, member.start));
        first.map(|member| self.indent(member.start)).filter(|step| !step.is_empty()).unwrap_or("  ")
    }

    fn breaks(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|between| between.contains('\n'))
    }

    /// Where the comma that ends the member's line in a list that keeps one is, if it has one.
    fn trailing_comma(&self, object: &Object, member: &Member) -> Option<usize> {
        self.trailing.iter().copied().find(|comma| *comma >= member.value.end && *comma < object.close)
    }

    /// The text with one more member at the end of an object.
    fn with(&self, object: &Object, name: &str, value: &Value) -> String {
        let end = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let key = Value::from(name);
        let inside = self.text.get(object.open + 1..object.close).unwrap_or_default();
        let (base, lines) = match (object.members.first(), object.members.last()) {
            (Some(first), _) if self.breaks(object.open, first.start) => (self.indent(first.start).to_owned(), true),
            (_, last) => {
                let lines = last.is_none_or(|last| self.breaks(last.value.end, object.close));
                (format!("{}{}", self.indent(object.open), self.step()), lines)
            }
        };
        let member = if lines {
            let value = pretty(value, self.step()).replace('\n', &format!("{end}{base}"));
            format!("{end}{base}{key}: {value}")
        } else {
            format!(" {key}: {value}")
        };
        // After the last thing that is written there, be it a comment.
        let place = object.open + 1 + inside.trim_end().len();
        let mut edits = Vec::new();
        match object.members.last() {
            Some(last) if self.trailing_comma(object, last).is_some() => edits.push((place..place, member + ",")),
            Some(last) => {
                edits.push((last.value.end..last.value.end, ",".to_owned()));
                edits.push((place..place, member));
            }
            None if inside.contains('\n') && !inside.trim().is_empty() => edits.push((place..place, member)),
            None => {
                let close = format!("{end}{}", self.indent(object.open));
                edits.push((place..object.close, member + &close));
            }
        }
        edited(self.text, &edits)
    }

    /// The text without a member, and without the comma that set it off.
    fn without(&self, object: &Object, name: &str) -> String {
        let Some(at) = object.members.iter().position(|member| member.name == name) else {
            return self.text.to_owned();
        };
        let member = &object.members[at];
        let start = self.text.get(..member.start).unwrap_or_default().trim_end().len();
        let comma = |from: usize, to: usize| {
            self.strict.get(from..to).and_then(|between| between.find(',')).map(|place| from + place)
        };
        let next = object.members.get(at + 1);
        let after = next
            .and_then(|next| comma(member.value.end, next.start))
            .or_else(|| self.trailing_comma(object, member).filter(|_| next.is_none()));
        let mut edits = vec![(start..after.map_or(member.value.end, |comma| comma + 1), String::new())];
        if after.is_none()
            && let Some(last) = at.checked_sub(1).and_then(|at| object.members.get(at))
            && let Some(comma) = comma(last.value.end, member.start)
        {
            // The comma may be the last thing before, or stand before a comment.
            edits.insert(0, (comma..comma + 1, String::new()));
        }
        edited(self.text, &edits)
    }
}

/// The text with each range replaced; the ranges are in order and do not overlap.
fn edited(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len() + 256), 0);
    for (range, instead) in edits {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(instead);
        at = range.end.max(at);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

fn pretty(value: &Value, step: &str) -> String {
    let mut out = Vec::new();
    let format = serde_json::ser::PrettyFormatter::with_indent(step.as_bytes());
    let mut writer = serde_json::Serializer::with_formatter(&mut out, format);
    match value.serialize(&mut writer) {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(_) => value.to_string(),
    }
}

/// The text as strict JSON of the same length, and where its trailing commas were.
fn strict(text: &str) -> (String, Vec<usize>) {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut comma, mut trailing) = (0, None, Vec::new());
    while let Some(byte) = bytes.get(at).copied() {
        let end = match (byte, bytes.get(at + 1)) {
            (b'"', _) => end_of_string(&bytes, at),
            (b'/', Some(b'/')) => {
                let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
                blank(&mut bytes[at..end]);
                at = end;
                continue;
            }
            (b'/', Some(b'*')) => {
                let rest = bytes.get(at + 2..).unwrap_or_default();
                let end = rest.windows(2).position(|two| two == b"*/").map(|n| at + n + 4);
                // One that does not end stays, and the whole is refused as no JSON.
                let Some(end) = end else { break };
                blank(&mut bytes[at..end]);
                at = end;
                continue;
            }
            _ => at + 1,
        };
        match byte {
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(place) = comma.take() {
                    bytes[place] = b' ';
                    trailing.push(place);
                }
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at = end;
    }
    (String::from_utf8_lossy(&bytes).into_owned(), trailing)
}

/// Spaces for everything but the ends of lines.
fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}

/// Where the string that begins here ends, its quotes included.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The members of the object that opens here, in a text that is valid.
fn members(strict: &str, open: usize) -> Object {
    let bytes = strict.as_bytes();
    let (mut at, mut depth) = (open + 1, 0_usize);
    let mut members: Vec<Member> = Vec::new();
    // The name that waits for its value, and where the value's first and last bytes are.
    let mut name: Option<(String, usize)> = None;
    let (mut first, mut last) = (None, at);
    let mut end = |name: &mut Option<(String, usize)>, first: &mut Option<usize>, last: usize| {
        if let (Some((name, start)), Some(first)) = (name.take(), first.take()) {
            members.push(Member { name, start, value: first..last });
        }
    };
    while let Some(byte) = bytes.get(at).copied() {
        let next = if byte == b'"' { end_of_string(bytes, at) } else { at + 1 };
        match byte {
            b'}' if depth == 0 => break,
            b',' if depth == 0 => end(&mut name, &mut first, last),
            b':' if depth == 0 => {}
            b'"' if depth == 0 && name.is_none() => {
                let text = strict.get(at..next).and_then(|text| serde_json::from_str(text).ok());
                name = Some((text.unwrap_or_default(), at));
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => {
                depth = match byte {
                    b'{' | b'[' => depth + 1,
                    b'}' | b']' => depth.saturating_sub(1),
                    _ => depth,
                };
                first = first.or(Some(at));
                last = next;
            }
        }
        at = next;
    }
    end(&mut name, &mut first, last);
    Object { open, close: at, members }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const SERVERS: &str = "mcpServers";

    fn server() -> Value {
        json!({ "command": "/bin/avenir-mcp", "env": { "YNAB_API_KEY_FILE": "/home/me/token" } })
    }

    fn value(text: &str) -> Value {
        serde_json::from_str(strict(text).0.trim_start_matches('\u{FEFF}')).expect("JSON")
    }

    #[test]
    fn a_server_is_added_in_the_style_of_the_file() {
        let cases = [
            ("", "{\n  \"mcpServers\": {\n    \"ynab\": 1\n  }\n}\n"),
            ("{}", "{\n  \"mcpServers\": {\n    \"ynab\": 1\n  }\n}"),
            ("{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"ynab\": 1\n\t}\n}\n"),
            (
                "{\n  \"mcpServers\": {\n    \"x\": {}\n  },\n  \"b\": 2\n}",
                "{\n  \"mcpServers\": {\n    \"x\": {},\n    \"ynab\": 1\n  },\n  \"b\": 2\n}",
            ),
            ("{ \"mcpServers\": { \"x\": {} } }", "{ \"mcpServers\": { \"x\": {}, \"ynab\": 1 } }"),
            (
                "{\n  // mine\n  \"mcpServers\": {\n    \"x\": {}, // kept\n    /* also, */\n  },\n}\n",
                "{\n  // mine\n  \"mcpServers\": {\n    \"x\": {}, // kept\n    /* also, */\n    \"ynab\": 1,\n  },\n}\n",
            ),
            (
                "{\n  \"mcpServers\": {\n    \"x\": 1 // the last\n  }\n}",
                "{\n  \"mcpServers\": {\n    \"x\": 1, // the last\n    \"ynab\": 1\n  }\n}",
            ),
            (
                "{\r\n    \"mcpServers\": {}\r\n}\r\n",
                "{\r\n    \"mcpServers\": {\r\n        \"ynab\": 1\r\n    }\r\n}\r\n",
            ),
            (
                "{\n  \"mcpServers\": {\n    // none yet\n  }\n}",
                "{\n  \"mcpServers\": {\n    // none yet\n    \"ynab\": 1\n  }\n}",
            ),
        ];
        for (before, after) in cases {
            let given = insert(before, SERVERS, "ynab", &json!(1)).expect(before);
            assert_eq!(given, after, "{before}");
            let back = undo(&given, Some(before), SERVERS, "ynab").expect("JSON").expect("it is there");
            assert_eq!(back, Undone::Before(before.to_owned()));
        }
    }

    #[test]
    fn what_was_there_before_decides_how_it_is_taken_back() {
        let fresh = insert("", SERVERS, "ynab", &server()).expect("a new file");
        assert_eq!(undo(&fresh, None, SERVERS, "ynab"), Ok(Some(Undone::NoFile)));
        assert_eq!(undo(&fresh, Some(" \n"), SERVERS, "ynab"), Ok(Some(Undone::Before(" \n".into()))));
        assert_eq!(undo("{}", None, SERVERS, "ynab"), Ok(None));
        // Another server was added after it, and a theme.
        let later =
            "{\n  \"mcpServers\": {\n    \"ynab\": {\"a\": [1, 2]},\n    \"x\": 1\n  },\n  \"theme\": \"dark\"\n}";
        let less = "{\n  \"mcpServers\": {\n    \"x\": 1\n  },\n  \"theme\": \"dark\"\n}";
        assert_eq!(undo(later, Some("{}"), SERVERS, "ynab"), Ok(Some(Undone::Less(less.into()))));
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        let cases = [
            ("[]", "does not hold a JSON object"),
            ("{\"a\": }", "is not JSON (line 1)"),
            ("{\n\"a\": 1\n\"b\": 2}", "is not JSON (line 3)"),
            ("{\"mcpServers\": []}", "has mcpServers without braces"),
            ("{\"mcpServers\": {}, \"mcpServers\": {}}", "names mcpServers twice"),
            ("{\"mcpServers\": {\"ynab\": {}}}", "already has a server named ynab"),
            ("{\"a\": 1 /* no end }", "is not JSON"),
        ];
        for (text, told) in cases {
            let fault = insert(text, SERVERS, "ynab", &server()).expect_err(text);
            assert!(fault.starts_with(told), "{text}: {fault}");
        }
    }

    /// White space and comments between the parts of a file.
    fn gap() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["", " ", "\n", "\n  ", "\t", "\r\n", " // \"note, {\n", "/* a, } */", "\n  // é\n  "])
            .prop_map(str::to_owned)
    }

    /// A file with any number of servers and other members, in any style.
    fn file() -> impl Strategy<Value = String> {
        let leaf =
            prop::sample::select(vec!["1", "\"a,}\\\"// b\"", "[]", "{}", "{\"k\": [1, {\"z\": null}],}", "true"]);
        let object = |name: &'static str| {
            (prop::collection::vec((leaf.clone(), gap(), gap()), 0..4), any::<bool>(), gap()).prop_map(
                move |(parts, trailing, end)| {
                    let mut parts: Vec<String> = parts
                        .into_iter()
                        .enumerate()
                        .map(|(n, (value, before, after))| format!("{before}\"{name}{n}\":{before}{value}{after}"))
                        .collect();
                    if trailing && !parts.is_empty() {
                        parts.push(String::new());
                    }
                    format!("{{{}{end}}}", parts.join(","))
                },
            )
        };
        (gap(), object("other"), prop::option::of(object("server")), any::<bool>(), gap()).prop_map(
            |(before, other, servers, first, after)| {
                let other = format!("\"other\":{other}");
                let inside = match servers {
                    None => other,
                    Some(servers) if first => format!("\"mcpServers\":{servers},{other}"),
                    Some(servers) => format!("{other},{after}\"mcpServers\":{servers}"),
                };
                format!("{before}{{{before}{inside}{after}}}{after}")
            },
        )
    }

    proptest! {
        #[test]
        fn in_and_out_again_leaves_every_byte(text in file()) {
            let with = insert(&text, SERVERS, "ynab", &server()).expect("a good file");
            let mut wanted = value(&text);
            wanted[SERVERS]["ynab"] = server();
            prop_assert_eq!(value(&with), wanted);
            prop_assert_eq!(
                undo(&with, Some(&text), SERVERS, "ynab"),
                Ok(Some(Undone::Before(text.clone())))
            );
            // Without what was kept, nothing of anyone else's is lost.
            let Ok(Some(Undone::Less(less))) = undo(&with, None, SERVERS, "ynab") else {
                return Err(TestCaseError::fail("not taken out"));
            };
            let mut left = value(&less);
            if value(&text).get(SERVERS).is_none() {
                prop_assert_eq!(left.as_object_mut().and_then(|root| root.remove(SERVERS)), Some(json!({})));
            }
            prop_assert_eq!(left, value(&text));
            let had = value(&text).get(SERVERS).and_then(Value::as_object).is_some_and(|servers| !servers.is_empty());
            if had {
                prop_assert_eq!(less, text);
            }
        }

        #[test]
        fn any_text_is_answered(text in ".{0,60}", json in "[{}\\[\\]\",:/* a1\\n\\\\]{0,40}") {
            let _ = insert(&text, SERVERS, "ynab", &server());
            if let Ok(with) = insert(&json, SERVERS, "ynab", &server()) {
                prop_assert_eq!(find(&with, SERVERS, "ynab"), Ok(Some(server())));
            }
        }
    }
}
