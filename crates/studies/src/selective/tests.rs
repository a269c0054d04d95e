use super::*;
use crate::judge::{Game, LabelledPair};
use evenhand_core::Side;

fn pair(at: u32, confidence: f64, right: bool) -> LabelledPair {
    let lean = if right { confidence } else { -confidence };
    let shares = [(1.0 + lean) / 2.0, 0.0, (1.0 - lean) / 2.0];
    let game = Game {
        outcome: Ok(shares),
        recorded: None,
        margin: None,
        why: None,
    };
    LabelledPair {
        name: format!("p{at}"),
        cluster: at,
        label: Side::First,
        games: [Some(game.clone()), Some(game)],
        ..LabelledPair::default()
    }
}

fn judge(name: &str, pairs: Vec<LabelledPair>) -> JudgedPairs {
    JudgedPairs {
        judge: name.into(),
        pairs,
        ..JudgedPairs::default()
    }
}

const OPTIONS: SelectOptions = SelectOptions {
    error: 0.1,
    certainty: 0.9,
    splits: 50,
    seed: 0,
    level: 0.95,
    costs: Some([1.0, 20.0]),
};

/// Sure and right on two pairs of three, unsure and wrong on the third.
fn unsure_on_thirds() -> JudgedPairs {
    let pairs = (0..300).map(|at| match at % 3 {
        0 => pair(at, 0.2, false),
        _ => pair(at, 0.9, true),
    });
    judge("cheap", pairs.collect())
}

#[test]
fn sure_verdicts_are_accepted_and_the_rest_goes_to_the_second_judge() {
    let strong = judge("strong", (0..300).map(|at| pair(at, 1.0, true)).collect());
    let found = select_verdicts(&[unsure_on_thirds(), strong], &OPTIONS).unwrap();
    let threshold = found.threshold.unwrap();
    assert!(threshold.confidence >= 0.2 && threshold.confidence <= 0.9);
    assert_eq!((threshold.accepted, threshold.wrong), (200, 0));
    assert_eq!((found.tried.certified, found.tried.broken), (50, 0));
    let cascade = found.cascade.unwrap();
    assert!((cascade.first - 2.0 / 3.0).abs() < 1e-9);
    assert_eq!((cascade.second, cascade.together), (1.0, 1.0));
    assert!((cascade.escalated - 1.0 / 3.0).abs() < 0.05, "{cascade:?}");
    // The second is always right: whoever is to be as right as it asks it of the wrong third alone.
    assert_eq!(cascade.equal.together, 1.0);
    assert!(
        (cascade.equal.escalated - 1.0 / 3.0).abs() < 0.05,
        "{cascade:?}"
    );
    let cost = cascade.cost.unwrap();
    assert_eq!(cost.second, 20.0);
    assert!((cost.equal - (1.0 + 20.0 * cascade.equal.escalated)).abs() < 1e-9);
}

/// Wrong verdicts that stand together are no independent ones.
#[test]
fn the_interval_of_errors_is_over_questions() {
    let of = |same: u32| {
        let pairs = (0..400).map(|at| LabelledPair {
            cluster: at / same,
            ..pair(at, 0.9, !(at / 4).is_multiple_of(50))
        });
        let found = select_verdicts(&[judge("one", pairs.collect())], &OPTIONS).unwrap();
        let error = found.error.unwrap();
        let [low, high] = error.interval.unwrap();
        assert!(low <= error.value && error.value <= high);
        (error.value, error.n, high - low)
    };
    let (apart, together) = (of(1), of(4));
    assert_eq!((apart.0, apart.1), (together.0, together.1));
    assert!(together.2 > 1.3 * apart.2, "{apart:?} {together:?}");
}

#[test]
fn a_first_judge_that_is_right_where_the_second_errs_is_never_passed_by() {
    let weak = judge(
        "weak",
        (0..300).map(|at| pair(at, 1.0, at % 2 == 0)).collect(),
    );
    let found = select_verdicts(&[unsure_on_thirds(), weak], &OPTIONS).unwrap();
    let cascade = found.cascade.unwrap();
    assert!(cascade.equal.escalated < 0.01, "{cascade:?}");
    assert!(cascade.equal.together > cascade.second, "{cascade:?}");
}

#[test]
fn contradicting_orders_failures_and_ties_are_never_accepted() {
    let mut flipped = pair(0, 1.0, true);
    flipped.games[1] = pair(0, 1.0, false).games[0].clone();
    let mut failed = pair(1, 1.0, true);
    if let Some(game) = &mut failed.games[0] {
        game.outcome = Err("unparsed".into());
    }
    let mut tied = pair(2, 1.0, true);
    tied.label = Side::Tie;
    let cases = cases_of(&judge("j", vec![flipped, failed, tied]));
    let shown: Vec<(f64, bool)> = cases
        .iter()
        .map(|case| (case.confidence, case.right))
        .collect();
    assert_eq!(shown, [(0.0, false), (0.0, false)]);
}

/// Scores that differ much are right, those that differ little are not.
#[test]
fn the_difference_of_scores_is_a_confidence() {
    let scored = |(at, d): (u32, f64)| LabelledPair {
        games: [d, d].map(|d| {
            let game = pair(at, 1.0, d > 0.0).games[0].clone();
            game.map(|game| Game {
                margin: Some(d),
                ..game
            })
        }),
        ..pair(at, 1.0, d > 0.0)
    };
    let differences = (0..200).map(|at| if at % 2 == 0 { 3.0 } else { -0.25 });
    let pairs = (0..200).zip(differences).map(scored).collect();
    let cases = cases_of(&judge("scores", pairs));
    assert_eq!((cases[0].confidence, cases[0].right), (0.75, true));
    assert_eq!((cases[1].confidence, cases[1].right), (0.2, false));
    let pairs = (0..200).map(|at| scored((at, if at % 2 == 0 { 3.0 } else { -0.25 })));
    let found = select_verdicts(&[judge("scores", pairs.collect())], &OPTIONS).unwrap();
    assert_eq!(
        found.threshold.map(|found| (found.accepted, found.wrong)),
        Some((100, 0))
    );
}

#[test]
fn a_judge_who_guesses_promises_nothing() {
    let coin = judge(
        "coin",
        (0..200).map(|at| pair(at, 0.8, at % 2 == 0)).collect(),
    );
    let found = select_verdicts(&[coin], &OPTIONS).unwrap();
    assert_eq!(
        (found.threshold, found.tried.certified, found.cascade),
        (None, 0, None)
    );
    assert_eq!(found.tried.accepted, 0.0);
}

#[test]
fn too_many_judges_are_refused() {
    assert!(select_verdicts(&[], &OPTIONS).is_err());
    // A second judge of other pairs decides nothing, and no share of none is told.
    let other = judge("other", (300..400).map(|at| pair(at, 1.0, true)).collect());
    let error = select_verdicts(&[unsure_on_thirds(), other], &OPTIONS).unwrap_err();
    assert!(
        error.to_string().contains("no labelled pair in common"),
        "{error}"
    );
}
