//! What the conditions of each command can be on.

use super::{ComparedFigures, FigureRange};

/// What the conditions of a command can be on: one grammar, with the figures that results of type
/// `R` have.
pub struct Grammar<R: 'static> {
    /// The figures that it can name.
    pub figures: &'static [Figure<R>],
    /// The conditions on differences that it takes.
    pub differences: Differences,
    /// What is expected of a condition, for messages; None for a bound on one of the figures.
    pub forms: Option<&'static str>,
}

/// A figure of a result.
pub struct Figure<R: 'static> {
    /// Its name, before a point where it is of something.
    pub name: &'static str,
    /// The names that stand behind the point.
    pub of: Of,
    /// The values that it can have; None where that is not known beforehand.
    pub range: Option<FigureRange>,
    /// Reads it of a result, by the name behind the point; None where the result does not have it.
    pub read: fn(&R, &str) -> Option<f64>,
}

/// What a figure is of.
pub enum Of {
    /// Of the whole result.
    Result,
    /// Of a system, which the result may have or not.
    System,
    /// Of one of these kinds.
    Kind(fn() -> Vec<&'static str>),
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
        Figure::new("coverage", FigureRange::SHARE, |found, _| found.coverage),
        Figure::new("failures", FigureRange::COUNT, |found, _| {
            Some(found.failures as f64)
        }),
        Figure::new("items", FigureRange::COUNT, |found, _| {
            Some(found.items as f64)
        }),
        Figure::new("cost", FigureRange::COUNT, |found, _| found.cost),
    ],
    differences: Differences::Any,
    forms: Some(
        "one of worse, worse(NEW), worse(NEW,OLD), worse(NEW,OLD,MARGIN), \
         inferior(NEW,OLD,MARGIN), drift, difference(NEW,OLD) or its .low, .high or .p, coverage, \
         failures, items or cost, each of the last with <, <=, > or >= and a number; all but drift \
         and the last four also with ' in CATEGORY' or ' in any'",
    ),
};

impl<R> Figure<R> {
    /// A figure of the whole result.
    pub const fn new(
        name: &'static str,
        range: FigureRange,
        read: fn(&R, &str) -> Option<f64>,
    ) -> Figure<R> {
        Figure {
            name,
            of: Of::Result,
            range: Some(range),
            read,
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
                    (Of::Result, None) | (Of::System, Some(_)) => true,
                    (Of::Kind(known), Some(kind)) => known().contains(&kind),
                    _ => false,
                }
        })
    }

    /// Returns the value that a figure of a condition has in a result, if it has it.
    pub fn value(&self, name: &str, of: Option<&str>, result: &R) -> Option<f64> {
        let figure = self.find(name, of)?;
        (figure.read)(result, of.unwrap_or_default())
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
            if let Of::Kind(known) = figure.of
                && rest.is_some_and(|rest| rest.starts_with('.'))
            {
                return format!("{forms}; KIND is one of {}", known().join(", "));
            }
        }
        forms.into()
    }
}
