//! `--fail-if`: conditions on a result, such as `consistency<0.6,failures>10`; any of them
//! suffices.

use crate::{Done, Failed};
use evenhand_engine::{Report, WarningKind};
use std::sync::Arc;

/// Conditions as the user wrote them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conditions(Vec<Condition>);

#[derive(Clone, Debug, PartialEq)]
struct Condition {
    text: String,
    figure: Figure,
    comparison: Comparison,
    bound: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Figure {
    Coverage,
    Failures,
    Consistency,
    FirstSlot,
    Outside,
    Warnings,
    WarningsOf(WarningKind),
    Score(String),
    Rank(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Below,
    AtMost,
    Above,
    AtLeast,
}

const FIGURES: &str = "coverage, failures, consistency, first_slot, outside, warnings, \
                       warnings.KIND, score.SYSTEM or rank.SYSTEM";

impl Conditions {
    /// Reads conditions that are separated by commas.
    pub(crate) fn parse(text: &str) -> Result<Conditions, String> {
        text.split(',')
            .map(str::trim)
            .map(Condition::parse)
            .collect::<Result<_, _>>()
            .map(Conditions)
    }

    /// Reads the conditions of `--fail-if`, if it is given.
    pub(crate) fn parse_option(text: Option<&str>) -> Result<Option<Conditions>, Failed> {
        text.map(Conditions::parse)
            .transpose()
            .map_err(Failed::Usage)
    }

    /// Refuses conditions on systems that will not be ranked: known before anything is judged.
    pub(crate) fn check(&self, systems: &[Arc<str>]) -> Result<(), Failed> {
        for condition in &self.0 {
            let (Figure::Score(system) | Figure::Rank(system)) = &condition.figure else {
                continue;
            };
            if !systems.iter().any(|known| **known == **system) {
                return Err(Failed::usage(format!(
                    "--fail-if {}: no system {system} is ranked here; those that are: {}",
                    condition.text,
                    list_systems(systems)
                )));
            }
        }
        Ok(())
    }

    /// Returns how a command ends: with the first condition that holds, if one does.
    ///
    /// # Errors
    /// A figure that the report does not have: it meets no condition.
    pub(crate) fn end(&self, report: &Report) -> Result<Done, Failed> {
        for condition in &self.0 {
            let text = &condition.text;
            let value = condition.figure.value(report).ok_or_else(|| {
                Failed::usage(format!("--fail-if {text}: this run has no such figure"))
            })?;
            if condition.comparison.holds(value, condition.bound) {
                return Ok(Done::ConditionMet(format!("{text} (it is {value})")));
            }
        }
        Ok(Done::Fine)
    }
}

fn list_systems(systems: &[Arc<str>]) -> String {
    if systems.is_empty() {
        return "none".into();
    }
    systems.join(", ")
}

impl Condition {
    fn parse(text: &str) -> Result<Condition, String> {
        let bad = || {
            format!(
                "--fail-if {text}: expected FIGURE<NUMBER, with <, <=, > or >= and one of \
                 {FIGURES}{}",
                kinds_for(text)
            )
        };
        let at = text.find(['<', '>']).ok_or_else(bad)?;
        let (figure, rest) = text.split_at(at);
        let (comparison, bound) = match (
            rest.strip_prefix("<="),
            rest.strip_prefix(">="),
            rest.strip_prefix('<'),
        ) {
            (Some(bound), ..) => (Comparison::AtMost, bound),
            (_, Some(bound), _) => (Comparison::AtLeast, bound),
            (.., Some(bound)) => (Comparison::Below, bound),
            _ => (Comparison::Above, rest.trim_start_matches('>')),
        };
        let bound = bound.trim().parse().map_err(|_| bad())?;
        Ok(Condition {
            text: text.into(),
            figure: Figure::parse(figure.trim()).ok_or_else(bad)?,
            comparison,
            bound,
        })
    }
}

/// The kinds of warnings, for whom they may help: named after a condition that tried one.
fn kinds_for(text: &str) -> String {
    let kinds: Vec<&str> = WarningKind::ALL.iter().map(|kind| kind.name()).collect();
    if text.starts_with("warnings.") {
        format!("; KIND is one of {}", kinds.join(", "))
    } else {
        String::new()
    }
}

impl Figure {
    fn parse(text: &str) -> Option<Figure> {
        match (text, text.split_once('.')) {
            ("coverage", _) => Some(Figure::Coverage),
            ("failures", _) => Some(Figure::Failures),
            ("consistency", _) => Some(Figure::Consistency),
            ("first_slot", _) => Some(Figure::FirstSlot),
            ("outside", _) => Some(Figure::Outside),
            ("warnings", _) => Some(Figure::Warnings),
            (_, Some(("warnings", kind))) => WarningKind::from_name(kind).map(Figure::WarningsOf),
            (_, Some(("score", system))) => Some(Figure::Score(system.into())),
            (_, Some(("rank", system))) => Some(Figure::Rank(system.into())),
            _ => None,
        }
    }

    fn value(&self, report: &Report) -> Option<f64> {
        let row = |name: &str| report.ranking.iter().find(|row| row.system == name);
        let coverage = &report.coverage;
        match self {
            Figure::Coverage => {
                (coverage.trials > 0).then(|| coverage.verdicts as f64 / coverage.trials as f64)
            }
            Figure::Failures => Some((coverage.trials - coverage.verdicts) as f64),
            Figure::Consistency => report.consistency.as_ref().map(|share| share.value),
            Figure::FirstSlot => report.first_slot.as_ref().map(|share| share.value),
            Figure::Outside => report.outside,
            Figure::Warnings => Some(report.warnings.len() as f64),
            Figure::WarningsOf(kind) => Some(
                report
                    .warnings
                    .iter()
                    .filter(|one| one.kind == *kind)
                    .count() as f64,
            ),
            Figure::Score(system) => row(system)?.score,
            Figure::Rank(system) => row(system)?.rank.map(f64::from),
        }
    }
}

impl Comparison {
    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Comparison::Below => value < bound,
            Comparison::AtMost => value <= bound,
            Comparison::Above => value > bound,
            Comparison::AtLeast => value >= bound,
        }
    }
}

/// A figure by its name, and which of its values meet the condition: below or above the bound, or
/// at it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) text: String,
    pub(crate) figure: String,
    below: bool,
    at: bool,
    bound: f64,
}

impl Bound {
    /// Reads conditions on figures of these names, separated by commas.
    pub(crate) fn parse_all(text: Option<&str>, figures: &[&str]) -> Result<Vec<Bound>, Failed> {
        text.map_or(Ok(Vec::new()), |text| {
            text.split(',')
                .map(|text| Bound::parse(text.trim(), figures))
                .collect()
        })
    }

    fn parse(text: &str, figures: &[&str]) -> Result<Bound, Failed> {
        let names = figures.join(", ");
        let bad = || {
            Failed::Usage(format!(
                "--fail-if {text}: expected FIGURE<NUMBER or FIGURE>NUMBER with one of {names}"
            ))
        };
        let at = text.find(['<', '>']).ok_or_else(bad)?;
        let (figure, rest) = text.split_at(at);
        let sign = rest
            .chars()
            .take_while(|sign| "<>=".contains(*sign))
            .count();
        let bound = rest
            .get(sign..)
            .and_then(|bound| bound.trim().parse().ok())
            .filter(|_| sign <= 2)
            .ok_or_else(bad)?;
        let figure = figure.trim().to_string();
        if !figures.contains(&figure.as_str()) {
            return Err(bad());
        }
        Ok(Bound {
            text: text.into(),
            figure,
            below: rest.starts_with('<'),
            at: sign == 2,
            bound,
        })
    }

    /// Whether a value meets it.
    pub(crate) fn holds(&self, value: f64) -> bool {
        let beyond = if self.below {
            value < self.bound
        } else {
            value > self.bound
        };
        beyond || (self.at && value == self.bound)
    }
}

/// A row of a report whose figures `--fail-if` can name.
pub(crate) trait NamedFigures {
    /// Returns what the row is of: a system, a bencher or a judge.
    fn name(&self) -> &str;

    /// Returns the figure of this name, or None where the row has none.
    fn figure(&self, name: &str) -> Option<f64>;
}

/// Returns how a command ends: with the first condition that holds of any row, if one does.
///
/// # Errors
/// A figure that a row does not have: it meets no condition, and is not passed over in silence.
pub(crate) fn end_by_conditions<R: NamedFigures>(
    conditions: &[Bound],
    rows: &[R],
) -> Result<Done, Failed> {
    for condition in conditions {
        for row in rows {
            let (text, name) = (&condition.text, row.name());
            let value = row.figure(&condition.figure).ok_or_else(|| {
                Failed::usage(format!("--fail-if {text}: {name} has no such figure"))
            })?;
            if condition.holds(value) {
                return Ok(Done::ConditionMet(format!(
                    "{text} ({name}: it is {value})"
                )));
            }
        }
    }
    Ok(Done::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let Conditions(all) =
            Conditions::parse("coverage<0.95, failures>=10,rank.gpt-4.1>1").unwrap();
        assert_eq!(all.len(), 3);
        assert_eq!(
            (&all[1].figure, all[1].comparison, all[1].bound),
            (&Figure::Failures, Comparison::AtLeast, 10.0)
        );
        assert_eq!(all[2].figure, Figure::Rank("gpt-4.1".into()));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["coverage", "coverage=1", "covrage<1", "coverage<x", ""] {
            assert!(
                Conditions::parse(text)
                    .unwrap_err()
                    .contains("expected FIGURE<NUMBER"),
                "{text}"
            );
        }
    }
}
