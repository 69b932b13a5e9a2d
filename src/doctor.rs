//! Owns the doctor: what a person who asks for help would be asked, checked and said one line each, with what mends it.
//! Never shows the token, and never changes the plan.

use std::fmt;
use std::path::Path;

use crate::client::error::{TokenFault, Why};
use crate::client::pace::HOURLY_MAX;
use crate::client::{LAST_USED, Scope, secret};
use crate::config::{Config, TokenSource};
use crate::error::Refusal;
use crate::ids::PlanId;
use crate::install;
use crate::plan::PlanSummary;
use crate::refuse;
use crate::server::App;
use crate::text::safe;

/// How far this machine's clock may be from YNAB's, in seconds.
const CLOCK_OFF_MAX: i64 = 120;
/// How many plans are named.
const PLANS_SHOWN: usize = 5;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Good,
    Note,
    Problem,
    NotChecked,
}

/// One line.
struct Finding {
    mark: Mark,
    about: &'static str,
    words: String,
}

/// What was found.
#[derive(Default)]
pub struct Report(Vec<Finding>);

impl Report {
    fn add(&mut self, mark: Mark, about: &'static str, words: impl Into<String>) {
        self.0.push(Finding { mark, about, words: words.into() });
    }

    fn problems(&self) -> usize {
        self.0.iter().filter(|finding| finding.mark == Mark::Problem).count()
    }

    /// An error when there is a problem.
    pub fn verdict(&self) -> Result<(), Refusal> {
        match self.problems() {
            0 => Ok(()),
            1 => Err(Refusal::new("1 problem was found; its line says what mends it.")),
            many => Err(refuse!("{many} problems were found; their lines say what mends them.")),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { mark, about, words } in &self.0 {
            let mark = match mark {
                Mark::Good => '✓',
                Mark::Note => '!',
                Mark::Problem => '✗',
                Mark::NotChecked => '-',
            };
            writeln!(out, "{mark} {about}: {words}")?;
        }
        Ok(())
    }
}

/// The settings that can be used, and a sentence for each that cannot.
pub fn settings() -> Result<(Config, Vec<String>), Refusal> {
    let (all, mut bad) = match Config::variables() {
        Ok(all) => (all, Vec::new()),
        Err(error) => (Vec::new(), vec![error.to_string()]),
    };
    let mut good = Vec::new();
    for pair in all {
        match Config::from_pairs(std::slice::from_ref(&pair)) {
            Ok(_) => good.push(pair),
            Err(error) => bad.push(error.to_string()),
        }
    }
    let mut config = Config::from_pairs(&good).map_err(|error| Refusal::new(error.to_string()))?;
    // A shell seldom has the variables that a client's file has: the token that `install` kept is the one to try.
    if config.token == TokenSource::Missing
        && let Some(kept) = install::kept_token()
    {
        config.token = TokenSource::File(kept);
    }
    Ok((config, bad))
}

/// Checks everything, in the order in which it is needed.
pub async fn examine(config: &Config, bad: Vec<String>, app: &App, demo: bool, plan: Option<&str>) -> Report {
    let mut report = Report::default();
    let place = std::env::current_exe().map(|path| format!(", {}", path.display())).unwrap_or_default();
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    report.add(Mark::Good, "Program", format!("avenir-mcp {} on {system} {machine}{place}", env!("CARGO_PKG_VERSION")));
    for sentence in bad {
        report.add(Mark::Problem, "Settings", sentence);
    }
    for name in &config.unknown {
        report.add(
            Mark::Note,
            "Settings",
            format!("{name} is not a setting of avenir-mcp and is ignored. Check its name."),
        );
    }
    let token = if demo {
        report.add(Mark::NotChecked, "Token", "not needed on the invented plan");
        true
    } else {
        token(&mut report, &config.token)
    };
    let plans = match token {
        true => ynab(&mut report, config, app, demo, plan).await,
        false => {
            report.add(Mark::NotChecked, "YNAB", "not asked, without a token");
            None
        }
    };
    if let Some(day) = config.today {
        report.add(
            Mark::Note,
            "Today",
            format!("AVENIR_MCP_TODAY makes every day {day}. Remove it to have the real one."),
        );
    }
    match config.write {
        true => report.add(Mark::Good, "Changes", "allowed (AVENIR_MCP_WRITE=1), each one asked first"),
        false => report.add(Mark::Good, "Changes", "off: it only reads. AVENIR_MCP_WRITE=1 allows them"),
    }
    match config.require_elicitation {
        true => report.add(Mark::Good, "Asking", "only your own answer in the client counts as a yes"),
        false => report.add(
            Mark::Good,
            "Asking",
            "in the client where it can ask, else by a code. AVENIR_MCP_REQUIRE_ELICITATION=1 refuses codes",
        ),
    }
    journal(&mut report, app, plans.as_deref());
    if let Some(folder) = &config.statements {
        match folder.is_dir() {
            true => report.add(Mark::Good, "Statements", format!("read from {}", folder.display())),
            false => report.add(
                Mark::Problem,
                "Statements",
                format!("{} is not a folder. Create it, or correct AVENIR_MCP_STATEMENTS.", folder.display()),
            ),
        }
    }
    clients(&mut report);
    report
}

/// Whether there is a token to go on with.
fn token(report: &mut Report, source: &TokenSource) -> bool {
    let from = match source {
        TokenSource::Given(_) => "set in YNAB_API_KEY".to_owned(),
        TokenSource::File(path) => format!("in {}, closed to others", path.display()),
        TokenSource::Missing => String::new(),
    };
    match secret::read(source) {
        Ok(_) => {
            report.add(Mark::Good, "Token", from);
            true
        }
        Err(fault) => {
            let hint =
                if fault == TokenFault::Unset { ". A client has its own settings: see Clients below" } else { "" };
            report.add(Mark::Problem, "Token", format!("{fault}{hint}."));
            false
        }
    }
}

/// Whether YNAB answers, and the plans it shows.
async fn ynab(
    report: &mut Report,
    config: &Config,
    app: &App,
    demo: bool,
    plan: Option<&str>,
) -> Option<Vec<PlanSummary>> {
    let scope = Scope::default();
    let reached = app.client.user_reachable(&scope).await;
    let at = if demo { "the invented one" } else { &config.url };
    match &reached {
        Ok(_) => report.add(Mark::Good, "YNAB", format!("{at} answers and accepts the token")),
        Err(error) => {
            let pause = matches!(error.why, Why::TooMany(_) | Why::Spent(_));
            let words = if pause { " Other programs with the same token count too." } else { "" };
            report.add(Mark::Problem, "YNAB", format!("{at}: {}{words}", error.why));
        }
    }
    if let Ok(reached) = reached
        && let Some(ahead) = reached.clock_ahead
    {
        match ahead.abs() {
            0..=CLOCK_OFF_MAX => report.add(Mark::Good, "Clock", "agrees with YNAB's"),
            off => {
                let side = if ahead > 0 { "behind" } else { "ahead of" };
                let words = format!(
                    "this machine's is {} {side} YNAB's, so today may be the wrong day here. Set it automatically.",
                    span(off)
                );
                report.add(Mark::Problem, "Clock", words);
            }
        }
    }
    let plans = match reached {
        Ok(_) => app.client.plans(&scope).await.map_err(|error| error.why.to_string()),
        Err(_) => Err(String::new()),
    };
    match &plans {
        Ok(plans) if plans.is_empty() => {
            report.add(Mark::Problem, "Plans", "this token reaches none. Create a plan in YNAB first.");
        }
        Ok(plans) => report.add(Mark::Good, "Plans", named(plans)),
        Err(why) if why.is_empty() => report.add(Mark::NotChecked, "Plans", "not asked"),
        Err(why) => report.add(Mark::Problem, "Plans", why),
    }
    if let (Some(wanted), Ok(plans)) = (plan, &plans)
        && !plans.is_empty()
    {
        let there = wanted == LAST_USED || plans.iter().any(|plan| plan.id == PlanId::from(wanted));
        match there {
            true => report.add(Mark::Good, "Plan", format!("{} is one of them", safe(wanted))),
            false => report.add(
                Mark::Problem,
                "Plan",
                format!("this token reaches no plan {}. Use an id of the line above, or {LAST_USED}.", safe(wanted)),
            ),
        }
    }
    if let Some(used) = app.client.requests_used().await {
        let left = HOURLY_MAX.saturating_sub(used);
        report.add(Mark::Good, "Requests", format!("{left} of {HOURLY_MAX} left this hour, as counted here"));
    }
    plans.ok()
}

/// The first plans with their ids.
fn named(plans: &[PlanSummary]) -> String {
    let mut words: Vec<String> =
        plans.iter().take(PLANS_SHOWN).map(|plan| format!("{} ({})", safe(&plan.name), plan.id)).collect();
    if let Some(more) = plans.len().checked_sub(PLANS_SHOWN).filter(|more| *more > 0) {
        words.push(format!("and {more} more"));
    }
    words.join(", ")
}

fn span(seconds: i64) -> String {
    match seconds {
        ..7200 => format!("{} minutes", seconds / 60),
        7200..172_800 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn journal(report: &mut Report, app: &App, plans: Option<&[PlanSummary]>) {
    let place = app.journal.path().map_or_else(|| "in memory".to_owned(), |path| path.display().to_string());
    let read = app.journal.writable().and_then(|()| app.journal.read());
    let contents = match read {
        Ok(contents) => contents,
        Err(refusal) => {
            report.add(Mark::Problem, "Journal", refusal.to_string());
            return;
        }
    };
    let operations = match contents.operations.len() {
        0 => "no change yet".to_owned(),
        1 => "1 change".to_owned(),
        many => format!("{many} changes"),
    };
    report.add(Mark::Good, "Journal", format!("{place}, {operations}"));
    if !contents.damaged.is_empty() {
        let words = format!(
            "{} cannot be read. They are kept, but what they record cannot be undone; move the file away to begin a new one.",
            contents.damaged.join(", ")
        );
        report.add(Mark::Problem, "Journal", words);
    }
    if !contents.torn.is_empty() {
        let words = format!("{} was cut short by a crash. Nothing is lost by it.", contents.torn.join(", "));
        report.add(Mark::Note, "Journal", words);
    }
    if !contents.doubtful.is_empty() {
        let words = format!(
            "{} never heard of again. The next call on the plan finds out what became of them.",
            match contents.doubtful.len() {
                1 => "1 change was sent and".to_owned(),
                many => format!("{many} changes were sent and"),
            }
        );
        report.add(Mark::Note, "Journal", words);
    }
    if let Some(plans) = plans {
        let strange = |plan: &PlanId| plan.as_str() != LAST_USED && plans.iter().all(|known| known.id != *plan);
        let elsewhere = contents.operations.iter().filter(|operation| strange(&operation.plan)).count();
        if elsewhere > 0 {
            let words =
                format!("{elsewhere} of them on plans that this token does not reach; those can be undone with theirs");
            report.add(Mark::Note, "Journal", words);
        }
    }
}

/// The clients that start this server, and whether what they start is there.
fn clients(report: &mut Report) {
    let all = install::set_up();
    let (good, gone): (Vec<_>, Vec<_>) = all.iter().partition(|(_, command)| Path::new(command).exists());
    for (program, command) in gone {
        let (name, word) = (program.name(), program.word());
        let words = format!(
            "{name} starts {command}, which is not there. Run: avenir-mcp uninstall {word}, then avenir-mcp install {word} \
             --apply"
        );
        report.add(Mark::Problem, "Clients", words);
    }
    if !good.is_empty() {
        let names: Vec<&str> = good.iter().map(|(program, _)| program.name()).collect();
        report.add(Mark::Good, "Clients", format!("set up in {}", names.join(", ")));
    }
    if all.is_empty() {
        report.add(Mark::NotChecked, "Clients", "none set up by avenir-mcp install yet");
    }
}
