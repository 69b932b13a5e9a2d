//! Owns the rules of the house, held against the source itself. Never runs the code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// The rooms of each group, lowest first; a room may import its own group and those before it.
const GROUPS: [&[&str]; 5] = [
    &["dates", "error", "ids", "money", "plan", "text"],
    &["analytics", "classifier", "forecast", "reconcile", "triage", "writes"],
    &["confirm"],
    &["client", "clock", "config", "demo", "journal", "statements"],
    &["bundle", "cli", "context", "doctor", "install", "reference", "server", "tour"],
];

/// Files outside the two pure groups that are pure as well.
const ALSO_PURE: [&str; 4] = ["client/wire", "client/pace", "client/retry", "demo"];

/// What a pure file may not name: input and output, time, chance, the network.
const IMPURE: [&str; 17] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::io",
    "std::time::Instant",
    "std::time::SystemTime",
    "tokio",
    "tokio_util",
    "reqwest",
    "rmcp",
    "rand",
    "rustls",
    "tracing_subscriber",
    "jiff::Zoned",
    "jiff::Timestamp",
];

/// What one file does that the rules look at, tests left out.
#[derive(Default)]
struct Seen {
    paths: Vec<String>,
    is_async: bool,
    /// Functions that name a method of HTTP that changes something, with their parameters' types.
    senders: Vec<(String, String)>,
    /// Functions that make a request which is not a plain GET, with their parameters' types.
    makers: Vec<(String, String)>,
    /// Whether it has modules that are not for tests.
    children: bool,
    /// Its modules that are for tests and in files of their own.
    test_files: Vec<String>,
}

fn seen(source: &str) -> Seen {
    let file = syn::parse_file(source).expect("Rust");
    let mut seen = Seen::default();
    seen.visit_file(&file);
    seen
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    use quote::ToTokens as _;
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text == "test" || text.replace(' ', "").contains("cfg(test)")
    })
}

fn flatten(tree: &syn::UseTree, before: &str, into: &mut Vec<String>) {
    let join = |name: String| if before.is_empty() { name } else { format!("{before}::{name}") };
    match tree {
        syn::UseTree::Path(path) => flatten(&path.tree, &join(path.ident.to_string()), into),
        syn::UseTree::Name(name) => into.push(join(name.ident.to_string())),
        syn::UseTree::Rename(name) => into.push(join(name.ident.to_string())),
        syn::UseTree::Glob(_) => into.push(join("*".into())),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, before, into)),
    }
}

impl<'a> Visit<'a> for Seen {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_test(&item.attrs) {
            self.children = true;
            visit::visit_item_mod(self, item);
        } else if item.content.is_none() {
            self.test_files.push(item.ident.to_string());
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if !is_test(&item.attrs) {
            self.function(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_signature(&mut self, signature: &'a syn::Signature) {
        self.is_async |= signature.asyncness.is_some();
        visit::visit_signature(self, signature);
    }

    fn visit_expr_async(&mut self, block: &'a syn::ExprAsync) {
        self.is_async = true;
        visit::visit_expr_async(self, block);
    }

    fn visit_expr_closure(&mut self, closure: &'a syn::ExprClosure) {
        self.is_async |= closure.asyncness.is_some();
        visit::visit_expr_closure(self, closure);
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if !is_test(&item.attrs) {
            flatten(&item.tree, "", &mut self.paths);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.paths.push(names.join("::"));
        visit::visit_path(self, path);
    }
}

impl Seen {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        use quote::ToTokens as _;
        let body = block.to_token_stream().to_string();
        let found = || (signature.ident.to_string(), signature.inputs.to_token_stream().to_string());
        let changes = ["POST", "PUT", "PATCH", "DELETE", "Post", "Put", "Patch", "Delete"];
        if changes.iter().any(|method| body.contains(&format!("Method :: {method}"))) {
            self.senders.push(found());
        }
        let makes = body.contains("Request {") || body.contains("Self { method");
        if makes && !body.contains("Method :: Get") {
            self.makers.push(found());
        }
    }
}

fn under(path: &str, prefix: &str) -> bool {
    path == prefix || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with("::"))
}

/// The room a file belongs to: `client/wire.rs` and `client.rs` are of `client`.
fn room(file: &str) -> &str {
    let name = file.split(['/', '.']).next().unwrap_or(file);
    if name.starts_with("tools_") { "server" } else { name }
}

fn rank(room: &str) -> Option<usize> {
    GROUPS.iter().position(|rooms| rooms.contains(&room))
}

fn is_pure(file: &str) -> bool {
    rank(room(file)).is_some_and(|rank| rank < 2) || ALSO_PURE.iter().any(|pure| file.starts_with(pure))
}

/// Every rule that the file breaks.
fn broken(file: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let seen = seen(source);
    if !source.starts_with("//!") {
        found.push("does not open with what it owns".to_owned());
    }
    let own = rank(room(file));
    for path in &seen.paths {
        if is_pure(file) && IMPURE.iter().any(|impure| under(path, impure)) {
            found.push(format!("is pure and names {path}"));
        }
        let target = path.strip_prefix("crate::").and_then(|rest| rest.split("::").next());
        if let (Some(own), Some(target)) = (own, target.map(room).and_then(rank))
            && target > own
        {
            found.push(format!("imports upwards: {path}"));
        }
    }
    if is_pure(file) && seen.is_async {
        found.push("is pure and async".to_owned());
    }
    if room(file) == "client" {
        // A request that changes something is made from a recorded change; what words a step or sends a made request
        // takes one of those.
        for (function, inputs) in &seen.senders {
            if !["Recorded", "Request", "Step"].iter().any(|taken| inputs.contains(taken)) {
                found.push(format!("{function} sends a change without a recorded one"));
            }
        }
        for (function, inputs) in &seen.makers {
            if !["Recorded", "Request"].iter().any(|taken| inputs.contains(taken)) {
                found.push(format!("{function} makes a changing request without a recorded change"));
            }
        }
    }
    if file == "confirm.rs" && seen.children {
        found.push("has a child that could forge the gate's tokens".to_owned());
    }
    found
}

fn sources() -> BTreeMap<String, String> {
    fn walk(folder: &Path, root: &Path, into: &mut BTreeMap<String, String>) {
        for entry in std::fs::read_dir(folder).expect("src") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, root, into);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root).expect("below src").to_string_lossy().replace('\\', "/");
                into.insert(name, std::fs::read_to_string(&path).expect("text"));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::new();
    walk(&root, &root, &mut files);
    files
}

#[test]
fn the_source_keeps_the_rules() {
    let files = sources();
    assert!(files.len() > 20, "the source was not found");
    // Files that are only compiled for tests may read files and reach across.
    let for_tests: Vec<String> = files
        .iter()
        .flat_map(|(file, source)| {
            let folder = file.trim_end_matches(".rs").trim_end_matches("lib").trim_end_matches('/').to_owned();
            let path = move |child: String| if folder.is_empty() { child } else { format!("{folder}/{child}") };
            seen(source).test_files.into_iter().map(path)
        })
        .collect();
    let is_for_tests = |file: &str| for_tests.iter().any(|test| file == format!("{test}.rs"));
    let found: Vec<String> = files
        .iter()
        .filter(|(file, _)| !is_for_tests(file))
        .flat_map(|(file, source)| broken(file, source).into_iter().map(move |rule| format!("{file} {rule}")))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_room_is_known() {
    for file in sources().keys().filter(|file| !["lib.rs", "main.rs", "fixtures.rs"].contains(&file.as_str())) {
        assert!(rank(room(file)).is_some(), "{file} is in no group: give it a place in GROUPS");
    }
}

#[test]
fn main_stays_small() {
    let main = &sources()["main.rs"];
    assert!(main.lines().count() < 40);
}

#[test]
fn a_rule_that_cannot_fail_is_noticed() {
    let snippets = [
        ("money.rs", "pub fn f() {}", "does not open"),
        ("money.rs", "//! Owns.\nuse std::fs::File;", "is pure and names std::fs::File"),
        ("analytics/x.rs", "//! Owns.\nfn f() { let _ = std::env::var(\"X\"); }", "is pure and names std::env::var"),
        ("triage.rs", "//! Owns.\nuse std::{collections::HashMap, time::Instant};", "std::time::Instant"),
        ("writes/x.rs", "//! Owns.\nfn f() { jiff::Zoned::now(); }", "jiff::Zoned::now"),
        ("forecast.rs", "//! Owns.\nasync fn f() {}", "pure and async"),
        ("client/wire.rs", "//! Owns.\nfn f() { let _ = async {}; }", "pure and async"),
        ("client/pace.rs", "//! Owns.\nuse tokio::time::sleep;", "names tokio::time::sleep"),
        ("plan.rs", "//! Owns.\nuse crate::analytics::month;", "imports upwards: crate::analytics::month"),
        ("writes.rs", "//! Owns.\nuse crate::confirm::Confirmed;", "imports upwards"),
        ("confirm.rs", "//! Owns.\nuse crate::journal::Recorded;", "imports upwards"),
        ("client.rs", "//! Owns.\nuse crate::server::App;", "imports upwards"),
        ("client.rs", "//! Owns.\nfn f(id: &str) { send(Method::PATCH); }", "f sends a change without a recorded one"),
        ("client/x.rs", "//! Owns.\nimpl C { fn g(&self) { send(Method::DELETE) } }", "g sends a change"),
        (
            "client/step.rs",
            "//! Owns.\nfn h(s: &Step) -> Request { Request { method: m(s) } }",
            "h makes a changing request",
        ),
        ("confirm.rs", "//! Owns.\nmod child;", "could forge"),
    ];
    for (file, source, want) in snippets {
        let found = broken(file, source);
        assert!(found.iter().any(|rule| rule.contains(want)), "{file}: {want} not in {found:?}");
    }
    let allowed = [
        ("money.rs", "//! Owns.\n#[cfg(test)]\nmod tests { use std::fs; async fn f() {} }"),
        ("client.rs", "//! Owns.\nfn f(r: &Recorded) { send(Method::PATCH); }"),
        ("journal.rs", "//! Owns.\nuse crate::confirm::Confirmed; use std::fs;"),
    ];
    for (file, source) in allowed {
        assert_eq!(broken(file, source), Vec::<String>::new(), "{file}");
    }
}
