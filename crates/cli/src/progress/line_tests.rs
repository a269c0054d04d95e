use super::*;
use evenhand_models::UnderWay;

fn snapshot(progress: Progress, total: u64) -> Snapshot {
    Snapshot {
        progress,
        total,
        ..Snapshot::default()
    }
}

#[test]
fn calls_tell_how_far_a_run_is_before_the_first_verdict() {
    // 150 trials of two calls each; 128 trials are started, and half of all calls are made.
    let progress = Progress {
        calls: 150,
        started: 128,
        needed: 256,
        ..Progress::default()
    };
    let run = Snapshot {
        calls: 5.0,
        ..snapshot(progress, 150)
    };
    assert_eq!(share_done(&run), 0.5);
    assert_eq!(
        format_line(&run),
        "150 of about 300 calls, 0 of 150 verdicts, 5.0 calls/s, 30 s to go"
    );
}

#[test]
fn a_run_that_is_answered_from_the_store_goes_by_its_judgments() {
    let mut progress = Progress {
        verdicts: 74,
        started: 75,
        ..Progress::default()
    };
    progress.failed[FailureKind::Refused as usize] = 1;
    let run = snapshot(progress, 150);
    assert_eq!(share_done(&run), 0.5);
    assert_eq!(
        format_line(&run),
        "74 of 150 verdicts, 1 failed (1 refused)"
    );
}

#[test]
fn failures_are_told_by_kind_and_in_all() {
    let mut progress = Progress {
        verdicts: 5,
        calls: 9,
        started: 9,
        needed: 9,
        ..Progress::default()
    };
    progress.failed[FailureKind::Unparsed as usize] = 3;
    progress.failed[FailureKind::ModelError as usize] = 1;
    let text = format_line(&snapshot(progress, 9));
    assert!(
        text.starts_with("9 of 9 calls, 5 of 9 verdicts, 4 failed (3 unparsed, 1 model-error)"),
        "{text}"
    );
    let order: Vec<usize> = FailureKind::ALL.iter().map(|kind| *kind as usize).collect();
    assert_eq!(order, (0..FailureKind::ALL.len()).collect::<Vec<_>>());
}

#[test]
fn it_is_said_what_is_waited_for_once_that_takes_long() {
    let of = |calls: u64, waited: u64, paused: Option<u64>| {
        let under_way = UnderWay {
            calls,
            ..UnderWay::default()
        };
        let progress = Progress {
            under_way,
            ..Progress::default()
        };
        let (waited, paused) = (
            Some(Duration::from_secs(waited)),
            paused.map(Duration::from_secs),
        );
        format_line(&Snapshot {
            waited,
            paused,
            ..snapshot(progress, 9)
        })
    };
    assert_eq!(of(1, 4, None), "0 of 9 verdicts");
    assert_eq!(
        of(1, 40, None),
        "0 of 9 verdicts, 1 request without an answer for 40 s"
    );
    assert_eq!(
        of(7, 40, None),
        "0 of 9 verdicts, 7 requests under way, the first without an answer for 40 s"
    );
    assert_eq!(
        of(1, 40, Some(30)),
        "0 of 9 verdicts, nothing gets through for 30 s"
    );
}

#[test]
fn a_rate_is_that_of_the_last_seconds_whatever_was_before() {
    let start = Instant::now();
    let mut pace = Pace::new(start);
    let mut at = |second: u64, calls: u64, written: u64| {
        let under_way = UnderWay {
            read: 1000,
            written,
            ..UnderWay::default()
        };
        let progress = Progress {
            calls,
            under_way,
            ..Progress::default()
        };
        pace.snapshot(progress, 9000, start + Duration::from_secs(second))
    };
    assert_eq!(at(5, 500, 0).calls, 100.0);
    at(10, 600, 0);
    // From second 10 on: nothing any more in a call, and tokens.
    let late = at(20, 600, 50);
    assert_eq!((late.calls, late.tokens), (0.0, 5.0));
    assert!(
        format_line(&late).contains("1000 tokens read and 50 written, 5 tokens/s"),
        "{}",
        format_line(&late)
    );
}
