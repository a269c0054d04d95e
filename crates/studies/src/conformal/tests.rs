use super::*;

fn options() -> ConformalOptions {
    ConformalOptions {
        coverage: 0.9,
        scale: None,
        folds: 10,
        seed: 0,
        level: 0.95,
    }
}

/// Scores that people double, off by up to 1; every third has no label.
fn scores(items: u32) -> LabelledCases {
    let all = (0..items).map(|item| {
        let judge = f64::from(item * 7 % 11);
        let off = f64::from(item * 13 % 21) / 10.0 - 1.0;
        SaidCase {
            item: format!("q{item}"),
            systems: vec!["v1".into()],
            cluster: item,
            said: Said::Score {
                judge,
                label: (item % 3 != 0).then_some(2.0 * judge + off),
            },
        }
    });
    LabelledCases {
        all: all.collect(),
        are_scores: true,
        failures: 0,
    }
}

#[test]
fn intervals_of_scores_follow_peoples_scale() {
    let found = predict_labels(&scores(300), &options()).unwrap();
    let line = found.line.unwrap();
    assert!(
        (line.slope - 2.0).abs() < 0.05 && line.intercept.abs() < 0.3,
        "{line:?}"
    );
    let width = found.mean_width.unwrap();
    assert!(width > 1.6 && width < 2.4, "{width}");
    assert_eq!(found.labelled, [200, 200]);
    let [low, high] = found.realised.ci.unwrap().map(Option::unwrap);
    assert!(low < 0.9 && high > 0.9, "{:?}", found.realised);
    let unlabelled = found
        .judgments
        .iter()
        .find(|one| one.label.is_none())
        .unwrap();
    assert!(unlabelled.interval.unwrap()[0].is_some() && unlabelled.held.is_none());
}

#[test]
fn with_few_labels_nothing_is_ruled_out() {
    let few = predict_labels(&scores(20), &options()).unwrap();
    assert_eq!(few.threshold.unwrap().distance, None);
    assert!(
        few.judgments
            .iter()
            .all(|one| one.interval == Some([None, None]))
    );
    assert_eq!(few.mean_width, None);
    let bounded = ConformalOptions {
        scale: Some([0.0, 20.0]),
        ..options()
    };
    let found = predict_labels(&scores(20), &bounded).unwrap();
    assert_eq!(found.judgments[0].interval, Some([Some(0.0), Some(20.0)]));
}

/// A judge that is right about 9 of 10 pairs, or, turned, wrong about as many.
fn pairs(items: u32, turned: bool) -> LabelledCases {
    let all = (0..items).map(|item| {
        let lean = if item * 7 % 5 < 2 { 0.9 } else { -0.9 };
        let right = (item * 3 % 10 != 0) != turned;
        SaidCase {
            item: format!("q{item}"),
            systems: vec!["v1".into(), "v2".into()],
            cluster: item,
            said: Said::Verdict {
                lean,
                label: Some(if (lean > 0.0) == right {
                    Side::First
                } else {
                    Side::Second
                }),
            },
        }
    });
    LabelledCases {
        all: all.collect(),
        are_scores: false,
        failures: 0,
    }
}

#[test]
fn sets_of_verdicts_learn_what_a_lean_means() {
    for turned in [false, true] {
        let loose = ConformalOptions {
            coverage: 0.8,
            ..options()
        };
        let found = predict_labels(&pairs(200, turned), &loose).unwrap();
        assert_eq!(found.set_sizes, Some([1.0, 0.0, 0.0]), "{turned}");
        let one = &found.judgments[1];
        let expected = if (one.judge > 0.0) != turned {
            SetVerdict::First
        } else {
            SetVerdict::Second
        };
        assert_eq!(one.set, Some(vec![expected]));
    }
    let few = predict_labels(&pairs(10, false), &options()).unwrap();
    assert_eq!(few.set_sizes, Some([0.0, 0.0, 1.0]));
    assert_eq!(few.realised.value, Some(1.0));
}

/// A label at the end of the scale is in an interval that was cut to that end.
#[test]
fn what_is_shown_as_held_is_in_the_interval() {
    let mut cases = scores(200);
    for (number, case) in cases.all.iter_mut().enumerate() {
        let judge = (number % 10) as f64;
        // Mostly in the middle, and nearly steep: lines end beyond the scale.
        let label = (0.7 * judge - 1.0 + (number * 13 % 7) as f64 / 30.0).clamp(0.0, 4.0);
        case.said = Said::Score {
            judge,
            label: Some(label),
        };
    }
    for coverage in [0.5, 0.8, 0.9] {
        let options = ConformalOptions {
            coverage,
            scale: Some([0.0, 4.0]),
            ..options()
        };
        let found = predict_labels(&cases, &options).unwrap();
        for one in &found.judgments {
            let [Some(low), Some(high)] = one.interval.unwrap() else {
                panic!("{one:?}")
            };
            let label = one.label.unwrap();
            // Just at an end it may be either, by rounding.
            let is_at_end = low < high && (label - low).abs().min((label - high).abs()) < 1e-9;
            let is_in = (low..=high).contains(&label);
            assert!(is_at_end || one.held == Some(is_in), "{one:?}");
        }
    }
}

#[test]
fn labels_beyond_the_scale_are_refused() {
    let cases = scores(20);
    assert!(cases.check_scale([-1.0, 21.0]).is_ok());
    let refused = cases.check_scale([1.0, 5.0]).unwrap_err().to_string();
    assert!(refused.contains("is beyond it"), "{refused}");
}

/// Of 17 labelled questions one half is enough for 90 %, and of no nine tenths of them.
#[test]
fn labels_that_nothing_could_miss_are_counted() {
    for (questions, is_open, unbounded) in [
        (16, true, 16),
        (17, false, 17),
        (18, false, 16),
        (19, false, 0),
    ] {
        let mut cases = scores(60);
        for (number, case) in cases.all.iter_mut().enumerate() {
            if let Said::Score { judge, label } = &mut case.said {
                *label = (number < questions).then_some(2.0 * *judge + number as f64 / 20.0);
            }
        }
        let found = predict_labels(&cases, &options()).unwrap();
        let open_others = if is_open { 60 - questions } else { 0 };
        assert_eq!(found.unbounded, [unbounded, open_others], "{questions}");
    }
}
