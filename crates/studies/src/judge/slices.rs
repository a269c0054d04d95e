//! Whether judges are more often right on some parts of an input set than on others.

use super::paired::{credits_of, name_judged};
use super::{JudgedPairs, Settings};
use evenhand_ranking::{InteractionReport, SliceTest, SliceUnit};
use evenhand_stats::ItemScore;
use evenhand_stats::interaction::mean_residuals;
use std::collections::{BTreeMap, BTreeSet};

/// Tests whether the accuracy of each judge differs between the parts of its input set; None where
/// no judge has several. `field` is what the parts are values of. A part that is hard for every
/// judge counts for each of them. The pairs of one cluster in one part stay together.
pub fn test_subsets(
    judged: &[JudgedPairs],
    field: &str,
    settings: &Settings,
) -> Option<InteractionReport> {
    if judged.iter().all(|one| one.subsets.len() < 2) {
        return None;
    }
    let values: BTreeSet<&str> = judged
        .iter()
        .flat_map(|one| &one.subsets)
        .map(String::as_str)
        .collect();
    let values: Vec<String> = values.into_iter().map(str::to_owned).collect();
    // Of each judge how right it was on each pair, with the item that the pair is of: its part, and
    // the first pair of its cluster there.
    let mut credited: Vec<Vec<(ItemKey<'_>, f64)>> = Vec::new();
    for one in judged {
        let credits = credits_of(one, settings);
        let mut firsts: BTreeMap<(&str, u32), &str> = BTreeMap::new();
        for ((subset, name, ..), credit) in &credits {
            firsts.entry((subset, credit.cluster)).or_insert(name);
        }
        credited.push(
            credits
                .iter()
                .map(|((subset, ..), credit)| {
                    let first = firsts[&(*subset, credit.cluster)];
                    ((*subset, first), credit.mean())
                })
                .collect(),
        );
    }
    let items: BTreeSet<ItemKey<'_>> = credited.iter().flatten().map(|(item, _)| *item).collect();
    let items: Vec<ItemKey<'_>> = items.into_iter().collect();
    let mut rows = Vec::new();
    for (system, all) in (0_u16..).zip(&credited) {
        for (item, score) in all {
            let item = items.partition_point(|known| known < item) as u32;
            rows.push(ItemScore::new(item, system, *score));
        }
    }
    let slices: Vec<u32> = items
        .iter()
        .map(|(subset, _)| values.partition_point(|known| known.as_str() < *subset) as u32)
        .collect();
    let test = SliceTest {
        field,
        values: &values,
        names: &names_of(judged),
        unit: SliceUnit::ShareRight,
        differs: "Accuracy differs",
        units: "items",
        plan: &settings.bootstrap,
    };
    Some(test.of_residuals(mean_residuals(judged.len(), &rows), &slices))
}

/// A part, and the first pair of a cluster in it.
type ItemKey<'a> = (&'a str, &'a str);

/// Names judges by themselves, and by their protocols too where several have one name.
fn names_of(judged: &[JudgedPairs]) -> Vec<String> {
    let distinct: BTreeSet<&str> = judged.iter().map(|one| one.judge.as_str()).collect();
    let is_plain = distinct.len() == judged.len();
    let name = |one: &JudgedPairs| match is_plain {
        true => one.judge.clone(),
        false => name_judged(one),
    };
    judged.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Game, LabelledPair};
    use super::*;
    use evenhand_core::Side;
    use evenhand_stats::draw_numbers;

    /// A judge on 120 pairs of three parts, right with these chances in each.
    fn judge(name: &str, seed: u64, chances: [f64; 3]) -> JudgedPairs {
        let draws = draw_numbers(seed, 9, 1 << 20).map(|draw| f64::from(draw) / f64::from(1 << 20));
        let pair = |(at, draw): (usize, f64)| {
            let right = draw < chances[at % 3];
            let shares = if right {
                [1.0, 0.0, 0.0]
            } else {
                [0.0, 0.0, 1.0]
            };
            LabelledPair {
                name: at.to_string(),
                cluster: at as u32,
                subset: (at % 3) as u32,
                label: Side::First,
                games: [Some(Game::of_shares(shares)), None],
                ..LabelledPair::default()
            }
        };
        JudgedPairs {
            judge: name.into(),
            subsets: ["hard", "easy", "odd"].map(String::from).into(),
            pairs: (0..120).zip(draws).map(pair).collect(),
            ..JudgedPairs::default()
        }
    }

    fn settings(seed: u64) -> Settings {
        Settings::of_plan(evenhand_stats::Bootstrap {
            rounds: 199,
            seed,
            ..evenhand_stats::Bootstrap::default()
        })
    }

    #[test]
    fn a_part_on_which_a_judge_errs_is_named() {
        let judges = [judge("x", 1, [0.5, 0.95, 0.95]), judge("y", 2, [0.8; 3])];
        let found = test_subsets(&judges, "source", &settings(0)).unwrap();
        assert!(
            found
                .summary
                .starts_with("Accuracy differs by source: x is "),
            "{}",
            found.summary
        );
        assert!(
            found.summary.contains("worse on hard than overall"),
            "{}",
            found.summary
        );
        assert_eq!((found.tested, found.deviations.len()), (6, 6));
        let x_hard = found
            .deviations
            .iter()
            .find(|row| row.system == "x" && row.value == "hard");
        assert!(x_hard.unwrap().deviation < -0.15);
    }

    #[test]
    fn two_equal_judges_are_accused_as_rarely_as_the_level_says() {
        let is_alarm = |seed: &u64| {
            let judges = [
                judge("x", *seed, [0.8; 3]),
                judge("y", seed + 1000, [0.6; 3]),
            ];
            let found = test_subsets(&judges, "source", &settings(*seed)).unwrap();
            found.p.unwrap() <= 0.05
        };
        let alarms = (0..300).filter(is_alarm).count();
        // Four standard errors of 15.
        assert!(alarms <= 30, "{alarms} of 300");
    }

    #[test]
    fn the_same_judge_by_two_protocols_has_two_names_and_one_part_is_no_question() {
        let mut twice = [judge("x", 1, [0.8; 3]), judge("x", 2, [0.8; 3])];
        twice[1].protocol = "pairwise".into();
        let found = test_subsets(&twice, "source", &settings(0)).unwrap();
        let names: BTreeSet<&str> = found
            .deviations
            .iter()
            .map(|row| row.system.as_str())
            .collect();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["x", "x, pairwise"]);
        let mut whole = judge("x", 1, [0.8; 3]);
        whole.subsets.truncate(1);
        whole.pairs.iter_mut().for_each(|pair| pair.subset = 0);
        assert_eq!(test_subsets(&[whole], "source", &settings(0)), None);
    }
}
