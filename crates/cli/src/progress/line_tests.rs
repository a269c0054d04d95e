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
        is_steady: true,
        ..snapshot(progress, 150)
    };
    assert_eq!(share_done(&run), 0.5);
    assert_eq!(
        format_line(&run),
        "150 of about 300 calls, 0 of 150 verdicts, 5.0 calls/s, about 30 s to go"
    );
}

/// 25 of 180 trials are stored, and 20 others are begun: what is stored says nothing of how many
/// calls the others need.
#[test]
fn stored_verdicts_do_not_lower_what_is_left() {
    let progress = Progress {
        verdicts: 40,
        calls: 15,
        started: 45,
        known: 25,
        needed: 20,
        ..Progress::default()
    };
    let run = Snapshot {
        calls: 1.0,
        is_steady: true,
        ..snapshot(progress, 180)
    };
    assert_eq!(
        format_line(&run),
        "15 of about 155 calls, 40 of 180 verdicts, 1.0 calls/s, about 140 s to go"
    );
}

/// Sixteen calls at a time, every eight seconds.
#[test]
fn a_rate_does_not_swing_with_the_rounds_in_which_calls_come_back() {
    let start = Instant::now();
    let mut pace = Pace::new(start);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for half in 1..400 {
        let calls = half / 16 * 16;
        let progress = Progress {
            calls,
            ..Progress::default()
        };
        let now = start + Duration::from_millis(500 * half);
        let rate = pace.snapshot(progress, 9000, now).calls;
        if calls > 0 {
            (least, most) = (least.min(rate), most.max(rate));
        }
    }
    assert!(most / least < 1.1, "{least} to {most}");
}

/// A run of 1000 calls, sixteen at a time, a second each: paused from second 20 to 320.
#[test]
fn how_long_it_takes_is_told_by_what_came_of_late_and_by_nothing_else() {
    let start = Instant::now();
    let mut pace = Pace::new(start);
    let mut at = |second: u64, calls: u64, since: Option<u64>| {
        let progress = Progress {
            calls,
            started: 1000,
            needed: 1000,
            under_way: UnderWay {
                calls: 16,
                paused: since.map(|second| start + Duration::from_secs(second)),
                ..UnderWay::default()
            },
            ..Progress::default()
        };
        let now = start + Duration::from_secs(second);
        let line = format_line(&pace.snapshot(progress, 1000, now));
        let told = line.split(", ").find(|part| part.ends_with("to go"));
        told.map(str::to_owned)
    };
    assert_eq!(at(1, 3, None), None, "no round has come back");
    for second in 2..20 {
        at(second, 16 * second, None);
    }
    assert_eq!(at(20, 320, None).as_deref(), Some("about 42 s to go"));
    for second in 21..320 {
        assert_eq!(at(second, 320, Some(20)), None, "nothing gets through");
    }
    // What was waited for says nothing of what comes now.
    assert_eq!(at(321, 336, None).as_deref(), Some("about 83 s to go"));
    for second in 322..330 {
        at(second, 16 * (second - 300), None);
    }
    assert_eq!(at(345, 464, None), None, "nothing came of late");
}

#[test]
fn calls_are_known_once_no_trial_can_need_more() {
    let calls = |progress: Progress| {
        let line = format_line(&snapshot(progress, 9));
        line.split(", ").next().unwrap().to_string()
    };
    let begun = Progress {
        calls: 4,
        started: 9,
        needed: 9,
        ..Progress::default()
    };
    assert_eq!(calls(begun), "4 of 9 calls");
    // An answer may lead to further questions, or end at its limit and be asked for again.
    let in_turn = Progress {
        asks_in_turn: true,
        ..begun
    };
    assert_eq!(calls(in_turn), "4 of at least 9 calls");
    let cut_short = Progress {
        cut_short: 1,
        ..begun
    };
    assert_eq!(calls(cut_short), "4 of at least 9 calls");
    let ended = Progress {
        calls: 9,
        verdicts: 9,
        ..in_turn
    };
    assert_eq!(calls(ended), "9 of 9 calls");
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
    let late = at(60, 600, 100);
    assert_eq!((late.calls, late.tokens), (0.0, 2.0));
    assert!(
        format_line(&late).contains("1000 tokens read and 100 written, 2 tokens/s"),
        "{}",
        format_line(&late)
    );
}
