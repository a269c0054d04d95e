//! The figures that a command's conditions can name, and the values that each can have: a bound or
//! a margin beyond them is a mistake of unit, such as points of a hundred for a share, and a gate
//! that says nothing.

use super::{ComparedFigures, Comparison, Gate, GateFigure, GateTest, Part, Who};
use evenhand_core::Setting;

/// The conditions that a command takes: on figures of its results, which are of type `R`, and on
/// differences.
pub struct Grammar<R: 'static> {
    /// The figures that it can name.
    pub figures: &'static [Figure<R>],
    /// The conditions on differences that it takes.
    pub differences: Differences,
    /// The forms of its conditions, for messages; None where a bound on a figure is the only one.
    pub forms: Option<&'static str>,
}

/// A figure of a result.
pub struct Figure<R: 'static> {
    /// Its name, before a point where it is of something.
    pub name: &'static str,
    /// The function that reads it from its subject.
    pub of: Of<R>,
    /// The values that it can have; None where that is not known beforehand.
    pub range: Option<FigureRange>,
}

/// The part of a result that a figure describes, and what reads it there, by the name behind the
/// point where there is one; None where the result does not have it.
pub enum Of<R> {
    /// Of the whole result.
    Result(fn(&R) -> Option<f64>),
    /// Of a system, which the result may have or not.
    System(fn(&R, &str) -> Option<f64>),
    /// Of one of these kinds.
    Kind(fn() -> Vec<&'static str>, fn(&R, &str) -> Option<f64>),
}

/// The conditions on differences that a command takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differences {
    /// None.
    None,
    /// Those of two named systems on all items.
    OfTwo,
    /// Those of all that is compared, on all items or in categories, and drift.
    Any,
}

/// The conditions on a comparison of two sides.
pub static COMPARISON: Grammar<ComparedFigures> = Grammar {
    figures: &[
        Figure::share("coverage", |found| found.coverage),
        Figure::count("failures", |found| Some(found.failures as f64)),
        Figure::count("items", |found| Some(found.items as f64)),
        Figure::count("cost", |found| found.cost),
    ],
    differences: Differences::Any,
    forms: Some(
        "one of worse, worse(NEW), worse(NEW,OLD), worse(NEW,OLD,MARGIN), \
         inferior(NEW,OLD,MARGIN) and drift; or a figure with <, <=, > or >= and a number: \
         coverage, failures, items, cost, difference(NEW,OLD) or its .low, .high or .p, \
         p95_latency or answer_length (of SYSTEM or NEW,OLD in brackets, or their .low or .high); \
         worse, inferior and difference also with ' in CATEGORY' or ' in any'; such as \
         'worse(v2,v1),coverage<0.95'",
    ),
};

impl<R> Figure<R> {
    /// A share of the whole result.
    pub const fn share(name: &'static str, read: fn(&R) -> Option<f64>) -> Figure<R> {
        Figure::of_result(name, FigureRange::SHARE, read)
    }

    /// A coefficient of the whole result.
    pub const fn coefficient(name: &'static str, read: fn(&R) -> Option<f64>) -> Figure<R> {
        Figure::of_result(name, FigureRange::COEFFICIENT, read)
    }

    /// A count or a cost of the whole result.
    pub const fn count(name: &'static str, read: fn(&R) -> Option<f64>) -> Figure<R> {
        Figure::of_result(name, FigureRange::COUNT, read)
    }

    const fn of_result(
        name: &'static str,
        range: FigureRange,
        read: fn(&R) -> Option<f64>,
    ) -> Figure<R> {
        Figure {
            name,
            of: Of::Result(read),
            range: Some(range),
        }
    }
}

impl<R> Grammar<R> {
    /// Conditions on these figures alone.
    pub const fn of_figures(figures: &'static [Figure<R>]) -> Grammar<R> {
        Grammar {
            figures,
            differences: Differences::None,
            forms: None,
        }
    }

    /// Returns the figure of this name; None where there is none, or none of that.
    pub(super) fn find(&self, name: &str, of: Option<&str>) -> Option<&Figure<R>> {
        self.figures.iter().find(|figure| {
            figure.name == name
                && match (&figure.of, of) {
                    (Of::Result(_), None) | (Of::System(_), Some(_)) => true,
                    (Of::Kind(known, _), Some(kind)) => known().contains(&kind),
                    _ => false,
                }
        })
    }

    /// Returns the value that a figure of a condition has in a result, if it has it.
    pub fn value(&self, name: &str, of: Option<&str>, result: &R) -> Option<f64> {
        match &self.find(name, of)?.of {
            Of::Result(read) => read(result),
            Of::System(read) | Of::Kind(_, read) => read(result, of?),
        }
    }

    /// Says what was expected in place of a condition.
    pub(super) fn expected(&self, text: &str) -> String {
        let Some(forms) = self.forms else {
            let names: Vec<&str> = self.figures.iter().map(|figure| figure.name).collect();
            return format!(
                "FIGURE<NUMBER or FIGURE>NUMBER with one of {}",
                names.join(", ")
            );
        };
        // The kinds are named after a condition that tried one.
        for figure in self.figures {
            let rest = text.strip_prefix(figure.name);
            if let Of::Kind(known, _) = figure.of
                && rest.is_some_and(|rest| rest.starts_with('.'))
            {
                return format!("{forms}; KIND is one of {}", known().join(", "));
            }
        }
        forms.into()
    }
}

/// The values that a figure can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureRange {
    low: f64,
    high: f64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Share,
    Difference,
    /// Scores, and the difference of two of them.
    Score,
    ScoreDifference,
    PValue,
    Coefficient,
    Rank,
    Number,
}

impl FigureRange {
    /// A share, from 0 to 1.
    pub const SHARE: FigureRange = FigureRange::new(0.0, 1.0, Kind::Share);
    /// A p-value, from 0 to 1.
    pub const P_VALUE: FigureRange = FigureRange::new(0.0, 1.0, Kind::PValue);
    /// A coefficient of correlation or agreement, from -1 to 1.
    pub const COEFFICIENT: FigureRange = FigureRange::new(-1.0, 1.0, Kind::Coefficient);
    /// A count or a sum of costs, from 0.
    pub const COUNT: FigureRange = FigureRange::new(0.0, f64::INFINITY, Kind::Number);
    /// A rank, from 1.
    pub const RANK: FigureRange = FigureRange::new(1.0, f64::INFINITY, Kind::Number);

    const fn new(low: f64, high: f64, kind: Kind) -> FigureRange {
        FigureRange { low, high, kind }
    }

    /// A difference of two shares that is at most `limit` either way: a share less a half is at
    /// most a half.
    pub const fn difference_of_shares(limit: f64) -> FigureRange {
        FigureRange::new(-limit, limit, Kind::Difference)
    }

    /// A score, between the least and the most that it can be.
    pub const fn score([low, high]: [f64; 2]) -> FigureRange {
        FigureRange::new(low, high, Kind::Score)
    }

    /// A difference of two such scores.
    pub const fn difference_of_scores([low, high]: [f64; 2]) -> FigureRange {
        FigureRange::new(low - high, high - low, Kind::ScoreDifference)
    }

    /// A rank among so many.
    pub fn rank_among(count: usize) -> FigureRange {
        FigureRange::new(1.0, count as f64, Kind::Rank)
    }

    /// Refuses a bound beyond the range, and one that no value in it can meet. `text` is the
    /// condition as the user wrote it.
    ///
    /// # Errors
    /// The range, and what was probably meant.
    pub fn check(self, text: &str, comparison: Comparison, bound: f64) -> Result<(), String> {
        let can_be_met = comparison.holds(self.low, bound) || comparison.holds(self.high, bound);
        if can_be_met && (self.low..=self.high).contains(&bound) {
            return Ok(());
        }
        let comes_of_it = match can_be_met {
            true => "any value would meet it",
            false => "no value could meet it",
        };
        Err(format!(
            "{} {text}: {}, so {comes_of_it}{}",
            Setting::FailIf,
            self.describe(),
            self.meant(bound)
        ))
    }

    /// Refuses a margin that no drop can exceed.
    ///
    /// # Errors
    /// The range, and what was probably meant.
    pub fn check_margin(self, text: &str, margin: f64) -> Result<(), String> {
        if -margin > self.low {
            return Ok(());
        }
        Err(format!(
            "{} {text}: {}, so no drop could exceed a margin of {margin}{}",
            Setting::FailIf,
            self.describe(),
            self.meant(margin)
        ))
    }

    fn describe(self) -> String {
        let kind = self.kind;
        // The lowest total of a checklist is a fraction.
        let [low, high] = [self.low, self.high].map(|end| (end * 1e3).round() / 1e3);
        let what = match kind {
            Kind::Share => "it is a share",
            Kind::Difference => "the difference is one of shares",
            Kind::Score => "it is a score on the scale",
            Kind::ScoreDifference => "the difference is one of scores",
            Kind::PValue => "a p-value is a probability",
            Kind::Coefficient => "it is a coefficient",
            Kind::Rank => "it is a rank",
            Kind::Number => return format!("it is {low} or more"),
        };
        format!("{what}, from {low} to {high}")
    }

    /// What a number is if it was meant in hundredths; empty where that is beyond the range too.
    fn meant(self, bound: f64) -> String {
        // Without the last bits of the division.
        let meant = (bound * 1e10).round() / 1e12;
        let words = match self.kind {
            Kind::Share => "%",
            Kind::Difference => "points",
            _ => return String::new(),
        };
        if bound.abs() < 1.0 || meant < self.low || meant > self.high {
            return String::new();
        }
        format!(": {meant} is {bound} {words}")
    }
}

impl Gate {
    /// Refuses a bound or a margin beyond what its figure can be. `difference` is the range of the
    /// difference that it is on; None where that is not known, or has no limits.
    ///
    /// # Errors
    /// The range, and what was probably meant.
    pub fn check_range(&self, difference: Option<FigureRange>) -> Result<(), String> {
        match &self.test {
            GateTest::Worse(_, margin) | GateTest::Inferior(_, margin) => {
                difference.map_or(Ok(()), |range| range.check_margin(&self.text, *margin))
            }
            GateTest::Bound(figure, comparison, bound) => {
                let range = match figure {
                    GateFigure::Difference(_, Part::P) => Some(FigureRange::P_VALUE),
                    GateFigure::Difference(..) => difference,
                    GateFigure::Answers(_, Who::System(_, Some(_)), _) => None,
                    GateFigure::Answers(..) => Some(FigureRange::COUNT),
                    GateFigure::Named { range, .. } => *range,
                };
                range.map_or(Ok(()), |range| range.check(&self.text, *comparison, *bound))
            }
            GateTest::Drift => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{COMPARISON, parse_gates};
    use super::*;

    /// The slow twin: which values of a fine grid meet a condition.
    fn met(range: [f64; 2], comparison: Comparison, bound: f64) -> usize {
        let value = |at: i32| range[0] + (range[1] - range[0]) * f64::from(at) / 1000.0;
        let values = (0..=1000).map(value);
        values
            .filter(|value| comparison.holds(*value, bound))
            .count()
    }

    #[test]
    fn a_bound_passes_where_a_value_can_meet_it_and_it_is_a_value_itself() {
        let comparisons = [
            Comparison::Below,
            Comparison::AtMost,
            Comparison::Above,
            Comparison::AtLeast,
        ];
        for (low, high) in [(0.0, 1.0), (-0.5, 0.5), (-1.0, 1.0)] {
            let range = FigureRange::new(low, high, Kind::Share);
            for comparison in comparisons {
                for bound in [
                    -95.0, -5.0, -1.0, -0.5, -0.2, 0.0, 0.3, 0.5, 0.99, 1.0, 5.0, 95.0,
                ] {
                    let good =
                        met([low, high], comparison, bound) > 0 && (low..=high).contains(&bound);
                    let found = range.check("x", comparison, bound);
                    assert_eq!(found.is_ok(), good, "{low} {high} {comparison:?} {bound}");
                }
                assert!(range.check("x", comparison, f64::INFINITY).is_err());
            }
            for margin in [0.0, 0.01, 0.3, 0.49, 0.5, 0.7, 1.0, 2.0, 100.0] {
                let good = met([low, high], Comparison::Below, -margin) > 0;
                // Shares themselves have no margins.
                if low < 0.0 {
                    let found = range.check_margin("x", margin);
                    assert_eq!(found.is_ok(), good, "{low} {margin}");
                }
            }
        }
    }

    #[test]
    fn the_likely_meaning_is_said() {
        let limit = FigureRange::difference_of_shares(0.5);
        for (text, says) in [
            (
                "inferior(v2,v1,5)",
                "from -0.5 to 0.5, so no drop could exceed a margin of 5: 0.05 is 5 points",
            ),
            ("worse(v2,v1,60)", "so no drop could exceed a margin of 60"),
            (
                "difference(v2,v1)<-5",
                "so no value could meet it: -0.05 is -5 points",
            ),
            (
                "difference(v2,v1).high<2",
                "so any value would meet it: 0.02 is 2 points",
            ),
            (
                "coverage<95",
                "it is a share, from 0 to 1, so any value would meet it: 0.95 is 95 %",
            ),
            (
                "difference(v2,v1).p<0",
                "a p-value is a probability, from 0 to 1, so no value could meet it",
            ),
            ("coverage<1.1", "any value would meet it: 0.011 is 1.1 %"),
            ("items<0", "it is 0 or more, so no value could meet it"),
            (
                "p95_latency(v2)<0",
                "it is 0 or more, so no value could meet it",
            ),
            (
                "answer_length<0",
                "it is 0 or more, so no value could meet it",
            ),
        ] {
            let gate = parse_gates(text, &COMPARISON).unwrap().remove(0);
            let refusal = gate.check_range(Some(limit)).unwrap_err();
            assert!(refusal.contains(says), "{text}: {refusal}");
        }
    }

    #[test]
    fn scores_without_a_known_scale_take_any_margin() {
        for text in [
            "inferior(v2,v1,50)",
            "difference(v2,v1)<-200",
            "worse(v2,v1,9)",
        ] {
            let gate = parse_gates(text, &COMPARISON).unwrap().remove(0);
            assert_eq!(gate.check_range(None), Ok(()));
        }
    }
}
