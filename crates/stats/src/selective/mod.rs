//! Which of a judge's verdicts can be accepted so that few of them are wrong, with a guarantee.

use crate::checks::{check_level, check_probability, check_share};
use crate::index::number_values;
use crate::{Error, Undefined, clustered_share};
use statrs::distribution::{Binomial, DiscreteCDF};

/// A verdict whose truth is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownVerdict {
    /// How sure the judge was, in [0, 1].
    pub confidence: f64,
    /// Whether it was wrong.
    pub wrong: bool,
    /// Numbers its question: verdicts on one question are drawn together.
    pub cluster: u32,
}

/// A threshold that keeps the promise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AcceptThreshold {
    /// Verdicts of this confidence or more are accepted.
    pub confidence: f64,
    /// How many of the known verdicts are.
    pub accepted: u64,
    /// How many of those are wrong.
    pub wrong: u64,
}

/// Steps into which confidences are divided.
const STEPS: u32 = 100;

/// The shares of the known verdicts at which a sequence of tests begins: one that begins with few
/// verdicts ends at the first wrong one.
const STARTS: [f64; 4] = [0.125, 0.25, 0.5, 1.0];

/// Finds the lowest confidence from which verdicts can be accepted so that, with probability
/// `certainty`, at most a share `error` of all such verdicts is wrong; None where no confidence
/// keeps that promise.
///
/// Multi-start fixed-sequence testing (Angelopoulos et al. 2021, "Learn then Test", section 3.2;
/// Bauer 1991; as Jung, Brahman and Choi 2024, "Trust or Escalate: LLM Judges with Provable
/// Guarantees for Human Agreement", section 2, with one start): thresholds 1.00, 0.99, .. are
/// tested from the strictest down, each by the exact binomial p-value of so few wrong verdicts if
/// the share were `error`, until the first that is not significant. A sequence begins where an
/// eighth, a quarter, half or all of the verdicts are accepted, which depends on confidences alone;
/// each tests at a quarter of 1 - `certainty`, and the lowest threshold that any of them certifies
/// is taken. The promise is for verdicts that are drawn as the known ones were, question by
/// question.
/// Where some question has several of the accepted verdicts, these may be wrong together, and the
/// upper end of [`clustered_share`] at the same one-sided level must keep the promise as well.
///
/// # Errors
/// An `error` or `certainty` that is not strictly between 0 and 1; a confidence that is no number
/// from 0 to 1; no verdicts.
pub fn accept_threshold(
    known: &[KnownVerdict],
    error: f64,
    certainty: f64,
) -> Result<Option<AcceptThreshold>, Error> {
    check_share("error", error)?;
    check_level(certainty)?;
    if known.is_empty() {
        return Err(Undefined::NoData.into());
    }
    for (row, verdict) in known.iter().enumerate() {
        check_probability(row, "confidence", verdict.confidence)?;
    }
    let mut surest = known.to_vec();
    surest.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let thresholds: Vec<AcceptThreshold> = thresholds(&surest).collect();
    let level = (1.0 - certainty) / STARTS.len() as f64;
    let clusters: Vec<u32> = surest.iter().map(|verdict| verdict.cluster).collect();
    let (questions, places) = number_values(&clusters);
    // Of each question how many of the accepted verdicts are wrong, and how many there are.
    let mut sums = vec![(0.0, 0.0); questions];
    let mut counted = 0;
    let mut certified = Vec::with_capacity(thresholds.len());
    for one in &thresholds {
        let accepted = one.accepted as usize;
        let more = surest[counted..accepted].iter();
        for (verdict, place) in more.zip(&places[counted..accepted]) {
            let (wrong, count) = &mut sums[*place];
            *wrong += f64::from(u8::from(verdict.wrong));
            *count += 1.0;
        }
        counted = accepted;
        certified.push(p_value(one, error) <= level && is_kept_by_questions(&sums, error, level));
    }
    let sequences = STARTS.iter().filter_map(|share| {
        let least = (share * known.len() as f64).ceil() as u64;
        // From the threshold that accepts so many downwards, as long as each is certified.
        let begins = thresholds.iter().zip(&certified);
        let begins = begins.filter(|(one, _)| one.accepted >= least.max(1));
        let certified = begins.take_while(|(_, certified)| **certified);
        certified.last().map(|(one, _)| *one)
    });
    Ok(sequences.min_by(|a, b| a.confidence.total_cmp(&b.confidence)))
}

/// Returns what each threshold accepts of verdicts that are sorted, the surest first; from the
/// strictest threshold down.
fn thresholds(sorted: &[KnownVerdict]) -> impl Iterator<Item = AcceptThreshold> {
    let (mut accepted, mut wrong) = (0, 0);
    (0..=STEPS).rev().map(move |step| {
        let confidence = f64::from(step) / f64::from(STEPS);
        while let Some(next) = sorted
            .get(accepted)
            .filter(|one| one.confidence >= confidence)
        {
            wrong += u64::from(next.wrong);
            accepted += 1;
        }
        AcceptThreshold {
            confidence,
            accepted: accepted as u64,
            wrong,
        }
    })
}

/// Whether the share of wrong verdicts is at most `error` by questions too, each (wrong, all), at
/// this one-sided level; true where no question has several verdicts.
fn is_kept_by_questions(questions: &[(f64, f64)], error: f64, level: f64) -> bool {
    if questions.iter().all(|(_, count)| *count <= 1.0) {
        return true;
    }
    let found = clustered_share(questions, 1.0 - 2.0 * level);
    let ends = found.ok().and_then(|found| found.interval.ok());
    ends.is_some_and(|[_, high]| high <= error)
}

/// The chance of so few wrong verdicts, or fewer, if a share `error` of them were.
fn p_value(threshold: &AcceptThreshold, error: f64) -> f64 {
    let wrong = Binomial::new(error, threshold.accepted);
    wrong.map_or(1.0, |binomial| binomial.cdf(threshold.wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(state: &mut u64) -> f64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (*state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A judge whose verdicts are wrong in (1 - confidence) / 2 of the cases.
    fn judge(state: &mut u64, count: u32) -> Vec<KnownVerdict> {
        let mut one = |cluster| {
            let confidence = draw(state);
            let wrong = draw(state) < (1.0 - confidence) / 2.0;
            KnownVerdict {
                confidence,
                wrong,
                cluster,
            }
        };
        (0..count).map(&mut one).collect()
    }

    /// So many verdicts on questions of their own, all of this confidence.
    fn alike(count: u32, confidence: f64, wrong: impl Fn(u32) -> bool) -> Vec<KnownVerdict> {
        let one = |cluster| KnownVerdict {
            confidence,
            wrong: wrong(cluster),
            cluster,
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn the_promise_is_kept_as_often_as_it_says() {
        let mut state = 11;
        let (mut broken, mut found) = (0, 0);
        for _ in 0..500 {
            let known = judge(&mut state, 1500);
            let Some(threshold) = accept_threshold(&known, 0.1, 0.9).unwrap() else {
                continue;
            };
            found += 1;
            // The true share of wrong verdicts from c up is the mean of (1 - x) / 2 over [c, 1].
            broken += usize::from((1.0 - threshold.confidence) / 4.0 > 0.1);
        }
        assert!(found > 450, "{found}");
        assert!(
            broken as f64 <= 0.1 * 500.0 + 4.0 * (500.0_f64 * 0.09).sqrt(),
            "{broken}"
        );
    }

    #[test]
    fn a_judge_who_is_never_wrong_is_accepted_whole() {
        let known = alike(50, 0.2, |_| false);
        let found = accept_threshold(&known, 0.1, 0.9).unwrap().unwrap();
        assert_eq!(
            (found.confidence, found.accepted, found.wrong),
            (0.0, 50, 0)
        );
    }

    #[test]
    fn too_few_verdicts_and_bad_judges_promise_nothing() {
        // 0.9^35 = 0.0250, 0.9^36 = 0.0225, and each start has 0.1 / 4: 36 are needed.
        let of = |known: &[KnownVerdict]| accept_threshold(known, 0.1, 0.9).unwrap();
        assert_eq!(of(&alike(35, 1.0, |_| false)), None);
        assert!(of(&alike(36, 1.0, |_| false)).is_some());
        assert_eq!(of(&alike(100, 1.0, |at| at.is_multiple_of(2))), None);
    }

    /// Three pairs of a question that stand and fall together are worth about one, and more than
    /// one where they do not; a promise of one question is none.
    #[test]
    fn verdicts_of_one_question_are_not_taken_for_independent() {
        let of = |known: &[KnownVerdict]| accept_threshold(known, 0.1, 0.9).unwrap();
        let thrice = |mut known: Vec<KnownVerdict>| {
            for one in &mut known {
                one.cluster /= 3;
            }
            known
        };
        // 18 of 300 are wrong: six questions of 100.
        let together = |at: u32| (at / 3).is_multiple_of(16) && at < 288;
        assert!(of(&alike(300, 1.0, together)).is_some());
        assert_eq!(of(&thrice(alike(300, 1.0, together))), None);
        // 15, each in another question.
        let apart = |at: u32| at.is_multiple_of(20);
        assert!(of(&thrice(alike(300, 1.0, apart))).is_some());
        let mut alone = alike(300, 1.0, |_| false);
        alone.iter_mut().for_each(|one| one.cluster = 0);
        assert_eq!(of(&alone), None);
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let one = KnownVerdict {
            confidence: 1.5,
            wrong: false,
            cluster: 0,
        };
        assert!(accept_threshold(&[one], 0.1, 0.9).is_err());
        assert!(accept_threshold(&[], 0.1, 0.9).is_err());
        assert!(
            accept_threshold(
                &[KnownVerdict {
                    confidence: 1.0,
                    ..one
                }],
                0.0,
                0.9
            )
            .is_err()
        );
        assert!(
            accept_threshold(
                &[KnownVerdict {
                    confidence: 1.0,
                    ..one
                }],
                0.1,
                1.0
            )
            .is_err()
        );
    }
}
