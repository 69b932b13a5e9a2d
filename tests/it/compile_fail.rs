//! What must not compile: a change that nobody said yes to, or that is not on record, sent to YNAB.

#[test]
fn a_write_without_a_yes_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/it/compile_fail/*.rs");
}
