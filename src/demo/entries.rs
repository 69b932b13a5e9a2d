//! Owns what may be written to transactions: every rule is checked before anything changes.
//! Never answers a request itself.

use serde::Deserialize;

use super::book::{Book, TransactionIx, live};
use super::inputs::{Day, Given, given};
use super::refused::Refused;
use super::rows::{Account, Clearing, Flag, Line, Payee, Text, Transaction};
use crate::dates::{Date, Month};
use crate::ids::{AccountId, CategoryId, PayeeId, TransactionId};
use crate::money::Milliunits;
use crate::plan::CARD_PAYMENTS_GROUP;

/// The longest texts, in characters.
const PAYEE_NAME_MAX: usize = 200;
const MEMO_MAX: usize = 500;
const IMPORT_ID_MAX: usize = 36;
/// The largest amount, in milliunits.
const AMOUNT_MAX: u64 = 1 << 53;
/// How far back a transaction may be dated.
const YEARS_MAX: i32 = 5;

/// What YNAB's own payees begin with.
const INTERNAL_PAYEES: [&str; 4] =
    ["transfer : ", "starting balance", "manual balance adjustment", "reconciliation balance adjustment"];

/// A change of a transaction, or a new one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SaveTransaction {
    pub id: Option<TransactionId>,
    pub import_id: Option<Text>,
    pub account_id: Option<AccountId>,
    pub date: Option<Day>,
    pub amount: Option<i64>,
    #[serde(deserialize_with = "given")]
    pub payee_id: Given<PayeeId>,
    #[serde(deserialize_with = "given")]
    pub payee_name: Given<Text>,
    #[serde(deserialize_with = "given")]
    pub category_id: Given<CategoryId>,
    #[serde(deserialize_with = "given")]
    pub memo: Given<Text>,
    pub cleared: Option<Clearing>,
    pub approved: Option<bool>,
    #[serde(deserialize_with = "given")]
    pub flag_color: Given<FlagWord>,
    pub subtransactions: Option<Vec<SaveLine>>,
}

/// A flag's colour, or the empty text that takes it off.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum FlagWord {
    Colour(Flag),
    Off(Off),
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum Off {
    #[serde(rename = "")]
    Empty,
}

/// A new line of a split.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SaveLine {
    amount: i64,
    #[serde(default)]
    payee_id: Option<PayeeId>,
    #[serde(default)]
    payee_name: Option<Text>,
    #[serde(default)]
    category_id: Option<CategoryId>,
    #[serde(default)]
    memo: Option<Text>,
}

/// A transaction as it will be, checked, with what is still to be made.
pub(super) struct Draft {
    /// The one it changes; none when it is new.
    at: Option<TransactionIx>,
    row: Transaction,
    /// A payee that has yet to be made.
    new_payee: Option<Text>,
    new_lines: Vec<(Line, Option<Text>)>,
}

fn short_enough(field: &str, text: Option<&Text>, longest: usize) -> Result<(), Refused> {
    let fits = text.is_none_or(|text| text.len() <= longest || text.chars().count() <= longest);
    if fits { Ok(()) } else { Err(Refused::bad(format!("{field} must be at most {longest} characters"))) }
}

fn amount(milliunits: i64) -> Result<Milliunits, Refused> {
    let fits = milliunits.unsigned_abs() <= AMOUNT_MAX;
    if fits { Ok(Milliunits::new(milliunits)) } else { Err(Refused::bad("amount is out of range")) }
}

/// Refuses a payee's name that YNAB keeps for itself.
pub(super) fn not_internal(name: &str) -> Result<(), Refused> {
    let lower = name.trim_start().to_lowercase();
    // A name that is cut short of its last space is as much YNAB's own.
    if INTERNAL_PAYEES.iter().any(|own| lower.starts_with(own) || lower == own.trim_end()) {
        return Err(Refused::bad("payee_name is an internal payee name"));
    }
    Ok(())
}

/// The same day, that many years earlier; 29 February becomes the 28th.
pub(super) fn years_before(day: Date, years: i32) -> Date {
    Month::of(day).add(-12 * years).day(day.day())
}

/// A payee as a request names it.
enum Named {
    /// Not at all.
    Unsaid,
    Nobody,
    Known(PayeeId),
    New(Text),
}

impl Book {
    /// A new transaction.
    pub(super) fn draft_new(&self, item: &SaveTransaction) -> Result<Draft, Refused> {
        if item.account_id.is_none() || item.date.is_none() || item.amount.is_none() {
            return Err(Refused::bad("account_id, date and amount are required"));
        }
        short_enough("import_id", item.import_id.as_ref(), IMPORT_ID_MAX)?;
        if item.import_id.as_deref() == Some("") {
            return Err(Refused::bad("import_id is invalid"));
        }
        let imported_as = item.import_id.as_ref().and_then(|_| item.payee_name.clone().flatten());
        let blank = Transaction {
            import_id: item.import_id.clone(),
            import_payee_name: imported_as.clone(),
            import_payee_name_original: imported_as,
            ..Transaction::default()
        };
        self.draft(None, blank, item)
    }

    /// A change of one that is there.
    pub(super) fn draft_change(&self, ix: TransactionIx, item: &SaveTransaction) -> Result<Draft, Refused> {
        self.draft(Some(ix), self.transactions[ix].clone(), item)
    }

    fn draft(&self, at: Option<TransactionIx>, mut row: Transaction, item: &SaveTransaction) -> Result<Draft, Refused> {
        let split = row.is_split();
        let lines = item.subtransactions.as_deref().unwrap_or_default();
        if split && !lines.is_empty() {
            return Err(Refused::bad("updating subtransactions on an existing split transaction is not supported"));
        }
        if let Some(id) = &item.account_id {
            live(&self.accounts, id.as_str()).map_err(|_| Refused::bad("account_id is invalid"))?;
            row.account_id = id.clone();
        }
        let date = item.date.map(|day| self.allowed_date(day)).transpose()?;
        let new_amount = item.amount.map(amount).transpose()?;
        let category = item.category_id.as_ref().map(|id| self.allowed_category(id.as_ref())).transpose()?;
        let memo = item.memo.as_ref().map(Option::as_ref);
        short_enough("memo", memo.flatten(), MEMO_MAX)?;
        if let Some(memo) = memo {
            row.memo = memo.cloned();
        }
        row.cleared = item.cleared.unwrap_or(row.cleared);
        row.approved = item.approved.unwrap_or(row.approved);
        if let Some(flag) = item.flag_color {
            row.flag_name = None;
            row.flag_color = flag.and_then(|word| match word {
                FlagWord::Colour(colour) => Some(colour),
                FlagWord::Off(Off::Empty) => None,
            });
        }
        // A split keeps its date, its amount and its lines.
        if !split {
            row.date = date.unwrap_or(row.date);
            row.amount = new_amount.unwrap_or(row.amount);
            match category {
                Some(Allowed::Category(id)) => row.category_id = Some(id),
                Some(Allowed::Nothing) => row.category_id = None,
                Some(Allowed::Ignored) | None => {}
            }
        }
        let mut new_payee = None;
        let name = item.payee_name.as_ref().map(Option::as_ref);
        match self.named_payee(item.payee_id.as_ref().map(Option::as_ref), name)? {
            Named::Unsaid => {}
            Named::Nobody => row.payee_id = None,
            Named::Known(id) => row.payee_id = Some(id),
            Named::New(name) => (row.payee_id, new_payee) = (None, Some(name)),
        }
        row.transfer_account_id = self.transfer_of(row.payee_id.as_ref());
        if row.transfer_account_id.as_ref() == Some(&row.account_id) {
            return Err(Refused::bad("payee_id is invalid: a transfer needs two accounts"));
        }
        let on_budget = self.on_budget(&row.account_id);
        let within = row.transfer_account_id.as_ref().is_some_and(|other| self.on_budget(other));
        if !lines.is_empty() && (!on_budget || within) {
            return Err(Refused::bad("a split is not allowed on a tracking account or a transfer within the budget"));
        }
        let new_lines: Vec<_> = lines.iter().map(|line| self.draft_line(line, &row)).collect::<Result<_, _>>()?;
        if !new_lines.is_empty() {
            if new_lines.iter().map(|(line, _)| line.amount).sum::<Milliunits>() != row.amount {
                return Err(Refused::bad("subtransactions must add up to the transaction's amount"));
            }
            row.category_id = None;
        }
        if !on_budget || within {
            row.category_id = None;
        }
        Ok(Draft { at, row, new_payee, new_lines })
    }

    fn draft_line(&self, line: &SaveLine, parent: &Transaction) -> Result<(Line, Option<Text>), Refused> {
        short_enough("memo", line.memo.as_ref(), MEMO_MAX)?;
        let (payee_id, new_payee) =
            match self.named_payee(Some(line.payee_id.as_ref()), Some(line.payee_name.as_ref()))? {
                Named::Known(id) => (Some(id), None),
                Named::New(name) => (None, Some(name)),
                Named::Unsaid | Named::Nobody => (None, None),
            };
        let transfer_account_id = self.transfer_of(payee_id.as_ref());
        if transfer_account_id.as_ref() == Some(&parent.account_id) {
            return Err(Refused::bad("payee_id is invalid: a transfer needs two accounts"));
        }
        let within = transfer_account_id.as_ref().is_some_and(|other| self.on_budget(other));
        let category_id = match self.allowed_category(line.category_id.as_ref())? {
            Allowed::Category(id) if !within => Some(id),
            _ => None,
        };
        let row = Line {
            amount: amount(line.amount)?,
            memo: line.memo.clone(),
            payee_id,
            category_id,
            transfer_account_id,
            ..Line::default()
        };
        Ok((row, new_payee))
    }

    fn allowed_date(&self, Day(day): Day) -> Result<Date, Refused> {
        let allowed = years_before(self.today, YEARS_MAX)..=self.today;
        let refused = || Refused::bad("date must not be in the future or over 5 years ago");
        allowed.contains(&day).then_some(day).ok_or_else(refused)
    }

    fn allowed_category(&self, id: Option<&CategoryId>) -> Result<Allowed, Refused> {
        let Some(id) = id else { return Ok(Allowed::Nothing) };
        let ix = live(&self.categories, id.as_str()).map_err(|_| Refused::bad("category_id is invalid"))?;
        let payment = self.group_is(&self.categories[ix], CARD_PAYMENTS_GROUP);
        Ok(if payment { Allowed::Ignored } else { Allowed::Category(id.clone()) })
    }

    /// The payee that a request names: its id first, else its name.
    fn named_payee(&self, id: Given<&PayeeId>, name: Given<&Text>) -> Result<Named, Refused> {
        short_enough("payee_name", name.flatten(), PAYEE_NAME_MAX)?;
        if let Some(id) = id.flatten() {
            let ix = live(&self.payees, id.as_str()).map_err(|_| Refused::bad("payee_id is invalid"))?;
            let account = self.payees[ix].transfer_account_id.as_ref();
            if account.is_some_and(|id| live(&self.accounts, id.as_str()).is_err()) {
                return Err(Refused::bad("payee_id is invalid"));
            }
            return Ok(Named::Known(id.clone()));
        }
        let Some(name) = name.flatten().map(|name| name.trim()) else {
            return Ok(if id.is_some() { Named::Nobody } else { Named::Unsaid });
        };
        not_internal(name)?;
        Ok(match self.payee_named(name) {
            _ if name.is_empty() => Named::Nobody,
            Some(ix) => Named::Known(self.payees[ix].id.clone()),
            None => Named::New(name.into()),
        })
    }

    fn transfer_of(&self, payee: Option<&PayeeId>) -> Option<AccountId> {
        payee.and_then(|id| self.payees.get(id)).and_then(|payee| payee.transfer_account_id.clone())
    }

    /// Whether an account's money is budgeted.
    pub(super) fn on_budget(&self, account: &AccountId) -> bool {
        self.accounts.get(account).is_some_and(|account: &Account| account.on_budget)
    }

    /// Whether its account already has, or had, a transaction of that import id.
    pub(super) fn is_duplicate(&self, item: &SaveTransaction) -> bool {
        let Some(import_id) = &item.import_id else { return false };
        let mut same = self.imported_as(import_id);
        same.any(|ix| Some(&self.transactions[ix].account_id) == item.account_id.as_ref())
    }

    /// Writes a draft; its payees, its lines and the other side of a transfer are made with it.
    pub(super) fn write(&mut self, draft: Draft) -> TransactionIx {
        let Draft { at, mut row, new_payee, new_lines } = draft;
        if let Some(name) = new_payee {
            row.payee_id = Some(self.payee_of(name));
        }
        if at.is_none() {
            row.id = TransactionId::new(self.new_id("transaction"));
        }
        for (mut line, new_payee) in new_lines {
            line.id = TransactionId::new(self.new_id("subtransaction"));
            line.transaction_id = row.id.clone();
            if let Some(name) = new_payee {
                line.payee_id = Some(self.payee_of(name));
            }
            if let Some(other) = &line.transfer_account_id {
                let side = OtherSide { account: other.clone(), amount: -line.amount, of: &row };
                line.transfer_transaction_id = Some(self.other_side(None, side));
            }
            row.lines.push(line);
        }
        self.keep_other_side(&mut row);
        match at {
            Some(ix) => {
                self.change_transaction(ix, row);
                ix
            }
            None => self.put_transaction(row),
        }
    }

    /// Makes a transaction's other side what it must be: there, in line, or gone.
    fn keep_other_side(&mut self, row: &mut Transaction) {
        let other = row.transfer_transaction_id.as_ref().and_then(|id| self.transactions.find(id));
        let mutual = other.filter(|ix| self.transactions[*ix].transfer_transaction_id.as_ref() == Some(&row.id));
        match row.transfer_account_id.clone() {
            // The other side is one line of a split, which stays as it is.
            Some(_) if other.is_some() && mutual.is_none() => {}
            Some(account) => {
                let side = OtherSide { account, amount: -row.amount, of: row };
                row.transfer_transaction_id = Some(self.other_side(mutual, side));
            }
            None => {
                row.transfer_transaction_id = None;
                if let Some(ix) = mutual {
                    self.change_transaction(ix, Transaction { deleted: true, ..self.transactions[ix].clone() });
                }
            }
        }
    }

    /// Makes the other side of a transfer, or brings the one there is into line.
    fn other_side(&mut self, at: Option<TransactionIx>, side: OtherSide<'_>) -> TransactionId {
        let mine = self.accounts.get(&side.of.account_id);
        let payee_id = mine.and_then(|account| account.transfer_payee_id.clone());
        let before = at.map(|ix| self.transactions[ix].clone());
        let row = Transaction {
            date: side.of.date,
            amount: side.amount,
            account_id: side.account,
            payee_id,
            transfer_account_id: Some(side.of.account_id.clone()),
            transfer_transaction_id: Some(side.of.id.clone()),
            ..before.clone().unwrap_or_else(|| Transaction {
                memo: side.of.memo.clone(),
                approved: true,
                ..Transaction::default()
            })
        };
        match at {
            Some(ix) => {
                if before.as_ref() != Some(&row) {
                    self.change_transaction(ix, row);
                }
                self.transactions[ix].id.clone()
            }
            None => {
                let id = TransactionId::new(self.new_id("transaction"));
                self.put_transaction(Transaction { id: id.clone(), ..row });
                id
            }
        }
    }

    /// The payee of a name, made when there is none: an earlier item of the same request may have made it.
    fn payee_of(&mut self, name: Text) -> PayeeId {
        match self.payee_named(&name) {
            Some(ix) => self.payees[ix].id.clone(),
            None => self.make_payee(name),
        }
    }

    /// Makes a payee.
    pub(super) fn make_payee(&mut self, name: Text) -> PayeeId {
        let id = PayeeId::new(self.new_id("payee"));
        self.put_payee(Payee { id: id.clone(), name, ..Payee::default() });
        id
    }

    /// Deletes a transaction, the other sides of its transfers with it.
    pub(super) fn delete(&mut self, ix: TransactionIx) {
        let row = self.transactions[ix].clone();
        if row.deleted {
            return;
        }
        self.change_transaction(ix, Transaction { deleted: true, ..row.clone() });
        let lines = row.live_lines().filter_map(|line| line.transfer_transaction_id.as_ref());
        for other in row.transfer_transaction_id.iter().chain(lines) {
            // The other side of one line knows the whole transaction, which stays.
            let theirs = self.transactions.find(other).filter(|ix| {
                let other = &self.transactions[*ix];
                other.transfer_transaction_id.as_ref() == Some(&row.id)
            });
            theirs.into_iter().for_each(|ix| self.delete(ix));
        }
    }
}

/// What the other side of a transfer must be.
struct OtherSide<'a> {
    account: AccountId,
    amount: Milliunits,
    of: &'a Transaction,
}

/// The category that a request may give.
enum Allowed {
    Category(CategoryId),
    Nothing,
    /// A card's payment category is as if it had not been given.
    Ignored,
}
