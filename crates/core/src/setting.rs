//! The settings that a user gives, by names that belong to no command line.

use std::fmt;
use std::sync::OnceLock;

/// A setting of a run, a report or a study, as messages name it.
///
/// A message says `format!("{} needs pairwise judgments", Setting::Drop)`. How a setting is spelt
/// is the business of the door that the user came through: the command line says `--drop`, a
/// binding for another language says `drop=`. Until a door says otherwise ([`Setting::spell_by`]),
/// it is the plain name between backticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are those of the documented flags")]
pub enum Setting {
    Across,
    Aggregate,
    AllowDuplicates,
    AllowMissing,
    Anchor,
    Anchors,
    Baseline,
    BothBad,
    BothGames,
    By,
    CertainFor,
    Ci,
    Cluster,
    Config,
    Control,
    Data,
    Date,
    Deadline,
    Design,
    Differences,
    Distractor,
    Drop,
    Embedder,
    FailIf,
    Fit,
    ForReview,
    Format,
    FreeReplies,
    GpuLayers,
    InputFormat,
    InstructionDifficulty,
    ItemColumn,
    ItemWeights,
    Items,
    Judge,
    JudgeColumn,
    LabelScale,
    Labels,
    LabelsOut,
    Left,
    LengthControl,
    LengthControlWeights,
    Level,
    Limit,
    Map,
    MaxBytes,
    MaxCalls,
    MaxCost,
    MinBattles,
    Names,
    Out,
    Outcomes,
    Own,
    Pair,
    Panel,
    Permutations,
    Prices,
    Prior,
    Probes,
    Prompt,
    PromptPack,
    Protocol,
    RatingColumn,
    RatingSystemColumn,
    Ratings,
    RawMarks,
    Recorded,
    ReferenceAnswers,
    Repeats,
    Reuse,
    Reviewed,
    Right,
    Rounds,
    Run,
    Scale,
    ScoreColumn,
    SecondStage,
    Seed,
    Shard,
    ShowThinking,
    Strength,
    StrictReading,
    SystemColumn,
    Systems,
    Texts,
    Ties,
    TrajectoryBudget,
    TranslationOf,
    Trust,
    Turn,
    TweakSet,
    U,
    Update,
    Verbose,
    Weight,
    Where,
    Winner,
}

static SPELLING: OnceLock<fn(Setting) -> String> = OnceLock::new();

/// Every setting with its plain name, in the order of the variants.
const NAMES: [(Setting, &str); 97] = [
    (Setting::Across, "across"),
    (Setting::Aggregate, "aggregate"),
    (Setting::AllowDuplicates, "allow-duplicates"),
    (Setting::AllowMissing, "allow-missing"),
    (Setting::Anchor, "anchor"),
    (Setting::Anchors, "anchors"),
    (Setting::Baseline, "baseline"),
    (Setting::BothBad, "both-bad"),
    (Setting::BothGames, "both-games"),
    (Setting::By, "by"),
    (Setting::CertainFor, "certain-for"),
    (Setting::Ci, "ci"),
    (Setting::Cluster, "cluster"),
    (Setting::Config, "config"),
    (Setting::Control, "control"),
    (Setting::Data, "data"),
    (Setting::Date, "date"),
    (Setting::Deadline, "deadline"),
    (Setting::Design, "design"),
    (Setting::Differences, "differences"),
    (Setting::Distractor, "distractor"),
    (Setting::Drop, "drop"),
    (Setting::Embedder, "embedder"),
    (Setting::FailIf, "fail-if"),
    (Setting::Fit, "fit"),
    (Setting::ForReview, "for-review"),
    (Setting::Format, "format"),
    (Setting::FreeReplies, "free-replies"),
    (Setting::GpuLayers, "gpu-layers"),
    (Setting::InputFormat, "input-format"),
    (Setting::InstructionDifficulty, "instruction-difficulty"),
    (Setting::ItemColumn, "item-column"),
    (Setting::ItemWeights, "item-weights"),
    (Setting::Items, "items"),
    (Setting::Judge, "judge"),
    (Setting::JudgeColumn, "judge-column"),
    (Setting::LabelScale, "label-scale"),
    (Setting::Labels, "labels"),
    (Setting::LabelsOut, "labels-out"),
    (Setting::Left, "left"),
    (Setting::LengthControl, "length-control"),
    (Setting::LengthControlWeights, "length-control-weights"),
    (Setting::Level, "level"),
    (Setting::Limit, "limit"),
    (Setting::Map, "map"),
    (Setting::MaxBytes, "max-bytes"),
    (Setting::MaxCalls, "max-calls"),
    (Setting::MaxCost, "max-cost"),
    (Setting::MinBattles, "min-battles"),
    (Setting::Names, "names"),
    (Setting::Out, "out"),
    (Setting::Outcomes, "outcomes"),
    (Setting::Own, "own"),
    (Setting::Pair, "pair"),
    (Setting::Panel, "panel"),
    (Setting::Permutations, "permutations"),
    (Setting::Prices, "prices"),
    (Setting::Prior, "prior"),
    (Setting::Probes, "probes"),
    (Setting::Prompt, "prompt"),
    (Setting::PromptPack, "prompt-pack"),
    (Setting::Protocol, "protocol"),
    (Setting::RatingColumn, "rating-column"),
    (Setting::RatingSystemColumn, "rating-system-column"),
    (Setting::Ratings, "ratings"),
    (Setting::RawMarks, "raw-marks"),
    (Setting::Recorded, "recorded"),
    (Setting::ReferenceAnswers, "reference-answers"),
    (Setting::Repeats, "repeats"),
    (Setting::Reuse, "reuse"),
    (Setting::Reviewed, "reviewed"),
    (Setting::Right, "right"),
    (Setting::Rounds, "rounds"),
    (Setting::Run, "run"),
    (Setting::Scale, "scale"),
    (Setting::ScoreColumn, "score-column"),
    (Setting::SecondStage, "second-stage"),
    (Setting::Seed, "seed"),
    (Setting::Shard, "shard"),
    (Setting::ShowThinking, "show-thinking"),
    (Setting::Strength, "strength"),
    (Setting::StrictReading, "strict-reading"),
    (Setting::SystemColumn, "system-column"),
    (Setting::Systems, "systems"),
    (Setting::Texts, "texts"),
    (Setting::Ties, "ties"),
    (Setting::TrajectoryBudget, "trajectory-budget"),
    (Setting::TranslationOf, "translation-of"),
    (Setting::Trust, "trust"),
    (Setting::Turn, "turn"),
    (Setting::TweakSet, "tweak-set"),
    (Setting::U, "u"),
    (Setting::Update, "update"),
    (Setting::Verbose, "verbose"),
    (Setting::Weight, "weight"),
    (Setting::Where, "where"),
    (Setting::Winner, "winner"),
];

impl Setting {
    /// Returns every setting, in the order of their names.
    pub fn all() -> impl Iterator<Item = Setting> {
        NAMES.iter().map(|(setting, _)| *setting)
    }

    /// Returns the setting's plain name: lower case, words joined by hyphens.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Spells settings by `spell` from now on, in the whole process. The first door to say so wins;
    /// returns whether this one did.
    pub fn spell_by(spell: fn(Setting) -> String) -> bool {
        SPELLING.set(spell).is_ok()
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match SPELLING.get() {
            Some(spell) => f.write_str(&spell(*self)),
            None => write!(f, "`{}`", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_each_is_there_once() {
        for (place, (setting, name)) in NAMES.iter().enumerate() {
            assert_eq!(*setting as usize, place, "{setting:?} is out of order");
            assert!(!name.starts_with('-'));
        }
        assert!(NAMES.is_sorted_by(|(_, one), (_, next)| one < next));
        assert_eq!(Setting::MaxCost.to_string(), "`max-cost`");
    }
}
