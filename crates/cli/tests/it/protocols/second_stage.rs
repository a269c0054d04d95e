//! A second reader of verdicts.

use super::*;

#[test]
fn what_it_reads_is_counted_apart() {
    let desk = desk();
    let strict = rank(
        &desk,
        "--judge simulated:invalid=0.5,probabilities=false --prior 0.1 --run strict",
    );
    let failed = strict["coverage"]["failures"]["unparsed"].as_u64().unwrap();
    let judge = "--judge simulated:invalid=0.5,probabilities=false --second-stage simulated:seed=9";
    let report = rank(&desk, &format!("{judge} --prior 0.1 --run second"));
    assert_eq!(report["coverage"]["verdicts"], json!(60));
    assert_eq!(
        report["sources"],
        json!({"text": 60 - failed, "second-stage": failed})
    );
}
