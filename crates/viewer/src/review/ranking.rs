//! The ranking that people's labels correct, as they come in.

use super::Review;
use super::queue::Queue;
use super::votes::Votes;
use evenhand_pages::RunIndex;
use evenhand_ranking::{Ci, LeaderboardOptions, RankOptions, Report, leaderboard};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The most judgments that are ranked for every label: 0.1 s.
const MOST_JUDGMENTS: usize = 20_000;

const TOO_MANY: &str = "the run has more than 20,000 judgments; rank them with `evenhand \
                        leaderboard JUDGMENTS --labels labels.jsonl`";

const NO_SAMPLE: &str = "only labels from the random queue are a random sample of the judgments; \
                         there are none yet";

/// A ranking as `leaderboard --labels` makes it, or why there is none.
#[derive(Default, serde::Serialize)]
pub(super) struct CorrectedRanking {
    ranking: Option<Value>,
    ranking_note: Option<String>,
}

impl Review<'_> {
    /// Ranks by the judge's verdicts with people's labels beside them (prediction-powered
    /// inference).
    pub(super) fn rank_corrected(&self, votes: &Votes<'_>) -> CorrectedRanking {
        let ranked = self.try_rank(votes);
        CorrectedRanking {
            ranking_note: ranked.as_ref().err().cloned(),
            ranking: ranked
                .ok()
                .and_then(|report| serde_json::to_value(report).ok()),
        }
    }

    fn try_rank(&self, votes: &Votes<'_>) -> Result<Report, String> {
        let index = self.run.index();
        if index.judgments() > MOST_JUDGMENTS {
            return Err(TOO_MANY.into());
        }
        let labels = list_labels(votes);
        if labels.is_empty() {
            return Err(NO_SAMPLE.into());
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let judged = write(folder.path(), "judgments.jsonl", &list_judgments(index))?;
        let labels = write(folder.path(), "labels.jsonl", &labels)?;
        let ranked = leaderboard(&LeaderboardOptions {
            paths: vec![judged],
            labels: vec![labels],
            rank: RankOptions {
                ci: Ci::Sandwich,
                ..RankOptions::default()
            },
            ..LeaderboardOptions::default()
        });
        // Errors name the two files, which the user has not.
        ranked.map_err(|error| {
            error
                .to_string()
                .replace(&*folder.path().to_string_lossy(), "")
        })
    }
}

fn write(folder: &Path, name: &str, lines: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    fs::write(&path, lines).map_err(|error| error.to_string())?;
    Ok(path)
}

/// Lists the verdicts on pairs, as `evenhand judge` prints them.
fn list_judgments(index: &RunIndex) -> String {
    let name = |system: u32| index.systems().get(system);
    let mut lines = String::new();
    for row in 0..index.row_count() as u32 {
        let facts = index.facts(row);
        let Some(b) = facts.b else { continue };
        let judgments = index.judgments_of(row);
        for judgment in judgments.into_iter().flatten() {
            let Some([p_first, p_tie, p_second]) = index.chances_of(judgment) else {
                continue;
            };
            let is_forward = judgments[0] == Some(judgment);
            let [first, second] = if is_forward {
                [facts.a, b]
            } else {
                [b, facts.a]
            };
            let line = json!({
                "trial": index.trial_of(judgment),
                "item": index.items().get(facts.item),
                "first": name(first), "second": name(second),
                "p_first": p_first, "p_tie": p_tie, "p_second": p_second, "score": null,
                "failure": null, "detail": null,
            });
            let _ = writeln!(lines, "{line}");
        }
    }
    lines
}

/// Lists the labels of the pairs that were drawn at random, as their file has them: what several
/// labels of a pair come to is for `leaderboard --labels` to say. Pairs that were chosen because
/// they are hard would bend the ranking.
fn list_labels(votes: &Votes<'_>) -> String {
    let mut lines = String::new();
    for said in votes.0.values() {
        // Labels without a queue were made elsewhere, and the user answers for them.
        let mut queues = said.labels.iter().map(|label| label.queue.as_deref());
        if !queues.any(|queue| queue.is_none_or(|queue| queue == Queue::Random.name())) {
            continue;
        }
        for label in &said.labels {
            let line = serde_json::to_string(label).unwrap_or_default();
            let _ = writeln!(lines, "{line}");
        }
    }
    lines
}
