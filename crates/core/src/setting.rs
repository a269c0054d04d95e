//! The settings that a user gives, by names that belong to no command line.

use std::fmt;
use std::sync::OnceLock;
use strum::{IntoStaticStr, VariantArray};

/// A setting of a run, a report or a study, as messages name it.
///
/// A message says `format!("{} needs pairwise judgments", Setting::Drop)`. How a setting is spelt
/// is the business of the door that the user came through: the command line says `--drop`, a
/// binding for another language says `drop=`. Until a door says otherwise ([`Setting::spell_by`]),
/// it is the plain name between backticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are those of the documented flags")]
pub enum Setting {
    Across,
    Aggregate,
    AllowDuplicates,
    AllowMissing,
    Anchor,
    Anchors,
    Apart,
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
    Remove,
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
    SkipBad,
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

impl Setting {
    /// Returns every setting, in the order of their names.
    pub fn all() -> impl Iterator<Item = Setting> {
        Setting::VARIANTS.iter().copied()
    }

    /// Returns the setting's plain name: lower case, words joined by hyphens.
    pub fn name(self) -> &'static str {
        self.into()
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
    fn names_are_plain_and_in_order() {
        assert!(Setting::all().is_sorted_by(|one, next| one.name() < next.name()));
        assert_eq!(Setting::MaxCost.to_string(), "`max-cost`");
    }
}
