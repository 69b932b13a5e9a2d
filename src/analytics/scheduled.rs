//! Owns the list of what the schedules bring in a period, and of what is overdue.
//! Never works out the dates: those are `forecast::schedule`'s.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::search::{check_period, chosen_accounts, shown_category};
use crate::analytics::{Room, counted, fit};
use crate::dates::{Date, add_days};
use crate::error::Refusal;
use crate::forecast::schedule::occurrences;
use crate::ids::ScheduledId;
use crate::money::{Amount, Milliunits};
use crate::plan::{Plan, Scheduled};
use crate::refuse;
use crate::text::safe;

/// How many days are listed when the caller does not say.
const PERIOD_DAYS: i64 = 30;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Period<'a> {
    /// The first day; today when absent.
    pub since: Option<Date>,
    /// The last day; 30 days after the first when absent.
    pub until: Option<Date>,
    /// Of these accounts alone.
    pub account_ids: Option<&'a [String]>,
}

/// What is due in a period.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Upcoming {
    /// By date, then payee.
    pub occurrences: Vec<Occurrence>,
    /// Of the whole period, transfers left out.
    pub inflows: Amount,
    /// Of the whole period, transfers left out; negative.
    pub outflows: Amount,
    /// Occurrences left out for length; the sums count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
    /// Due before the period and not entered yet; not in the sums.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overdue: Vec<Occurrence>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[expect(missing_docs, reason = "the name says it")]
    pub notes: Vec<String>,
}

/// One date of a schedule.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Occurrence {
    pub scheduled_id: ScheduledId,
    #[schemars(with = "String")]
    pub date: Date,
    pub amount: Amount,
    pub account: String,
    /// `Split` when it is.
    pub category: Option<String>,
    pub payee: String,
    pub memo: Option<String>,
    pub frequency: String,
    pub transfer: bool,
}

/// Every date of the live schedules in the period. What was due earlier and still waits is listed apart, by its next
/// date, when the period holds today.
pub fn list(plan: &Plan, today: Date, period: &Period<'_>) -> Result<Upcoming, Refusal> {
    let since = period.since.unwrap_or(today);
    if let (None, Some(until)) = (period.since, period.until)
        && until < today
    {
        return Err(refuse!("until_date is before today. Give since_date too to look back."));
    }
    let until = period.until.unwrap_or_else(|| add_days(since, PERIOD_DAYS));
    check_period(since, until)?;
    let accounts = period.account_ids.map(|ids| chosen_accounts(plan, ids)).transpose()?;
    let live = || {
        let of_accounts = |s: &&Scheduled| accounts.as_ref().is_none_or(|chosen| chosen.holds(s.account));
        plan.scheduled.iter().filter(|s| !s.deleted).filter(of_accounts)
    };

    let dated = live().flat_map(|s| occurrences(s, since, until).map(move |date| (date, s)));
    let rows = sorted(plan, dated.collect());
    let sum = |wanted: fn(Milliunits) -> bool| -> Amount {
        let own = rows.iter().filter(|row| !row.transfer).map(|row| row.amount.0);
        own.filter(|amount| wanted(*amount)).sum::<Milliunits>().into()
    };
    let (inflows, outflows) = (sum(Milliunits::is_positive), sum(Milliunits::is_negative));
    let total = rows.len();
    let (occurrences, left) = fit(rows, if period.until.is_some() { Room::ASKED_BESIDE } else { Room::USUAL });

    let waits = |s: &&Scheduled| s.date_next < since && (since..=until).contains(&today);
    let overdue = sorted(plan, live().filter(waits).map(|s| (s.date_next, s)).collect());
    let overdue_total = overdue.len();
    let (overdue, overdue_left) = fit(overdue, Room::Named(2_750));

    let mut notes = Vec::new();
    if left > 0 {
        notes.push(format!("{} of {total} dates shown, the earliest. Ask for a shorter period.", total - left));
    }
    if overdue_total > 0 {
        let shown = if overdue_left > 0 { format!(", {} shown", overdue_total - overdue_left) } else { String::new() };
        let schedules = counted(overdue_total, "schedule");
        notes
            .push(format!("Overdue: {schedules}{shown}, due before {since} and not entered in YNAB; not in the sums."));
    }
    Ok(Upcoming { occurrences, inflows, outflows, more: (left > 0).then_some(left), overdue, notes })
}

fn sorted(plan: &Plan, mut dated: Vec<(Date, &Scheduled)>) -> Vec<Occurrence> {
    dated.sort_by_cached_key(|(date, s)| (*date, plan.payee_name(s.payee).to_lowercase()));
    dated.into_iter().map(|(date, s)| Occurrence::of(plan, date, s)).collect()
}

impl Occurrence {
    /// What the schedule brings on that date.
    pub fn of(plan: &Plan, date: Date, s: &Scheduled) -> Self {
        Self {
            scheduled_id: s.id.clone(),
            date,
            amount: s.amount.into(),
            account: safe(&plan.accounts[s.account].name).into_owned(),
            category: if s.lines.iter().any(|line| !line.deleted) {
                Some("Split".to_owned())
            } else {
                s.category.and_then(|ix| shown_category(plan, ix))
            },
            payee: safe(plan.payee_name(s.payee)).into_owned(),
            memo: s.memo.as_deref().filter(|memo| !memo.is_empty()).map(|memo| safe(memo).into_owned()),
            frequency: safe(&s.frequency).into_owned(),
            transfer: s.transfer_account.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::testing::{Book, chars, day};
    use crate::plan::{AccountKind, Ix, Line};

    fn book() -> (Book, Ix<crate::plan::Account>) {
        let mut book = Book::new();
        let account = book.account("Everyday", AccountKind::Checking, true);
        (book, account)
    }

    fn dates(rows: &[Occurrence]) -> Vec<String> {
        rows.iter().map(|row| format!("{} {}", row.date, row.payee)).collect()
    }

    #[test]
    fn point_55_what_is_due_today_counts_and_what_is_overdue_is_told_apart() {
        let (mut book, account) = book();
        book.schedule(account, "Due today", "never", "2026-03-17", -12_000);
        book.schedule(account, "Overdue", "monthly", "2026-03-15", -8_400);
        let today = day("2026-03-17");
        let answer = list(&book.plan, today, &Period::default()).unwrap();
        assert_eq!(dates(&answer.occurrences), ["2026-03-17 Due today", "2026-04-15 Overdue"]);
        assert_eq!(dates(&answer.overdue), ["2026-03-15 Overdue"]);
        assert_eq!(answer.outflows, Milliunits::new(-20_400).into());
        let note = "Overdue: 1 schedule, due before 2026-03-17 and not entered in YNAB; not in the sums.";
        assert_eq!(answer.notes, [note]);
        let earlier = Period { since: Some(day("2026-03-01")), ..Period::default() };
        let answer = list(&book.plan, today, &earlier).unwrap();
        assert_eq!((answer.occurrences.len(), answer.overdue.len(), answer.notes.len()), (2, 0, 0));
        let later = Period { since: Some(day("2026-04-01")), ..Period::default() };
        assert!(list(&book.plan, today, &later).unwrap().overdue.is_empty());
    }

    #[test]
    fn point_36_sums_are_exact_and_leave_transfers_out() {
        let (mut book, account) = book();
        let savings = book.account("Savings", AccountKind::Savings, true);
        book.schedule(account, "A", "never", "2026-03-18", -1_001);
        book.schedule(account, "B", "never", "2026-03-18", -1_004);
        book.schedule(account, "C", "never", "2026-03-18", 3_333);
        let move_out = book.schedule(account, "D", "never", "2026-03-18", -900_000);
        book.plan.scheduled.at_mut(move_out).transfer_account = Some(savings);
        let answer = list(&book.plan, day("2026-03-17"), &Period::default()).unwrap();
        assert_eq!((answer.inflows, answer.outflows), (Milliunits::new(3_333).into(), Milliunits::new(-2_005).into()));
        assert!(answer.occurrences[3].transfer);
    }

    #[test]
    fn an_unknown_frequency_gives_the_next_date_alone_and_a_split_is_called_one() {
        let (mut book, account) = book();
        let ix = book.schedule(account, "Odd", "onBlueMoons", "2026-03-20", -1_000);
        let line = Line {
            id: "l".into(),
            amount: Milliunits::new(-1_000),
            memo: None,
            payee: None,
            category: None,
            transfer_account: None,
            deleted: false,
        };
        book.plan.scheduled.at_mut(ix).lines = vec![line];
        let answer = list(&book.plan, day("2026-03-17"), &Period::default()).unwrap();
        let row = &answer.occurrences[0];
        assert_eq!(
            (&*row.frequency, row.category.as_deref(), answer.occurrences.len()),
            ("onBlueMoons", Some("Split"), 1)
        );
        let food = book.category("Home", "Food");
        let schedule = book.plan.scheduled.at_mut(ix);
        (schedule.lines[0].deleted, schedule.category) = (true, Some(food));
        let answer = list(&book.plan, day("2026-03-17"), &Period::default()).unwrap();
        assert_eq!(answer.occurrences[0].category.as_deref(), Some("Food"));
        book.plan.scheduled.at_mut(ix).deleted = true;
        assert!(list(&book.plan, day("2026-03-17"), &Period::default()).unwrap().occurrences.is_empty());
    }

    #[test]
    fn impossible_periods_are_refused_in_words_about_dates_that_were_given() {
        let (book, _) = book();
        let refused = |since: Option<&str>, until: &str| {
            let period = Period { since: since.map(day), until: Some(day(until)), account_ids: None };
            list(&book.plan, day("2026-03-17"), &period).unwrap_err().to_string()
        };
        assert_eq!(refused(None, "2026-03-14"), "until_date is before today. Give since_date too to look back.");
        assert!(refused(Some("2026-03-12"), "2026-03-11").ends_with("Swap the two dates."));
        assert!(refused(Some("2026-03-17"), "2027-03-19").contains("367 days"));
    }

    #[test]
    fn many_dates_are_limited_and_the_sums_count_all() {
        let (mut book, account) = book();
        for n in 0..40 {
            book.schedule(account, &format!("Payee number {n}"), "daily", "2026-03-17", -1_000);
        }
        let answer = list(&book.plan, day("2026-03-17"), &Period::default()).unwrap();
        assert!(chars(&answer) < 25_000);
        assert_eq!(answer.occurrences.len() + answer.more.unwrap(), 40 * 31);
        assert_eq!(answer.outflows, Milliunits::new(-40 * 31 * 1_000).into());
        assert!(answer.notes[0].contains("of 1240 dates shown"), "{:?}", answer.notes);
    }
}
