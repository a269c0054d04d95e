//! The formats of files of judgments: how each is recognised by its first record.

use super::judgment_row::has_any;
use crate::source::json_words::split_fields;
use serde_json::Value;
use std::fmt;
use strum::{EnumProperty, IntoStaticStr, VariantArray};

/// The format of a file of judgments or scores, in the order in which they are tried: its name,
/// what it is called in a sentence, which fields the first record has, be they null (of `a|b` one),
/// and which it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumProperty, IntoStaticStr, VariantArray)]
pub enum JudgmentFormat {
    /// Battles whose items have names, of people or of a judge. They are recognised only where
    /// [`Options::battles`](super::Options::battles) says so.
    #[strum(serialize = "battles")]
    #[strum(props(what = "battles with `question_id` or `item`"))]
    #[strum(props(needs = "question_id|item,model_a|left|system_a,model_b|right|system_b,winner"))]
    Battles,
    /// Judgments that `evenhand judge` writes as JSON or CSV.
    #[strum(serialize = "judgments")]
    #[strum(props(what = "Evenhand judgments"))]
    #[strum(props(needs = "trial,item,first,second,p_first,p_tie,p_second,score,failure"))]
    Judgments,
    /// Our `labels.jsonl`: people's preferences.
    #[strum(serialize = "labels")]
    #[strum(props(what = "Evenhand labels (`item`, `a`, `b`, `preferred`)"))]
    #[strum(props(needs = "item,a,b,preferred"))]
    Labels,
    /// AlpacaEval's `annotations.json`.
    #[strum(serialize = "alpaca-eval-annotations")]
    #[strum(props(what = "AlpacaEval annotations"))]
    #[strum(props(needs = "instruction,generator_1,generator_2,preference"))]
    AlpacaEval,
    /// AlpacaEval's preferences without the texts, with `model` and `reference`.
    #[strum(serialize = "alpaca-eval-preferences")]
    #[strum(props(what = "AlpacaEval preferences"))]
    #[strum(props(needs = "instruction_id,model,reference,preference"))]
    AlpacaEvalPreferences,
    /// Arena-Hard-Auto's judgments, v0.1 and v2.
    #[strum(serialize = "arena-hard-judgments")]
    #[strum(props(what = "Arena-Hard judgments"))]
    #[strum(props(needs = "question_id|uid,model,games"))]
    ArenaHard,
    /// MT-Bench's pairwise judgments.
    #[strum(serialize = "mt-bench-pairs")]
    #[strum(props(what = "MT-Bench pair judgments"))]
    #[strum(props(needs = "question_id,model_1,model_2,g1_winner,g2_winner"))]
    MtBenchPairs,
    /// Single-answer grading as MT-Bench and its relatives record it.
    #[strum(serialize = "mt-bench-scores")]
    #[strum(props(what = "MT-Bench single judgments"))]
    #[strum(props(needs = "question_id,model,judge,score,judgment|turn"))]
    MtBenchScores,
    /// PandaLM's pairs with three annotators' labels.
    #[strum(serialize = "pandalm-pairs")]
    #[strum(props(what = "PandaLM pairs"))]
    #[strum(props(needs = "idx,model_1,model_2,human"))]
    PandaLmPairs,
    /// PandaLM's recorded verdicts of a judge, which need the pairs.
    #[strum(serialize = "pandalm-verdicts")]
    #[strum(props(what = "PandaLM verdicts"))]
    #[strum(props(needs = "idx,verdict,raw_result"))]
    PandaLmVerdicts,
    /// LLMBar's results, original or normalised. They name no systems and are refused.
    #[strum(serialize = "llmbar-results")]
    #[strum(props(what = "LLMBar results"))]
    #[strum(props(needs = "label,results|rounds,output_1|winner_unswapped"))]
    LlmBar,
    /// JudgeBench's judgments, original or normalised. They name no systems and are refused.
    #[strum(serialize = "judgebench-judgments")]
    #[strum(props(what = "JudgeBench judgments"))]
    #[strum(props(needs = "pair_id,label,judgments|game_1"))]
    JudgeBench,
    /// Reviews that score both answers of a pair (Vicuna, FairEval).
    #[strum(serialize = "score-pair-reviews")]
    #[strum(props(what = "reviews with two scores"))]
    #[strum(props(needs = "question_id,score_1|score,score_2|score,\
                 text|review|answer_1_model|answer1_model|answer1_model_id"))]
    #[strum(props(lacks = "model,system"))]
    ScorePairs,
    /// Auto-J's pairs with labels. They name no systems and are refused.
    #[strum(serialize = "auto-j-pairs")]
    #[strum(props(what = "Auto-J pairs"))]
    #[strum(props(needs = "scenario,label,prompt,response 1,response 2"))]
    AutoJPairs,
    /// Auto-J's verdicts in both orders. They name no systems and are refused.
    #[strum(serialize = "auto-j-verdicts")]
    #[strum(props(what = "Auto-J verdicts"))]
    #[strum(props(needs = "verdict_order_12,verdict_order_21"))]
    AutoJVerdicts,
    /// A table of scores: a system and its score, perhaps of an item.
    #[strum(serialize = "scores")]
    #[strum(props(what = "scores"))]
    #[strum(props(needs = "system|model,score"))]
    // A leaderboard has one aggregated score a system: nothing to rank again.
    #[strum(props(lacks = "CI,ci_low,lower,rating_q025,results"))]
    Scores,
}

impl JudgmentFormat {
    /// Returns its name, as a user gives it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the format of this name; `None` where there is none.
    pub fn from_name(name: &str) -> Option<JudgmentFormat> {
        let mut all = JudgmentFormat::VARIANTS.iter().copied();
        all.find(|kind| kind.name() == name)
    }

    /// Returns all names, in the order in which the formats are tried.
    pub fn names() -> Vec<&'static str> {
        recognisable().map(JudgmentFormat::name).collect()
    }

    /// Lists the formats that can be ranked, for an error.
    pub(super) fn list_ranked() -> String {
        recognisable()
            .filter(|kind| !kind.has_no_systems())
            .map(JudgmentFormat::what)
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
        recognisable().find(|kind| {
            let [needs, lacks] = ["needs", "lacks"].map(|of| kind.get_str(of).unwrap_or_default());
            split_fields(needs).all(|fields| has_any(fields, first))
                && !split_fields(lacks).any(|fields| has_any(fields, first))
        })
    }

    /// Returns what such files are called in a sentence.
    pub(super) fn what(self) -> &'static str {
        self.get_str("what").unwrap_or_default()
    }
}

impl fmt::Display for JudgmentFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what())
    }
}

/// Iterates over the formats that are recognised without being asked for.
fn recognisable() -> impl Iterator<Item = JudgmentFormat> {
    let known = JudgmentFormat::VARIANTS.iter().copied();
    known.filter(|kind| *kind != JudgmentFormat::Battles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_says_what_it_needs() {
        for kind in JudgmentFormat::VARIANTS {
            assert!(
                kind.get_str("needs").is_some() && !kind.what().is_empty(),
                "{kind:?}"
            );
            assert_eq!(JudgmentFormat::from_name(kind.name()), Some(*kind));
        }
    }
}
