//! The kinds of files: how each is recognised by its first record.

use super::Options;
use serde_json::Value;
use std::fmt;

/// What a file of judgments or scores is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What `evenhand judge --format json` or `csv` writes.
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
    /// [`Options::battles`] says so.
    Battles,
}

struct Known {
    kind: Kind,
    name: &'static str,
    what: &'static str,
    /// The first record has all of these, be they null; of `a|b` one.
    needs: &'static str,
    /// The first record has none of these.
    lacks: &'static str,
}

/// In the order in which they are tried.
const KNOWN: [Known; 16] = [
    Known {
        kind: Kind::Battles,
        name: "battles",
        what: "battles with `question_id` or `item`",
        needs: "question_id|item,model_a|left,model_b|right,winner",
        lacks: "",
    },
    Known {
        kind: Kind::Judgments,
        name: "judgments",
        what: "Evenhand judgments",
        needs: "trial,item,first,second,p_first,p_tie,p_second,score,failure",
        lacks: "",
    },
    Known {
        kind: Kind::Labels,
        name: "labels",
        what: "Evenhand labels",
        needs: "item,a,b,preferred",
        lacks: "",
    },
    Known {
        kind: Kind::AlpacaEval,
        name: "alpaca-eval-annotations",
        what: "AlpacaEval annotations",
        needs: "instruction,generator_1,generator_2,preference",
        lacks: "",
    },
    Known {
        kind: Kind::AlpacaEvalPreferences,
        name: "alpaca-eval-preferences",
        what: "AlpacaEval preferences",
        needs: "instruction_id,model,reference,preference",
        lacks: "",
    },
    Known {
        kind: Kind::ArenaHard,
        name: "arena-hard-judgments",
        what: "Arena-Hard judgments",
        needs: "question_id|uid,model,games",
        lacks: "",
    },
    Known {
        kind: Kind::MtBenchPairs,
        name: "mt-bench-pairs",
        what: "MT-Bench pair judgments",
        needs: "question_id,model_1,model_2,g1_winner,g2_winner",
        lacks: "",
    },
    Known {
        kind: Kind::MtBenchScores,
        name: "mt-bench-scores",
        what: "MT-Bench single judgments",
        needs: "question_id,model,judge,score,judgment|turn",
        lacks: "",
    },
    Known {
        kind: Kind::PandaLmPairs,
        name: "pandalm-pairs",
        what: "PandaLM pairs",
        needs: "idx,model_1,model_2,human",
        lacks: "",
    },
    Known {
        kind: Kind::PandaLmVerdicts,
        name: "pandalm-verdicts",
        what: "PandaLM verdicts",
        needs: "idx,verdict,raw_result",
        lacks: "",
    },
    Known {
        kind: Kind::LlmBar,
        name: "llmbar-results",
        what: "LLMBar results",
        needs: "label,results|rounds,output_1|winner_unswapped",
        lacks: "",
    },
    Known {
        kind: Kind::JudgeBench,
        name: "judgebench-judgments",
        what: "JudgeBench judgments",
        needs: "pair_id,label,judgments|game_1",
        lacks: "",
    },
    Known {
        kind: Kind::ScorePairs,
        name: "score-pair-reviews",
        what: "reviews with two scores",
        needs: "question_id,score_1|score,score_2|score,text|review|answer_1_model|answer1_model",
        lacks: "model,system",
    },
    Known {
        kind: Kind::AutoJPairs,
        name: "auto-j-pairs",
        what: "Auto-J pairs",
        needs: "scenario,label,prompt,response 1,response 2",
        lacks: "",
    },
    Known {
        kind: Kind::AutoJVerdicts,
        name: "auto-j-verdicts",
        what: "Auto-J verdicts",
        needs: "verdict_order_12,verdict_order_21",
        lacks: "",
    },
    Known {
        kind: Kind::Scores,
        name: "scores",
        what: "scores",
        needs: "system|model,score",
        // A leaderboard has one aggregated score a system: nothing to rank again.
        lacks: "CI,ci_low,lower,rating_q025,results",
    },
];

impl Kind {
    /// Its name, as a user gives it.
    pub fn name(self) -> &'static str {
        self.known().map_or("", |known| known.name)
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Kind> {
        KNOWN
            .iter()
            .find(|known| known.name == name)
            .map(|known| known.kind)
    }

    /// All names, in the order in which the kinds are tried.
    pub fn names() -> Vec<&'static str> {
        KNOWN
            .iter()
            .filter(|known| known.kind != Kind::Battles)
            .map(|known| known.name)
            .collect()
    }

    /// The kinds that can be ranked, for an error.
    pub(super) fn list() -> String {
        let ranked = KNOWN
            .iter()
            .filter(|known| !known.kind.has_no_systems() && known.kind != Kind::Battles);
        ranked
            .map(|known| known.what)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Whether such files do not say whose responses were judged.
    pub(super) fn has_no_systems(self) -> bool {
        matches!(
            self,
            Kind::LlmBar | Kind::JudgeBench | Kind::AutoJPairs | Kind::AutoJVerdicts
        )
    }

    fn known(self) -> Option<&'static Known> {
        KNOWN.iter().find(|known| known.kind == self)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.known().map_or("", |known| known.what))
    }
}

/// The kind of a file with this first record.
pub(super) fn recognise(first: &Value, options: &Options) -> Option<Kind> {
    if options.kind.is_some() {
        return options.kind;
    }
    if options.names_columns() {
        return Some(Kind::Scores);
    }
    if options.battles && super::battles::has_columns(first, options) {
        return Some(Kind::Battles);
    }
    let others = KNOWN.iter().filter(|known| known.kind != Kind::Battles);
    others
        .into_iter()
        .find(|known| is(known, first))
        .map(|known| known.kind)
}

fn is(known: &Known, first: &Value) -> bool {
    parts(known.needs).all(|fields| has(fields, first))
        && !parts(known.lacks).any(|fields| has(fields, first))
}

fn parts(fields: &'static str) -> impl Iterator<Item = &'static str> {
    fields.split(',').filter(|field| !field.is_empty())
}

fn has(fields: &str, first: &Value) -> bool {
    fields.split('|').any(|field| first.get(field).is_some())
}
