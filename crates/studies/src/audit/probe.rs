//! The probes of an audit: what can be looked for.

use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

/// A probe.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray, VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Probe {
    /// The place in the prompt.
    Position,
    /// Rewrites that must not matter.
    Distractors,
    /// One protocol against another.
    Protocols,
    /// Preferences beyond people's: for the longer answer, and for the judge's own.
    People,
    /// An answer that says nothing.
    #[strum(serialize = "null-answer")]
    Null,
    /// Circles of preferences.
    Transitivity,
    /// A third response in a list.
    ChoiceSet,
    /// The meaning of scores.
    Scale,
    /// Broken constraints, plain and rewritten.
    Severity,
    /// A ranking whose lowest systems are rewritten.
    Leaderboard,
    /// Texts against probabilities.
    Reading,
    /// Verdicts that are not there.
    Failures,
}

impl Probe {
    /// Every probe.
    pub const ALL: &[Probe] = <Probe as VariantArray>::VARIANTS;
    /// Their names.
    pub const NAMES: &[&str] = <Probe as VariantNames>::VARIANTS;

    /// Those of an audit unless others are named: what two systems are enough for, and costs
    /// little.
    pub const USUAL: [Probe; 7] = [
        Probe::Position,
        Probe::Distractors,
        Probe::Protocols,
        Probe::People,
        Probe::Null,
        Probe::Reading,
        Probe::Failures,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it shows answers that no system gave: rewritten in other words, or an answer that
    /// says nothing.
    pub(super) fn changes_answers(self) -> bool {
        matches!(
            self,
            Probe::Distractors | Probe::Protocols | Probe::Leaderboard | Probe::Null
        )
    }

    /// Returns the probe of this name.
    pub fn named(name: &str) -> Option<Probe> {
        name.parse().ok()
    }
}
