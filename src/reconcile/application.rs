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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconcile::comparison::{Outcome, compare};
    use crate::reconcile::desk::{Desk, csv, day};

    const TODAY: &str = "2026-02-05";

    fn applied(desk: &Desk, text: &str, used: &[&str]) -> Application {
        let Ok(Outcome::Compared(compared)) = compare(&desk.plan, desk.account, text.as_bytes(), None, day(TODAY))
        else {
            panic!("not compared");
        };
        let used = used.iter().map(|id| Arc::from(*id)).collect();
        to_apply(&desk.plan, desk.account, &compared, &used, day(TODAY))
    }

    fn start() -> Desk {
        let mut desk = Desk::euro(&[]);
        desk.add(day("2025-12-31"), Milliunits::new(100_000), "Starting Balance", Cleared::Reconciled);
        desk
    }

    #[test]
    fn missing_rows_are_created_matched_ones_cleared_and_all_reconciled_when_the_balances_agree() {
        let mut desk = start();
        let shop = desk.add(day("2026-01-04"), Milliunits::new(-12_340), "Shop", Cleared::Uncleared);
        let rent = desk.add(day("2026-01-05"), Milliunits::new(-50_000), "Rent", Cleared::Cleared);
        let later = desk.add(day("2026-02-02"), Milliunits::new(-1_000), "Later", Cleared::Cleared);
        let rows = [("2026-01-05", -12_340, "SHOP"), ("2026-01-05", -50_000, "RENT"), ("2026-01-09", -7_770, "NEW")];
        let application = applied(&desk, &csv(100_000, &rows), &[]);
        assert_eq!(application.clear, [shop]);
        assert!(application.agrees(), "{application:?}");
        assert_eq!(application.reconcile, [shop, rent]);
        assert!(!application.reconcile.contains(&later));
        assert_eq!((application.closing_date, application.ynab_balance), (day("2026-01-09"), Milliunits::new(29_890)));
        let [new] = application.create.as_slice() else { panic!("one row") };
        assert_eq!((new.row, new.import_id.as_str()), (3, "YNAB:-7770:2026-01-09:1"));
        assert_eq!((new.payee.as_deref(), new.memo.as_deref()), (Some("NEW"), None));
    }

    #[test]
    fn nothing_is_reconciled_while_the_balances_differ_or_the_plan_is_not_whole() {
        let mut desk = start();
        desk.add(day("2026-01-05"), Milliunits::new(-50_000), "Rent", Cleared::Cleared);
        desk.add(day("2026-01-06"), Milliunits::new(-1_000), "Not at the bank", Cleared::Cleared);
        let rows = [("2026-01-05", -50_000, "RENT"), ("2026-01-09", -7_770, "NEW")];
        let application = applied(&desk, &csv(100_000, &rows), &[]);
        assert!(!application.agrees() && application.reconcile.is_empty());
        assert_eq!(application.create.len(), 1);

        let mut odd = start();
        odd.add(day("2026-01-05"), Milliunits::new(-50_000), "Rent", Cleared::Cleared);
        odd.plan.accounts.at_mut(odd.account).cleared += Milliunits::new(5);
        let application = applied(&odd, &csv(100_000, &rows[..1]), &[]);
        assert!(application.agrees() && application.reconcile.is_empty());
    }

    #[test]
    fn an_import_id_is_never_used_twice() {
        let mut desk = start();
        let old = desk.add(day("2026-01-09"), Milliunits::new(-7_770), "Old", Cleared::Cleared);
        let row = desk.plan.transactions.at_mut(old);
        (row.deleted, row.import_id) = (true, Some("YNAB:-7770:2026-01-09:1".into()));
        let rows = [("2026-01-09", -7_770, "NEW"), ("2026-01-09", -7_770, "NEW")];
        let application = applied(&desk, &csv(100_000, &rows), &["YNAB:-7770:2026-01-09:3"]);
        let ids: Vec<&str> = application.create.iter().map(|new| new.import_id.as_str()).collect();
        assert_eq!(ids, ["YNAB:-7770:2026-01-09:2", "YNAB:-7770:2026-01-09:4"]);
    }

    #[test]
    fn what_ynab_would_refuse_is_not_created() {
        let mut desk = start();
        desk.plan.transactions.at_mut(desk.plan.transactions.find("t1").expect("the start")).date = day("2015-01-01");
        let rows = [
            ("2020-01-09", -1_000, "OLD"),
            ("2026-01-08", -2_345, "FINE"),
            ("2026-01-09", 0, "NOTHING"),
            ("2026-01-10", -3_000, "Transfer : Savings"),
            ("2026-02-06", -4_000, "TOMORROW"),
        ];
        let application = applied(&desk, &csv(100_000, &rows), &[]);
        let refused: Vec<usize> = application.not_created.iter().map(|row| row.row).collect();
        assert_eq!(refused, [1, 2, 3, 5]);
        assert_eq!(
            (application.create[0].payee.as_deref(), application.create[0].memo.as_deref()),
            (None, Some("Transfer : Savings"))
        );
    }

    #[test]
    fn a_row_in_doubt_is_neither_created_nor_cleared() {
        let mut desk = start();
        desk.add(day("2026-01-09"), Milliunits::new(-7_700), "Grocer", Cleared::Uncleared);
        let application =
            applied(&desk, &csv(100_000, &[("2026-01-09", -7_770, "GROCER"), ("2026-01-10", -1_000, "X")]), &[]);
        assert_eq!(application.create.iter().map(|new| new.row).collect::<Vec<_>>(), [2]);
        assert!(application.clear.is_empty() && !application.agrees());
    }
}
