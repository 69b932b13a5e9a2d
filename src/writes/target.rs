//! Owns a category's target: what is asked for, what YNAB's API can set, what can be set back.
//! Never computes what a target needs (that is `analytics`).

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Answer, Change, GoalSent, GoalState, Kind, Outcome, Proposal, Proposed, Step, checks, names};
use crate::analytics::targets::words;
use crate::dates::Date;
use crate::error::Refusal;
use crate::ids::PlanId;
use crate::money::{Currency, Milliunits};
use crate::plan::{Category, Goal};
use crate::refuse;
use crate::text::safe;

/// YNAB's frequencies, with their cadence numbers.
pub const FREQUENCIES: [(&str, i64); 3] = [("monthly", 1), ("weekly", 2), ("yearly", 13)];

/// The target asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ask<'a> {
    /// In currency units; `None` removes the target.
    pub amount: Option<f64>,
    /// The day it is due.
    pub by_date: Option<Date>,
    /// One of [`FREQUENCIES`].
    pub frequency: Option<&'a str>,
}

/// The answer of set_category_target.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Retargeted {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The category's name.
    pub category: String,
    /// The target before.
    pub before: String,
    /// The target after.
    pub after: String,
    /// Whether undo_operation can set the one before again.
    pub undoable: bool,
}

impl Answer for Retargeted {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }
}

/// What giving a category that target would change.
pub fn set_target(
    plan: &PlanId,
    currency: &Currency,
    categories: &[Category],
    category_id: &str,
    ask: Ask<'_>,
) -> Result<Proposed<Retargeted>, Refusal> {
    let category = checks::category(categories, category_id, "category_id")?;
    let sent = sent(category, currency, ask)?;
    let had = category.goal.as_deref().filter(|goal| goal.target.is_some());
    let after = expected(category, had, &sent);
    let change = Change { before: had.map(GoalState::of), after: after.as_ref().map(GoalState::of) };
    let name = names::category(categories, category);
    let mut answer = Retargeted {
        outcome: Outcome::proposed(),
        category: safe(&category.name).into_owned(),
        before: shown(had, currency),
        after: shown(after.as_ref(), currency),
        undoable: restoring(&change, &sent).is_some(),
    };
    if is_so(had, &sent) {
        answer.outcome = Outcome::nothing(format!("{name} has that target already: {}.", answer.before));
        return Ok(Proposed { answer, proposal: None });
    }
    let what = format!("the target of {name}: {} → {}", answer.before, answer.after);
    let warning = match answer.undoable {
        true => String::new(),
        false => {
            format!("\nundo_operation cannot bring back the previous target ({}): only YNAB can.", answer.before)
        }
    };
    let proposal = Proposal {
        plan: plan.clone(),
        kind: Kind::Target,
        subject: json!({
            "category_id": category.id, "target": sent.target, "date": sent.date, "frequency": sent.frequency
        }),
        guard: Value::Null,
        question: format!("Set {what}?{warning}"),
        done: format!("Set {what}.{warning}"),
        steps: vec![Step::Target { category: category.id.clone(), goal: change, sent }],
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

/// What is sent for what is asked; refuses what YNAB would.
fn sent(category: &Category, currency: &Currency, ask: Ask<'_>) -> Result<GoalSent, Refusal> {
    let (dated, paced) = (ask.by_date.is_some(), ask.frequency.is_some());
    if dated && paced {
        return Err(refuse!("Give by_date or frequency, not both."));
    }
    let Some(amount) = ask.amount else {
        if dated || paced {
            return Err(refuse!("amount is missing. To remove the target, leave by_date and frequency out too."));
        }
        return Ok(GoalSent::default());
    };
    let amount = checks::amount(currency, amount, "amount")?;
    if !amount.is_positive() {
        return Err(refuse!("amount must be more than 0. To remove the target, leave it out."));
    }
    if let Some(word) = ask.frequency.filter(|word| cadence(word).is_none()) {
        return Err(refuse!("frequency must be monthly, weekly or yearly, not '{}'.", safe(word)));
    }
    let name = safe(&category.name);
    if paced && category.is_card_payment() {
        return Err(refuse!(
            "'{name}' holds a card's payments, which take no frequency. Give the amount alone, or by_date."
        ));
    }
    if (dated || paced) && category.goal.as_deref().is_some_and(|goal| &*goal.kind == "DEBT") {
        return Err(refuse!(
            "'{name}' pays a loan, whose target takes neither a date nor a frequency. Give the amount alone."
        ));
    }
    Ok(GoalSent { target: Some(amount), date: ask.by_date, frequency: ask.frequency.map(str::to_owned), whole: None })
}

/// The target that YNAB makes of what is sent.
pub(super) fn expected(category: &Category, had: Option<&Goal>, sent: &GoalSent) -> Option<Goal> {
    let target = Some(sent.target?);
    if let (true, Some(had)) = (sent.keeps_kind(), had) {
        return Some(Goal { target, ..had.clone() });
    }
    let monthly = category.is_card_payment() && sent.keeps_kind();
    Some(Goal {
        kind: if monthly { "MF" } else { "NEED" }.into(),
        target,
        target_date: sent.date,
        cadence: Some(sent.frequency.as_deref().and_then(cadence).unwrap_or(i64::from(sent.date.is_none()))),
        cadence_frequency: Some(1),
        needs_whole_amount: (!monthly).then_some(false),
        ..Goal::default()
    })
}

/// YNAB's word for a cadence number, where the API has one.
pub(super) fn frequency(cadence: i64) -> Option<&'static str> {
    FREQUENCIES.iter().find(|(_, known)| *known == cadence).map(|(word, _)| *word)
}

/// YNAB's number for a frequency.
pub(super) fn cadence(word: &str) -> Option<i64> {
    FREQUENCIES.iter().find(|(known, _)| *known == word).map(|(_, cadence)| *cadence)
}

/// Whether the target is already what is asked for.
fn is_so(had: Option<&Goal>, sent: &GoalSent) -> bool {
    let Some(had) = had else { return sent.target.is_none() };
    let once = had.cadence_frequency.is_none_or(|every| every <= 1);
    let same = match (sent.date, sent.frequency.as_deref().and_then(cadence)) {
        (Some(date), _) => {
            &*had.kind == "NEED" && had.target_date == Some(date) && had.cadence.is_none_or(|cadence| cadence <= 0)
        }
        (None, Some(cadence)) => &*had.kind == "NEED" && had.cadence == Some(cadence) && once,
        (None, None) => true,
    };
    same && had.target == sent.target
}

/// A target in words, all that tells it apart from another; `no target` where there is none.
pub(super) fn shown(goal: Option<&Goal>, currency: &Currency) -> String {
    let Some(goal) = goal else { return "no target".to_owned() };
    let mut shown = words(goal, currency);
    match (goal.cadence, goal.day) {
        (Some(2), Some(day)) => shown.push_str(&format!(", on {}", weekday(day))),
        (_, Some(day)) => shown.push_str(&format!(", on day {day}")),
        (_, None) => {}
    }
    if goal.needs_whole_amount == Some(true) {
        shown.push_str(", set aside another");
    }
    if goal.snoozed_at.is_some() {
        shown.push_str(", snoozed");
    }
    shown
}

fn weekday(day: i64) -> &'static str {
    const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    usize::try_from(day).ok().and_then(|day| DAYS.get(day)).copied().unwrap_or("another day")
}

impl GoalState {
    /// A target as far as a write can tell it apart from another.
    pub fn of(goal: &Goal) -> Self {
        Self {
            kind: goal.kind.to_string(),
            target: goal.target,
            date: goal.target_date,
            cadence: goal.cadence,
            every: goal.cadence_frequency,
            whole: goal.needs_whole_amount,
            day: goal.day,
        }
    }

    /// What to send to set this target on a category that has none; `None` where the API has no such target.
    fn recreated(&self) -> Option<GoalSent> {
        // A card's target has no such choice, and YNAB refuses to hear of one.
        let sent = GoalSent { target: Some(self.target?), whole: self.whole, ..GoalSent::default() };
        let once = self.every.is_none_or(|every| every <= 1);
        if self.kind != "NEED" || self.day.is_some() || !once {
            return None;
        }
        match (self.date, self.cadence.unwrap_or(0)) {
            (Some(date), 0) => Some(GoalSent { date: Some(date), ..sent }),
            (None, cadence) => Some(GoalSent { frequency: Some(frequency(cadence)?.to_owned()), ..sent }),
            (Some(_), _) => None,
        }
    }
}

impl GoalSent {
    /// Whether it sets an amount and nothing else: YNAB then keeps the kind of a target that is there.
    pub(super) fn keeps_kind(&self) -> bool {
        self.target.is_some() && self.date.is_none() && self.frequency.is_none() && self.whole.is_none()
    }
}

/// What to send to bring the target before back; `None` where the API cannot.
pub(super) fn restoring(change: &Change<Option<GoalState>>, sent: &GoalSent) -> Option<GoalSent> {
    match &change.before {
        None => Some(GoalSent::default()),
        Some(before) if sent.keeps_kind() => {
            let target: Option<Milliunits> = before.target;
            target.map(|target| GoalSent { target: Some(target), ..GoalSent::default() })
        }
        Some(before) => before.recreated(),
    }
}

/// Whether a target shows all that was sent, and nothing that YNAB would not have made of it.
pub(super) fn shows(now: Option<&GoalState>, before: Option<&GoalState>, sent: &GoalSent) -> bool {
    let Some(now) = now else { return sent.target.is_none() };
    let plain = now.kind == "NEED" && now.day.is_none() && now.every.is_none_or(|every| every <= 1);
    let shape = match (sent.date, sent.frequency.as_deref().and_then(cadence), before) {
        (Some(date), ..) => plain && now.date == Some(date) && now.cadence.is_none_or(|cadence| cadence == 0),
        (None, Some(cadence), _) => plain && now.cadence == Some(cadence),
        (None, None, Some(before)) => {
            now.kind == before.kind
                && (before.date.is_none() || now.date == before.date)
                && (before.cadence.is_none() || now.cadence == before.cadence)
                && (before.every.is_none() || now.every == before.every)
                && (before.whole.is_none() || now.whole == before.whole)
                && (before.day.is_none() || now.day == before.day)
        }
        (None, None, None) => now.date.is_none() && now.cadence == Some(1),
    };
    shape && now.target == sent.target && (sent.whole.is_none() || now.whole == sent.whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::corpus;
    use crate::plan::Plan;
    use crate::writes::Status;

    fn ask(plan: &Plan, name: &str, ask: Ask<'_>) -> Result<Proposed<Retargeted>, Refusal> {
        let categories = plan.categories.iter().as_slice();
        let id = categories.iter().find(|c| &*c.name == name).expect("the category").id.as_str();
        set_target(&plan.id, &plan.currency, categories, id, ask)
    }

    fn amount(amount: f64) -> Ask<'static> {
        Ask { amount: Some(amount), ..Ask::default() }
    }

    fn weekly(amount: f64) -> Ask<'static> {
        Ask { amount: Some(amount), frequency: Some("weekly"), ..Ask::default() }
    }

    const OCTOBER: Date = jiff::civil::date(2026, 10, 3);

    fn by_october(amount: f64) -> Ask<'static> {
        Ask { amount: Some(amount), by_date: Some(OCTOBER), ..Ask::default() }
    }

    fn sent_of(proposed: Proposed<Retargeted>) -> GoalSent {
        match &proposed.proposal.expect("a question").steps[..] {
            [Step::Target { sent, .. }] => sent.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn as_recorded() {
        let plan = &corpus("household").plans[0];
        let new = ask(plan, "Fuel", weekly(80.0)).expect("a proposal");
        assert_eq!(
            new.proposal.as_ref().expect("a question").question,
            "Set the target of Fuel: no target → 80.00 each week?"
        );
        assert!(new.answer.undoable);
        let balance = ask(plan, "Car repairs", Ask { frequency: Some("monthly"), ..amount(10.0) }).expect("a proposal");
        assert_eq!(
            balance.proposal.as_ref().expect("a question").question,
            "Set the target of Car repairs: 900.00 (target balance) → 10.00 each month?\n\
             undo_operation cannot bring back the previous target (900.00 (target balance)): only YNAB can."
        );
        assert!(!balance.answer.undoable);
        let kept = ask(plan, "Car repairs", amount(33.0)).expect("a proposal");
        assert_eq!((kept.answer.after.as_str(), kept.answer.undoable), ("33.00 (target balance)", true));
        assert_eq!(sent_of(kept), GoalSent { target: Some(Milliunits::new(33_000)), ..GoalSent::default() });
        let removed = ask(plan, "Home loan payment", Ask::default()).expect("a proposal");
        assert_eq!((removed.answer.after.as_str(), removed.answer.undoable), ("no target", false));
        assert_eq!(sent_of(removed), GoalSent::default());
        let card = ask(plan, "Blue Card", amount(33.0)).expect("a proposal");
        assert_eq!((card.answer.after.as_str(), card.answer.undoable), ("33.00 (monthly funding)", true));
    }

    /// Point 9: a repetition, a day, set aside and snooze are shown, and what cannot be set again is said.
    #[test]
    fn p9_the_whole_target_is_shown_and_a_repetition_is_not_undoable() {
        let plan = &corpus("household").plans[0];
        let cases = [
            ("Insurance", "540.00 by 2026-08-20, then each year", false),
            ("Water", "78.00 by 2026-04-12, then every 2 months, set aside another", false),
            ("Transport", "60.00 by 2026-04-30, then every 2 months", false),
            ("Pocket money", "5.00 every 2 weeks, on Sunday", false),
            ("Rent", "640.00 each month, on day 3", false),
            ("Internet & phone", "52.00 each month, set aside another", true),
            ("L'épicerie & co", "30.00 each month, snoozed", true),
            ("Holidays ✈️", "1800.00 by 2026-10-01", true),
            ("New laptop", "1400.00 by 2027-04-15, then every 2 years", false),
        ];
        for (name, before, undoable) in cases {
            let answer = ask(plan, name, weekly(44.0)).expect("a proposal").answer;
            assert_eq!((answer.before.as_str(), answer.undoable), (before, undoable), "{name}");
            assert!(ask(plan, name, amount(44.0)).expect("a proposal").answer.undoable, "{name}: amount only");
        }
    }

    /// Point 35: targets are compared by their amount, not by their text.
    #[test]
    fn p35_a_change_below_the_shown_decimals_is_a_change() {
        let mut corpus = corpus("household");
        let plan = &mut corpus.plans[0];
        plan.currency = Currency::new("JOD", 3);
        let change = ask(plan, "Internet & phone", amount(52.001)).expect("a proposal");
        assert_eq!(change.answer.after, "52.001 each month, set aside another");
        for same in [amount(52.0), Ask { frequency: Some("monthly"), ..amount(52.0) }] {
            let same = ask(plan, "Internet & phone", same).expect("an answer");
            assert_eq!((same.answer.outcome.status, same.proposal.is_none()), (Status::NothingToDo, true));
        }
        assert!(ask(plan, "Fuel", Ask::default()).expect("an answer").proposal.is_none());
        let once = Ask { by_date: Some(jiff::civil::date(2026, 8, 20)), ..amount(540.0) };
        assert!(ask(plan, "Insurance", once).expect("a proposal").proposal.is_some(), "the repetition goes");
    }

    /// Points 38, 39, 42, 58: what YNAB refuses is refused first.
    #[test]
    fn p38_p39_p42_p58_what_cannot_be_set_is_refused_first() {
        let plan = &corpus("household").plans[0];
        let both = Ask { frequency: Some("monthly"), ..by_october(80.0) };
        let none = Ask { amount: None, ..by_october(0.0) };
        for bad in [both, none, amount(0.0), amount(-5.0), amount(0.0001), amount(80.555)] {
            assert!(ask(plan, "Fuel", bad).is_err(), "{bad:?}");
        }
        assert!(ask(plan, "Fuel", Ask { frequency: Some("daily"), ..amount(5.0) }).is_err());
        assert!(ask(plan, "Blue Card", weekly(5.0)).is_err());
        assert!(ask(plan, "Blue Card", by_october(5.0)).is_ok());
        assert!(ask(plan, "Home loan payment", weekly(5.0)).is_err());
        assert!(ask(plan, "Home loan payment", by_october(5.0)).is_err());
        assert!(ask(plan, "Home loan payment", amount(5.0)).is_ok());
        for name in ["Old hobby", "Inflow: Ready to Assign", "Erased hobby"] {
            assert!(ask(plan, name, amount(5.0)).is_err(), "{name}");
        }
    }

    #[test]
    fn what_is_restored_is_what_was_there() {
        let plan = &corpus("household").plans[0];
        for category in plan.categories.iter().filter(|c| c.is_usable()) {
            let Some(goal) = category.goal.as_deref().map(GoalState::of) else { continue };
            let change = Change { before: Some(goal.clone()), after: None };
            if let Some(sent) = restoring(&change, &GoalSent::default()) {
                let made = expected(category, None, &sent).map(|made| GoalState::of(&made));
                let whole = GoalState { whole: sent.whole, ..made.expect("a target") };
                assert_eq!(GoalState { cadence: whole.cadence, ..goal }, whole, "{}", category.name);
            }
        }
    }

    #[test]
    fn a_target_is_so_already_when_all_that_was_asked_is() {
        let plan = &corpus("household").plans[0];
        let by = |date, units| Ask { by_date: Some(date), ..amount(units) };
        let every = |frequency, units| Ask { frequency: Some(frequency), ..amount(units) };
        let cases = [
            ("Holidays ✈️", by(jiff::civil::date(2026, 10, 1), 1800.0), true),
            ("Holidays ✈️", by(OCTOBER, 1800.0), false),
            ("Holidays ✈️", by(jiff::civil::date(2026, 10, 1), 1801.0), false),
            ("Rent", every("monthly", 640.0), true),
            ("Internet & phone", every("weekly", 52.0), false),
            ("Pocket money", every("weekly", 5.0), false),
            ("Car repairs", every("monthly", 900.0), false),
            ("Car repairs", amount(900.0), true),
        ];
        for (name, asked, is_so) in cases {
            assert_eq!(ask(plan, name, asked).expect("an answer").proposal.is_none(), is_so, "{name} {asked:?}");
        }
    }

    #[test]
    fn what_ynab_makes_of_a_new_target_is_foreseen() {
        let plan = &corpus("household").plans[0];
        let made = |name, asked| {
            let proposed = ask(plan, name, asked).expect("a proposal");
            let steps = proposed.proposal.expect("a question").steps;
            let [Step::Target { goal, .. }] = &steps[..] else { panic!("{steps:?}") };
            (proposed.answer.after, goal.after.as_ref().and_then(|goal| goal.whole))
        };
        assert_eq!(made("Fuel", amount(33.0)), ("33.00 each month".into(), Some(false)));
        assert_eq!(made("Blue Card", amount(33.0)), ("33.00 (monthly funding)".into(), None));
        assert_eq!(made("Blue Card", by_october(33.0)), ("33.00 by 2026-10-03".into(), Some(false)));
    }

    #[test]
    fn a_target_shows_what_was_sent_and_nothing_else() {
        let target = Some(Milliunits::new(33_000));
        let plain = GoalState { kind: "NEED".into(), target, ..GoalState::default() };
        let full = GoalState {
            kind: "TB".into(),
            target,
            date: Some(OCTOBER),
            cadence: Some(3),
            every: Some(2),
            whole: Some(true),
            day: Some(5),
        };
        let others: [fn(&mut GoalState); 6] = [
            |goal| goal.kind = "DEBT".into(),
            |goal| goal.date = OCTOBER.tomorrow().ok(),
            |goal| goal.cadence = Some(14),
            |goal| goal.every = Some(9),
            |goal| goal.whole = Some(false),
            |goal| goal.day = Some(6),
        ];
        let with = |goal: &GoalState, change: fn(&mut GoalState)| {
            let mut goal = goal.clone();
            change(&mut goal);
            goal
        };
        // An amount alone keeps what was there before; what was not known of that may be anything.
        let amount = GoalSent { target, ..GoalSent::default() };
        let before = GoalState { target: Some(Milliunits::new(900_000)), ..full.clone() };
        let unknown = GoalState { kind: "TB".into(), ..GoalState::default() };
        assert!(shows(Some(&full), Some(&before), &amount));
        for (at, change) in others.into_iter().enumerate() {
            assert!(!shows(Some(&with(&full, change)), Some(&before), &amount), "{at}");
            assert_eq!(shows(Some(&with(&full, change)), Some(&unknown), &amount), at > 0, "{at}");
        }
        assert!(!shows(Some(&before), Some(&before), &amount), "another amount");
        let monthly = GoalState { cadence: Some(1), ..plain.clone() };
        assert!(shows(Some(&monthly), None, &amount));
        let dated = GoalState { date: Some(OCTOBER), ..plain };
        for sent in [
            GoalSent { date: Some(OCTOBER), ..amount.clone() },
            GoalSent { frequency: Some("monthly".into()), ..amount.clone() },
        ] {
            let now = if sent.date.is_some() { &dated } else { &monthly };
            assert!(shows(Some(now), None, &sent) && shows(Some(now), Some(&before), &sent));
            let whole = GoalSent { whole: Some(false), ..sent.clone() };
            assert!(!shows(Some(now), None, &whole), "what was sent and is not shown");
            assert!(shows(Some(&GoalState { whole: Some(false), ..now.clone() }), None, &whole));
            for change in [others[0], others[2], others[3], others[5]] {
                assert!(!shows(Some(&with(now, change)), None, &sent));
            }
        }
        assert!(!shows(Some(&with(&dated, others[1])), None, &GoalSent { date: Some(OCTOBER), ..amount.clone() }));
        for change in [others[1], others[2]] {
            assert!(!shows(Some(&with(&monthly, change)), None, &amount), "a new one is monthly");
        }
        let removed = GoalSent::default();
        assert!(shows(None, Some(&before), &removed) && !shows(Some(&monthly), Some(&before), &removed));
        assert!(!shows(None, None, &amount));
    }
}
