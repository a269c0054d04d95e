//! What a judge answers: how often it gives no verdict or refuses, and how often it says what, on
//! all pairs and on those where its orders disagree (PORTIA, section 4.2: "over 78 % of GPT-4's
//! inconsistency provides a score of 5").

use super::ComparedPair;
use crate::Figure;
use crate::figure::indicator;
use evenhand_core::{FailureKind, Grade, Look, Side, Verdict, likeliest};
use evenhand_stats::Error;
use schemars::JsonSchema;
use std::collections::BTreeSet;

/// What a look said, of the slots as the judge saw them: a number from 1, "the first is much
/// better", where the form has steps, else `first`, `tie` or `second`; or why it said nothing.
pub type Answer = Result<String, FailureKind>;

/// The answers of the first step's looks.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
pub struct Answers {
    /// How many looks there are.
    #[schemars(skip)]
    pub looks: usize,
    /// Looks at pairs on which the two orders disagree, and that have a verdict.
    #[schemars(skip)]
    pub of_inconsistent: usize,
    /// Share of the looks without a verdict.
    pub no_verdict: Figure,
    /// Share of the looks that the judge refuses.
    pub refused: Figure,
    /// How often each answer is given, numbers in their order.
    #[schemars(skip)]
    pub given: Vec<AnswerShare>,
}

/// How often an answer is given. Intervals are over questions.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
pub struct AnswerShare {
    /// The answer.
    #[schemars(skip)]
    pub answer: String,
    /// Share of all verdicts.
    pub share: Figure,
    /// Share of the verdicts on pairs on which the two orders disagree.
    pub share_of_inconsistent: Figure,
}

/// Reads a look as the judge gave it.
pub(super) fn answer_of(look: &Look) -> Answer {
    let verdict = look.outcome.as_ref().map_err(|failure| failure.kind)?;
    let verdict = match look.swapped {
        true => verdict.clone().swapped(),
        false => verdict.clone(),
    };
    if let Verdict::Pairwise {
        grade: Some(Grade::Steps(steps)),
        ..
    } = &verdict
    {
        return Ok((likeliest(steps) + 1).to_string());
    }
    Ok(match verdict.side() {
        Some(Side::First) => "first",
        Some(Side::Second) => "second",
        Some(Side::Tie) => "tie",
        None => return Err(FailureKind::Invalid),
    }
    .into())
}

impl Answers {
    pub(super) fn measure(pairs: &[&ComparedPair], level: f64) -> Result<Answers, Error> {
        // The share of the answers of some pairs that are so, of those that count.
        let share = |counts: &dyn Fn(&ComparedPair, &Answer) -> bool,
                     is: &dyn Fn(&Answer) -> bool| {
            let rows = pairs.iter().flat_map(|pair| {
                let counted = pair.answers.iter().filter(|answer| counts(pair, answer));
                let cells = counted.map(|answer| (&pair.question, indicator(is(answer)), 1.0));
                cells.collect::<Vec<_>>()
            });
            Figure::of_rows(rows.collect::<Vec<_>>(), level)
        };
        let has_verdict = |_: &ComparedPair, answer: &Answer| answer.is_ok();
        let disagrees = |pair: &ComparedPair, answer: &Answer| pair.disagrees && answer.is_ok();
        let all = || {
            pairs
                .iter()
                .flat_map(|pair| pair.answers.iter().map(move |one| (*pair, one)))
        };
        let names: BTreeSet<&String> = all()
            .filter_map(|(_, answer)| answer.as_ref().ok())
            .collect();
        let mut given = Vec::new();
        for name in names {
            let is = |answer: &Answer| answer.as_ref() == Ok(name);
            given.push(AnswerShare {
                answer: name.clone(),
                share: share(&has_verdict, &is)?,
                share_of_inconsistent: share(&disagrees, &is)?,
            });
        }
        Ok(Answers {
            looks: all().count(),
            of_inconsistent: all()
                .filter(|(pair, answer)| disagrees(pair, answer))
                .count(),
            no_verdict: share(&|_, _| true, &|answer| answer.is_err())?,
            refused: share(&|_, _| true, &|answer| *answer == Err(FailureKind::Refused))?,
            given,
        })
    }
}
