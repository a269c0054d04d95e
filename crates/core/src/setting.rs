//! The settings that a user gives, by names that belong to no command line.

use std::fmt;
use std::sync::OnceLock;

/// A setting of a run, a report or a study, as messages name it.
///
/// A message says `format!("{} needs pairwise judgments", Setting::Drop)`. How a setting is spelt is
/// the business of the door that the user came through: the command line says `--drop`, a binding
/// for another language says `drop=`. Until a door says otherwise ([`Setting::spell_by`]), it is the
/// plain name between backticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are those of the documented flags")]
pub enum Setting {
    Aggregate,
    AllowMissing,
    Baseline,
    BothBad,
    BothGames,
    CertainFor,
    Ci,
    Cluster,
    Config,
    Control,
    Data,
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
    InputFormat,
    InstructionDifficulty,
    ItemColumn,
    ItemWeights,
    Items,
    Judge,
    Labels,
    Left,
    LengthControl,
    LengthControlWeights,
    Level,
    Map,
    MaxBytes,
    MaxCalls,
    MaxCost,
    Names,
    Out,
    Outcomes,
    Own,
    Panel,
    Permutations,
    Prices,
    Prior,
    Probes,
    PromptPack,
    Protocol,
    RatingColumn,
    RatingSystemColumn,
    Ratings,
    RawMarks,
    Recorded,
    Reuse,
    Reviewed,
    Right,
    Rounds,
    Run,
    Scale,
    ScoreColumn,
    SecondStage,
    Seed,
    ShowThinking,
    Strength,
    SystemColumn,
    Systems,
    Texts,
    Ties,
    TrajectoryBudget,
    Trust,
    Turn,
    TweakSet,
    U,
    Verbose,
    Weight,
    Where,
    Winner,
}

static SPELLING: OnceLock<fn(Setting) -> String> = OnceLock::new();

impl Setting {
    /// Every setting, in the order of their names.
    pub const ALL: &[Setting] = &[
        Setting::Aggregate,
        Setting::AllowMissing,
        Setting::Baseline,
        Setting::BothBad,
        Setting::BothGames,
        Setting::CertainFor,
        Setting::Ci,
        Setting::Cluster,
        Setting::Config,
        Setting::Control,
        Setting::Data,
        Setting::Deadline,
        Setting::Design,
        Setting::Differences,
        Setting::Distractor,
        Setting::Drop,
        Setting::Embedder,
        Setting::FailIf,
        Setting::Fit,
        Setting::ForReview,
        Setting::Format,
        Setting::InputFormat,
        Setting::InstructionDifficulty,
        Setting::ItemColumn,
        Setting::ItemWeights,
        Setting::Items,
        Setting::Judge,
        Setting::Labels,
        Setting::Left,
        Setting::LengthControl,
        Setting::LengthControlWeights,
        Setting::Level,
        Setting::Map,
        Setting::MaxBytes,
        Setting::MaxCalls,
        Setting::MaxCost,
        Setting::Names,
        Setting::Out,
        Setting::Outcomes,
        Setting::Own,
        Setting::Panel,
        Setting::Permutations,
        Setting::Prices,
        Setting::Prior,
        Setting::Probes,
        Setting::PromptPack,
        Setting::Protocol,
        Setting::RatingColumn,
        Setting::RatingSystemColumn,
        Setting::Ratings,
        Setting::RawMarks,
        Setting::Recorded,
        Setting::Reuse,
        Setting::Reviewed,
        Setting::Right,
        Setting::Rounds,
        Setting::Run,
        Setting::Scale,
        Setting::ScoreColumn,
        Setting::SecondStage,
        Setting::Seed,
        Setting::ShowThinking,
        Setting::Strength,
        Setting::SystemColumn,
        Setting::Systems,
        Setting::Texts,
        Setting::Ties,
        Setting::TrajectoryBudget,
        Setting::Trust,
        Setting::Turn,
        Setting::TweakSet,
        Setting::U,
        Setting::Verbose,
        Setting::Weight,
        Setting::Where,
        Setting::Winner,
    ];

    /// Returns the setting's plain name: lower case, words joined by hyphens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aggregate => "aggregate",
            Self::AllowMissing => "allow-missing",
            Self::Baseline => "baseline",
            Self::BothBad => "both-bad",
            Self::BothGames => "both-games",
            Self::CertainFor => "certain-for",
            Self::Ci => "ci",
            Self::Cluster => "cluster",
            Self::Config => "config",
            Self::Control => "control",
            Self::Data => "data",
            Self::Deadline => "deadline",
            Self::Design => "design",
            Self::Differences => "differences",
            Self::Distractor => "distractor",
            Self::Drop => "drop",
            Self::Embedder => "embedder",
            Self::FailIf => "fail-if",
            Self::Fit => "fit",
            Self::ForReview => "for-review",
            Self::Format => "format",
            Self::InputFormat => "input-format",
            Self::InstructionDifficulty => "instruction-difficulty",
            Self::ItemColumn => "item-column",
            Self::ItemWeights => "item-weights",
            Self::Items => "items",
            Self::Judge => "judge",
            Self::Labels => "labels",
            Self::Left => "left",
            Self::LengthControl => "length-control",
            Self::LengthControlWeights => "length-control-weights",
            Self::Level => "level",
            Self::Map => "map",
            Self::MaxBytes => "max-bytes",
            Self::MaxCalls => "max-calls",
            Self::MaxCost => "max-cost",
            Self::Names => "names",
            Self::Out => "out",
            Self::Outcomes => "outcomes",
            Self::Own => "own",
            Self::Panel => "panel",
            Self::Permutations => "permutations",
            Self::Prices => "prices",
            Self::Prior => "prior",
            Self::Probes => "probes",
            Self::PromptPack => "prompt-pack",
            Self::Protocol => "protocol",
            Self::RatingColumn => "rating-column",
            Self::RatingSystemColumn => "rating-system-column",
            Self::Ratings => "ratings",
            Self::RawMarks => "raw-marks",
            Self::Recorded => "recorded",
            Self::Reuse => "reuse",
            Self::Reviewed => "reviewed",
            Self::Right => "right",
            Self::Rounds => "rounds",
            Self::Run => "run",
            Self::Scale => "scale",
            Self::ScoreColumn => "score-column",
            Self::SecondStage => "second-stage",
            Self::Seed => "seed",
            Self::ShowThinking => "show-thinking",
            Self::Strength => "strength",
            Self::SystemColumn => "system-column",
            Self::Systems => "systems",
            Self::Texts => "texts",
            Self::Ties => "ties",
            Self::TrajectoryBudget => "trajectory-budget",
            Self::Trust => "trust",
            Self::Turn => "turn",
            Self::TweakSet => "tweak-set",
            Self::U => "u",
            Self::Verbose => "verbose",
            Self::Weight => "weight",
            Self::Where => "where",
            Self::Winner => "winner",
        }
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
        for (setting, next) in Setting::ALL.iter().zip(&Setting::ALL[1..]) {
            assert!(setting.name() < next.name(), "{next:?} is out of order");
            assert!(!setting.name().starts_with('-'));
        }
        assert_eq!(Setting::MaxCost.to_string(), "`max-cost`");
    }
}
