use super::agreement::{Rounds, share_curve};
use super::cell::{CellMethod, Verdicts, with_reference};
use super::judges::{Measure, concordances};
use super::reference::ReferenceStudy;
use evenhand_ranking::Aggregation;
use evenhand_stats::{Bootstrap, Comparison, Comparisons, ItemScore, ItemScores, PairMethod};

fn rounds(count: usize, seed: u64) -> Rounds {
    Rounds {
        count,
        level: 0.95,
        seed,
    }
}

const RATINGS: [Option<f64>; 4] = [Some(1100.0), Some(1060.0), Some(1030.0), Some(1000.0)];

/// Four systems in the order of their ratings: on every item each wins against all after it, in
/// both orders.
fn in_order(items: u32) -> Comparisons {
    let pairs = |item| {
        (0..4u16).flat_map(move |a| (a + 1..4).flat_map(move |b| [(item, a, b), (item, a, b)]))
    };
    let rows = (0..items)
        .flat_map(pairs)
        .map(|(item, a, b)| Comparison::won(item, a, b, true));
    Comparisons::new(4, rows.collect()).unwrap()
}

fn names() -> Vec<String> {
    ["a", "b", "c", "d"].map(String::from).to_vec()
}

#[test]
fn a_share_of_the_inputs_is_so_many_items() {
    let pairs = in_order(30);
    let method = CellMethod::Pairs(&pairs, PairMethod::WinRatio);
    let found = share_curve(method, &RATINGS, &[0.01, 0.5, 1.0], rounds(20, 3)).unwrap();
    assert_eq!(
        found.iter().map(|point| point.items).collect::<Vec<_>>(),
        [1, 15, 30]
    );
    assert!(found.iter().all(|point| point.spread.rho.value == Some(1.0) && point.spread.tau.value == Some(1.0)), "{found:?}");
}

#[test]
fn scores_of_responses_are_aggregated_in_both_ways() {
    let rows = (0..10).flat_map(|item| {
        (0..4u16).map(move |system| ItemScore::new(item, system, f64::from(9 - system)))
    });
    let verdicts = Verdicts::of_scores(ItemScores::new(4, rows.collect()).unwrap()).unwrap();
    for aggregation in [
        Aggregation::Mean,
        Aggregation::Median,
        Aggregation::WinRatio,
        Aggregation::BradleyTerry,
    ] {
        let method = verdicts.method(aggregation).unwrap();
        let found = share_curve(method, &RATINGS, &[1.0], rounds(5, 0)).unwrap();
        assert_eq!(found[0].spread.rho.value, Some(1.0), "{aggregation:?}");
    }
    assert!(
        Verdicts::Pairs(in_order(2))
            .method(Aggregation::Mean)
            .is_none()
    );
    assert!(
        verdicts.method(Aggregation::Elo).is_none(),
        "its ratings are of an order, not of a sample"
    );
}

#[test]
fn a_reference_leaves_the_comparisons_with_it() {
    let pairs = in_order(5);
    let with = with_reference(&pairs, 2).unwrap();
    assert_eq!((pairs.rows().len(), with.rows().len()), (5 * 12, 5 * 6));
    assert!(with.rows().iter().all(|row| row.a == 2 || row.b == 2));
    let plan = Bootstrap {
        rounds: 20,
        ..Bootstrap::default()
    };
    let systems = names();
    let study = ReferenceStudy {
        pairs: &pairs,
        method: PairMethod::WinRatio,
        systems: &systems,
        ratings: &RATINGS,
        plan: &plan,
    };
    let found = study.references(|_| true).unwrap();
    assert_eq!(
        found
            .points
            .iter()
            .map(|point| point.system.as_str())
            .collect::<Vec<_>>(),
        ["d", "c", "b", "a"]
    );
    // Against d alone, all others won everything and are equal: the order of three pairs of six is
    // left.
    let against_d = &found.points[0];
    assert!(
        (against_d.tau.value.unwrap() - 3.0 / (3.0f64 * 6.0).sqrt()).abs() < 1e-12,
        "{against_d:?}"
    );
    assert_eq!(against_d.comparisons, 5 * 6);
}

#[test]
fn settings_are_compared_from_three_judges_on() {
    let measure = |setting, judges: &[(&str, f64)]| Measure {
        setting,
        input: "x".into(),
        judges: judges
            .iter()
            .map(|(judge, value)| (judge.to_string(), *value))
            .collect(),
    };
    let one = measure(1, &[("a", 0.9), ("b", 0.5), ("c", 0.7)]);
    let two = measure(2, &[("a", 0.8), ("b", 0.6), ("c", 0.65)]);
    let three = measure(3, &[("a", 0.1), ("b", 0.6)]);
    let found = concordances(&[one, two, three], &Bootstrap::default()).unwrap();
    assert_eq!(
        found
            .iter()
            .map(|row| (row.a.0, row.b.0, row.judges))
            .collect::<Vec<_>>(),
        [(1, 2, 3), (1, 3, 2), (2, 3, 2)]
    );
    assert_eq!([found[0].rho.value, found[0].tau_b.value], [Some(1.0); 2]);
    assert!(
        found[1].rho.value.is_none() && found[1].rho.note.as_ref().unwrap().contains("at least 3")
    );
}

#[test]
fn a_tie_of_a_five_point_verdict_is_one_win_for_each() {
    // Appendix A: one slight verdict (two wins) and one tie (a win for each) are 3 wins of 4.
    let weights = super::config::appendix_a().unwrap();
    let [_, slight, equal] = <[f64; 3]>::from(weights);
    let row = |item, wins_a, ties| Comparison {
        item,
        a: 0,
        b: 1,
        wins_a,
        ties,
        wins_b: 0.0,
    };
    let pairs = Comparisons::new(2, vec![row(0, slight, 0.0), row(1, 0.0, equal)]).unwrap();
    let scores = PairMethod::WinRatio.scores(&pairs.tally());
    assert_eq!(scores.estimates[0].finite(), Some(0.75));
}
