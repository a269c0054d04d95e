//! `--fail-if`: conditions on a result, such as `consistency<0.6,failures>10`; any of them
//! suffices. `evenhand_compare::gate` has their grammar, each command the table of its figures.

mod answers;
mod pair;

use crate::{Done, Failed};
use evenhand_compare::gate::{
    Decided, Differences, Figure, FigureRange, Gate, GateFigure, GateOutcome, GateResult, GateTest,
    Grammar, Of, Who, parse_gates,
};
use evenhand_core::printable;
use evenhand_engine::Job;
use evenhand_formats::{Dataset, Missing};
use evenhand_ranking::{Ci, NoScore, RankOptions, RankingRow, Report, ScoreUnit, WarningKind};
use std::sync::Arc;

/// The conditions on a ranking.
static RANKING: Grammar<Report> = Grammar {
    figures: &[
        // None before there is a trial.
        Figure::share("coverage", |report| {
            let (trials, verdicts) = (report.coverage.trials, report.coverage.verdicts);
            (trials > 0).then(|| verdicts as f64 / trials as f64)
        }),
        Figure::count("failures", |report| {
            Some((report.coverage.trials - report.coverage.verdicts) as f64)
        }),
        Figure::share("consistency", |report| {
            report.consistency.as_ref().map(|share| share.value)
        }),
        Figure::share("first_slot", |report| {
            report.first_slot.as_ref().map(|share| share.value)
        }),
        Figure::share("outside", |report| report.outside),
        Figure::count("warnings", |report| Some(report.warnings.len() as f64)),
        Figure {
            name: "warnings",
            of: Of::Kind(
                || WarningKind::NAMES.to_vec(),
                |report, kind| {
                    let kind = WarningKind::from_name(kind)?;
                    let warnings = report.warnings.iter();
                    Some(warnings.filter(|warning| warning.kind == kind).count() as f64)
                },
            ),
            range: Some(FigureRange::COUNT),
        },
        Figure {
            name: "score",
            of: Of::System(|report, system| score_of(find_row(report, system)?)),
            // It depends on the unit.
            range: None,
        },
        Figure {
            name: "rank",
            of: Of::System(|report, system| find_row(report, system)?.rank.map(f64::from)),
            range: Some(FigureRange::RANK),
        },
    ],
    differences: Differences::OfTwo,
    forms: Some(
        "FIGURE<NUMBER, with <, <=, > or >= and one of coverage, failures, consistency, \
         first_slot, outside, warnings, warnings.KIND, score.SYSTEM or rank.SYSTEM; or expected \
         worse(A,B), worse(A,B,MARGIN), inferior(A,B,MARGIN), or difference(A,B) or its .low, \
         .high or .p with a number; or p95_latency, p95_latency(SYSTEM), p95_latency(NEW,OLD), \
         answer_length likewise, or their .low or .high, with a number",
    ),
};

/// Reads the conditions of `--fail-if`; none where it is not given.
pub(crate) fn parse_conditions<R>(
    text: Option<&str>,
    grammar: &Grammar<R>,
) -> Result<Vec<Gate>, Failed> {
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    let gates = parse_gates(text, grammar).map_err(Failed::Usage)?;
    for gate in &gates {
        gate.check_range(None).map_err(Failed::Usage)?;
    }
    Ok(gates)
}

/// Conditions on a ranking, as the user wrote them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conditions {
    figures: Vec<Gate>,
    /// Those on the difference of two systems.
    pairs: Vec<Gate>,
    /// Those on the systems' answers, which need no judge.
    answers: Vec<Gate>,
    /// Whether they are decided by what is there where verdicts are missing.
    allow_missing: bool,
}

impl Conditions {
    /// Reads the conditions of `--fail-if`, if it is given. They are decided by what is there where
    /// verdicts are missing, if that is allowed.
    pub(crate) fn parse_option(
        text: Option<&str>,
        allow_missing: bool,
    ) -> Result<Option<Conditions>, Failed> {
        let gates = parse_conditions(text, &RANKING)?;
        let is_of_answers =
            |gate: &Gate| matches!(gate.test, GateTest::Bound(GateFigure::Answers(..), ..));
        let (answers, gates): (Vec<Gate>, Vec<Gate>) = gates.into_iter().partition(is_of_answers);
        let (pairs, figures) = gates.into_iter().partition(|gate| gate.who().is_some());
        Ok(text.map(|_| Conditions {
            figures,
            pairs,
            answers,
            allow_missing,
        }))
    }

    /// Asks a ranking for what conditions on the difference of two systems need: the two compared
    /// item by item, and their scores' difference where there are intervals.
    pub(crate) fn ask_for_pairs(&self, options: &mut RankOptions) {
        let pairs = self.pairs.iter().filter_map(Gate::systems);
        options.duels = pairs.map(|pair| pair.map(String::from)).collect();
        options.differences |= !self.pairs.is_empty() && options.ci != Ci::None;
    }

    /// Refuses conditions on systems that will not be ranked, and on ranks that so few cannot have:
    /// known before anything is judged.
    pub(crate) fn check(&self, systems: &[Arc<str>]) -> Result<(), Failed> {
        let gates = self.figures.iter().chain(&self.pairs);
        for gate in gates.chain(&self.answers) {
            for named in named_systems(gate) {
                if systems.iter().any(|known| **known == *named) {
                    continue;
                }
                let ranked = match systems {
                    [] => "none".into(),
                    systems => systems.join(", "),
                };
                return Err(Failed::Usage(format!(
                    "--fail-if {}: no system {named} is ranked here; those that are: {ranked}",
                    gate.text
                )));
            }
            if let GateTest::Bound(GateFigure::Named { name: "rank", .. }, comparison, bound) =
                gate.test
            {
                let range = FigureRange::rank_among(systems.len());
                let checked = range.check(&gate.text, comparison, bound);
                checked.map_err(Failed::Usage)?;
            }
        }
        Ok(())
    }

    /// Refuses bounds and margins beyond what scores in this unit can be. `scores` are the least
    /// and the most that a judge's score can be, where that is known.
    pub(crate) fn check_unit(
        &self,
        unit: ScoreUnit,
        scores: Option<[f64; 2]>,
    ) -> Result<(), Failed> {
        let of_judge = matches!(unit, ScoreUnit::FormPoints | ScoreUnit::CriteriaShare);
        let (range, difference) = match scores.filter(|_| of_judge) {
            _ if unit.is_share() => {
                let difference = FigureRange::difference_of_shares(1.0);
                (FigureRange::SHARE, difference)
            }
            Some(scores) => {
                let difference = FigureRange::difference_of_scores(scores);
                (FigureRange::score(scores), difference)
            }
            None => return Ok(()),
        };
        for gate in &self.figures {
            if let GateTest::Bound(GateFigure::Named { range: None, .. }, comparison, bound) =
                gate.test
            {
                let checked = range.check(&gate.text, comparison, bound);
                checked.map_err(Failed::Usage)?;
            }
        }
        for gate in &self.pairs {
            gate.check_range(Some(difference)).map_err(Failed::Usage)?;
        }
        Ok(())
    }

    /// Decides each condition: those on figures, then those on two systems, then those on answers.
    /// A condition that is met stays met, whatever is missing; any other is open while items are
    /// missing.
    ///
    /// `job` has the answers that were judged, where they are known.
    ///
    /// # Errors
    /// A figure that the report does not have, unless another condition is met: it meets none.
    /// Answers that are not known or cannot be read.
    pub(crate) fn decide(
        &self,
        report: &Report,
        job: Option<&Job>,
    ) -> Result<Vec<GateResult>, Failed> {
        let missing = |gate: &Gate| match self.allow_missing {
            true => None,
            false => {
                let systems = named_systems(gate);
                let unanswered = || unanswered_by(&job?.dataset, &systems);
                missing_of(report, &systems).or_else(unanswered)
            }
        };
        let mut results = Vec::new();
        let mut unknown = None;
        for gate in &self.figures {
            let systems = named_systems(gate);
            let decided = match (read_figure(gate, &RANKING, report), systems.first()) {
                (Some((value, true)), _) => Decided::new(GateOutcome::Met, it_is(gate, value)),
                // A figure that is of no system counts what is missing itself.
                (Some((value, false)), None) => {
                    Decided::new(GateOutcome::Passed, it_is(gate, value))
                }
                (Some((value, false)), Some(_)) => match missing(gate) {
                    Some(lacking) => Decided::missing(&lacking),
                    None => Decided::new(GateOutcome::Passed, it_is(gate, value)),
                },
                // It is ranked, and the data do not determine its score.
                (None, Some(system)) => {
                    let row = find_row(report, system);
                    let why = row.and_then(|row| row.note.as_deref());
                    Decided::open(format!("{system}: {}", why.unwrap_or("it has no score")))
                }
                (None, None) => {
                    unknown = unknown.or(Some(&gate.text));
                    continue;
                }
            };
            results.push(decided.of(&gate.text));
        }
        for gate in &self.pairs {
            let found = pair::decide(gate, report);
            let lacking = missing(gate).filter(|_| found.outcome == GateOutcome::Passed);
            let found = lacking.map_or(found, |lacking| Decided::missing(&lacking));
            results.push(found.of(&gate.text));
        }
        for gate in &self.answers {
            let text = &gate.text;
            let job = job.ok_or_else(|| {
                Failed::usage(format!(
                    "--fail-if {text}: these files hold judgments and no answers; rank, and \
                     compare of runs, know the answers"
                ))
            })?;
            let found = answers::decide(gate, job, report.ci.level, self.allow_missing)?;
            results.push(found.of(text));
        }
        refuse_unknown(&results, unknown.map(|text| (text.as_str(), "this run")))?;
        Ok(results)
    }
}

/// Refuses a condition on a figure that `whose` does not have, unless another one is met: it is not
/// passed over in silence.
fn refuse_unknown(results: &[GateResult], unknown: Option<(&str, &str)>) -> Result<(), Failed> {
    let is_met = |gate: &GateResult| gate.outcome == GateOutcome::Met;
    match unknown {
        Some((text, whose)) if !results.iter().any(is_met) => Err(Failed::usage(format!(
            "--fail-if {text}: {whose} has no such figure"
        ))),
        _ => Ok(()),
    }
}

/// Returns how a command ends that did its work: any condition that is met counts before those that
/// are open.
pub(crate) fn end_by_gates(results: &[GateResult]) -> Done {
    let said = |gate: &GateResult| printable(&gate.sentence()).into_owned();
    let is_met = |gate: &&GateResult| gate.outcome == GateOutcome::Met;
    let is_open = |gate: &&GateResult| matches!(gate.outcome, GateOutcome::Inconclusive(_));
    let mut all = results.iter();
    match all.clone().find(is_met) {
        Some(met) => Done::ConditionMet(said(met)),
        None => all
            .find(is_open)
            .map_or(Done::Fine, |open| Done::Inconclusive(said(open))),
    }
}

/// Says what the figure of a condition is.
fn it_is(gate: &Gate, value: f64) -> String {
    format!("it is {}", shown(gate, value))
}

/// The systems that a condition on a ranking names.
fn named_systems(gate: &Gate) -> Vec<&str> {
    match &gate.test {
        GateTest::Bound(GateFigure::Named { name, of, .. }, ..) => match *name {
            "score" | "rank" => Vec::from_iter(of.as_deref()),
            _ => Vec::new(),
        },
        GateTest::Bound(GateFigure::Answers(_, Who::System(new, old), _), ..) => {
            std::iter::once(new.as_str())
                .chain(old.as_deref())
                .collect()
        }
        _ => gate.systems().map_or_else(Vec::new, Vec::from),
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
            "{} has no verdict on {} of {} items",
            row.system, row.items, row.of
        ))
    };
    // Two systems rest on what was said of the two; one, on all that was said of it.
    let of_pair = || {
        let is_meant = |named: &[String; 2]| {
            let has = |system: &&str| named.iter().any(|one| one == *system);
            !systems.is_empty() && systems.iter().all(has)
        };
        let mut rows = report.missing_pairs.iter();
        let row = rows.find(|row| is_meant(&row.systems))?;
        let [a, b] = &row.systems;
        Some(format!(
            "{a} against {b} on {} of {} items",
            row.items, row.of
        ))
    };
    match systems.iter().find_map(of_system).or_else(of_pair) {
        None if verdicts < trials && report.missing.is_none() => Some(format!(
            "{} of {trials} judgments came to no verdict",
            trials - verdicts
        )),
        found => found,
    }
}

/// Says to how many items one of these systems has no response, as in a file of pairs; None where
/// each has all.
fn unanswered_by(dataset: &Dataset, systems: &[&str]) -> Option<String> {
    systems.iter().find_map(|system| {
        let lacks = |one: &&Missing| one.systems.iter().any(|known| **known == **system);
        let items = dataset.missing.iter().filter(lacks).count();
        let of = dataset.items.len();
        (items > 0).then(|| format!("{system} has no response to {items} of {of} items"))
    })
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

/// Returns the figure of a condition with at most four digits behind the point; with all of them
/// where it would else be shown as the bound that it is not, or as 0.
fn shown(gate: &Gate, value: f64) -> String {
    if value.is_infinite() {
        return "beyond any size".into();
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let is_bound = match &gate.test {
        GateTest::Bound(_, _, bound) => text.parse::<f64>().is_ok_and(|shown| shown == *bound),
        _ => false,
    };
    match is_bound || text.trim_start_matches('-') == "0" {
        true => value.to_string(),
        false => text.to_owned(),
    }
}

/// Reads the figure of a condition, and whether it meets it; None where the result has no such
/// figure.
fn read_figure<R>(gate: &Gate, grammar: &Grammar<R>, result: &R) -> Option<(f64, bool)> {
    let GateTest::Bound(GateFigure::Named { name, of, .. }, comparison, bound) = &gate.test else {
        return None;
    };
    let value = grammar.value(name, of.as_deref(), result)?;
    Some((value, comparison.holds(value, *bound)))
}

/// Decides conditions that any row may meet; `of` says what a row is of (a system, a bencher or a
/// judge), and has its figures. `lacking` is what the rows lack, where that leaves a condition open
/// that none meets.
///
/// # Errors
/// A figure that a row does not have, unless another condition is met.
pub(crate) fn decide_by_rows<T, R>(
    conditions: &[Gate],
    grammar: &Grammar<R>,
    rows: &[T],
    of: fn(&T) -> (&str, &R),
    lacking: Option<&str>,
) -> Result<Vec<GateResult>, Failed> {
    let mut unknown = None;
    let mut results = Vec::new();
    for gate in conditions {
        let mut met = None;
        let mut values = Vec::new();
        let mut is_known = true;
        for (name, figures) in rows.iter().map(of) {
            match read_figure(gate, grammar, figures) {
                Some((value, is_met)) => {
                    let said = format!("{name}: {}", it_is(gate, value));
                    met = met.or(is_met.then(|| said.clone()));
                    values.push(said);
                }
                None => {
                    unknown = unknown.or(Some((gate.text.as_str(), name)));
                    is_known = false;
                }
            }
        }
        let decided = match (met, lacking) {
            (Some(met), _) => Decided::new(GateOutcome::Met, met),
            (None, _) if !is_known => continue,
            (None, Some(lacking)) => Decided::missing(lacking),
            (None, None) => Decided::new(GateOutcome::Passed, values.join("; ")),
        };
        results.push(decided.of(&gate.text));
    }
    refuse_unknown(&results, unknown)?;
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_compare::gate::Comparison;

    fn parse(text: &str) -> Result<Conditions, String> {
        match Conditions::parse_option(Some(text), false) {
            Ok(conditions) => Ok(conditions.unwrap()),
            Err(Failed::Usage(why)) => Err(why),
            Err(_) => unreachable!(),
        }
    }

    #[test]
    fn a_figure_is_shown_with_few_digits_and_never_as_the_bound_that_it_is_not() {
        let gate = &parse("coverage<0.9").unwrap().figures[0];
        for (value, text) in [
            (0.8641304347826086, "0.8641"),
            (0.899999, "0.899999"),
            (0.9, "0.9"),
            (12.0, "12"),
            (0.0, "0"),
            (0.00001, "0.00001"),
        ] {
            assert_eq!(shown(gate, value), text);
        }
    }

    #[test]
    fn conditions_are_read() {
        let all = parse("coverage<0.95, failures>=10,rank.gpt-4.1>1").unwrap();
        assert_eq!(all.figures.len(), 3);
        let failures = GateFigure::Named {
            name: "failures",
            of: None,
            range: Some(FigureRange::COUNT),
        };
        let expected = GateTest::Bound(failures, Comparison::AtLeast, 10.0);
        assert_eq!(all.figures[1].test, expected);
        assert_eq!(named_systems(&all.figures[2]), ["gpt-4.1"]);
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
            let refusal = parse(text).unwrap_err();
            assert!(refusal.contains(says), "{text}: {refusal}");
        }
        let shares = [
            "score.a<50",
            "inferior(a,b,10)",
            "difference(a,b)<-5",
            "worse(a,b,2)",
        ];
        for text in shares {
            let conditions = parse(text).unwrap();
            assert!(conditions.check_unit(ScoreUnit::FittedElo, None).is_ok());
            assert!(conditions.check_unit(ScoreUnit::FormPoints, None).is_ok());
            let refused = conditions.check_unit(ScoreUnit::ShareWon, None);
            let says_range = matches!(refused, Err(Failed::Usage(why)) if why.contains("from "));
            assert!(says_range, "{text}");
        }
    }

    #[test]
    fn systems_with_a_comma_are_named_in_quotes() {
        let all = parse(r#"score."a,b"<0.5,worse("a,b",c),rank."x<y">2"#).unwrap();
        assert_eq!(named_systems(&all.figures[0]), ["a,b"]);
        assert_eq!(named_systems(&all.figures[1]), ["x<y"]);
        assert_eq!(named_systems(&all.pairs[0]), ["a,b", "c"]);
    }

    #[test]
    fn a_system_may_have_a_name_with_in() {
        let all = parse(r#"score.cat in hat<5,worse("cat in hat",b)"#).unwrap();
        assert_eq!(named_systems(&all.figures[0]), ["cat in hat"]);
        assert_eq!(named_systems(&all.pairs[0]), ["cat in hat", "b"]);
        // Of two systems it stands in quotes, since ` in ` may be meant for a category.
        for unquoted in [
            "worse(cat in hat,b)",
            "worse(a,b) in any",
            "worse(a,b) in (c)",
        ] {
            assert!(parse(unquoted).is_err(), "{unquoted}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        static ROWS: Grammar<f64> =
            Grammar::of_figures(&[Figure::share("coverage", |row| Some(*row))]);
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
            "worse",
            "worse(a)",
            "worse(a,b) in any",
            "drift",
            "items<3",
            "coverage.a<0.5",
            "score<5",
        ] {
            let refusal = parse(text).unwrap_err();
            assert!(refusal.contains("expected FIGURE<NUMBER"), "{text}");
            assert!(parse_conditions(Some(text), &ROWS).is_err(), "{text}");
        }
        let refusal = parse("warnings.none>1").unwrap_err();
        assert!(
            refusal.contains("with a number; KIND is one of "),
            "{refusal}"
        );
    }
}
