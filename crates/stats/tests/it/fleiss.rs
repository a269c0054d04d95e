//! Fleiss' kappa: the interval holds the kappa of the population, in simulations of verdicts on
//! translations.

use crate::common::uniforms;
use evenhand_stats::{RatedSubject, fleiss_kappa};
use evenhand_testing::is_slow;

/// Verdicts (first, tie, second) of so many languages on `pairs` pairs of each question: the
/// question has a tendency, each pair an own verdict, and a language says that one with the chance
/// `keeps`, else one of the three at random.
fn subjects(
    seed: u64,
    questions: usize,
    pairs: usize,
    languages: usize,
    keeps: f64,
) -> Vec<RatedSubject> {
    let mut draws = uniforms(seed, 0);
    let mut next = || draws.next().unwrap();
    let mut all = Vec::new();
    for question in 0..questions {
        let tendency = (3.0 * next()) as usize;
        for _ in 0..pairs {
            let own = if next() < 0.5 {
                tendency
            } else {
                (3.0 * next()) as usize
            };
            let mut counts = vec![0; 3];
            for _ in 0..languages {
                let said = if next() < keeps {
                    own
                } else {
                    (3.0 * next()) as usize
                };
                counts[said] += 1;
            }
            all.push(RatedSubject {
                cluster: question as u32,
                counts,
            });
        }
    }
    all
}

#[test]
fn the_interval_holds_kappa() {
    let seeds = if is_slow() { 2000 } else { 200 };
    for (questions, pairs, languages, keeps) in [
        (20, 1, 2, 0.5),
        (20, 1, 5, 0.8),
        (20, 3, 4, 0.5),
        (50, 1, 3, 0.3),
        (100, 3, 5, 0.8),
        (400, 1, 4, 0.5),
        (20, 6, 5, 0.0),
    ] {
        // Of two languages both say the pair's own verdict with the chance keeps², else they agree
        // in a third of cases; every verdict is as likely.
        let agreement = keeps * keeps + (1.0 - keeps * keeps) / 3.0;
        let truth = (agreement - 1.0 / 3.0) / (2.0 / 3.0);
        let mut held = 0;
        for seed in 0..seeds {
            let found =
                fleiss_kappa(&subjects(seed, questions, pairs, languages, keeps), 0.95).unwrap();
            held += match found.interval {
                Ok(ends) => u64::from(ends.low.unwrap() <= truth && truth <= ends.high.unwrap()),
                // Perfect agreement: no interval, and no claim.
                Err(_) => 1,
            };
        }
        let share = held as f64 / seeds as f64;
        let error = (0.95 * 0.05 / seeds as f64).sqrt();
        eprintln!(
            "{questions} questions, {pairs} pairs, {languages} languages, kappa {truth:.2}: {share:.4} ({error:.4})"
        );
        assert!(
            share > 0.95 - 3.0 * error - 0.012,
            "{questions} {pairs} {languages} {keeps}: {share}"
        );
    }
}

/// Languages that answer independently, most of them that the first is better: kappa is 0, and few
/// verdicts say so. Questions may have unlike numbers of pairs.
#[test]
fn the_interval_holds_where_a_verdict_is_rare() {
    let seeds = if is_slow() { 2000 } else { 200 };
    let even = |count: usize, pairs: usize| vec![pairs; count];
    let uneven = [vec![1; 60], vec![40; 3]].concat();
    for (sizes, languages, rare) in [
        (even(20, 1), 3, 0.05),
        (even(40, 1), 3, 0.05),
        (even(100, 1), 2, 0.05),
        (even(100, 1), 3, 0.02),
        (even(40, 1), 5, 0.2),
        (uneven, 3, 0.1),
    ] {
        let (mut held, mut drawn) = (0, 0);
        for seed in 0..seeds {
            let mut draws = uniforms(seed, 1);
            let mut all = Vec::new();
            for (question, pairs) in sizes.iter().enumerate() {
                for _ in 0..*pairs {
                    let mut counts = vec![0; 3];
                    for _ in 0..languages {
                        counts[2 * usize::from(draws.next().unwrap() < rare)] += 1;
                    }
                    all.push(RatedSubject {
                        cluster: question as u32,
                        counts,
                    });
                }
            }
            // One verdict alone says nothing of chance.
            let Ok(found) = fleiss_kappa(&all, 0.95) else {
                continue;
            };
            drawn += 1;
            held += match found.interval {
                Ok(ends) => u64::from(ends.low.unwrap() <= 0.0 && 0.0 <= ends.high.unwrap()),
                Err(_) => 1,
            };
        }
        let share = held as f64 / drawn as f64;
        let error = (0.95 * 0.05 / drawn as f64).sqrt();
        eprintln!(
            "{} questions, {languages} languages, {rare}: {share:.4} ({error:.4})",
            sizes.len()
        );
        assert!(
            share > 0.95 - 3.0 * error - 0.012,
            "{} {languages} {rare}: {share}",
            sizes.len()
        );
    }
}
