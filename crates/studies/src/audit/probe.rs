//! The probes of an audit: what can be looked for.

use evenhand_core::named;

named! {
    /// A probe.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Probe {
        /// The place in the prompt.
        Position = "position",
        /// Rewrites that must not matter.
        Distractors = "distractors",
        /// One protocol against another.
        Protocols = "protocols",
        /// Preferences beyond people's: for the longer answer, and for the judge's own.
        People = "people",
        /// An answer that says nothing.
        Null = "null-answer",
        /// Circles of preferences.
        Transitivity = "transitivity",
        /// A third response in a list.
        ChoiceSet = "choice-set",
        /// The meaning of scores.
        Scale = "scale",
        /// Broken constraints, plain and rewritten.
        Severity = "severity",
        /// A ranking whose lowest systems are rewritten.
        Leaderboard = "leaderboard",
        /// Texts against probabilities.
        Reading = "reading",
        /// Verdicts that are not there.
        Failures = "failures",
    }
}

impl Probe {
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

    /// Whether it shows answers that no system gave: rewritten in other words, or an answer that
    /// says nothing.
    pub(super) fn changes_answers(self) -> bool {
        matches!(
            self,
            Probe::Distractors | Probe::Protocols | Probe::Leaderboard | Probe::Null
        )
    }
}
