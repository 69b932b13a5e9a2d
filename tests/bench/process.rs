//! Measures the whole process: `cargo bench --bench process [-- [--against "COMMAND"] [--server "COMMAND"] [--cpu]
//! [PART …]]`. Starts servers on generated plans, asks them the same questions, prints tables. With `--against`, another
//! server is asked the same in the same run; with `--cpu`, times are the processor's, for a machine that has other work.
//! Parts: start, memory, tools, reads, script, growth, pure. Judges nothing.
#![expect(clippy::expect_used, reason = "a measuring program that cannot go on should stop")]

#[expect(dead_code, reason = "shared with the tests")]
#[path = "../it/support/session.rs"]
mod session;
#[expect(dead_code, unused_imports, reason = "shared with the tests")]
#[path = "../it/support/ynab.rs"]
mod ynab;

#[path = "process/clock.rs"]
mod clock;
#[path = "process/pure.rs"]
mod pure;
#[path = "process/script.rs"]
mod script;
#[path = "process/served.rs"]
mod served;
#[path = "process/table.rs"]
mod table;
#[path = "process/typed.rs"]
mod typed;

use std::collections::BTreeMap;
use std::time::Duration;

use avenir_mcp::demo::{self, Ynab};
use jiff::civil::date;
use script::{Call, Known};
use served::{Command, Served};
use table::{median, memory, ratio, time};

/// The sizes, the middle one being the usual.
const SIZES: [usize; 3] = [5_000, 50_000, 200_000];
/// The largest answer that is allowed, in characters of text.
const ANSWER_MAX: usize = 25_000;

fn main() {
    let (commands, parts) = arguments();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let mut bench = Bench { commands, ynabs: BTreeMap::new() };
    if wanted("start") {
        bench.start();
    }
    if wanted("memory") {
        bench.memory();
    }
    if wanted("tools") {
        bench.tools();
    }
    if wanted("reads") {
        bench.conversation("25 questions that only read", |known| vec![("", known.reads())]);
    }
    if wanted("script") {
        bench.conversation("40 questions, nine writes", Known::questions);
    }
    if wanted("growth") {
        bench.growth();
    }
    if wanted("pure") {
        grown("The pure parts alone", &pure::times(SIZES.map(|size| bench.ynab(size))));
    }
}

/// The servers to measure, and the parts that were asked for.
fn arguments() -> (Vec<Command>, Vec<String>) {
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect();
    let mut own = vec![env!("CARGO_BIN_EXE_avenir-mcp").to_owned()];
    let (mut other, mut parts) = (None, Vec::new());
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        match word.as_str() {
            "--against" => other = given.next().map(words),
            "--server" => own = given.next().map(words).unwrap_or(own),
            "--cpu" => clock::Clock::Processor.set(),
            // What cargo adds.
            "--bench" => {}
            _ => parts.push(word),
        }
    }
    let mut commands = vec![Command { name: "this", words: own }];
    commands.extend(other.map(|words| Command { name: "other", words }));
    (commands, parts)
}

struct Bench {
    commands: Vec<Command>,
    ynabs: BTreeMap<usize, Ynab>,
}

impl Bench {
    fn ynab(&mut self, size: usize) -> Ynab {
        self.ynabs.entry(size).or_insert_with(|| demo::large(date(2026, 3, 17), size)).clone()
    }

    /// A head with a column for each server.
    fn head(&self, first: &'static str) -> Vec<&'static str> {
        let mut head = vec![first];
        head.extend(self.commands.iter().map(|command| command.name));
        head
    }

    /// Prints rows of one figure for each server, with the ratio where there are two.
    fn compare(&self, title: &str, rows: &[(String, Vec<f64>)], show: impl Fn(&str, f64) -> String) {
        let mut head = self.head("");
        if self.commands.len() > 1 {
            head.push("other/this");
        }
        let row = |(name, figures): &(String, Vec<f64>)| {
            let mut cells = vec![name.clone()];
            cells.extend(figures.iter().map(|figure| show(name, *figure)));
            if let [this, other] = figures[..] {
                cells.push(ratio(other, this));
            }
            cells
        };
        table::print(title, &head, &rows.iter().map(row).collect::<Vec<_>>());
    }

    /// Spawn to the first list of tools, and the memory of a server that nobody asked anything.
    fn start(&mut self) {
        const TIMES: usize = 9;
        let small = self.ynab(SIZES[0]);
        let mut rows = vec![("spawn to first tools/list".to_owned(), Vec::new())];
        rows.extend([("memory, idle".to_owned(), Vec::new()), ("bytes of the list, writes on".to_owned(), Vec::new())]);
        for command in &self.commands {
            let served: Vec<_> = (0..TIMES)
                .map(|_| {
                    let served = Served::start(command, &small);
                    (served.start, served.memory().0, served.listing)
                })
                .collect();
            let [start, idle, listing] = &mut rows[..] else { return };
            start.1.push(median(served.iter().map(|run| run.0).collect()).as_secs_f64());
            idle.1.push(median(served.iter().map(|run| run.1).collect()) as f64);
            listing.1.push(median(served.iter().map(|run| run.2).collect()) as f64);
        }
        self.compare("Start", &rows, |name, figure| match name {
            "spawn to first tools/list" => time(Duration::from_secs_f64(figure)),
            "memory, idle" => memory(figure as u64),
            _ => format!("{figure}"),
        });
    }

    /// Memory once the plan is loaded, and the most after every heavy tool.
    fn memory(&mut self) {
        let mut ynab = self.ynab(SIZES[1]);
        let (known, body) = Known::of(&mut ynab);
        let kept = typed::kept(&body);
        let mut rows = vec![("after the plan was loaded".to_owned(), Vec::new())];
        rows.extend([("after every heavy tool".to_owned(), Vec::new()), ("the most".to_owned(), Vec::new())]);
        for command in &self.commands {
            let mut served = Served::start(command, &ynab);
            let mut calls = known.heavy(0).into_iter();
            let mut call = |(tool, arguments): Call| drop(served.call(tool, &arguments));
            calls.by_ref().take(1).for_each(&mut call);
            let [loaded, after, most] = &mut rows[..] else { return };
            loaded.1.push(served.memory().0 as f64);
            let mut call = |(tool, arguments): Call| drop(served.call(tool, &arguments));
            calls.for_each(&mut call);
            let (now, peak) = served.memory();
            after.1.push(now as f64);
            most.1.push(peak as f64);
        }
        let loaded = rows[0].1[0];
        let title = format!(
            "Memory, {} transactions (body {}, the fields kept {} as JSON: loaded is {} of it)",
            SIZES[1],
            memory(body.len() as u64),
            memory(kept),
            ratio(loaded, kept as f64)
        );
        self.compare(&title, &rows, |_, figure| memory(figure as u64));
    }

    /// Each heavy tool as the first call of a process, and with arguments not asked before in one that runs.
    fn tools(&mut self) {
        let mut ynab = self.ynab(SIZES[1]);
        let (known, body) = Known::of(&mut ynab);
        let parse = median((0..9).map(|_| typed::parse(&body)).collect());
        let mut cold: Vec<(String, Vec<f64>)> = named(&known);
        for command in &self.commands {
            let times = if command.name == "this" { 5 } else { 1 };
            for (n, row) in cold.iter_mut().enumerate() {
                let first = |at: usize| {
                    let (tool, arguments) = known.heavy(at).swap_remove(n);
                    Served::start(command, &ynab).call(tool, &arguments).time
                };
                row.1.push(median((0..times).map(first).collect()).as_secs_f64());
            }
        }
        let title = format!("Cold, {} transactions, without YNAB's time (one typed parse: {})", SIZES[1], time(parse));
        self.compare(&title, &cold, |_, figure| {
            format!("{} {}", time(Duration::from_secs_f64(figure)), ratio(figure, parse.as_secs_f64()))
        });
        let mut warm: Vec<(String, Vec<f64>)> = named(&known);
        for command in &self.commands {
            let times = if command.name == "this" { 15 } else { 3 };
            for (row, figure) in warm.iter_mut().zip(warm_times(command, &ynab, &known, times)) {
                row.1.push(figure);
            }
        }
        let title = format!("Warm, {} transactions, without YNAB's time", SIZES[1]);
        self.compare(&title, &warm, |_, figure| time(Duration::from_secs_f64(figure)));
    }

    /// A conversation: requests, bytes both ways, the largest answer, refusals.
    fn conversation(&mut self, title: &str, script: impl Fn(&Known) -> Vec<(&'static str, Vec<Call>)>) {
        let mut ynab = self.ynab(SIZES[1]);
        let known = Known::of(&mut ynab).0;
        let script = script(&known);
        let names = ["calls", "requests", "requests before the first write", "bytes from YNAB", "bytes of answer text"];
        let more = ["bytes of the largest answer", "answers too large", "refused", "writes applied", "milliseconds"];
        let mut rows: Vec<(String, Vec<f64>)> =
            names.iter().chain(&more).map(|name| ((*name).to_owned(), Vec::new())).collect();
        for command in &self.commands {
            let mut served = Served::start(command, &ynab);
            let mut figures = [0_usize; 10];
            for (question, calls) in &script {
                for (tool, arguments) in calls {
                    let taken = served.call(tool, arguments);
                    let text = taken.answer.text();
                    if std::env::var_os("BENCH_SHOW").is_some() {
                        show(command.name, question, tool, &taken, &text);
                    }
                    let [calls, requests, first, bytes, said, largest, large, refused, applied, spent] = &mut figures;
                    *calls += 1;
                    *requests += taken.requests;
                    *applied += usize::from(taken.answer.status() == "applied");
                    if *applied == 0 {
                        *first = *requests;
                    }
                    *bytes += taken.bytes;
                    *said += text.len();
                    *largest = text.len().max(*largest);
                    *large += usize::from(text.chars().count() > ANSWER_MAX);
                    *refused += usize::from(taken.answer.is_error());
                    *spent += taken.time.as_millis() as usize;
                }
            }
            for (row, figure) in rows.iter_mut().zip(figures) {
                row.1.push(figure as f64);
            }
        }
        self.compare(&format!("{title}, {} transactions", SIZES[1]), &rows, |_, figure| format!("{figure}"));
    }

    /// Each heavy tool, warm, on each size of plan.
    fn growth(&mut self) {
        let Some(command) = self.commands.first().cloned() else { return };
        let mut rows: Vec<(String, Vec<f64>)> = Vec::new();
        for size in SIZES {
            let mut ynab = self.ynab(size);
            let known = Known::of(&mut ynab).0;
            if rows.is_empty() {
                rows = named(&known);
            }
            for (row, figure) in rows.iter_mut().zip(warm_times(&command, &ynab, &known, 15)) {
                row.1.push(figure);
            }
        }
        grown("Growth of each heavy tool, warm", &rows);
    }
}

/// Prints what each takes on each size, and how it grows from the second to the third.
fn grown(title: &str, rows: &[(String, Vec<f64>)]) {
    let row = |(name, figures): &(String, Vec<f64>)| {
        let mut cells = vec![name.clone()];
        cells.extend(figures.iter().map(|figure| time(Duration::from_secs_f64(*figure))));
        cells.push(ratio(figures[2], figures[1]));
        cells
    };
    table::print(title, &["", "5,000", "50,000", "200,000", "last/middle"], &rows.iter().map(row).collect::<Vec<_>>());
}

/// A row for each heavy tool.
fn named(known: &Known) -> Vec<(String, Vec<f64>)> {
    known.heavy(0).iter().map(|(tool, _)| ((*tool).to_owned(), Vec::new())).collect()
}

/// What each heavy tool takes once the plan is loaded, the middle of several calls, in seconds.
fn warm_times(command: &Command, ynab: &Ynab, known: &Known, times: usize) -> Vec<f64> {
    let mut served = Served::start(command, ynab);
    for (tool, arguments) in known.heavy(0) {
        served.call(tool, &arguments);
    }
    let mut taken: Vec<Vec<Duration>> = vec![Vec::new(); known.heavy(0).len()];
    for n in 1..=times {
        for ((tool, arguments), taken) in known.heavy(n).iter().zip(&mut taken) {
            taken.push(served.call(tool, arguments).time);
        }
    }
    taken.into_iter().map(|times| median(times).as_secs_f64()).collect()
}

/// Prints one call of a conversation.
#[expect(clippy::print_stdout, reason = "a program that prints what it measures")]
fn show(server: &str, question: &str, tool: &str, taken: &served::Taken, text: &str) {
    let start: String = text.chars().take(160).collect();
    println!("{server} | {question} | {tool} | {} requests | {} bytes | {start}", taken.requests, text.len());
}
