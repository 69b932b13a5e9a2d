use super::*;
use crate::plan::Cleared;
use crate::reconcile::desk::{Desk, csv, day};

fn answer(desk: &Desk, text: &str, limit: usize) -> Match {
    matched(&desk.plan, desk.account, text.as_bytes(), None, limit, day("2026-02-05")).expect("an answer")
}

fn with_start(rows: &[(&str, i64, &str)]) -> Desk {
    let start = [("2025-12-31", 100_000, "Starting Balance")];
    Desk::euro(&[&start[..], rows].concat())
}

#[test]
fn a_late_booking_is_no_divergence() {
    let desk = with_start(&[("2026-01-02", -1_000, "A"), ("2026-01-05", -2_000, "B")]);
    let got = answer(&desk, &csv(100_000, &[("2026-01-05", -2_000, "B"), ("2026-01-07", -1_000, "A")]), 50);
    assert!(got.divergence.is_none());
    assert!(got.message.starts_with("Read as CSV"), "{}", got.message);
    assert!(got.message.ends_with("The running balances agree."), "{}", got.message);
    assert_eq!(got.matches.iter().map(|matched| matched.kind).collect::<Vec<_>>(), [Kind::Exact, Kind::Date]);
    assert_eq!(
        (got.opening_balance, got.closing_balance),
        (Some(Amount(Milliunits::new(100_000))), Some(Amount(Milliunits::new(97_000))))
    );
}

#[test]
fn the_first_day_the_balances_part_is_named_with_its_rows() {
    let desk =
        with_start(&[("2026-01-02", -1_000, "A"), ("2026-01-05", -2_000, "B"), ("2026-01-06", -9_000, "ONLY HERE")]);
    let rows = [
        ("2026-01-02", -1_000, "A"),
        ("2026-01-05", -2_000, "B"),
        ("2026-01-05", -3_000, "NEW"),
        ("2026-01-08", -4_000, "C"),
    ];
    let got = answer(&desk, &csv(100_000, &rows), 50);
    let parting = got.divergence.expect("a divergence");
    assert_eq!(parting.date, day("2026-01-05"));
    assert_eq!((parting.bank_balance.0.get(), parting.ynab_balance.0.get()), (94_000, 97_000));
    assert_eq!(parting.rows, [2, 3]);
    assert_eq!(parting.transaction_ids.iter().map(TransactionId::as_str).collect::<Vec<_>>(), ["t3"]);
    assert_eq!(got.missing_in_ynab.iter().map(|row| row.row).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(got.missing_at_bank[0].transaction_id.as_str(), "t4");
}

#[test]
fn what_ynab_has_uncleared_after_the_closing_date_is_not_missing() {
    let desk = with_start(&[("2026-01-02", -1_000, "A"), ("2026-01-20", -2_000, "NOT YET")]);
    let got = answer(&desk, &csv(100_000, &[("2026-01-02", -1_000, "A")]), 50);
    assert!(got.missing_at_bank.is_empty() && got.divergence.is_none());
}

#[test]
fn rows_before_the_starting_balance_are_part_of_it() {
    let desk = Desk::euro(&[("2026-01-10", 70_000, "Starting Balance"), ("2026-01-12", -5_000, "A")]);
    let rows = [("2026-01-02", -30_000, "OLD"), ("2026-01-12", -5_000, "A")];
    let got = answer(&desk, &csv(100_000, &rows), 50);
    assert_eq!((got.counts.uncertain, got.counts.missing_in_ynab, got.counts.missing_at_bank), (1, 0, 0));
    assert!(got.divergence.is_none(), "{:?}", got.divergence);
}

#[test]
fn one_row_against_several_and_several_against_one() {
    let desk = with_start(&[("2026-01-02", -12_340, "A"), ("2026-01-02", -7_770, "B"), ("2026-01-20", -33_330, "C")]);
    let rows = [("2026-01-03", -20_110, "BATCH"), ("2026-01-20", -11_110, "C1"), ("2026-01-21", -22_220, "C2")];
    let got = answer(&desk, &csv(100_000, &rows), 50);
    let groups: Vec<(Vec<usize>, usize)> =
        got.matches.iter().map(|m| (m.rows.clone(), m.transaction_ids.len())).collect();
    assert_eq!(groups, [(vec![1], 2), (vec![2, 3], 1)]);
    assert_eq!((got.counts.rows, got.counts.matched), (3, 3));
    assert!(got.divergence.is_none());
}

#[test]
fn a_reconciled_row_and_a_transfer_are_rows_like_others_and_a_schedule_is_none() {
    let mut desk = with_start(&[]);
    desk.add(day("2026-01-02"), Milliunits::new(-1_000), "Transfer : Savings", Cleared::Reconciled);
    let got = answer(&desk, &csv(100_000, &[("2026-01-02", -1_000, "TO SAVINGS")]), 50);
    assert_eq!(got.counts.matched, 1);
}

#[test]
fn the_limit_hides_and_counts() {
    let rows: Vec<(String, i64, String)> =
        (1..=9).map(|n| (format!("2026-01-0{n}"), -1_000 * n, format!("P{n}"))).collect();
    let rows: Vec<(&str, i64, &str)> = rows.iter().map(|(d, a, p)| (d.as_str(), *a, p.as_str())).collect();
    let got = answer(&with_start(&[]), &csv(100_000, &rows), 4);
    assert_eq!((got.missing_in_ynab.len(), got.more.missing_in_ynab, got.counts.missing_in_ynab), (4, 5, 9));
}

#[test]
fn a_question_decides_nothing_else() {
    let got = answer(&with_start(&[]), "Date,Text,Amount\n01/02/2026,A,-1.00\n03/02/2026,B,-2.00\n", 50);
    // One of the two orders lies partly in the future of 2026-02-05.
    assert!(got.ambiguous.is_none());
    let got = answer(&with_start(&[]), "Date,Text,Amount\n01/02/2025,A,-1.00\n02/02/2025,B,-2.00\n", 50);
    assert_eq!(got.ambiguous.map(|readings| readings.len()), Some(2));
    assert_eq!((got.counts.rows, got.period.from, got.read_as.date_order), (0, None, None));
    assert!(got.message.contains("2025-02-01 -1.00") && got.message.contains("2025-01-02 -1.00"), "{}", got.message);
}

#[test]
fn a_row_is_doubted_with_one_transaction_alone() {
    // The same amount on a far day, and nearly the amount on the day.
    let desk = with_start(&[("2026-01-24", -20_000, "SHOP"), ("2026-01-10", -20_500, "SHOP")]);
    let rows = [("2026-01-10", -20_000, "SHOP"), ("2026-01-28", -7_000, "OTHER")];
    let got = answer(&desk, &csv(100_000, &rows), 50);
    assert_eq!((got.counts.uncertain, got.counts.missing_in_ynab, got.counts.missing_at_bank), (1, 1, 1));
}

#[test]
fn a_near_amount_is_found_behind_many_older_rows() {
    let mut desk = with_start(&[("2026-01-02", -1_000, "A")]);
    for n in 0..80 {
        desk.add(day("2026-01-05"), Milliunits::new(-300_000 - n * 1_000), "OTHER", Cleared::Uncleared);
    }
    desk.add(day("2026-02-20"), Milliunits::new(-20_500), "SHOP", Cleared::Uncleared);
    let got = answer(&desk, &csv(100_000, &[("2026-01-02", -1_000, "A"), ("2026-02-20", -20_000, "SHOP")]), 50);
    assert_eq!((got.counts.uncertain, got.counts.missing_at_bank), (1, 80));
    assert_eq!(got.uncertain[0].row, 2);
}
