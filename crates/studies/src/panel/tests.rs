use super::*;
use evenhand_core::{Look, Stage, Trial};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Pairs of two systems whose label follows 2 x - y, and whose z is noise; the systems change
/// places in every other trial. So many items are of one question.
fn planted_of(
    pairs: u32,
    of_question: u32,
    seed: u64,
) -> (JudgedPairs, TermDifferences, Vec<String>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = move || rng.next_u32() as f64 / u32::MAX as f64;
    let systems: Vec<Arc<str>> = ["a".into(), "b".into()].to_vec();
    let mut judged = JudgedPairs {
        systems: vec!["a".into(), "b".into()],
        subsets: vec!["all".into()],
        ..JudgedPairs::default()
    };
    let mut gathered = TermDifferences::default();
    for item in 0..pairs {
        let x: Vec<f64> = (0..3).map(|_| 4.0 * uniform() - 2.0).collect();
        let first = uniform() < sigmoid(2.0 * x[0] - x[1]);
        let label = if first { Side::First } else { Side::Second };
        let lengths = Some([10 + item % 3, 11]);
        judged.pairs.push(LabelledPair {
            name: item.to_string(),
            item: Some(item),
            cluster: item / of_question,
            subset: 0,
            label,
            systems: Some([0, 1]),
            lengths,
            ..LabelledPair::default()
        });
        let swapped = item % 2 == 1;
        let sign = if swapped { -1.0 } else { 1.0 };
        let look = |(at, x): (usize, &f64)| {
            let verdict = Verdict::Pointwise {
                score: sign * x,
                distribution: vec![],
                outside: 0.0,
                source: evenhand_core::VerdictSource::Mixed,
            };
            Look {
                criterion: None,
                judge: 0,
                stage: Stage::Term,
                sample: at as u32,
                swapped: false,
                outcome: Ok(verdict),
            }
        };
        let order = if swapped { vec![1, 0] } else { vec![0, 1] };
        let trial = Trial {
            index: u64::from(item),
            item,
            systems: order,
            replicate: 0,
        };
        let outcome = Ok(Verdict::pair(
            [0.5, 0.0, 0.5],
            0.0,
            evenhand_core::VerdictSource::Mixed,
        ));
        gathered.add(
            &Judgment {
                trial,
                outcome,
                calls: vec![],
                looks: x.iter().enumerate().map(look).collect(),
            },
            &systems,
            3,
        );
    }
    (judged, gathered, ["x", "y", "z"].map(String::from).to_vec())
}

fn planted(pairs: u32, seed: u64) -> (JudgedPairs, TermDifferences, Vec<String>) {
    planted_of(pairs, 1, seed)
}

/// A question is what is held out and resampled; the differences are an item's.
#[test]
fn several_items_of_a_question_keep_their_own_differences() {
    for of_question in [2, 3, 7] {
        let (judged, gathered, terms) = planted_of(2100, of_question, 4);
        let found = fit_panel(&judged, &gathered, &terms, 0).unwrap();
        assert_eq!(found.fit.pairs, 2100, "{of_question}");
        assert_eq!(found.fit.items, u64::from(2100 / of_question));
        for (weight, planted) in found.weights.iter().zip([2.0, -1.0, 0.0]) {
            assert!((weight - planted).abs() < 0.3, "{of_question}: {weight}");
        }
    }
}

#[test]
fn planted_weights_come_back() {
    let (judged, gathered, terms) = planted(2000, 1);
    let found = fit_panel(&judged, &gathered, &terms, 0).unwrap();
    for (weight, planted) in found.weights.iter().zip([2.0, -1.0, 0.0]) {
        assert!((weight - planted).abs() < 0.2, "{:?}", found.weights);
    }
    assert_eq!((found.fit.pairs, found.fit.items), (2000, 2000));
    assert!(
        found.fit.accuracy > 0.8 && found.fit.calibration_error < 0.05,
        "{:?}",
        found.fit
    );
}

#[test]
fn noise_is_worth_nothing_by_cross_validation() {
    let (mut judged, gathered, terms) = planted(300, 2);
    // Labels that follow nothing.
    for (at, pair) in judged.pairs.iter_mut().enumerate() {
        pair.label = if at * 7 % 13 < 6 {
            Side::First
        } else {
            Side::Second
        };
    }
    let found = fit_panel(&judged, &gathered, &terms, 0).unwrap();
    assert!((found.fit.accuracy - 0.5).abs() < 0.1, "{:?}", found.fit);
    assert!(
        found.fit.log_loss < 0.72,
        "the penalty keeps it from being sure: {:?}",
        found.fit
    );
}

#[test]
fn the_same_seed_gives_the_same_panel() {
    let (judged, gathered, terms) = planted(60, 3);
    assert_eq!(
        fit_panel(&judged, &gathered, &terms, 5).unwrap(),
        fit_panel(&judged, &gathered, &terms, 5).unwrap()
    );
}

#[test]
fn each_term_is_shown_alone() {
    let (judged, gathered, terms) = planted(100, 4);
    let found = fit_panel(&judged, &gathered, &terms, 0).unwrap();
    let names: Vec<&str> = found
        .judged
        .iter()
        .map(|judged| judged.judge.as_str())
        .collect();
    assert_eq!(names, ["panel, cross-validated", "x", "y", "z"]);
    let right = |judged: &JudgedPairs| {
        judged
            .pairs
            .iter()
            .filter(|pair| pair.games[0].as_ref().unwrap().side() == Some(pair.label))
            .count()
    };
    assert!(
        right(&found.judged[1]) > 70 && right(&found.judged[2]) < 50,
        "x alone is right, y the other way round"
    );
}

#[test]
fn too_few_pairs_are_refused() {
    let (judged, gathered, terms) = planted(19, 5);
    let error = fit_panel(&judged, &gathered, &terms, 0)
        .unwrap_err()
        .to_string();
    assert!(error.contains("19 labelled pairs"), "{error}");
}
