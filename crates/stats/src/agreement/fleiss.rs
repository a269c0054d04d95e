//! Fleiss' kappa: agreement beyond chance of raters who are any of many.

use super::beyond_chance::{ClusterPart, beyond_chance};
use crate::checks::{check_level, check_number};
use crate::index::number_values;
use crate::{Error, Interval, Undefined, mean_value};

/// What the raters of one subject said.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedSubject {
    /// What the subject belongs to, such as its question: subjects of one cluster are not
    /// independent.
    pub cluster: u32,
    /// How many raters put it in each category; as many categories for all subjects.
    pub counts: Vec<u32>,
}

/// Fleiss' kappa with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FleissKappa {
    /// Kappa, at most 1; 0 is what chance gives.
    pub value: f64,
    /// Its interval; or why there is none.
    pub interval: Result<Interval, Undefined>,
    /// Subjects with two raters or more.
    pub subjects: usize,
}

/// Fleiss' kappa (Fleiss 1971): with P the mean over subjects of the share of pairs of raters that
/// agree, and Q the chance that two ratings drawn from all agree, (P - Q) / (1 - Q). Subjects may
/// have unlike numbers of raters; those with fewer than two do not count.
///
/// The interval is that of a share of disagreements over clusters, as for the other kappas
/// (docs/design/statistics.md): a jackknife missed in 0.49 of draws where one verdict in twenty is
/// another than the usual one.
///
/// # Errors
/// A bad level; subjects with unlike numbers of categories; no subject with two ratings
/// ([`Undefined::NoPairedRatings`]); one category alone ([`Undefined::CertainByChance`]).
pub fn fleiss_kappa(subjects: &[RatedSubject], level: f64) -> Result<FleissKappa, Error> {
    check_level(level)?;
    let rated: Vec<&RatedSubject> = subjects
        .iter()
        .filter(|subject| subject.counts.iter().sum::<u32>() > 1)
        .collect();
    let categories = rated.first().map_or(0, |subject| subject.counts.len());
    for (row, subject) in rated.iter().enumerate() {
        crate::checks::check_lengths(categories, subject.counts.len())?;
        check_number(row, "counts", f64::from(subject.counts.iter().sum::<u32>()))?;
    }
    if rated.is_empty() {
        return Err(Undefined::NoPairedRatings.into());
    }
    let names: Vec<u32> = rated.iter().map(|subject| subject.cluster).collect();
    let (clusters, numbers) = number_values(&names);
    let mut ratings = vec![0.0; categories];
    for subject in &rated {
        for (total, count) in ratings.iter_mut().zip(&subject.counts) {
            *total += f64::from(*count);
        }
    }
    let all: f64 = ratings.iter().sum();
    let shares: Vec<f64> = ratings.iter().map(|count| count / all).collect();
    let by_chance = 1.0 - shares.iter().map(|share| share * share).sum::<f64>();
    if by_chance <= 1e-12 {
        return Err(Undefined::CertainByChance.into());
    }
    let n = rated.len() as f64;
    let mut pairs = 0.0;
    let mut parts = vec![ClusterPart::default(); clusters];
    for (subject, cluster) in rated.iter().zip(numbers) {
        let raters: u32 = subject.counts.iter().sum();
        pairs += f64::from(raters) * f64::from(raters - 1) / 2.0;
        let part = &mut parts[cluster];
        part.observed += 1.0 - agreement(&subject.counts);
        part.most += 1.0;
        // Ratings of a kind that is rare make two that are drawn from all disagree more often.
        let moved = subject
            .counts
            .iter()
            .zip(&shares)
            .map(|(count, share)| share * (f64::from(*count) - share * f64::from(raters)));
        part.by_chance += by_chance - 2.0 * n / all * moved.sum::<f64>();
    }
    let observed: f64 = parts.iter().map(|part| part.observed).sum();
    let value = 1.0 - observed / (n * by_chance);
    Ok(FleissKappa {
        value,
        interval: beyond_chance(value, &parts, n * by_chance, pairs, level),
        subjects: rated.len(),
    })
}

/// The mean over subjects with two raters or more of the share of pairs of raters that agree; None
/// without such a subject. It is defined where kappa is not, as where all ratings are alike.
pub fn rated_agreement(subjects: &[RatedSubject]) -> Option<f64> {
    let rated = subjects
        .iter()
        .filter(|subject| subject.counts.iter().sum::<u32>() > 1);
    let shares: Vec<f64> = rated.map(|subject| agreement(&subject.counts)).collect();
    mean_value(&shares)
}

/// The share of pairs of raters that agree on a subject, which has two raters or more.
fn agreement(counts: &[u32]) -> f64 {
    let raters: f64 = counts.iter().map(|count| f64::from(*count)).sum();
    let agreeing = counts
        .iter()
        .map(|count| f64::from(*count) * (f64::from(*count) - 1.0));
    agreeing.sum::<f64>() / (raters * (raters - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(cluster: u32, counts: &[u32]) -> RatedSubject {
        RatedSubject {
            cluster,
            counts: counts.to_vec(),
        }
    }

    /// The example of Fleiss 1971 as Wikipedia has it: ten subjects, fourteen raters, five
    /// categories; P 0.378, Q 0.213, kappa 0.210.
    #[test]
    fn the_published_example() {
        let table = [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ];
        let rows = (0..).zip(table).map(|(at, counts)| subject(at, &counts));
        let rows: Vec<RatedSubject> = rows.collect();
        let found = fleiss_kappa(&rows, 0.95).unwrap();
        assert!((found.value - 0.210).abs() < 5e-4, "{found:?}");
        let agreement = rated_agreement(&rows).unwrap();
        assert!((agreement - 0.378).abs() < 5e-4, "{agreement}");
        let ends = found.interval.unwrap();
        assert!(ends.low.unwrap() < 0.21 && ends.high.unwrap() > 0.21);
    }

    #[test]
    fn what_is_undefined_says_why() {
        let of = |rows: &[RatedSubject]| fleiss_kappa(rows, 0.95);
        assert_eq!(of(&[]), Err(Undefined::NoPairedRatings.into()));
        assert_eq!(
            of(&[subject(0, &[1, 0])]),
            Err(Undefined::NoPairedRatings.into())
        );
        let alike = [subject(0, &[2, 0]), subject(1, &[3, 0])];
        assert_eq!(of(&alike), Err(Undefined::CertainByChance.into()));
        assert_eq!(rated_agreement(&alike), Some(1.0));
        assert_eq!(rated_agreement(&[subject(0, &[1, 0])]), None);
        let agreed = of(&[
            subject(0, &[2, 0]),
            subject(1, &[0, 2]),
            subject(2, &[0, 3]),
            subject(3, &[3, 0]),
        ])
        .unwrap();
        // Of so few subjects that agree, more might not.
        assert_eq!(agreed.value, 1.0);
        let ends = agreed.interval.unwrap();
        assert!(
            ends.low.unwrap() < 0.5 && ends.high == Some(1.0),
            "{ends:?}"
        );
        let one = of(&[subject(0, &[2, 1]), subject(0, &[1, 2])]).unwrap();
        assert_eq!(one.interval, Err(Undefined::TooFewClusters { clusters: 1 }));
        assert!(of(&[subject(0, &[2, 0]), subject(1, &[0, 2, 1])]).is_err());
        assert!(fleiss_kappa(&[subject(0, &[2, 0])], 1.0).is_err());
    }
}
