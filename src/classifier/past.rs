//! Owns what is remembered of a plan's past: categorised payments in order, found by the words of their labels.
//! Never decides: it says what was, and how often a word told the same thing twice.

use std::collections::BTreeMap;

use super::moved::Heir;
use super::words::{Word, Words};
use crate::dates::day_number;
use crate::plan::{Account, Category, Ix, Payee, Plan, Transaction};

/// How many payments a word needs to prove what it is worth, against what words are worth at first.
const PROOF: f64 = 2.0;
/// How often a word not met before tells the same a second time, when the plan does not know better.
const FIRST_AGAIN: (f64, f64) = (7.0, 10.0);
/// How often a word tells the same of two different labels, when the plan does not know better.
const ELSEWHERE_AGAIN: f64 = 0.3;
/// What a word is worth that says nothing: about how often any two payments agree.
const WORTHLESS: f64 = 0.2;
/// What a word is worth that was never met.
const UNMET: f64 = 0.3;

/// The facts of a payment that its category may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Its day, as a number.
    pub day: i32,
    /// Its account.
    pub account: Ix<Account>,
    /// Who, whose name has the words.
    pub payee: Option<Ix<Payee>>,
    /// The natural logarithm of its size.
    pub size: f64,
    /// Its direction.
    pub money_out: bool,
}

impl Facts {
    /// The facts of a transaction.
    pub fn of(transaction: &Transaction) -> Self {
        Self {
            day: day_number(transaction.date),
            account: transaction.account,
            payee: transaction.payee,
            size: libm::log(transaction.amount.get().unsigned_abs().max(1) as f64),
            money_out: transaction.amount.is_negative(),
        }
    }
}

/// A payment with its category, or several when it is split.
#[derive(Clone, Debug)]
pub struct Payment {
    /// What it was.
    pub facts: Facts,
    /// Its categories, the largest part first, each with its part of the amount.
    pub shares: Vec<(Ix<Category>, f64)>,
}

impl Payment {
    /// A payment of the past; `None` when a part of it has no category.
    fn of(plan: &Plan, transaction: &Transaction) -> Option<Self> {
        let total = transaction.amount.get() as f64;
        let known = |category: Option<Ix<Category>>| category.filter(|&ix| !plan.categories[ix].is_uncategorized());
        let mut shares: Vec<(Ix<Category>, f64)> = if transaction.is_split() {
            let part = |amount: i64| if total == 0.0 { 0.0 } else { (amount as f64 / total).clamp(0.0, 1.0) };
            let lines = transaction.live_lines();
            lines.map(|line| Some((known(line.category)?, part(line.amount.get())))).collect::<Option<_>>()?
        } else {
            vec![(known(transaction.category)?, 1.0)]
        };
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Some(Self { facts: Facts::of(transaction), shares })
    }

    /// Its category, or that of its largest part.
    pub fn category(&self) -> Ix<Category> {
        self.shares[0].0
    }
}

/// What is known of a word, in one direction of money.
#[derive(Clone, Default)]
struct Known {
    /// The payments whose label has it, oldest first.
    payments: Vec<u32>,
    /// How many had the category of the one before.
    agreed: f64,
    /// The same, of those whose label differs from the one before: how many, and how many there were.
    agreed_elsewhere: f64,
    elsewhere: f64,
}

/// A plan's categorised payments up to some day. It grows as days pass, so that it can be asked what it knew then.
pub struct Past {
    /// The words of all labels, of payments that wait for a category too.
    pub words: Words,
    /// All payments, oldest first, those not yet passed too.
    pub payments: Vec<Payment>,
    passed: usize,
    /// By word and direction.
    known: Vec<Known>,
    /// Words met a second time: how many, and how many told the same as the first time.
    second_times: f64,
    same_again: f64,
    /// Since which day each category has another's place, if it has.
    heir_since: Vec<Option<i32>>,
    /// How often each category was used to pay.
    uses: Vec<u32>,
    /// How often each category was paid from each account, in rows of accounts.
    pairs: Vec<u32>,
    /// How often each account paid.
    from_account: Vec<u32>,
}

impl Past {
    /// The past of a plan's budget accounts, before its first payment.
    pub fn of(plan: &Plan) -> Self {
        let counts = |t: &&Transaction| !t.is_transfer() && plan.accounts[t.account].on_budget;
        let mut payments: Vec<Payment> = plan.live().filter(counts).filter_map(|t| Payment::of(plan, t)).collect();
        payments.sort_by_key(|payment| payment.facts.day);
        let scheduled = plan.scheduled.iter().filter(|s| !s.deleted).filter_map(|s| s.payee);
        let words = Words::of(plan, plan.live().filter(counts).filter_map(|t| t.payee).chain(scheduled));
        Self::before(plan, words, payments)
    }

    fn before(plan: &Plan, words: Words, payments: Vec<Payment>) -> Self {
        let (accounts, categories) = (plan.accounts.len(), plan.categories.len());
        Self {
            known: vec![Known::default(); words.count() * 2],
            words,
            payments,
            passed: 0,
            second_times: FIRST_AGAIN.1,
            same_again: FIRST_AGAIN.0,
            heir_since: vec![None; categories],
            uses: vec![0; categories],
            pairs: vec![0; accounts * categories],
            from_account: vec![0; accounts],
        }
    }

    /// The same past before its first payment, categories that were given up taken for their heirs.
    pub fn again(self, plan: &Plan, heirs: &BTreeMap<Ix<Category>, Heir>) -> Self {
        let mut payments = self.payments;
        for (category, _) in payments.iter_mut().flat_map(|payment| &mut payment.shares) {
            *category = heirs.get(category).map_or(*category, |heir| heir.category);
        }
        let mut past = Self::before(plan, self.words, payments);
        for heir in heirs.values() {
            let since = &mut past.heir_since[heir.category.get()];
            *since = (*since).max(Some(heir.since));
        }
        past
    }

    /// Lets pass every payment up to that day.
    pub fn pass_until(&mut self, day: i32) {
        while self.payments.get(self.passed).is_some_and(|payment| payment.facts.day <= day) {
            self.pass();
            self.passed += 1;
        }
    }

    fn pass(&mut self) {
        let payment = &self.payments[self.passed];
        let (facts, category) = (payment.facts, payment.category());
        if facts.money_out {
            self.uses[category.get()] += 1;
            self.pairs[category.get() * self.from_account.len() + facts.account.get()] += 1;
            self.from_account[facts.account.get()] += 1;
        }
        let words = self.words.get(facts.payee);
        for &word in words {
            let known = &mut self.known[slot(word, facts.money_out)];
            if let Some(before) = known.payments.last().map(|&at| &self.payments[at as usize]) {
                let agrees = f64::from(u8::from(before.category() == category));
                if known.payments.len() == 1 {
                    self.second_times += 1.0;
                    self.same_again += agrees;
                }
                known.agreed += agrees;
                if self.words.get(before.facts.payee) != words {
                    known.elsewhere += 1.0;
                    known.agreed_elsewhere += agrees;
                }
            }
            known.payments.push(self.passed as u32);
        }
    }

    /// The payments that had a word, oldest first.
    pub fn with(&self, word: Word, money_out: bool) -> &[u32] {
        &self.known[slot(word, money_out)].payments
    }

    /// How often a payment with this word had the category of the one before, 0 to 1.
    pub fn agreement(&self, word: Word, money_out: bool) -> f64 {
        let known = &self.known[slot(word, money_out)];
        let times = known.payments.len().saturating_sub(1) as f64;
        (known.agreed + PROOF * self.same_again / self.second_times) / (times + PROOF)
    }

    /// The same, from one label to a different one: what the word says of a shop not met before.
    pub fn agreement_elsewhere(&self, word: Word, money_out: bool) -> f64 {
        let known = &self.known[slot(word, money_out)];
        (known.agreed_elsewhere + PROOF * ELSEWHERE_AGAIN) / (known.elsewhere + PROOF)
    }

    /// What a word weighs when labels are compared.
    pub fn weight(&self, word: Word, money_out: bool) -> f64 {
        let is_met = !self.with(word, money_out).is_empty();
        if is_met { (self.agreement(word, money_out) - WORTHLESS).max(0.02) } else { UNMET }
    }

    /// How much rarer than chance that category is paid from that account: 0 when it is not, else a negative
    /// logarithm.
    pub fn oddness_of_account(&self, category: Ix<Category>, account: Ix<Account>) -> f64 {
        let together = self.pairs[category.get() * self.from_account.len() + account.get()];
        let (times, from) = (f64::from(self.uses[category.get()]), f64::from(self.from_account[account.get()]));
        let all: u32 = self.from_account.iter().sum();
        let expected = times * from / f64::from(all.max(1));
        libm::log((f64::from(together) + 0.5) / (expected + 0.5)).clamp(-3.0, 0.0)
    }

    /// Whether that category took another's place after that day: which of them it was then, nobody can tell.
    pub fn is_heir_after(&self, category: Ix<Category>, day: i32) -> bool {
        self.heir_since[category.get()].is_some_and(|since| day < since)
    }
}

fn slot(word: Word, money_out: bool) -> usize {
    word as usize * 2 + usize::from(money_out)
}
