//! Owns the list of what the schedules bring in a period, and of what is overdue.
//! Never works out the dates: those are `forecast::schedule`'s.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analytics::search::{check_period, chosen_accounts, shown_category};
use crate::analytics::{ROWS_CHARS, ROWS_CHARS_ASKED, counted, fit};
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
    let (occurrences, left) = fit(rows, if period.until.is_some() { ROWS_CHARS_ASKED } else { ROWS_CHARS });

    let waits = |s: &&Scheduled| s.date_next < since && (since..=until).contains(&today);
    let overdue = sorted(plan, live().filter(waits).map(|s| (s.date_next, s)).collect());
    let overdue_total = overdue.len();
    let (overdue, overdue_left) = fit(overdue, ROWS_CHARS / 8);

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
    dated.into_iter().map(|(date, s)| occurrence(plan, date, s)).collect()
}

fn occurrence(plan: &Plan, date: Date, s: &Scheduled) -> Occurrence {
    Occurrence {
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
        memo: s.memo.as_deref().map(|memo| safe(memo).into_owned()),
        frequency: safe(&s.frequency).into_owned(),
        transfer: s.transfer_account.is_some(),
    }
}
