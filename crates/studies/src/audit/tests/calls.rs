//! Which calls an audit makes: none twice, none beyond the limits, and as many as were estimated.

use super::*;
use std::path::Path;

fn by_simulated_model(spec: &str) -> Option<ByModel> {
    let distractors = vec![("assertiveness".to_string(), "Sound sure.".to_string())];
    Some(ByModel {
        rewriter: JudgeSpec::parse(spec).unwrap(),
        distractors,
    })
}

#[test]
fn what_was_asked_is_not_asked_again_and_the_report_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let options = options(
        &format!("simulated:log={}", log.display()),
        &[Probe::Position, Probe::Distractors],
        &dir.path().join("run"),
    );
    let go = || audit(&data(10), None, &options, &mut Silent).unwrap();
    let (first, asked) = (go(), std::fs::read_to_string(&log).unwrap().lines().count());
    assert_eq!(first, go());
    assert_eq!(
        std::fs::read_to_string(&log).unwrap().lines().count(),
        asked
    );
    assert_eq!(first.usage.calls as usize, asked);
}

#[test]
fn an_estimate_is_what_a_judge_is_asked_that_never_contradicts_itself() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = options(
        "simulated:accuracy=1,gap=1",
        Probe::ALL,
        &dir.path().join("run"),
    );
    options.by_model = by_simulated_model("simulated:seed=4");
    let (data, tweaked) = (data(10), tweaked(10));
    let estimate = || audit_estimate(&data, Some(&tweaked), &options).unwrap();
    let before = estimate();
    assert!(
        !dir.path().join("run").exists(),
        "an estimate leaves no trace"
    );
    let report = audit(&data, Some(&tweaked), &options, &mut Silent).unwrap();
    let (rewriting, asking): (Vec<_>, Vec<_>) = before
        .parts
        .iter()
        .partition(|(name, _)| name.contains("rewritten by"));
    let sum = |of: &dyn Fn(&Estimate) -> u64| asking.iter().map(|(_, part)| of(part)).sum::<u64>();
    assert_eq!(sum(&|part| part.calls), report.usage.calls);
    assert_eq!(
        sum(&|part| part.prompt_tokens()),
        report.usage.prompt_tokens
    );
    // 10 items: the 3 answers of the tweak set that break constraints, the 2 lowest systems of the
    // data, and what is shown of the other 2 in the duels.
    let calls = report.rewriting.map(|rewriting| rewriting.calls);
    let foreseen: Vec<u64> = rewriting.iter().map(|(_, part)| part.calls).collect();
    assert_eq!(foreseen, Vec::from_iter(calls));
    assert!((50..70).contains(&foreseen[0]), "{foreseen:?}");
    let after = estimate().total();
    assert_eq!(
        (after.calls, after.stored, after.prompt_tokens()),
        (before.total().calls, before.total().calls, 0)
    );
}

/// Audits 10 items with a rewriter within these limits, and counts the calls that both were sent.
fn audit_within(limits: Limits, run: &Path) -> (Result<AuditReport, EngineError>, usize) {
    let log = run.with_extension("log");
    let judge = format!("simulated:log={}", log.display());
    let mut options = options(&judge, &[Probe::Distractors], run);
    options.rewrites = vec![];
    options.by_model = by_simulated_model(&format!("simulated:seed=4,log={}", log.display()));
    options.live.limits = limits;
    let report = audit(&data(10), None, &options, &mut Silent);
    let calls = std::fs::read_to_string(&log).map_or(0, |log| log.lines().count());
    (report, calls)
}

#[test]
fn a_rewriter_keeps_to_the_limits_of_the_judge() {
    let dir = tempfile::tempdir().unwrap();
    let limited = |calls| Limits {
        calls,
        ..Limits::default()
    };
    // 10 items, of each the response that is shown against itself: 10 rewrites at first.
    let run = dir.path().join("run");
    let (stopped, calls) = audit_within(limited(Some(7)), &run);
    assert!(
        matches!(&stopped, Err(EngineError::Limit { limit, judged: 7 }) if limit.contains('7')),
        "{stopped:?}"
    );
    assert_eq!(calls, 7);
    // The limit is one for both: 30 calls are 10 of the rewriter's and 20 of the judge's.
    let (stopped, calls) = audit_within(limited(Some(30)), &run);
    assert!(
        matches!(stopped, Err(EngineError::Limit { .. })),
        "{stopped:?}"
    );
    assert_eq!(calls, 30);
    // Nothing that was rewritten is asked for again.
    let (report, calls) = audit_within(limited(None), &run);
    let report = report.unwrap();
    let rewritten = report.rewriting.unwrap().calls;
    assert!((10..=20).contains(&rewritten), "{rewritten}");
    assert_eq!(rewritten + report.usage.calls, calls as u64);
}

#[test]
fn a_rewriter_keeps_to_the_deadline() {
    let dir = tempfile::tempdir().unwrap();
    let limits = Limits {
        time: Some(std::time::Duration::ZERO),
        ..Limits::default()
    };
    let (stopped, calls) = audit_within(limits, &dir.path().join("run"));
    assert!(
        matches!(stopped, Err(EngineError::Limit { judged: 0, .. })),
        "{stopped:?}"
    );
    assert_eq!(calls, 0);
}

#[test]
fn a_served_rewriter_without_a_price_is_refused_where_the_cost_is_limited() {
    let dir = tempfile::tempdir().unwrap();
    let mut options = options("simulated", &[Probe::Distractors], &dir.path().join("run"));
    options.by_model = by_simulated_model("openai:no-such-model@http://127.0.0.1:9");
    options.live.limits.cost = Some((1.0, PriceTable::built_in()));
    let refused = audit(&data(3), None, &options, &mut Silent).unwrap_err();
    assert!(refused.to_string().contains("no price of"), "{refused}");
}
