//! The tolerant reading of failures: a verdict drawn at random where the judge replied without one
//! (Gao et al. 2025, appendix C). It is shown beside the strict one, and never takes its place.

use crate::Figure;
use crate::judge::JudgedPairs;
use evenhand_core::{FailureKind, Judgment};
use evenhand_protocols::{Form, draw_verdict};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use schemars::JsonSchema;
use serde::Serialize;

/// Puts random verdicts in the place of failures, judgment by judgment in the order of the plan.
pub(super) struct RandomReader {
    form: Form,
    seed: u64,
    /// Judgments so far: each has a stream of its own, so that a verdict that fails no more changes
    /// none of the others.
    seen: u64,
    pub(super) counts: RandomCounts,
}

/// How many failures there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RandomCounts {
    /// In whose place a verdict was drawn.
    pub drawn: u64,
    /// That stay failures, since the judge was not asked or its model broke down, or the form has
    /// no answers to draw from.
    pub still_failed: u64,
}

impl RandomReader {
    pub(super) fn new(form: Form, seed: u64) -> RandomReader {
        RandomReader {
            form,
            seed,
            seen: 0,
            counts: RandomCounts::default(),
        }
    }

    /// Returns the judgment as the tolerant reading has it.
    pub(super) fn read(&mut self, judgment: &Judgment) -> Judgment {
        let stream = self.seen;
        self.seen += 1;
        let Err(failure) = &judgment.outcome else {
            return judgment.clone();
        };
        // The judge answered and "did not provide the requested judgment", as the paper has it.
        let drawn = match failure.kind {
            FailureKind::Unparsed | FailureKind::Refused | FailureKind::Truncated => {
                self.draw(stream, judgment.trial.systems.len())
            }
            _ => None,
        };
        if drawn.is_some() {
            self.counts.drawn += 1;
        } else {
            self.counts.still_failed += 1;
        }
        Judgment {
            outcome: drawn.map_or(judgment.outcome.clone(), Ok),
            ..judgment.clone()
        }
    }

    fn draw(&self, stream: u64, count: usize) -> Option<evenhand_core::Verdict> {
        let mut words = ChaCha8Rng::seed_from_u64(self.seed);
        words.set_stream(stream);
        // A form has a hundred answers at most: the remainder's bias is far below any error.
        let mut draw_below = |limit: usize| (words.next_u64() % limit.max(1) as u64) as usize;
        draw_verdict(self.form, count, &mut draw_below)
    }
}

/// Labelled pairs by the tolerant reading.
pub(super) struct RandomPairs {
    pub(super) judged: JudgedPairs,
    pub(super) counts: RandomCounts,
}

/// A bencher by the tolerant reading.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RandomRow {
    /// How many verdicts were drawn.
    #[serde(flatten)]
    pub counts: RandomCounts,
    /// What decides the draws.
    pub seed: u64,
    /// Spearman's rho with the drawn verdicts.
    pub spearman: Figure,
    /// Kendall's tau-b with the drawn verdicts.
    pub kendall_tau_b: Figure,
}

/// A judge of labelled pairs by the tolerant reading.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RandomAccuracy {
    /// The input set.
    pub input: String,
    /// The judge.
    pub judge: String,
    /// The evaluation type.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many verdicts were drawn.
    #[serde(flatten)]
    pub counts: RandomCounts,
    /// What decides the draws.
    pub seed: u64,
    /// Accuracy where failures are failures.
    pub strict_accuracy: Figure,
    /// Accuracy with the drawn verdicts.
    pub accuracy: Figure,
}
