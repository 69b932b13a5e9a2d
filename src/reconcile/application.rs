//! Owns what a compared statement would change in YNAB: rows to create, transactions to mark cleared or reconciled.
//! Never creates a row in doubt, never touches a reconciled transaction, and never reconciles what does not agree.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::comparison::Compared;
use super::divergence::bank_days;
use super::statement::Row;
use crate::dates::Date;
use crate::money::Milliunits;
use crate::plan::{Account, Cleared, Ix, Plan, Transaction};
use crate::text::{clean, cut};

/// The longest payee YNAB takes, in characters.
const PAYEE_MAX: usize = 200;
/// The longest memo YNAB takes, in characters.
const MEMO_MAX: usize = 500;
/// Names that YNAB keeps for itself.
const INTERNAL_PAYEES: [&str; 4] =
    ["Transfer : ", "Starting Balance", "Manual Balance Adjustment", "Reconciliation Balance Adjustment"];
/// How many years back YNAB takes a transaction.
const YEARS_MAX: i64 = 5;

/// A transaction to create: cleared, unapproved.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRow {
    /// The statement's row.
    pub row: usize,
    /// The bank's day.
    pub date: Date,
    /// Signed as YNAB's.
    pub amount: Milliunits,
    /// Who; none when YNAB would not take the name.
    pub payee: Option<String>,
    /// What for.
    pub memo: Option<String>,
    /// In YNAB's own form, never used before in this account.
    pub import_id: String,
}

/// A row that cannot be created.
#[derive(Clone, Debug, PartialEq)]
pub struct NotCreated {
    /// The statement's row.
    pub row: usize,
    /// Why, for people.
    pub why: String,
}

/// What applying a statement would do.
#[derive(Clone, Debug)]
pub struct Application {
    /// Rows to create.
    pub create: Vec<NewRow>,
    /// Missing rows that YNAB would refuse.
    pub not_created: Vec<NotCreated>,
    /// Matched transactions to mark cleared.
    pub clear: Vec<Ix<Transaction>>,
    /// Existing transactions to mark reconciled, those to be cleared included; empty unless the balances agree. The
    /// rows created are then marked with them.
    pub reconcile: Vec<Ix<Transaction>>,
    /// The last day that is reconciled.
    pub closing_date: Date,
    /// The bank's balance on that day; `None` when the file has none.
    pub bank_balance: Option<Milliunits>,
    /// YNAB's cleared balance on that day, once this is applied.
    pub ynab_balance: Milliunits,
}

impl Application {
    /// Whether both balances agree once this is applied.
    pub fn agrees(&self) -> bool {
        self.bank_balance == Some(self.ynab_balance)
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.create.is_empty() && self.clear.is_empty() && self.reconcile.is_empty()
    }
}

/// What the comparison would change. `used` are import ids beyond the plan's own, such as the journal's.
pub fn to_apply(
    plan: &Plan,
    account: Ix<Account>,
    compared: &Compared,
    used: &HashSet<Arc<str>>,
    today: Date,
) -> Application {
    let (sheet, matching) = (&compared.statement.sheet, &compared.matching);
    let mut ids = ImportIds::new(plan, account, used);
    let (mut create, mut not_created) = (Vec::new(), Vec::new());
    for row in matching.missing_rows.iter().filter_map(|at| sheet.rows.get(*at)) {
        match refused(plan, row, today) {
            Some(why) => not_created.push(NotCreated { row: row.number, why }),
            None => create.push(new_row(row, &mut ids)),
        }
    }
    let matched = matching.pairs.iter().flat_map(|pair| pair.transactions.iter().copied());
    let clear: Vec<Ix<Transaction>> =
        matched.filter(|ix| plan.transactions[*ix].cleared == Cleared::Uncleared).collect();
    let closing_date = sheet.closing.and_then(|stand| stand.date).unwrap_or(compared.period.1);
    let (days, cleared): (HashMap<_, _>, HashSet<_>) = (bank_days(sheet, matching), clear.iter().copied().collect());
    let shown: Vec<(Ix<Transaction>, &Transaction)> = plan
        .transactions
        .enumerate()
        .filter(|(_, t)| t.account == account && !t.deleted)
        .filter(|(ix, t)| t.cleared != Cleared::Uncleared || cleared.contains(ix))
        .filter(|(ix, t)| days.get(ix).copied().unwrap_or(t.date) <= closing_date)
        .collect();
    let existing: Milliunits = shown.iter().map(|(_, t)| t.amount).sum();
    let added: Milliunits = create.iter().filter(|new| new.date <= closing_date).map(|new| new.amount).sum();
    let mut application = Application {
        create,
        not_created,
        clear,
        reconcile: Vec::new(),
        closing_date,
        bank_balance: sheet.closing.map(|stand| stand.amount),
        ynab_balance: existing + added,
    };
    if application.agrees() && is_sound(plan, account) {
        let open = shown.iter().filter(|(_, t)| t.cleared != Cleared::Reconciled);
        application.reconcile = open.map(|(ix, _)| *ix).collect();
    }
    application
}

/// Whether YNAB's cleared balance is what its transactions add up to.
fn is_sound(plan: &Plan, account: Ix<Account>) -> bool {
    let shown = plan.live().filter(|t| t.account == account && t.cleared != Cleared::Uncleared);
    shown.map(|t| t.amount).sum::<Milliunits>() == plan.accounts[account].cleared
}

/// Why YNAB would not take the row.
fn refused(plan: &Plan, row: &Row, today: Date) -> Option<String> {
    let oldest = today.saturating_add(jiff::Span::new().years(-YEARS_MAX));
    if row.date > today {
        Some(format!("dated {}, in the future", row.date))
    } else if row.date < oldest {
        Some(format!("dated {}, more than {YEARS_MAX} years ago", row.date))
    } else if !plan.currency.holds(row.amount) {
        Some(format!("{} is finer than the plan's currency", plan.currency.show(row.amount)))
    } else {
        row.amount.is_zero().then(|| "it moves no money".to_owned())
    }
}

fn new_row(row: &Row, ids: &mut ImportIds) -> NewRow {
    let (name, memo) = (clean(&row.payee), clean(&row.memo));
    let internal = INTERNAL_PAYEES.iter().any(|start| name.to_lowercase().starts_with(&start.to_lowercase()));
    let memo = if internal { clean(&format!("{name} {memo}")).into_owned().into() } else { memo };
    let some = |text: String| (!text.is_empty()).then_some(text);
    NewRow {
        row: row.number,
        date: row.date,
        amount: row.amount,
        payee: some(cut(name, PAYEE_MAX).into_owned()).filter(|_| !internal),
        memo: some(cut(memo, MEMO_MAX).into_owned()),
        import_id: ids.next(row.amount, row.date),
    }
}

/// Import ids of an account, so that none is used twice: a deleted transaction keeps its own.
struct ImportIds {
    used: HashSet<Arc<str>>,
    /// The occurrence to try next, so that many rows of one day and amount stay cheap.
    next: HashMap<(Milliunits, Date), u32>,
}

impl ImportIds {
    fn new(plan: &Plan, account: Ix<Account>, more: &HashSet<Arc<str>>) -> Self {
        let own = plan.transactions.iter().filter(|t| t.account == account).filter_map(|t| t.import_id.clone());
        Self { used: own.chain(more.iter().cloned()).collect(), next: HashMap::new() }
    }

    /// The first never used of that amount and day.
    fn next(&mut self, amount: Milliunits, date: Date) -> String {
        let occurrence = self.next.entry((amount, date)).or_insert(0);
        loop {
            *occurrence += 1;
            let id = format!("YNAB:{}:{date}:{occurrence}", amount.get());
            if self.used.insert(id.as_str().into()) {
                return id;
            }
        }
    }
}
