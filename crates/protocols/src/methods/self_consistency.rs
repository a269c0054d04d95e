//! Self-consistency: the side that most samples of the judge's reasoning come to, and no verdict
//! where too few of them agree.

use super::{
    Calibration, Cost, Method, Presentation, no_sample, parse_count, reject_lists,
    reject_one_in_view, reject_unasked,
};
use crate::ask::{Ask, VerdictOrStop, settled};
use crate::form::Form;
use crate::look::{Looker, Seen};
use crate::orders::outcome_of;
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use crate::verdicts::{count_side, majority};
use evenhand_core::{Failure, FailureKind, Outcome, Side, Verdict};
use std::fmt;

pub(super) const METHOD: Method = Method {
    names: &[(
        "self-consistency:K",
        "the side that most of K samples of the judge's reasoning prefer; with a share, as in \
         self-consistency:5,0.8, no verdict where fewer of them agree",
    )],
    options: "self-consistency takes the share of samples that must agree, from 0.5 to 1, as in \
              self-consistency:5,0.8",
    source: "Wang et al. 2023 (arXiv:2203.11171); abstention as in Jung et al. 2024, Trust or \
             Escalate (arXiv:2407.18370), with samples in place of simulated annotators",
    prompts: &[],
    shows_parts: false,
    parse,
};

#[derive(Debug)]
struct SelfConsistency {
    /// Samples, 1 or more.
    k: u32,
    /// The share of samples that must agree, in [0.5, 1]; None where a majority decides.
    agreement: Option<f64>,
}

fn parse(name: &str, options: &[&str]) -> Option<Box<dyn Calibration>> {
    let (count, share) = match (name, options) {
        ("self-consistency", [] | [_]) => (options, None),
        ("self-consistency", [_, share]) => (&options[..1], Some(share.parse().ok()?)),
        _ => return None,
    };
    let k = parse_count(count, 1)?;
    let has_meaning = share.is_none_or(|share| (0.5..=1.0).contains(&share));
    let method = SelfConsistency {
        k,
        agreement: share,
    };
    has_meaning.then(|| Box::new(method) as Box<dyn Calibration>)
}

impl Calibration for SelfConsistency {
    fn presentation(&self) -> Presentation {
        Presentation::Drawn
    }

    fn cost(&self) -> Cost {
        Cost::one_round(self.k, self.k)
    }

    fn reject(&self, form: Form, reasoning: Reasoning) -> Option<&'static str> {
        let reasons = reasoning.is_written();
        reject_unasked(form)
            .or_else(|| reject_one_in_view(form))
            .or_else(|| reject_lists(form))
            .or((!reasons).then_some(
                "self-consistency takes the majority of samples of the judge's reasoning, but \
                 direct writes none; use cot, pros-cons, prepair or prepair-star",
            ))
    }

    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop {
        let samples = (0..self.k).map(|sample| looker.look(scene, &ask.sample(sample, self.k)));
        let samples = settled(samples)?;
        for (sample, seen) in samples.iter().enumerate() {
            ask.note("", sample as u32, scene.reversed, outcome_of(seen));
        }
        Ok(self.decide(&samples)?)
    }
}

impl SelfConsistency {
    /// Takes the majority of the samples that came to a verdict. A sample that failed agrees with
    /// none; where all failed, the first failure stands.
    fn decide(&self, samples: &[Result<Seen, Failure>]) -> Outcome {
        let seen = samples.iter().flatten();
        let verdicts: Vec<Verdict> = seen.map(|seen| seen.verdict.clone()).collect();
        let majority = majority(&verdicts).ok_or_else(|| {
            let failure = samples.iter().find_map(|sample| sample.as_ref().err());
            failure.cloned().unwrap_or_else(no_sample)
        })?;
        let sides = [Side::First, Side::Tie, Side::Second];
        let counts = sides.map(|side| count_side(&verdicts, side));
        let agreeing = counts.into_iter().max().unwrap_or(0);
        let share = agreeing as f64 / f64::from(self.k);
        if self.agreement.is_some_and(|wanted| share < wanted) {
            let why = format!("only {agreeing} of {} samples agree", self.k);
            return Err(Failure::new(FailureKind::Inconsistent, why));
        }
        Ok(majority)
    }
}

impl fmt::Display for SelfConsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "self-consistency:{}", self.k)?;
        match self.agreement {
            Some(share) => write!(f, ",{share}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::VerdictSource;

    fn sample(side: Option<Side>) -> Result<Seen, Failure> {
        let preference = match side {
            Some(Side::First) => [1.0, 0.0, 0.0],
            Some(Side::Tie) => [0.0, 1.0, 0.0],
            Some(Side::Second) => [0.0, 0.0, 1.0],
            None => return Err(Failure::new(FailureKind::Unparsed, "no verdict")),
        };
        Ok(Seen {
            verdict: Verdict::pair(preference, 0.0, VerdictSource::Text),
            text: String::new(),
        })
    }

    fn decide(agreement: Option<f64>, sides: &[Option<Side>]) -> Result<[f64; 3], FailureKind> {
        let samples: Vec<_> = sides.iter().map(|side| sample(*side)).collect();
        let method = SelfConsistency {
            k: sides.len() as u32,
            agreement,
        };
        match method.decide(&samples) {
            Ok(verdict) => Ok(verdict.preference().unwrap()),
            Err(failure) => Err(failure.kind),
        }
    }

    const FIRST: Option<Side> = Some(Side::First);
    const SECOND: Option<Side> = Some(Side::Second);

    #[test]
    fn the_side_with_most_samples_wins_and_equal_sides_share() {
        let [a, b] = [FIRST, SECOND];
        assert_eq!(decide(None, &[a, b, a]), Ok([1.0, 0.0, 0.0]));
        assert_eq!(decide(None, &[a, b]), Ok([0.5, 0.0, 0.5]));
        assert_eq!(decide(None, &[None, b, None]), Ok([0.0, 0.0, 1.0]));
    }

    #[test]
    fn too_little_agreement_is_no_verdict() {
        let [a, b] = [FIRST, SECOND];
        assert_eq!(decide(Some(0.8), &[a, a, a, a, b]), Ok([1.0, 0.0, 0.0]));
        let inconsistent = Err(FailureKind::Inconsistent);
        assert_eq!(decide(Some(0.8), &[a, a, a, b, b]), inconsistent);
        // A sample that failed agrees with none.
        assert_eq!(decide(Some(0.8), &[a, a, a, b, None]), inconsistent);
        assert_eq!(decide(Some(0.5), &[None, None]), Err(FailureKind::Unparsed));
    }
}
