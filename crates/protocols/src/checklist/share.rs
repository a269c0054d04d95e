//! The weighted share of criteria that are met.

use crate::ask::invalid;
use crate::verdicts::mean;
use evenhand_core::{Failure, JudgedCriterion, Outcome, Verdict};

/// Returns the sum of the weights of the criteria that are met (for probabilities, of each weight
/// times the probability) over the sum of the weights above 0. Faults take away, so it may be below
/// 0 and is not clipped there. A criterion that could not be read has no place in either sum: the
/// judgment fails, and the others are no stand-in for it.
pub(super) fn weigh_outcomes(
    criteria: &[JudgedCriterion],
    outcomes: &[Outcome],
) -> Result<Verdict, Failure> {
    let verdicts: Result<Vec<Verdict>, Failure> = outcomes.iter().cloned().collect();
    let verdicts = verdicts.map_err(|first| describe_unread(outcomes, &first))?;
    let mean = mean(&verdicts).ok_or_else(|| invalid("there are no criteria"))?;
    let met = verdicts.iter().map(|verdict| match verdict {
        Verdict::Pointwise { score, .. } => *score,
        _ => 0.0,
    });
    let weights = criteria.iter().map(|judged| judged.criterion.weight);
    let weighed: f64 = weights
        .clone()
        .zip(met)
        .map(|(weight, met)| weight * met)
        .sum();
    let above_zero: f64 = weights.filter(|weight| *weight > 0.0).sum();
    Ok(Verdict::Pointwise {
        score: weighed / above_zero,
        distribution: Vec::new(),
        outside: mean.outside(),
        source: mean.source(),
    })
}

/// Describes the failure of a judgment some of whose criteria could not be read: of the kind of the
/// first.
fn describe_unread(outcomes: &[Outcome], first: &Failure) -> Failure {
    let mut unread = Vec::new();
    for (number, outcome) in (1..).zip(outcomes) {
        if let Err(failure) = outcome {
            unread.push(format!("{number} ({})", failure.kind));
        }
    }
    let detail = format!(
        "{} of {} criteria could not be read: {}; {}",
        unread.len(),
        outcomes.len(),
        unread.join(", "),
        first.detail
    );
    Failure::new(first.kind, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{Criterion, FailureKind, VerdictSource};

    fn criterion((at, weight): (usize, &f64)) -> JudgedCriterion {
        JudgedCriterion {
            number: at as u32 + 1,
            criterion: Criterion {
                weight: *weight,
                ..Criterion::new("c")
            },
            model_written: false,
        }
    }

    fn met(share: f64) -> Outcome {
        Ok(Verdict::Pointwise {
            score: share,
            distribution: Vec::new(),
            outside: 0.0,
            source: VerdictSource::Text,
        })
    }

    fn weigh(weights: &[f64], outcomes: &[Outcome]) -> Result<f64, Failure> {
        let criteria: Vec<_> = weights.iter().enumerate().map(criterion).collect();
        weigh_outcomes(&criteria, outcomes).map(|verdict| match verdict {
            Verdict::Pointwise { score, .. } => score,
            _ => f64::NAN,
        })
    }

    #[test]
    fn the_share_is_of_the_weights_above_zero() {
        let [yes, no] = [1.0, 0.0].map(met);
        let both = [yes.clone(), no.clone()];
        assert_eq!(weigh(&[3.0, 1.0], &both), Ok(0.75));
        // A fault takes away where it is met, and adds nothing to what can be had.
        assert_eq!(weigh(&[-2.0, 4.0], &both), Ok(-0.5));
        assert_eq!(weigh(&[4.0, -2.0], &both), Ok(1.0));
        assert_eq!(weigh(&[4.0, -2.0], &[yes.clone(), yes]), Ok(0.5));
        assert_eq!(weigh(&[1.0, 3.0], &[met(0.5), met(0.75)]), Ok(2.75 / 4.0));
    }

    #[test]
    fn an_unread_criterion_leaves_no_score() {
        let unread = Err(Failure::new(FailureKind::Unparsed, "it says \"perhaps\""));
        let cut = Err(Failure::new(FailureKind::Truncated, "cut"));
        let failure = weigh(&[1.0, 1.0, 1.0], &[met(1.0), unread, cut]).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unparsed);
        assert_eq!(
            failure.detail,
            "2 of 3 criteria could not be read: 2 (unparsed), 3 (truncated); it says \"perhaps\""
        );
    }
}
