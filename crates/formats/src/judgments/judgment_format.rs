//! The formats of files of judgments: how each is recognised by its first record.

use super::judgment_row::has_any;
use crate::source::json_words::split_fields;
use serde_json::Value;
use std::fmt;

/// The format of a file of judgments or scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JudgmentFormat {
    /// Judgments that `evenhand judge` writes as JSON or CSV.
    Judgments,
    /// Our `labels.jsonl`: people's preferences.
    Labels,
    /// AlpacaEval's `annotations.json`.
    AlpacaEval,
    /// AlpacaEval's preferences without the texts, with `model` and `reference`.
    AlpacaEvalPreferences,
    /// Arena-Hard-Auto's judgments, v0.1 and v2.
    ArenaHard,
    /// MT-Bench's pairwise judgments.
    MtBenchPairs,
    /// Single-answer grading as MT-Bench and its relatives record it.
    MtBenchScores,
    /// PandaLM's pairs with three annotators' labels.
    PandaLmPairs,
    /// PandaLM's recorded verdicts of a judge, which need the pairs.
    PandaLmVerdicts,
    /// LLMBar's results, original or normalised. They name no systems and are refused.
    LlmBar,
    /// JudgeBench's judgments, original or normalised. They name no systems and are refused.
    JudgeBench,
    /// A table of scores: a system and its score, perhaps of an item.
    Scores,
    /// Reviews that score both answers of a pair (Vicuna, FairEval).
    ScorePairs,
    /// Auto-J's pairs with labels. They name no systems and are refused.
    AutoJPairs,
    /// Auto-J's verdicts in both orders. They name no systems and are refused.
    AutoJVerdicts,
    /// Battles whose items have names, of people or of a judge. They are recognised only where
    /// [`Options::battles`](super::Options::battles) says so.
    Battles,
}

struct KnownFile {
    kind: JudgmentFormat,
    name: &'static str,
    what: &'static str,
    /// The first record has all of these, be they null; of `a|b` one.
    needs: &'static str,
    /// The first record has none of these.
    lacks: &'static str,
}

/// In the order in which they are tried.
const KNOWN_FILES: [KnownFile; 16] = [
    KnownFile {
        kind: JudgmentFormat::Battles,
        name: "battles",
        what: "battles with `question_id` or `item`",
        needs: "question_id|item,model_a|left|system_a,model_b|right|system_b,winner",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::Judgments,
        name: "judgments",
        what: "Evenhand judgments",
        needs: "trial,item,first,second,p_first,p_tie,p_second,score,failure",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::Labels,
        name: "labels",
        what: "Evenhand labels (`item`, `a`, `b`, `preferred`)",
        needs: "item,a,b,preferred",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::AlpacaEval,
        name: "alpaca-eval-annotations",
        what: "AlpacaEval annotations",
        needs: "instruction,generator_1,generator_2,preference",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::AlpacaEvalPreferences,
        name: "alpaca-eval-preferences",
        what: "AlpacaEval preferences",
        needs: "instruction_id,model,reference,preference",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::ArenaHard,
        name: "arena-hard-judgments",
        what: "Arena-Hard judgments",
        needs: "question_id|uid,model,games",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::MtBenchPairs,
        name: "mt-bench-pairs",
        what: "MT-Bench pair judgments",
        needs: "question_id,model_1,model_2,g1_winner,g2_winner",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::MtBenchScores,
        name: "mt-bench-scores",
        what: "MT-Bench single judgments",
        needs: "question_id,model,judge,score,judgment|turn",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::PandaLmPairs,
        name: "pandalm-pairs",
        what: "PandaLM pairs",
        needs: "idx,model_1,model_2,human",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::PandaLmVerdicts,
        name: "pandalm-verdicts",
        what: "PandaLM verdicts",
        needs: "idx,verdict,raw_result",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::LlmBar,
        name: "llmbar-results",
        what: "LLMBar results",
        needs: "label,results|rounds,output_1|winner_unswapped",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::JudgeBench,
        name: "judgebench-judgments",
        what: "JudgeBench judgments",
        needs: "pair_id,label,judgments|game_1",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::ScorePairs,
        name: "score-pair-reviews",
        what: "reviews with two scores",
        needs: "question_id,score_1|score,score_2|score,\
                text|review|answer_1_model|answer1_model|answer1_model_id",
        lacks: "model,system",
    },
    KnownFile {
        kind: JudgmentFormat::AutoJPairs,
        name: "auto-j-pairs",
        what: "Auto-J pairs",
        needs: "scenario,label,prompt,response 1,response 2",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::AutoJVerdicts,
        name: "auto-j-verdicts",
        what: "Auto-J verdicts",
        needs: "verdict_order_12,verdict_order_21",
        lacks: "",
    },
    KnownFile {
        kind: JudgmentFormat::Scores,
        name: "scores",
        what: "scores",
        needs: "system|model,score",
        // A leaderboard has one aggregated score a system: nothing to rank again.
        lacks: "CI,ci_low,lower,rating_q025,results",
    },
];

impl JudgmentFormat {
    /// Returns its name, as a user gives it.
    pub fn name(self) -> &'static str {
        self.definition().map_or("", |known| known.name)
    }

    /// Returns the format of this name; `None` where there is none.
    pub fn from_name(name: &str) -> Option<JudgmentFormat> {
        let known = KNOWN_FILES.iter().find(|known| known.name == name);
        known.map(|known| known.kind)
    }

    /// Returns all names, in the order in which the formats are tried.
    pub fn names() -> Vec<&'static str> {
        recognisable().map(|known| known.name).collect()
    }

    /// Lists the formats that can be ranked, for an error.
    pub(super) fn list_ranked() -> String {
        recognisable()
            .filter(|known| !known.kind.has_no_systems())
            .map(|known| known.what)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Whether such files do not say whose responses were judged.
    pub(super) fn has_no_systems(self) -> bool {
        matches!(
            self,
            JudgmentFormat::LlmBar
                | JudgmentFormat::JudgeBench
                | JudgmentFormat::AutoJPairs
                | JudgmentFormat::AutoJVerdicts
        )
    }

    /// Returns the format of a file with this first record; `None` where it has no known one.
    pub(super) fn of_record(first: &Value) -> Option<JudgmentFormat> {
        let known = recognisable().find(|known| {
            // It has the fields that the format needs, and none that it lacks.
            split_fields(known.needs).all(|fields| has_any(fields, first))
                && !split_fields(known.lacks).any(|fields| has_any(fields, first))
        });
        known.map(|known| known.kind)
    }

    /// Returns what such files are called in a sentence.
    pub(super) fn what(self) -> &'static str {
        self.definition().map_or("", |known| known.what)
    }

    fn definition(self) -> Option<&'static KnownFile> {
        KNOWN_FILES.iter().find(|known| known.kind == self)
    }
}

impl fmt::Display for JudgmentFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what())
    }
}

/// Iterates over the formats that are recognised without being asked for.
fn recognisable() -> impl Iterator<Item = &'static KnownFile> {
    let known = KNOWN_FILES.iter();
    known.filter(|known| known.kind != JudgmentFormat::Battles)
}
