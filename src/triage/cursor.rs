//! Owns the opaque cursor of the pending list: the last transaction a page showed, sealed against changes.
//! Never keeps a state: whoever holds the plan can read it, and what was categorised meanwhile skips nothing.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::dates::{Date, parse_date};
use crate::error::Refusal;
use crate::plan::{Ix, Plan, Transaction};
use crate::refuse;

/// How many bytes of the digest a cursor carries.
const SEAL: usize = 8;
/// Longer than any cursor made here.
const LENGTH_MAX: usize = 400;

/// The place in the list after which a page starts.
pub struct After {
    date: Date,
    /// The transaction, when the plan still has it.
    ix: Option<Ix<Transaction>>,
}

impl After {
    /// Whether that transaction comes after this place; its whole day does when the transaction itself is gone.
    pub fn precedes(&self, plan: &Plan, ix: Ix<Transaction>) -> bool {
        let date = plan.transactions[ix].date;
        date < self.date || (date == self.date && self.ix.is_none_or(|last| ix > last))
    }
}

/// The cursor of the page that follows that transaction.
pub fn after(plan: &Plan, ix: Ix<Transaction>) -> String {
    let transaction = &plan.transactions[ix];
    let place = format!("{} {}", transaction.date, transaction.id);
    let mut bytes = seal(plan, &place).to_vec();
    bytes.extend_from_slice(place.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The place a cursor stands for. Refused: anything that [`after`] did not give for this plan.
pub fn read(plan: &Plan, cursor: &str) -> Result<After, Refusal> {
    let place = open(plan, cursor).ok_or_else(|| {
        refuse!("This cursor is not one of this list's. Pass the last page's next_cursor unchanged, or none to start.")
    })?;
    Ok(place)
}

fn open(plan: &Plan, cursor: &str) -> Option<After> {
    let bytes = URL_SAFE_NO_PAD.decode(Some(cursor).filter(|text| text.len() <= LENGTH_MAX)?).ok()?;
    let (given, place) = bytes.split_at_checked(SEAL)?;
    let place = std::str::from_utf8(place).ok()?;
    let (date, id) = place.split_once(' ')?;
    let date = parse_date(date)?;
    (given == seal(plan, place)).then(|| After { date, ix: plan.transactions.find(id) })
}

fn seal(plan: &Plan, place: &str) -> [u8; SEAL] {
    let mut hash = Sha256::new();
    for part in ["pending", plan.id.as_str(), place] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut seal = [0; SEAL];
    seal.copy_from_slice(&hash.finalize()[..SEAL]);
    seal
}
