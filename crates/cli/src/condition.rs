//! `--fail-if`: conditions on a result, such as `consistency<0.6,failures>10`; any of them
//! suffices.

mod pair;

use crate::{Done, Failed};
use evenhand_compare::gate::{Comparison, FigureRange, read_name, split_at_commas, split_bound};
use evenhand_ranking::{Ci, NoScore, RankOptions, RankingRow, Report, ScoreUnit, WarningKind};
use pair::PairCondition;
use std::sync::Arc;

/// Conditions as the user wrote them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Conditions {
    figures: Vec<Condition>,
    /// Those on the difference of two systems.
    pairs: Vec<PairCondition>,
    /// Whether they are decided by what is there where verdicts are missing.
    allow_missing: bool,
}

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

const FIGURES: &str = "coverage, failures, consistency, first_slot, outside, warnings, \
                       warnings.KIND, score.SYSTEM or rank.SYSTEM; or expected worse(A,B), \
                       worse(A,B,MARGIN), inferior(A,B,MARGIN), or difference(A,B) or its .low, \
                       .high or .p with a number";

impl Conditions {
    /// Reads conditions that are separated by commas.
    pub(crate) fn parse(text: &str) -> Result<Conditions, String> {
        let mut conditions = Conditions::default();
        for part in split_at_commas(text).into_iter().map(str::trim) {
            match PairCondition::parse(part) {
                Some(pair) => conditions.pairs.push(pair?),
                None => conditions.figures.push(Condition::parse(part)?),
            }
        }
        Ok(conditions)
    }

    /// Asks a ranking for what conditions on the difference of two systems need: the two compared
    /// item by item, and their scores' difference where there are intervals.
    pub(crate) fn ask_for_pairs(&self, options: &mut RankOptions) {
        options.duels = self.pairs.iter().map(PairCondition::systems).collect();
        options.differences |= !self.pairs.is_empty() && options.ci != Ci::None;
    }

    /// Reads the conditions of `--fail-if`, if it is given. They are decided by what is there where
    /// verdicts are missing, if that is allowed.
    pub(crate) fn parse_option(
        text: Option<&str>,
        allow_missing: bool,
    ) -> Result<Option<Conditions>, Failed> {
        let Some(text) = text else { return Ok(None) };
        let conditions = Conditions::parse(text).map_err(Failed::Usage)?;
        Ok(Some(Conditions {
            allow_missing,
            ..conditions
        }))
    }

    /// Refuses conditions on systems that will not be ranked: known before anything is judged.
    pub(crate) fn check(&self, systems: &[Arc<str>]) -> Result<(), Failed> {
        let figures = self.figures.iter();
        let of_figures =
            figures.filter_map(|found| Some((found.text.as_str(), found.figure.system()?)));
        let of_pairs = self.pairs.iter().flat_map(PairCondition::named_systems);
        for (text, system) in of_figures.chain(of_pairs) {
            if systems.iter().any(|known| **known == *system) {
                continue;
            }
            let ranked = match systems {
                [] => "none".into(),
                systems => systems.join(", "),
            };
            return Err(Failed::Usage(format!(
                "--fail-if {text}: no system {system} is ranked here; those that are: {ranked}"
            )));
        }
        Ok(())
    }

    /// Refuses bounds and margins beyond what scores in this unit can be.
    pub(crate) fn check_unit(&self, unit: ScoreUnit) -> Result<(), Failed> {
        if !unit.is_share() {
            return Ok(());
        }
        for condition in &self.figures {
            if matches!(condition.figure, Figure::Score(_)) {
                let checked = FigureRange::SHARE.check(
                    &condition.text,
                    condition.comparison,
                    condition.bound,
                );
                checked.map_err(Failed::Usage)?;
            }
        }
        for pair in &self.pairs {
            pair.check_share().map_err(Failed::Usage)?;
        }
        Ok(())
    }

    /// Returns how a command ends: with the first condition that holds, if one does.
    ///
    /// # Errors
    /// A figure that the report does not have: it meets no condition.
    pub(crate) fn end(&self, report: &Report) -> Result<Done, Failed> {
        let mut open = None;
        for condition in &self.figures {
            let (text, figure) = (&condition.text, &condition.figure);
            let value = figure.value(report).ok_or_else(|| {
                Failed::usage(format!("--fail-if {text}: this run has no such figure"))
            })?;
            if condition.comparison.holds(value, condition.bound) {
                return Ok(Done::ConditionMet(format!("{text} (it is {value})")));
            }
            // What is met of a system stays met; what is not, is not decided while items are
            // missing.
            let system = figure.system().filter(|_| !self.allow_missing);
            let lacking = system.and_then(|system| missing_of(report, &[system]));
            open = open.or(lacking.map(|why| format!("{text} ({why})")));
        }
        let ended = PairCondition::end_all(&self.pairs, report, self.allow_missing);
        Ok(match (ended, open) {
            (Done::Fine, Some(open)) => Done::Inconclusive(open),
            (ended, _) => ended,
        })
    }
}

/// Says what a condition on these systems lacks; None where it lacks nothing. Of files it is not
/// known whose the judgments without a verdict are.
fn missing_of(report: &Report, systems: &[&str]) -> Option<String> {
    let (trials, verdicts) = (report.coverage.trials, report.coverage.verdicts);
    let of_system = |system: &&str| {
        let mut rows = report.missing.iter().flatten();
        let row = rows.find(|row| row.system == **system)?;
        Some(format!(
            "missing: {} has no verdict on {} of {} items",
            row.system, row.items, row.of
        ))
    };
    match systems.iter().find_map(of_system) {
        None if verdicts < trials && report.missing.is_none() => Some(format!(
            "missing: {} of {trials} judgments came to no verdict",
            trials - verdicts
        )),
        found => found,
    }
}

impl Condition {
    fn parse(text: &str) -> Result<Condition, String> {
        let unreadable = || {
            // The kinds of warnings are named after a condition that tried one.
            let kinds = match text.starts_with("warnings.") {
                true => format!(
                    "; KIND is one of {}",
                    WarningKind::ALL.map(WarningKind::name).join(", ")
                ),
                false => String::new(),
            };
            format!(
                "--fail-if {text}: expected FIGURE<NUMBER, with <, <=, > or >= and one of \
                 {FIGURES}{kinds}"
            )
        };
        let (figure, comparison, bound) = split_bound(text).ok_or_else(unreadable)?;
        let figure = Figure::parse(figure).ok_or_else(unreadable)?;
        if let Some(range) = figure.range() {
            range.check(text, comparison, bound)?;
        }
        Ok(Condition {
            text: text.into(),
            figure,
            comparison,
            bound,
        })
    }
}

impl Figure {
    fn parse(text: &str) -> Option<Figure> {
        match text {
            "coverage" => Some(Figure::Coverage),
            "failures" => Some(Figure::Failures),
            "consistency" => Some(Figure::Consistency),
            "first_slot" => Some(Figure::FirstSlot),
            "outside" => Some(Figure::Outside),
            "warnings" => Some(Figure::Warnings),
            // A figure of one system, or of one kind of warning.
            text => match text.split_once('.')? {
                ("warnings", kind) => WarningKind::from_name(kind).map(Figure::WarningsOf),
                ("score", system) => Some(Figure::Score(read_name(system))),
                ("rank", system) => Some(Figure::Rank(read_name(system))),
                _ => None,
            },
        }
    }

    /// Which values it can have; None for scores, which depends on their unit.
    fn range(&self) -> Option<FigureRange> {
        match self {
            Figure::Coverage | Figure::Consistency | Figure::FirstSlot | Figure::Outside => {
                Some(FigureRange::SHARE)
            }
            Figure::Failures | Figure::Warnings | Figure::WarningsOf(_) => Some(FigureRange::COUNT),
            Figure::Rank(_) => Some(FigureRange::RANK),
            Figure::Score(_) => None,
        }
    }

    /// Returns the system that the figure is of, if it is of one.
    fn system(&self) -> Option<&str> {
        match self {
            Figure::Score(system) | Figure::Rank(system) => Some(system),
            _ => None,
        }
    }

    fn value(&self, report: &Report) -> Option<f64> {
        let (trials, verdicts) = (report.coverage.trials, report.coverage.verdicts);
        match self {
            // None before there is a trial.
            Figure::Coverage => (trials > 0).then(|| verdicts as f64 / trials as f64),
            Figure::Failures => Some((trials - verdicts) as f64),
            Figure::Consistency => report.consistency.as_ref().map(|share| share.value),
            Figure::FirstSlot => report.first_slot.as_ref().map(|share| share.value),
            Figure::Outside => report.outside,
            Figure::Warnings => Some(report.warnings.len() as f64),
            Figure::WarningsOf(kind) => {
                let of_kind = report
                    .warnings
                    .iter()
                    .filter(|warning| warning.kind == *kind);
                Some(of_kind.count() as f64)
            }
            Figure::Score(system) => score_of(find_row(report, system)?),
            Figure::Rank(system) => find_row(report, system)?.rank.map(f64::from),
        }
    }
}

/// The score of a system, which is infinite where it won or lost everything; None where it is
/// undefined.
fn score_of(row: &RankingRow) -> Option<f64> {
    match row.no_score {
        Some(NoScore::WonAll) => Some(f64::INFINITY),
        Some(NoScore::LostAll) => Some(f64::NEG_INFINITY),
        Some(NoScore::Undefined) | None => row.score,
    }
}

fn find_row<'a>(report: &'a Report, system: &str) -> Option<&'a RankingRow> {
    report.ranking.iter().find(|row| row.system == system)
}

/// A figure by its name, and which of its values meet the condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) text: String,
    pub(crate) figure: String,
    comparison: Comparison,
    bound: f64,
}

impl Bound {
    /// Reads conditions on figures of these names, separated by commas; each with the values that
    /// it can have.
    pub(crate) fn parse_all(
        text: Option<&str>,
        figures: &[(&str, FigureRange)],
    ) -> Result<Vec<Bound>, Failed> {
        let Some(text) = text else {
            return Ok(Vec::new());
        };
        let parts = text.split(',').map(str::trim);
        parts.map(|part| Bound::parse(part, figures)).collect()
    }

    fn parse(text: &str, figures: &[(&str, FigureRange)]) -> Result<Bound, Failed> {
        let unknown = || {
            let names: Vec<&str> = figures.iter().map(|(name, _)| *name).collect();
            Failed::Usage(format!(
                "--fail-if {text}: expected FIGURE<NUMBER or FIGURE>NUMBER with one of {}",
                names.join(", ")
            ))
        };
        let (figure, comparison, bound) = split_bound(text).ok_or_else(unknown)?;
        let known = figures.iter().find(|(name, _)| *name == figure);
        let (_, range) = known.ok_or_else(unknown)?;
        range
            .check(text, comparison, bound)
            .map_err(Failed::Usage)?;
        Ok(Bound {
            text: text.into(),
            figure: figure.into(),
            comparison,
            bound,
        })
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
            if condition.comparison.holds(value, condition.bound) {
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
        let Conditions { figures: all, .. } =
            Conditions::parse("coverage<0.95, failures>=10,rank.gpt-4.1>1").unwrap();
        assert_eq!(all.len(), 3);
        assert_eq!(
            (&all[1].figure, all[1].comparison, all[1].bound),
            (&Figure::Failures, Comparison::AtLeast, 10.0)
        );
        assert_eq!(all[2].figure, Figure::Rank("gpt-4.1".into()));
    }

    #[test]
    fn bounds_beyond_what_a_figure_can_be_are_refused() {
        for (text, says) in [
            ("coverage<95", "any value would meet it: 0.95 is 95 %"),
            ("consistency<60", "0.6 is 60 %"),
            ("first_slot>55", "no value could meet it: 0.55 is 55 %"),
            ("outside>1", "from 0 to 1, so no value could meet it"),
            ("failures<0", "it is 0 or more, so no value could meet it"),
            ("rank.a<1", "it is 1 or more, so no value could meet it"),
            ("difference(a,b).p<-1", "a p-value is a probability"),
        ] {
            let refusal = Conditions::parse(text).unwrap_err();
            assert!(refusal.contains(says), "{text}: {refusal}");
        }
        let shares = [
            "score.a<50",
            "inferior(a,b,10)",
            "difference(a,b)<-5",
            "worse(a,b,2)",
        ];
        for text in shares {
            let conditions = Conditions::parse(text).unwrap();
            assert!(conditions.check_unit(ScoreUnit::FittedElo).is_ok());
            assert!(conditions.check_unit(ScoreUnit::FormPoints).is_ok());
            let refused = conditions.check_unit(ScoreUnit::ShareWon);
            let says_range = matches!(refused, Err(Failed::Usage(why)) if why.contains("from "));
            assert!(says_range, "{text}");
        }
    }

    #[test]
    fn systems_with_a_comma_are_named_in_quotes() {
        let all = Conditions::parse(r#"score."a,b"<0.5,worse("a,b",c),rank."x<y">2"#).unwrap();
        assert_eq!(all.figures[0].figure, Figure::Score("a,b".into()));
        assert_eq!(all.figures[1].figure, Figure::Rank("x<y".into()));
        assert_eq!(all.pairs[0].systems(), ["a,b", "c"].map(String::from));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "coverage",
            "coverage=1",
            "covrage<1",
            "coverage<x",
            "coverage>>0.1",
            "coverage<<0.1",
            "coverage<>0.1",
            "coverage<nan",
            "",
        ] {
            let refusal = Conditions::parse(text).unwrap_err();
            assert!(refusal.contains("expected FIGURE<NUMBER"), "{text}");
            assert!(
                Bound::parse(text, &[("coverage", FigureRange::SHARE)]).is_err(),
                "{text}"
            );
        }
    }
}
