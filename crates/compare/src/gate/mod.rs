//! Gates: conditions on a comparison that stop a pipeline, and what comes of each.

mod decide;
mod grammar;
mod missing;
mod parse;

use super::AnswerFigure;
pub use decide::{
    ComparedFigures, Decided, GateFigures, GateResult, decide_change, decide_gates, decide_measured,
};
pub use grammar::{COMPARISON, Differences, Figure, FigureRange, Grammar, Of};
pub use parse::parse_gates;

/// A condition; a pipeline stops where it is met.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// As the user wrote it.
    pub text: String,
    /// What must not be.
    pub test: GateTest,
    /// Whose items count.
    pub scope: Scope,
}

/// What must not be.
#[derive(Clone, Debug, PartialEq)]
pub enum GateTest {
    /// A system is significantly worse, by more than a margin of 0 or more.
    Worse(Who, f64),
    /// A system is worse by more than a margin, or that cannot be ruled out.
    Inferior(Who, f64),
    /// The judge changed.
    Drift,
    /// A figure is below or above a bound.
    Bound(GateFigure, Comparison, f64),
}

impl Gate {
    /// Returns whom a condition is on; None where it is on no difference and on no answers.
    pub fn who(&self) -> Option<&Who> {
        match &self.test {
            GateTest::Worse(who, _)
            | GateTest::Inferior(who, _)
            | GateTest::Bound(GateFigure::Difference(who, _), ..)
            | GateTest::Bound(GateFigure::Answers(_, who, _), ..) => Some(who),
            _ => None,
        }
    }

    /// Returns the two systems that a condition names, the later first; None where it is on no
    /// difference, or does not name both.
    pub fn systems(&self) -> Option<[&str; 2]> {
        match self.who()? {
            Who::System(new, Some(old)) => Some([new, old]),
            _ => None,
        }
    }
}

/// Which comparison is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// Any that is made.
    Any,
    /// That of this system: the current one, and the baseline's where it has another name.
    System(String, Option<String>),
}

/// Whose items count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All items.
    #[default]
    All,
    /// Those of any category.
    AnyCategory,
    /// Those of one category.
    Category(String),
}

/// A number that can be bounded.
#[derive(Clone, Debug, PartialEq)]
pub enum GateFigure {
    /// A part of a difference.
    Difference(Who, Part),
    /// A part of a figure of a system's answers, or of its change where two systems are named.
    Answers(AnswerFigure, Who, Part),
    /// A figure that the command has in its [`Grammar`].
    Named {
        /// Its name there.
        name: &'static str,
        /// The system, or the kind, that it is of.
        of: Option<String>,
        /// The values that it can have; None where that is not known, or has no limits.
        range: Option<FigureRange>,
    },
}

/// The result of a condition of `--fail-if`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateOutcome {
    /// It does not hold.
    Passed,
    /// It holds: the pipeline stops.
    Met,
    /// The data do not say. How many more items would probably decide it, where that is known.
    Inconclusive(Option<u64>),
}

/// A part of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The difference itself.
    Estimate,
    /// The lower end of its interval.
    Low,
    /// The upper end.
    High,
    /// Its p-value.
    P,
}

/// How a figure is compared with its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// Whether a value compares so with the bound.
    pub fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Comparison::Below => value < bound,
            Comparison::AtMost => value <= bound,
            Comparison::Above => value > bound,
            Comparison::AtLeast => value >= bound,
        }
    }
}
