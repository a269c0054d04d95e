//! Gates: conditions on a comparison that stop a pipeline, and what comes of each.

mod decide;
mod missing;
mod parse;
mod range;

pub use decide::{GateFigures, GateResult, decide_change, decide_gates};
pub use parse::{parse_gates, read_name, split_at_commas, split_bound};
pub use range::FigureRange;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateFigure {
    /// A part of a difference.
    Difference(Who, Part),
    /// The share of what should be there that is: of the current side's plan that came to a
    /// verdict, or of the baseline's systems and items that are compared, whichever is smaller.
    Coverage,
    /// The current side's judgments without a verdict.
    Failures,
    /// Items that the comparison rests on: the least of the systems that conditions are on.
    Items,
    /// What the current run cost, in USD.
    Cost,
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
