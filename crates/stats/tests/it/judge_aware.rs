//! Laws of judge-aware Bradley-Terry: what is planted is found, equal judges are plain
//! Bradley-Terry, and a slow obvious twin finds the same maximum.

use crate::common::finite;
use evenhand_stats::{
    Bootstrap, Cluster, Comparison, Estimate, JudgedComparison, PairMethod, Tally, Undefined,
    bradley_terry, draw_numbers, judge_aware, kendall_tau_b, rank_pairs, resample_judge_aware,
};
use evenhand_testing::is_slow_or_skips;
use proptest::prelude::*;

/// A panel's truth: strengths of mean 0, discriminations of mean 1.
struct Truth {
    strengths: Vec<f64>,
    judges: Vec<f64>,
}

impl Truth {
    /// Every pair on every item, judged once by every judge.
    fn simulate(&self, items: u32, seed: u64) -> Vec<JudgedComparison> {
        let mut draws = draw_numbers(seed, 1, 1_000_000);
        let k = self.strengths.len();
        let pairs = || (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
        let mut rows = Vec::new();
        for item in 0..items {
            for (a, b) in pairs() {
                for (judge, d) in self.judges.iter().enumerate() {
                    let lead = d * (self.strengths[a] - self.strengths[b]);
                    let won = f64::from(draws.next().unwrap()) < 1e6 / (1.0 + (-lead).exp());
                    let comparison = Comparison::won(item, a as u16, b as u16, won);
                    rows.push(JudgedComparison {
                        judge: judge as u16,
                        comparison,
                    });
                }
            }
        }
        rows
    }
}

fn five_systems(judges: &[f64]) -> Truth {
    Truth {
        strengths: vec![1.0, 0.5, 0.0, -0.4, -1.1],
        judges: judges.to_vec(),
    }
}

fn plain_tally(k: usize, rows: &[JudgedComparison]) -> Tally {
    let mut tally = Tally::new(k).unwrap();
    for JudgedComparison { comparison: c, .. } in rows {
        tally
            .add(c.a.into(), c.b.into(), c.wins_a, c.ties, c.wins_b)
            .unwrap();
    }
    tally
}

#[test]
fn planted_discriminations_are_found() {
    let truth = five_systems(&[1.9, 1.3, 0.9, 0.5, 0.0, 1.4]);
    let rows = truth.simulate(1500, 3);
    let found = judge_aware(5, 6, &rows).unwrap();
    let judges = finite(&found.discriminations);
    for (found, planted) in judges.iter().zip(&truth.judges) {
        assert!((found - planted).abs() < 0.08, "{judges:?}");
    }
    for (found, planted) in finite(&found.scores.estimates).iter().zip(&truth.strengths) {
        assert!((found - planted).abs() < 0.08);
    }
    assert!(found.scores.fit.unwrap().converged);
}

#[test]
fn a_judge_against_the_others_is_negative_and_does_no_harm() {
    let truth = five_systems(&[1.8, 1.8, -0.6]);
    let found = judge_aware(5, 3, &truth.simulate(800, 4)).unwrap();
    assert!(finite(&found.discriminations)[2] < -0.4);
    assert_eq!(found.scores.ranks, [1, 2, 3, 4, 5].map(Some));
}

#[test]
fn what_has_no_answer_says_why() {
    let one = JudgedComparison {
        judge: 0,
        comparison: Comparison::won(0, 0, 1, true),
    };
    let of = |judge, a_won| {
        let rows = (0..40).map(move |item| JudgedComparison {
            judge,
            comparison: Comparison::won(item, 0, 1, (item % 4 != 0) == a_won),
        });
        rows.collect::<Vec<_>>()
    };
    // Nobody was beaten in return: no system is finite, so no judge is heard.
    let found = judge_aware(2, 2, &[one]).unwrap();
    assert_eq!(
        found.discriminations,
        [Estimate::Undefined(Undefined::NoData); 2]
    );
    assert_eq!(found.scores.estimates[0], Estimate::PlusInfinity);
    // One judge: plain strengths, and nothing to be compared with.
    let found = judge_aware(2, 2, &of(1, true)).unwrap();
    assert_eq!(
        found.discriminations[1],
        Estimate::Undefined(Undefined::OneJudge)
    );
    assert!((finite(&found.scores.estimates)[0] - 3f64.ln() / 2.0).abs() < 1e-9);
    // Two judges of opposite opinions.
    let both = [of(0, true), of(1, false)].concat();
    let found = judge_aware(2, 2, &both).unwrap();
    let (none, ranks) = (
        Estimate::Undefined(Undefined::NoCommonOrder),
        found.scores.ranks,
    );
    let equal = finite_or_none(&found.scores.estimates)
        .iter()
        .all(|s| s.abs() < 1e-6);
    assert!(found.discriminations == [none; 2] && ranks == [None; 2] || equal);
    assert!(judge_aware(2, 1, &of(1, true)).is_err(), "an unknown judge");
    assert!(
        judge_aware(1, 2, &of(1, true)).is_err(),
        "an unknown system"
    );
}

fn finite_or_none(estimates: &[Estimate]) -> Vec<f64> {
    estimates.iter().filter_map(|x| x.finite()).collect()
}

/// Gradient ascent in tiny steps on strengths and discriminations with the same prior.
fn climb_slowly(k: usize, judges: usize, rows: &[JudgedComparison]) -> (Vec<f64>, Vec<f64>) {
    let start = bradley_terry(&plain_tally(k, rows)).scores.estimates;
    let (mut s, mut d) = (finite(&start), vec![1.0; judges]);
    let length = 1.0 / rows.len() as f64;
    for _ in 0..6_000 {
        let (mut up, mut sharper) = (vec![0.0; k], vec![0.0; judges]);
        for JudgedComparison {
            judge,
            comparison: c,
        } in rows
        {
            let (a, b, j) = (usize::from(c.a), usize::from(c.b), usize::from(*judge));
            let total = c.wins_a + c.ties + c.wins_b;
            let won = c.wins_a + c.ties / 2.0;
            let miss = won - total / (1.0 + (-d[j] * (s[a] - s[b])).exp());
            (up[a], up[b]) = (up[a] + miss * d[j], up[b] - miss * d[j]);
            sharper[j] += miss * (s[a] - s[b]);
        }
        s.iter_mut().zip(&up).for_each(|(s, up)| *s += length * up);
        for (d, sharper) in d.iter_mut().zip(&sharper) {
            *d += length * (sharper - 0.1 * (*d - 1.0));
        }
    }
    let unit = d.iter().sum::<f64>() / judges as f64;
    let mean = s.iter().sum::<f64>() / k as f64;
    let scaled = s.iter().map(|s| (s - mean) * unit).collect();
    (scaled, d.iter().map(|d| d / unit).collect())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 12,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // Judges near chance leave a likelihood so flat that the climber has not arrived.
    #[test]
    fn a_slow_climber_ends_at_the_same_place(
        judges in prop::collection::vec(0.9..1.8f64, 2..5), seed in any::<u64>(),
    ) {
        let rows = five_systems(&judges).simulate(24, seed);
        let found = judge_aware(5, judges.len(), &rows).unwrap();
        prop_assume!(found.scores.estimates.iter().all(|x| x.finite().is_some()));
        let (s, d) = climb_slowly(5, judges.len(), &rows);
        let close = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 2e-3);
        prop_assert!(close(&finite(&found.discriminations), &d), "{found:?} {d:?}");
        prop_assert!(close(&finite(&found.scores.estimates), &s), "{found:?} {s:?}");
    }

    #[test]
    fn judges_who_say_the_same_are_plain_bradley_terry(
        outcomes in prop::collection::vec((0..4usize, 1..4usize, 0..3usize), 1..60), judges in 1..4usize,
    ) {
        let mut rows = Vec::new();
        for (item, (a, step, how)) in (0..).zip(outcomes) {
            let (a, b) = (a as u16, ((a + step) % 4) as u16);
            let comparison = match how {
                0 => Comparison::tied(item, a, b),
                how => Comparison::won(item, a, b, how == 1),
            };
            rows.extend((0..judges as u16).map(|judge| JudgedComparison { judge, comparison }));
        }
        let plain = bradley_terry(&plain_tally(4, &rows)).scores;
        let found = judge_aware(4, judges, &rows).unwrap();
        prop_assert_eq!(&found.scores.ranks, &plain.ranks);
        for (x, y) in found.scores.estimates.iter().zip(&plain.estimates) {
            match (x, y) {
                (Estimate::Finite(x), Estimate::Finite(y)) => prop_assert!((x - y).abs() < 1e-6, "{x} {y}"),
                (x, y) => prop_assert_eq!(x, y),
            }
        }
        for d in finite_or_none(&found.discriminations) {
            prop_assert!((d - 1.0).abs() < 1e-6);
        }
    }
}

/// Holds an interval to a value; None where it has an open end.
fn covers(interval: &evenhand_stats::Interval, value: f64) -> bool {
    let (low, high) = (interval.low.unwrap(), interval.high.unwrap());
    low <= value && value <= high
}

/// 300 panels of three good judges, a poor one and one against the others, 30 items: the intervals
/// of discriminations and strengths hold the truth at the stated rate, and the order is nearer to
/// the truth than that of plain Bradley-Terry.
#[test]
fn panels_with_a_bad_judge() {
    if !is_slow_or_skips("a slow coverage simulation") {
        return;
    }
    let strengths = vec![0.5, 0.35, 0.2, 0.05, -0.1, -0.25, -0.35, -0.4];
    let truth = Truth {
        strengths,
        judges: vec![2.0, 1.7, 1.4, 0.4, -0.5],
    };
    let (panels, k, judges) = (300u64, 8, 5);
    let (mut held, mut held_judges, mut held_plain) = (0, 0, 0);
    let (mut tau, mut tau_plain) = (0.0, 0.0);
    for panel in 0..panels {
        let rows = truth.simulate(30, panel);
        let plan = Bootstrap {
            rounds: 400,
            seed: panel,
            threads: 0,
            ..Bootstrap::default()
        };
        let found = resample_judge_aware(k, judges, &rows, Cluster::Item, &plan).unwrap();
        let data = rows.iter().map(|row| row.comparison).collect();
        let data = evenhand_stats::Comparisons::new(k, data).unwrap();
        let plain = rank_pairs(&data, PairMethod::BradleyTerry, Cluster::Item, &plan).unwrap();
        let ranking = found.systems.ranking();
        for (system, s) in truth.strengths.iter().enumerate() {
            held += u32::from(covers(&ranking.systems[system].interval.unwrap(), *s));
            held_plain += u32::from(covers(&plain.systems[system].interval.unwrap(), *s));
        }
        for (judge, d) in found.judges.iter().zip(&truth.judges) {
            held_judges += u32::from(covers(&judge.interval.unwrap(), *d));
        }
        let strengths = |ranking: &evenhand_stats::Ranking| {
            let all: Vec<_> = ranking.systems.iter().map(|s| s.estimate).collect();
            finite(&all)
        };
        tau += kendall_tau_b(&strengths(&ranking), &truth.strengths).unwrap();
        tau_plain += kendall_tau_b(&strengths(&plain), &truth.strengths).unwrap();
    }
    let share = |held: u32, of: usize| f64::from(held) / (panels as f64 * of as f64);
    let (s, d, plain) = (
        share(held, k),
        share(held_judges, judges),
        share(held_plain, k),
    );
    let (tau, tau_plain) = (tau / panels as f64, tau_plain / panels as f64);
    eprintln!(
        "coverage of strengths {s:.4}, of discriminations {d:.4}, of plain strengths {plain:.4}; Kendall tau {tau:.4}, plain {tau_plain:.4}"
    );
    assert!((0.92..0.975).contains(&s) && (0.92..0.975).contains(&d));
    assert!(tau > tau_plain + 0.005);
}
