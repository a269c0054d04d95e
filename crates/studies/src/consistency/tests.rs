use super::*;
use evenhand_core::Side::{First, Second};
use evenhand_core::{FailureKind, Side};

fn pair(item: usize, lengths: [usize; 2], first: Option<Side>, last: Option<Side>) -> ComparedPair {
    ComparedPair {
        item: item.to_string().into(),
        question: item.to_string().into(),
        value: "".into(),
        systems: ["a".into(), "b".into()],
        lengths,
        first: Some(first),
        last,
        disagrees: first.is_none(),
        answers: vec![
            Ok("5".into()),
            Ok(if first.is_some() { "3" } else { "5" }.into()),
        ],
    }
}

fn plan() -> Bootstrap {
    Bootstrap {
        rounds: 200,
        ..Bootstrap::default()
    }
}

fn pairs() -> Vec<ComparedPair> {
    vec![
        pair(0, [100, 200], Some(First), Some(First)),
        pair(1, [500, 500], None, Some(First)),
        pair(2, [900, 100], None, Some(Second)),
        pair(3, [2000, 0], None, None),
    ]
}

#[test]
fn fixed_coverage_counts_what_was_inconsistent_and_was_mended() {
    let report = measure_consistency(&pairs(), None, None, &plan()).unwrap();
    let all = &report.all;
    assert_eq!(
        (
            all.consistent_at_first,
            all.consistent_in_the_end,
            all.mended
        ),
        (1, 3, 2)
    );
    assert_eq!(all.at_first.value, Some(0.25));
    assert_eq!(all.in_the_end.value, Some(0.75));
    assert!((all.fixed.value.unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert!(report.knows_first && report.gold.is_none());
}

#[test]
fn groups_are_those_of_the_paper() {
    let report = measure_consistency(&pairs(), None, None, &plan()).unwrap();
    let ranges = |by: &ByNumber| by.groups.iter().map(|bin| bin.range).collect::<Vec<_>>();
    assert_eq!(
        ranges(&report.by_length),
        [[0, 800], [800, 1600], [1600, 2400]]
    );
    assert_eq!(
        ranges(&report.by_difference),
        [[0, 300], [600, 900], [1800, 2100]]
    );
    let shares = report.by_length.groups.iter().map(|bin| bin.share);
    assert_eq!(shares.collect::<Vec<_>>(), [0.25, 0.5, 0.25]);
    assert_eq!(report.by_length.thirds.len(), 3);
    assert!(report.by_length.inconsistency.unwrap().z > 0.0);
}

#[test]
fn empty_answers_have_no_length() {
    let report = measure_consistency(&pairs(), None, None, &plan()).unwrap();
    let b = &report.lengths[1];
    assert_eq!((b.answers, b.empty, b.max, b.min), (3, 1, 500, 100));
    assert!((b.mean - 800.0 / 3.0).abs() < 1e-9);
    // sqrt of the mean of squares less the square of the mean: (40000 + 250000 + 10000) / 3 -
    // mean^2.
    assert!((b.sd - (100_000.0 - (800.0_f64 / 3.0).powi(2)).sqrt()).abs() < 1e-9);
}

#[test]
fn agreement_leaves_out_what_the_gold_judge_does_not_know() {
    let mut gold = GoldVerdicts::default();
    gold.add("0", ["a", "b"], Some(First));
    gold.add("1", ["b", "a"], Some(Second));
    gold.add("2", ["a", "b"], Some(First));
    gold.add("3", ["a", "b"], None);
    let report = measure_consistency(&pairs(), Some(&gold), None, &plan()).unwrap();
    let agreement = report.gold.unwrap();
    assert_eq!((agreement.pairs, gold.without_verdict), (3, 1));
    assert!((agreement.at_first.value.unwrap() - 1.0 / 3.0).abs() < 1e-12);
    assert!((agreement.in_the_end.value.unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(agreement.p, Some(1.0));
}

#[test]
fn nothing_is_known_of_before_where_it_was_not_asked() {
    let pairs = vec![ComparedPair {
        first: None,
        ..pair(0, [1, 2], None, Some(First))
    }];
    let report = measure_consistency(&pairs, None, None, &plan()).unwrap();
    assert!(!report.knows_first && report.all.at_first.value.is_none());
    assert_eq!(report.all.in_the_end.value, Some(1.0));
    let none = measure_consistency(&[], None, None, &plan()).unwrap();
    assert!(none.all.in_the_end.value.is_none() && none.by_systems.is_empty());
}

#[test]
fn answers_on_inconsistent_pairs_are_counted_by_themselves() {
    let mut pairs = pairs();
    pairs[3].answers = vec![Ok("5".into()), Err(FailureKind::Refused)];
    let report = measure_consistency(&pairs, None, None, &plan()).unwrap();
    let answers = &report.answers;
    // Of eight looks one is refused; three pairs are inconsistent, all of whose verdicts are 5.
    assert_eq!((answers.looks, answers.of_inconsistent), (8, 5));
    assert_eq!(answers.refused.value, Some(0.125));
    assert_eq!(answers.no_verdict.value, Some(0.125));
    let shares: Vec<_> = answers
        .given
        .iter()
        .map(|one| {
            (
                one.answer.as_str(),
                one.share.value,
                one.share_of_inconsistent.value,
            )
        })
        .collect();
    assert_eq!(
        shares,
        [
            ("3", Some(1.0 / 7.0), Some(0.0)),
            ("5", Some(6.0 / 7.0), Some(1.0)),
        ]
    );
}

/// Items that ask one question, and their pairs, say no more than one pair where they say the same.
#[test]
fn pairs_of_one_question_count_together() {
    let measured = |copies: usize| {
        let (mut gold, mut all) = (GoldVerdicts::default(), Vec::new());
        for at in 0..8 * copies {
            let question = at / copies;
            gold.add(&at.to_string(), ["a", "b"], Some(First));
            let first = (question == 0).then_some(First);
            all.push(ComparedPair {
                question: question.to_string().into(),
                ..pair(at, [100 * question, 50], first, Some(First))
            });
        }
        measure_consistency(&all, Some(&gold), None, &plan()).unwrap()
    };
    let (one, six) = (measured(1), measured(6));
    assert_eq!(one.all.in_the_end.ci, six.all.in_the_end.ci);
    // Of 8 questions 7 were mended.
    for report in [&one, &six] {
        let p = report.gold.as_ref().unwrap().p.unwrap();
        assert!((p - 2.0 / 128.0).abs() < 1e-12, "{p}");
    }
    let z = six.by_length.inconsistency.unwrap().z;
    assert!(z > 0.0 && z * z <= 8.0 + 1e-9, "{z}");
}
