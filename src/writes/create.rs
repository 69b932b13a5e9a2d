//! Owns creating transactions on an account.
//! Never sends an import id: YNAB would take the rows for imported ones and the bank's own import would not match them.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Answer, Kind, Landed, NewRow, Outcome, Proposal, Proposed, ROWS_MAX, Step, checks, names, stand};
use crate::dates::Date;
use crate::error::Refusal;
use crate::ids::TransactionId;
use crate::money::{Amount, Milliunits};
use crate::plan::{Account, Plan};
use crate::refuse;
use crate::text::{safe, with_lines};

/// What is to be created.
#[derive(Clone, Copy, Debug)]
pub struct Creation<'a> {
    /// On which account.
    pub account_id: &'a str,
    /// The transactions.
    pub transactions: &'a [New<'a>],
    /// Whether they are created approved.
    pub approved: bool,
}

/// A transaction to create.
#[derive(Clone, Copy, Debug)]
pub struct New<'a> {
    /// Its day.
    pub date: Date,
    /// In currency units; spending is negative.
    pub amount: f64,
    /// Who is paid, or pays.
    pub payee_name: &'a str,
    /// Its memo.
    pub memo: Option<&'a str>,
    /// Its category; an empty text is none.
    pub category_id: Option<&'a str>,
    /// Whether the bank has shown it, `cleared` or `uncleared`; cleared where it is not given.
    pub cleared: Option<&'a str>,
}

/// The answer of create_transactions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Created {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The account's name.
    pub account: String,
    /// As they are written.
    pub transactions: Vec<CreatedRow>,
    /// In the order given.
    pub created_ids: Vec<TransactionId>,
    /// Not created: YNAB knew them.
    pub duplicate_import_ids: Vec<String>,
}

impl Answer for Created {
    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn landed(&mut self, landed: &Landed) {
        self.created_ids.extend(landed.created.iter().cloned());
        self.duplicate_import_ids.extend(landed.duplicates.iter().cloned());
    }
}

/// A transaction to create, as shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CreatedRow {
    /// YYYY-MM-DD.
    #[schemars(with = "String")]
    pub date: Date,
    /// Spending is negative.
    pub amount: Amount,
    /// Who is paid, or pays.
    pub payee: String,
    /// Its category.
    pub category: Option<String>,
    /// Its memo.
    pub memo: Option<String>,
}

/// What creating these transactions would do.
pub fn create(plan: &Plan, today: Date, asked: Creation<'_>) -> Result<Proposed<Created>, Refusal> {
    let ix = checks::account(plan, asked.account_id, "account_id")?;
    let account = &plan.accounts[ix];
    if account.closed {
        return Err(refuse!("'{}' is closed. Reopen it in YNAB, or choose another account.", safe(&account.name)));
    }
    if asked.transactions.is_empty() {
        return Err(refuse!("transactions is empty. Give at least one."));
    }
    let new = asked.transactions.iter().enumerate();
    let read = new.map(|(at, new)| row(plan, account, today, new, asked.approved, &format!("transactions[{at}]")));
    let rows = read.collect::<Result<Vec<NewRow>, Refusal>>()?;
    let (count, name) = (rows.len(), names::account(plan, account));
    let twins = twins(plan, &rows);
    let answer = Created {
        outcome: Outcome::proposed(),
        account: safe(&account.name).into_owned(),
        transactions: rows.iter().map(|row| shown(plan, row)).collect(),
        created_ids: Vec::new(),
        duplicate_import_ids: Vec::new(),
    };
    let lines = rows.iter().zip(asked.transactions).map(|(row, new)| line(plan, row, new, !twins(row).is_empty()));
    let step = |rows: &[NewRow]| {
        let known: HashSet<TransactionId> = rows.iter().flat_map(&twins).collect();
        let mut twins: Vec<TransactionId> = known.into_iter().collect();
        twins.sort_unstable();
        Step::Create { rows: rows.to_vec(), twins }
    };
    let proposal = Proposal {
        plan: plan.id.clone(),
        kind: Kind::Create,
        subject: json!({ "account_id": account.id, "transactions": rows, "approved": asked.approved }),
        guard: serde_json::Value::Null,
        question: with_lines(&format!("Create {count} transaction(s) on {name}?"), &lines.collect::<Vec<_>>()),
        done: format!("Created {count} transaction(s) on {name}."),
        steps: rows.chunks(ROWS_MAX).map(step).collect(),
        undoes: None,
    };
    Ok(Proposed { answer, proposal: Some(proposal) })
}

/// One transaction to create; `at` is the argument that gives it.
fn row(
    plan: &Plan,
    account: &Account,
    today: Date,
    new: &New<'_>,
    approved: bool,
    at: &str,
) -> Result<NewRow, Refusal> {
    checks::day(new.date, today, &format!("{at}.date"))?;
    let amount = checks::amount(&plan.currency, new.amount, &format!("{at}.amount"))?;
    if amount.is_zero() {
        return Err(refuse!("{at}.amount is 0. Spending is negative, income positive."));
    }
    let category = match new.category_id.filter(|id| !id.is_empty()) {
        None => None,
        Some(_) if !account.on_budget => {
            let name = safe(&account.name);
            return Err(refuse!("{at}.category_id: '{name}' is a tracking account, without categories. Leave it out."));
        }
        Some(id) => Some(checks::assignable(&plan.categories, id, &format!("{at}.category_id"))?.id.clone()),
    };
    let cleared = new.cleared.unwrap_or("cleared");
    if !matches!(cleared, "cleared" | "uncleared") {
        return Err(refuse!("{at}.cleared must be cleared or uncleared."));
    }
    Ok(NewRow {
        account: account.id.clone(),
        date: new.date,
        amount,
        payee: checks::payee_name(new.payee_name, &format!("{at}.payee_name"))?.to_owned(),
        memo: checks::memo(new.memo, &format!("{at}.memo"))?.map(str::to_owned),
        category,
        cleared: cleared.to_owned(),
        approved,
        import_id: None,
    })
}

fn shown(plan: &Plan, row: &NewRow) -> CreatedRow {
    let category = row.category.as_ref().and_then(|id| plan.categories.get(id));
    CreatedRow {
        date: row.date,
        amount: row.amount.into(),
        payee: safe(&row.payee).into_owned(),
        category: category.map(|category| safe(&category.name).into_owned()),
        memo: row.memo.as_deref().map(|memo| safe(memo).into_owned()),
    }
}

/// A line of the question: what is written, all of it, and whether one like it is there already.
fn line(plan: &Plan, row: &NewRow, new: &New<'_>, has_twin: bool) -> String {
    let category = row.category.as_ref().and_then(|id| plan.categories.get(id));
    let category = category.map_or("no category".to_owned(), |c| names::category(&plan.categories, c));
    let mut line = format!("{} {} {} ({category})", row.date, safe(&row.payee), plan.currency.of(row.amount));
    if row.approved {
        line.push_str(", approved");
    }
    if let Some(cleared) = new.cleared {
        line.push_str(&format!(", {cleared}"));
    }
    if let Some(memo) = &row.memo {
        line.push_str(&format!(", memo: {}", safe(memo)));
    }
    if has_twin {
        line.push_str(", though one like it is there already");
    }
    line
}

/// The live transactions that have a row's account, date, amount and payee, by row.
fn twins<'a>(plan: &'a Plan, rows: &[NewRow]) -> impl Fn(&NewRow) -> Vec<TransactionId> + 'a {
    let wanted: HashSet<(Date, Milliunits)> = rows.iter().map(|row| (row.date, row.amount)).collect();
    let mut near: HashMap<(Date, Milliunits), Vec<&crate::plan::Transaction>> = HashMap::new();
    for row in plan.live().filter(|row| wanted.contains(&(row.date, row.amount))) {
        near.entry((row.date, row.amount)).or_default().push(row);
    }
    move |row| {
        let like = near.get(&(row.date, row.amount)).map(Vec::as_slice).unwrap_or_default();
        like.iter().filter(|t| stand::is_alike(plan, t, row)).map(|t| t.id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Corpus, corpus};

    fn new<'a>() -> New<'a> {
        New {
            date: jiff::civil::date(2026, 3, 16),
            amount: -12.5,
            payee_name: "New shop",
            memo: None,
            category_id: None,
            cleared: None,
        }
    }

    fn ask(corpus: &Corpus, account: &str, transactions: &[New<'_>], approved: bool) -> Result<Proposal, Refusal> {
        let plan = &corpus.plans[0];
        let account = plan.accounts.iter().find(|a| &*a.name == account).map_or(account, |a| a.id.as_str());
        let asked = Creation { account_id: account, transactions, approved };
        create(plan, corpus.today, asked).map(|proposed| proposed.proposal.expect("a question"))
    }

    fn category<'a>(corpus: &'a Corpus, name: &str) -> Option<&'a str> {
        corpus.plans[0].categories.iter().find(|c| &*c.name == name).map(|c| c.id.as_str())
    }

    #[test]
    fn as_recorded() {
        let household = corpus("household");
        let second =
            New { date: jiff::civil::date(2026, 3, 14), amount: -7.12, payee_name: "SUMUP *CHEZ NINO", ..new() };
        let first = New { category_id: category(&household, "Groceries"), ..new() };
        let proposal = ask(&household, "Everyday account", &[first, second], false).expect("a proposal");
        assert_eq!(
            proposal.question,
            "Create 2 transaction(s) on Everyday account?\n- 2026-03-16 New shop -12.50 (Groceries)\n\
             - 2026-03-14 SUMUP *CHEZ NINO -7.12 (no category)"
        );
        let [Step::Create { rows, twins }] = &proposal.steps[..] else { panic!("{:?}", proposal.steps) };
        assert_eq!((rows[0].cleared.as_str(), rows[0].approved, twins.len()), ("cleared", false, 0));
    }

    /// Points 40 and 47: memo, approval and a status that was given are in the question; the rest is counted.
    #[test]
    fn p40_p47_the_question_shows_all_that_is_written() {
        let household = corpus("household");
        let full = New { memo: Some(" lunch  with Zoé "), cleared: Some("uncleared"), ..new() };
        let proposal = ask(&household, "Everyday account", &[full], true).expect("a proposal");
        assert!(
            proposal.question.ends_with("New shop -12.50 (no category), approved, uncleared, memo: lunch with Zoé"),
            "{}",
            proposal.question
        );
        let Step::Create { rows, .. } = &proposal.steps[0] else { panic!("{:?}", proposal.steps) };
        assert_eq!((rows[0].cleared.as_str(), rows[0].approved), ("uncleared", true));
        let many = ask(&household, "Everyday account", &[new(); 24], false).expect("a proposal").question;
        assert!(many.ends_with("- … and 4 more"), "{many}");
        assert!(ask(&household, "Everyday account", &[New { cleared: Some("reconciled"), ..new() }], false).is_err());
    }

    /// Point 4: a repeated creation is recognised, in the question and by who judges a lost answer.
    #[test]
    fn p4_a_repeated_creation_is_recognised() {
        let household = corpus("household");
        let plan = &household.plans[0];
        let twin = plan.transactions.get("2b41235e-1fb0-5d15-80cc-5135193d380a").expect("Twin shop");
        let again =
            New { date: twin.date, amount: twin.amount.get() as f64 / 1000.0, payee_name: "twin shop", ..new() };
        let account = plan.accounts[twin.account].name.to_string();
        let proposal = ask(&household, &account, &[again, new()], false).expect("a proposal");
        let lines: Vec<&str> = proposal.question.lines().collect();
        assert!(lines[1].ends_with(", though one like it is there already"), "{lines:?}");
        assert!(!lines[2].contains("already"), "{lines:?}");
        let Step::Create { twins, .. } = &proposal.steps[0] else { panic!("{:?}", proposal.steps) };
        assert_eq!(twins.as_slice(), std::slice::from_ref(&twin.id));
    }

    #[test]
    fn what_ynab_made_is_in_the_answer() {
        let household = corpus("household");
        let plan = &household.plans[0];
        let account = plan.accounts.iter().find(|a| &*a.name == "Everyday account").expect("the account").id.as_str();
        let asked = Creation { account_id: account, transactions: &[new(), new()], approved: false };
        let mut answer = create(plan, household.today, asked).expect("a proposal").answer;
        answer.landed(&Landed { created: vec!["one".into()], ..Landed::default() });
        answer.landed(&Landed { created: vec!["two".into()], duplicates: vec!["x".into()], ..Landed::default() });
        assert_eq!(answer.created_ids, ["one".into(), "two".into()]);
        assert_eq!(answer.duplicate_import_ids, ["x"]);
    }

    /// Points 38, 42, 56: what YNAB refuses or drops, and what would not be written as shown, is refused first.
    #[test]
    fn p38_p42_p56_what_cannot_be_written_is_refused_and_the_row_named() {
        let household = corpus("household");
        let long = "x".repeat(501);
        let bad = [
            New { date: jiff::civil::date(2026, 3, 18), ..new() },
            New { date: jiff::civil::date(2021, 3, 10), ..new() },
            New { amount: 0.0, ..new() },
            New { amount: -7.12569, ..new() },
            New { payee_name: " ", ..new() },
            New { payee_name: "a\nb", ..new() },
            New { payee_name: "Transfer : Wallet", ..new() },
            New { payee_name: &long[..201], ..new() },
            New { memo: Some("a\u{202E}b"), ..new() },
            New { memo: Some(&long), ..new() },
            New { category_id: category(&household, "Blue Card"), ..new() },
            New { category_id: category(&household, "Old hobby"), ..new() },
            New { category_id: category(&household, "Uncategorized"), ..new() },
            New { category_id: Some("00000000-0000-4000-8000-000000000000"), ..new() },
        ];
        for bad in bad {
            let refused = ask(&household, "Everyday account", &[new(), bad], false).expect_err("a refusal").to_string();
            assert!(refused.starts_with("transactions[1]."), "{refused}");
        }
        let tracked = New { category_id: category(&household, "Groceries"), ..new() };
        assert!(ask(&household, "Brokerage", &[tracked], false).is_err());
        assert!(ask(&household, "Brokerage", &[new()], false).is_ok());
        assert!(ask(&household, "Old bank", &[new()], false).is_err(), "closed");
        assert!(ask(&household, "Removed account", &[new()], false).is_err(), "deleted");
        assert!(ask(&household, "Everyday account", &[], false).is_err());
        let inflow = New { category_id: category(&household, "Inflow: Ready to Assign"), ..new() };
        assert!(ask(&household, "Everyday account", &[inflow], false).is_ok());
        assert!(ask(&household, "Everyday account", &[New { category_id: Some(""), ..new() }], false).is_ok());
    }
}
