//! The probes of an audit: what can be looked for.

/// A probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub const ALL: [Probe; 12] = [
        Probe::Position,
        Probe::Distractors,
        Probe::Protocols,
        Probe::People,
        Probe::Null,
        Probe::Transitivity,
        Probe::ChoiceSet,
        Probe::Scale,
        Probe::Severity,
        Probe::Leaderboard,
        Probe::Reading,
        Probe::Failures,
    ];

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
        match self {
            Probe::Position => "position",
            Probe::Distractors => "distractors",
            Probe::Protocols => "protocols",
            Probe::People => "people",
            Probe::Null => "null-answer",
            Probe::Transitivity => "transitivity",
            Probe::ChoiceSet => "choice-set",
            Probe::Scale => "scale",
            Probe::Severity => "severity",
            Probe::Leaderboard => "leaderboard",
            Probe::Reading => "reading",
            Probe::Failures => "failures",
        }
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
        Probe::ALL.into_iter().find(|probe| probe.name() == name)
    }
}
