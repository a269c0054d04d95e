//! What counts as right.

use evenhand_core::Side;

/// How ties count, of labels and of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// A tie is a third outcome: a verdict is right if it is the label (MT-Bench's setup 1; Zheng
    /// et al. 2023, section 4.1).
    #[default]
    Class,
    /// A tie is half of either: a tie against a winner is half right (as AlpacaEval counts draws).
    Half,
    /// Pairs whose label is a tie and verdicts that are ties are left out (MT-Bench's setup 2).
    Exclude,
}

/// How a judge's failures count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failures {
    /// As wrong.
    #[default]
    Wrong,
    /// Not at all; coverage says how many there are.
    Exclude,
}

/// The side that a distribution decides for: the likelier winner, unless a tie is likelier than
/// either or both are equally likely.
pub fn decided([first, tie, second]: [f64; 3]) -> Side {
    // Averages of two orders that cancel must do so whatever their last bit.
    let even = (first - second).abs() <= 1e-12;
    match () {
        _ if even || tie > first.max(second) => Side::Tie,
        _ if first > second => Side::First,
        _ => Side::Second,
    }
}

/// How right a verdict is, from 0 to 1; None where it does not count.
pub(super) fn credit(
    verdict: Option<Side>,
    label: Side,
    ties: Ties,
    failures: Failures,
) -> Option<f64> {
    if ties == Ties::Exclude && (label == Side::Tie || verdict == Some(Side::Tie)) {
        return None;
    }
    match (verdict, ties) {
        (None, _) if failures == Failures::Exclude => None,
        (None, _) => Some(0.0),
        (Some(verdict), Ties::Half) => Some(1.0 - (value(verdict) - value(label)).abs()),
        (Some(verdict), _) => Some(f64::from(u8::from(verdict == label))),
    }
}

fn value(side: Side) -> f64 {
    match side {
        Side::First => 1.0,
        Side::Tie => 0.5,
        Side::Second => 0.0,
    }
}
