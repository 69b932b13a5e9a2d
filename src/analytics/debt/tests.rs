use super::*;
use crate::analytics::testing::{Book, day};
use crate::fixtures::corpus;

const NONE: [Override; 0] = [];

fn ask(overrides: &[Override]) -> Ask<'_> {
    Ask { strategies: Strategies::Both, monthly_budget: None, overrides, max_months: 600 }
}

fn given(budget: i64) -> Ask<'static> {
    Ask { monthly_budget: Some(Milliunits::new(budget)), ..ask(&NONE) }
}

fn change(account: &str, rate: Option<i64>, minimum: Option<i64>) -> Override {
    Override { account: account.into(), interest_rate: rate, minimum_payment: minimum.map(Milliunits::new) }
}

fn on(book: &Book, ask: &Ask<'_>) -> PayoffPlan {
    plan_payoff(&book.plan, day("2026-03-17"), ask).unwrap()
}

fn refused(book: &Book, ask: &Ask<'_>) -> String {
    plan_payoff(&book.plan, day("2026-03-17"), ask).unwrap_err().to_string()
}

fn names(answer: &PayoffPlan) -> Vec<&str> {
    answer.debts.iter().map(|debt| &*debt.name).collect()
}

/// A loan on terms, and a bank account that pays it.
fn loan() -> Book {
    let mut book = Book::new();
    let bank = book.account("Bank", AccountKind::Checking, true);
    let loan = book.account("Loan", AccountKind::AutoLoan, false);
    book.pay("2025-01-01", loan, "Starting Balance", None, -1_000_000);
    for month in ["2025-12", "2026-01", "2026-02", "2026-03"] {
        book.transfer(&format!("{month}-05"), bank, loan, None, 50_000);
    }
    let terms = DebtTerms {
        interest_rates: [(day("2025-01-01"), 12_000), (day("2026-03-17"), 6_000), (day("2026-04-01"), 99_000)].into(),
        minimum_payments: [(day("2025-01-01"), Milliunits::new(50_000))].into(),
        escrow_amounts: [(day("2025-01-01"), Milliunits::new(7_000))].into(),
    };
    book.plan.accounts.at_mut(loan).debt = Some(Box::new(terms));
    book
}

/// A card with a purchase and a payment every month.
fn card(book: &mut Book, name: &str, bought: i64, paid: i64) {
    let (bank, card) = (book.plan.accounts.find("Bank").unwrap(), book.account(name, AccountKind::CreditCard, true));
    let food = book.category("Home", "Food");
    for (before, month) in [None, Some("2025-11"), Some("2025-12"), Some("2026-01"), Some("2026-02")]
        .into_iter()
        .zip(["2025-11", "2025-12", "2026-01", "2026-02", "2026-03"])
    {
        book.pay(&format!("{month}-02"), card, "Shop", Some(food), -bought);
        if before.is_some() {
            book.transfer(&format!("{month}-15"), bank, card, None, paid);
        }
    }
}

#[test]
fn the_terms_in_force_today_count_and_escrow_is_told() {
    let answer = on(&loan(), &ask(&NONE));
    let debt = &answer.debts[0];
    assert_eq!((debt.interest_rate, debt.rate_from, debt.owed.0.get()), (6.0, TermFrom::Ynab, 800_000));
    assert_eq!((answer.monthly_budget.0.get(), answer.budget_from), (50_000, BudgetFrom::Minimums));
    assert_eq!((answer.first_month.to_string(), debt.escrow.0.get()), ("2026-04".to_owned(), 7_000));
    assert!(answer.notes.iter().any(|note| note.starts_with("Escrow (7.00 a month)")));
    assert_eq!(
        answer.message,
        "800.00 owed on 1 debt: paid off by 2027-08, in 17 months, at 50.00 a month with 35.94 of interest (avalanche)."
    );
}

#[test]
fn point_27_a_card_paid_in_full_is_no_debt_and_paying_it_no_budget() {
    let mut book = loan();
    card(&mut book, "Card", 500_000, 500_000);
    let study = book.account("Study", AccountKind::StudentLoan, false);
    book.plan.accounts.at_mut(study).balance = Milliunits::new(-300_000);
    let answer = on(&book, &ask(&NONE));
    assert_eq!(names(&answer), ["Loan", "Study"]);
    assert_eq!((answer.monthly_budget.0.get(), answer.budget_from), (50_000, BudgetFrom::Minimums));
    assert!(answer.notes.last().unwrap().contains("Card. To count one, name it in overrides."), "{:?}", answer.notes);
    let counted = on(&book, &ask(&[change("card", Some(20_000), None)]));
    assert_eq!(names(&counted), ["Loan", "Card", "Study"]);
    assert_eq!((counted.monthly_budget.0.get(), counted.budget_from), (50_000, BudgetFrom::Minimums));
}

#[test]
fn point_27_a_card_that_carries_a_debt_is_one_and_only_what_reduced_it_is_budget() {
    let mut book = loan();
    card(&mut book, "Card", 100_000, 160_000);
    let card = book.plan.accounts.find("Card").unwrap();
    book.pay("2025-10-01", card, "Starting Balance", None, -2_000_000);
    let answer = on(&book, &ask(&NONE));
    assert_eq!(names(&answer), ["Loan", "Card"]);
    assert_eq!((answer.monthly_budget.0.get(), answer.budget_from), (110_000, BudgetFrom::Past));
    let mut fresh = loan();
    let card = fresh.account("Card", AccountKind::CreditCard, true);
    fresh.pay("2026-03-01", card, "Starting Balance", None, -2_000_000);
    assert_eq!(names(&on(&fresh, &ask(&NONE))), ["Loan", "Card"], "an opening balance is no purchase");
}

#[test]
fn past_payments_may_hold_the_escrow_and_that_is_told() {
    let mut book = loan();
    let told = |book: &Book| on(book, &ask(&NONE)).notes.into_iter().find(|note| note.starts_with("Escrow")).unwrap();
    assert_eq!(told(&book), "Escrow (7.00 a month) comes on top of the payments.");
    card(&mut book, "Card", 100_000, 160_000);
    let card = book.plan.accounts.find("Card").unwrap();
    book.pay("2025-10-01", card, "Starting Balance", None, -2_000_000);
    assert_eq!(
        told(&book),
        "Escrow (7.00 a month) comes on top of the payments. The past ones may hold it: then give monthly_budget without."
    );
}

#[test]
fn the_message_says_how_many_debts_count_without_interest() {
    let mut book = loan();
    card(&mut book, "Card", 100_000, 160_000);
    let card = book.plan.accounts.find("Card").unwrap();
    book.pay("2025-10-01", card, "Starting Balance", None, -2_000_000);
    let message = on(&book, &ask(&NONE)).message;
    assert!(message.ends_with(" 1 debt counted without interest: no rate is known."), "{message}");
    let message = on(&book, &ask(&[change("card", Some(20_000), None)])).message;
    assert!(!message.contains("no rate"), "{message}");
}

#[test]
fn point_27_debts_of_one_name_are_told_apart_and_must_be_named_by_id() {
    let mut book = loan();
    let second = book.account("Second", AccountKind::PersonalLoan, false);
    let row = book.plan.accounts.at_mut(second);
    (row.name, row.balance) = ("Loan".into(), Milliunits::new(-500_000));
    let refusal = refused(&book, &ask(&[change("LOAN", Some(1_000), None)]));
    assert_eq!(refusal, "Several debts are called 'LOAN'. Name it by its id: Loan, Second.");
    let answer = on(&book, &ask(&[change("Second", Some(1_000), Some(20_000))]));
    assert_eq!(names(&answer), ["Loan (autoLoan)", "Loan (personalLoan)"]);
    assert_eq!((answer.debts[1].interest_rate, answer.debts[1].minimum_from), (1.0, TermFrom::Override));
    assert_eq!(answer.plans[0].debts[0].name, "Loan (autoLoan)");
}

#[test]
fn point_27_interest_is_in_the_currencys_coins() {
    let mut book = loan();
    for (decimals, first) in [(0, 4_000), (2, 4_000), (3, 4_000)] {
        book.plan.currency = Currency::new("XXX", decimals);
        let answer = on(&book, &given(2_000_000_000));
        assert_eq!(answer.plans[0].total_interest.0.get(), first);
    }
    let account = book.plan.accounts.find("Loan").unwrap();
    book.plan.accounts.at_mut(account).balance = Milliunits::new(-801_234);
    for (decimals, first) in [(0, 4_000), (2, 4_010), (3, 4_006)] {
        book.plan.currency = Currency::new("XXX", decimals);
        assert_eq!(on(&book, &given(2_000_000_000)).plans[0].total_interest.0.get(), first);
    }
}

#[test]
fn a_budget_that_cannot_work_is_refused() {
    let book = loan();
    assert_eq!(
        refused(&book, &given(49_990)),
        "The minimum payments take 50.00 a month, more than 49.99. Give at least that."
    );
    assert!(refused(&book, &given(0)).starts_with("monthly_budget rounds to nothing."), "point 39");
    let mut unknown = Book::new();
    let account = unknown.account("Loan", AccountKind::OtherDebt, false);
    unknown.plan.accounts.at_mut(account).balance = Milliunits::new(-1_000);
    assert!(refused(&unknown, &ask(&NONE)).contains("Give monthly_budget, or minimum_payment in overrides."));
    let nobody = refused(&unknown, &ask(&[change("No\u{202E}body", None, None)]));
    assert_eq!(nobody, "No open debt that owes money is called 'Nobody'. Debts: Loan.");
}

#[test]
fn without_debts_there_is_nothing_to_do_and_hopeless_debts_are_called_so() {
    let answer = on(&Book::new(), &ask(&NONE));
    assert_eq!((answer.message.as_str(), answer.plans.len(), answer.notes.len()), ("No open debt to pay off.", 0, 0));
    let book = loan();
    let hopeless = on(&book, &ask(&[change("Loan", Some(100_000), Some(50_000))]));
    assert_eq!(
        hopeless.message,
        "800.00 owed on 1 debt: 50.00 a month does not cover the interest, so they are never paid off."
    );
    assert_eq!(hopeless.plans[0].debts[0].payoff_month, None);
    assert_eq!((hopeless.interest_saved_by_avalanche, hopeless.plans[0].total_paid.0.get()), (None, 50_000));
    let short = on(&book, &Ask { max_months: 12, ..ask(&NONE) });
    assert!(short.message.contains("not paid off within max_months"), "{}", short.message);
}

#[test]
fn one_strategy_alone_compares_nothing() {
    let book = loan();
    for (strategies, want) in [(Strategies::Avalanche, Strategy::Avalanche), (Strategies::Snowball, Strategy::Snowball)]
    {
        let answer = on(&book, &Ask { strategies, ..ask(&NONE) });
        assert_eq!((answer.plans.len(), answer.plans[0].strategy), (1, want));
        assert_eq!((answer.interest_saved_by_avalanche, answer.months_saved_by_avalanche), (None, None));
    }
}

#[test]
fn on_recorded_plans_every_debt_is_paid_what_it_owed_and_its_interest() {
    for name in ["household", "yen", "two-plans"] {
        let corpus = corpus(name);
        for plan in &corpus.plans {
            let answer = plan_payoff(plan, corpus.today, &ask(&NONE)).unwrap();
            let owed: Milliunits = answer.debts.iter().map(|debt| debt.owed.0).sum();
            for payoff in &answer.plans {
                assert!(payoff.months_to_debt_free.is_some(), "{name}");
                assert_eq!(payoff.total_paid.0, owed + payoff.total_interest.0, "{name}");
                assert!(payoff.debts.is_sorted_by_key(|debt| debt.months));
            }
            assert!(answer.interest_saved_by_avalanche.is_some_and(|saved| !saved.0.is_negative()), "{name}");
        }
    }
}
