//! The figures of judges on labelled pairs.

use super::judge_verdicts::{calibration_lines, verdict_grids};
use super::study::judge_label;
use super::words::Written;
use super::{Axis, DotRow, Dots, Figure};
use crate::order::in_order;
use crate::slices::deviations_figure;
use evenhand_engine::InteractionReport;
use evenhand_studies::Figure as Measured;
use evenhand_studies::judge::{Evaluated, Evaluation, Measures, PairedDifference};

/// Returns the figures of judges whose intervals have this level, their accuracy first.
pub fn figures_of_judges(
    judges: &[Evaluation],
    differences: &[PairedDifference],
    interaction: Option<&InteractionReport>,
    level: f64,
) -> Vec<Figure> {
    let judged = Judged { judges, level };
    let figures = [
        judged.accuracy(),
        interaction.and_then(|found| parts_figure(found, level)),
        paired_figure(differences, level),
        judged.measures("Accuracy, by order and length", "share", accuracies),
        judged.measures("The order of the responses", "share", order_shares),
        judged.measures("Agreement beyond chance", "Cohen's kappa", kappas),
        judged.measures("Probabilities", "error, lower is better", errors),
        calibration_lines(judges),
        judged.systems(),
        judged.repeats(),
    ];
    let figures = figures.into_iter().flatten();
    figures.chain(verdict_grids(judges)).collect()
}

/// Returns how far judges are from their accuracy on each part of the input set.
fn parts_figure(found: &InteractionReport, level: f64) -> Option<Figure> {
    let rows = || found.deviations.iter();
    let judges = in_order(rows().map(|row| row.system.clone()));
    let values = in_order(rows().map(|row| row.value.as_str()));
    deviations_figure(found, judges, &values, level)
}

/// Judges and the level of their intervals.
#[derive(Clone, Copy)]
struct Judged<'a> {
    judges: &'a [Evaluation],
    level: f64,
}

/// A figure with its name, and with what an indifferent judge would have.
type NamedMeasure<'a> = (&'static str, &'a Measured, Option<f64>);

impl Judged<'_> {
    /// Returns the accuracy of every judge on every part and on the whole.
    fn accuracy(self) -> Option<Figure> {
        let rows = self
            .judges
            .iter()
            .flat_map(|judge| self.accuracy_rows(judge));
        let dots = Dots {
            title: "Accuracy on people's labels".into(),
            note: Some(self.note("the tick is at chance between two responses")),
            axis: Axis::linear("accuracy"),
            rows: rows.collect(),
        };
        dots.if_any()
    }

    fn note(self, more: &str) -> String {
        format!(
            "points and {:.0} % intervals over items; {more}",
            100.0 * self.level
        )
    }

    fn accuracy_rows(self, judge: &Evaluation) -> Vec<DotRow> {
        let whole = [("all", &judge.total)].into_iter();
        let parts = judge
            .subsets
            .iter()
            .map(|(name, part)| (name.as_str(), part));
        let rows = whole.chain(parts);
        let rows = rows.map(|(name, part)| self.accuracy_row(judge, name, part));
        rows.collect()
    }

    fn accuracy_row(self, judge: &Evaluation, part: &str, found: &Evaluated) -> DotRow {
        let Measures { accuracy, n, .. } = &found.measures;
        let row_of = |label: &str| {
            let row = Written::share(self.level).row(label, accuracy);
            row.saying(&format!("{n} pairs")).against(Some(0.5))
        };
        match (judge.subsets.is_empty(), self.judges.len()) {
            (true, _) => row_of(&judge_label(judge)),
            (false, 1) => row_of(part),
            (false, _) => row_of(&judge_label(judge)).in_group(part),
        }
    }

    /// Returns some figures of every judge over all pairs.
    fn measures(
        self,
        title: &str,
        axis: &str,
        of: fn(&Measures) -> Vec<NamedMeasure<'_>>,
    ) -> Option<Figure> {
        let rows = self.judges.iter().flat_map(|judge| {
            let measures = of(&judge.total.measures).into_iter();
            measures.map(|measure| self.measure_row(judge, measure))
        });
        let dots = Dots {
            title: title.into(),
            note: Some(self.note("a tick is where an indifferent judge is")),
            axis: Axis::linear(axis),
            rows: rows.collect(),
        };
        dots.if_any()
    }

    fn measure_row(self, judge: &Evaluation, (name, found, mark): NamedMeasure<'_>) -> DotRow {
        let row = Written::share(self.level).row(name, found).against(mark);
        if self.judges.len() < 2 {
            return row;
        }
        row.in_group(judge_label(judge))
    }

    /// Returns how far the judges' and people's rankings of the systems agree.
    fn systems(self) -> Option<Figure> {
        let ranked = self
            .judges
            .iter()
            .filter_map(|judge| Some((judge, judge.systems.as_ref()?)));
        let rows = ranked.flat_map(|(judge, systems)| {
            let both = [
                ("Spearman's rho", &systems.rho),
                ("Kendall's tau-b", &systems.tau),
            ];
            both.map(|(group, found)| {
                let row = Written::share(self.level).row(judge_label(judge), found);
                row.saying(&format!("{} systems", systems.n))
                    .in_group(group)
            })
        });
        let dots = Dots {
            title: "Rankings of the systems by judge and people".into(),
            note: Some(self.note("both by Bradley-Terry")),
            axis: Axis::linear("correlation"),
            rows: rows.collect(),
        };
        dots.if_any()
    }

    /// Returns the accuracy in each repeat.
    fn repeats(self) -> Option<Figure> {
        let repeated = self
            .judges
            .iter()
            .filter_map(|judge| Some((judge, judge.repeats.as_ref()?)));
        let rows = repeated.flat_map(|(judge, repeats)| {
            let each = repeats.accuracies.iter().zip(1..);
            each.map(move |(accuracy, number)| {
                let row = Written::share(self.level).row(format!("repeat {number}"), accuracy);
                row.in_group(judge_label(judge))
            })
        });
        let dots = Dots {
            title: "Accuracy in each repeat".into(),
            note: None,
            axis: Axis::linear("accuracy"),
            rows: rows.collect(),
        };
        dots.if_any()
    }
}

fn accuracies(measures: &Measures) -> Vec<NamedMeasure<'_>> {
    vec![
        ("accuracy", &measures.accuracy, Some(0.5)),
        ("a shown first", &measures.accuracy_forward, Some(0.5)),
        ("b shown first", &measures.accuracy_swapped, Some(0.5)),
        (
            "both orders averaged",
            &measures.accuracy_averaged,
            Some(0.5),
        ),
        ("right in both orders", &measures.accuracy_both, None),
        (
            "balanced by length",
            &measures.accuracy_length_balanced,
            Some(0.5),
        ),
        ("always the longer one", &measures.longer_wins, Some(0.5)),
        ("always the shorter one", &measures.shorter_wins, Some(0.5)),
    ]
}

fn order_shares(measures: &Measures) -> Vec<NamedMeasure<'_>> {
    vec![
        ("same verdict in both orders", &measures.consistency, None),
        (
            "prefers the first response",
            &measures.first_slot,
            Some(0.5),
        ),
    ]
}

fn kappas(measures: &Measures) -> Vec<NamedMeasure<'_>> {
    vec![
        ("with people's labels", &measures.kappa, Some(0.0)),
        ("between the two orders", &measures.kappa_orders, Some(0.0)),
    ]
}

fn errors(measures: &Measures) -> Vec<NamedMeasure<'_>> {
    vec![
        ("Brier score", &measures.brier, None),
        ("calibration error", &measures.calibration_error, None),
    ]
}

fn paired_figure(differences: &[PairedDifference], level: f64) -> Option<Figure> {
    let rows = differences.iter().map(|one| {
        let [first, second] = &one.names;
        let row = Written::share(level).row(format!("{first} - {second}"), &one.difference);
        row.saying(&format!("{} pairs", one.pairs))
            .against(Some(0.0))
    });
    let dots = Dots {
        title: "Differences of accuracy on the same pairs".into(),
        note: Some("the tick is at no difference".into()),
        axis: Axis::linear("difference of accuracies"),
        rows: rows.collect(),
    };
    dots.if_any()
}
