//! The bootstrap of groups and, in each, of its units (Davison and Hinkley 1997, section 3.8).

use super::draws::draw_below;
use super::{Bootstrap, ROUNDING, round_generator, run_rounds};
use crate::checks::check_rows;
use crate::special::student_quantile;
use crate::{Error, Undefined};
use rand_chacha::ChaCha8Rng;

/// A group as it was drawn once in a round.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnGroup {
    /// Which group, by its place.
    pub group: usize,
    /// How often each of its units was drawn, whole numbers that add up to the number of units.
    pub weights: Vec<f64>,
}

/// Returns the two ends of an interval of `point`, a statistic of groups of units, for groups of
/// that kind: labelled sets, say, with their questions. `sizes` has each group's number of units.
///
/// `statistic` is computed on each round: as many groups drawn with replacement as there are, and
/// in each as many of its units. It must be a function of that alone; then the ends are the same
/// for every number of threads. A round that holds one group alone is drawn again, so that a
/// statistic may ask what a group has in common with others.
///
/// The ends are t standard deviations of the rounds to either side of the point, t of k - 1 degrees
/// of freedom for k groups, after two corrections for few groups. Groups drawn from k vary by
/// (k - 1) / k of what groups vary by; and of a mean of drawn groups, rounds that are drawn again
/// take 1 - (1 - k^(2 - k)) / (1 - k^(1 - k)) of the variance, a quarter where k is 3. Both are
/// exact where groups alone vary, and too wide where units do. Rounds need not be centred on the
/// point, as those of a choice that is made anew are not.
///
/// # Errors
/// [`Undefined::TooFewClusters`] below 2 groups; [`Undefined::SameInRounds`] where no round differs
/// from another, as with the means of 2 groups; a level, a number of rounds or units, or threads
/// that cannot be used.
pub fn group_interval<F>(
    sizes: &[usize],
    plan: &Bootstrap,
    point: f64,
    statistic: F,
) -> Result<[f64; 2], Error>
where
    F: Fn(&[DrawnGroup]) -> f64 + Sync,
{
    for &size in sizes {
        check_rows(size)?;
    }
    check_rows(sizes.len())?;
    let rounds = run_rounds(
        sizes.len(),
        plan,
        || (),
        |(), number| {
            let mut words = round_generator(plan.seed, number);
            statistic(&draw_groups(&mut words, sizes))
        },
    )?;
    let count = rounds.len() as f64;
    let mean = rounds.iter().sum::<f64>() / count;
    let squares: f64 = rounds.iter().map(|round| (round - mean).powi(2)).sum();
    let variance = squares / (count - 1.0);
    if !variance.is_finite() {
        return Err(Undefined::NoData.into());
    }
    let groups = sizes.len() as f64;
    let kept = (1.0 - groups.powf(2.0 - groups)) / (1.0 - groups.powf(1.0 - groups));
    if variance.sqrt() <= ROUNDING || kept <= 0.0 {
        return Err(Undefined::SameInRounds.into());
    }
    let error = (variance / kept * groups / (groups - 1.0)).sqrt();
    let reach = student_quantile(0.5 + plan.level / 2.0, groups - 1.0) * error;
    Ok([point - reach, point + reach])
}

/// Draws groups, at least two of them different ones, and then the units of each. There must be two
/// groups.
fn draw_groups(words: &mut ChaCha8Rng, sizes: &[usize]) -> Vec<DrawnGroup> {
    let groups = loop {
        let draw = || draw_below(words, sizes.len() as u32) as usize;
        let groups: Vec<usize> = std::iter::repeat_with(draw).take(sizes.len()).collect();
        if groups.iter().any(|group| *group != groups[0]) {
            break groups;
        }
    };
    let drawn = groups.into_iter().map(|group| {
        let mut weights = vec![0.0; sizes[group]];
        for _ in 0..sizes[group] {
            weights[draw_below(words, sizes[group] as u32) as usize] += 1.0;
        }
        DrawnGroup { group, weights }
    });
    drawn.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rounds: usize, threads: usize) -> Bootstrap {
        Bootstrap {
            rounds,
            threads,
            seed: 3,
            ..Bootstrap::default()
        }
    }

    #[test]
    fn a_round_has_two_groups_and_all_units_of_each_are_drawn_from() {
        let sizes = [4, 0, 9];
        for number in 0..200 {
            let drawn = draw_groups(&mut round_generator(1, number), &sizes);
            assert_eq!(drawn.len(), sizes.len());
            assert!(drawn.iter().any(|one| one.group != drawn[0].group));
            for one in drawn {
                assert_eq!(one.weights.len(), sizes[one.group]);
                assert_eq!(one.weights.iter().sum::<f64>(), sizes[one.group] as f64);
            }
        }
    }

    /// Means of k groups whose units are all alike: the interval is Student's of the k values.
    #[test]
    fn groups_without_units_of_their_own_have_students_interval_of_their_mean() {
        let all = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        for (k, t) in [(3, 4.3027), (4, 3.1824), (8, 2.3646)] {
            let values = &all[..k];
            let mean = values.iter().sum::<f64>() / k as f64;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            let reach = t * (squares / ((k - 1) * k) as f64).sqrt();
            let of_drawn = |drawn: &[DrawnGroup]| {
                drawn.iter().map(|one| values[one.group]).sum::<f64>() / drawn.len() as f64
            };
            let of = |threads| {
                group_interval(&vec![1; k], &plan(20_000, threads), mean, of_drawn).unwrap()
            };
            let [low, high] = of(1);
            // The standard error of a standard deviation of 20,000 rounds is 0.5 %.
            assert!(((high - mean) / reach - 1.0).abs() < 0.025, "{k}");
            assert!(((mean - low) / reach - 1.0).abs() < 0.025, "{k}");
            assert_eq!([low, high], of(3));
        }
    }

    #[test]
    fn what_has_no_interval_is_said() {
        let of = |sizes: &[usize], plan: Bootstrap, value: f64| {
            group_interval(sizes, &plan, 0.5, |_| value)
        };
        for groups in [0, 1] {
            let found = of(&vec![5; groups], plan(9, 1), 0.5);
            assert_eq!(
                found,
                Err(Undefined::TooFewClusters { clusters: groups }.into())
            );
        }
        assert!(matches!(
            of(&[5, 5], plan(1, 1), 0.5),
            Err(Error::Rounds { rounds: 1, .. })
        ));
        assert_eq!(
            of(&[5, 5], plan(9, 1), f64::NAN),
            Err(Undefined::NoData.into())
        );
        let same = Err(Undefined::SameInRounds.into());
        assert_eq!(of(&[5, 5, 5], plan(9, 1), 0.5), same);
        // Two groups are both in every round that is kept.
        let mean = |drawn: &[DrawnGroup]| drawn.iter().map(|one| one.group).sum::<usize>() as f64;
        assert_eq!(group_interval(&[5, 5], &plan(9, 1), 1.0, mean), same);
    }
}
