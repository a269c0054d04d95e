//! The figures of judges on labelled pairs.

use super::judge_verdicts::{calibration_lines, verdict_grids};
use super::study::judge_label;
use super::words::{Written, dots};
use super::{DotRow, Figure};
use crate::order::in_order;
use crate::slices::deviations_figure;
use evenhand_ranking::InteractionReport;
use evenhand_studies::Figure as Measured;
use evenhand_studies::judge::{Evaluated, Evaluation, Measures, PairedDifference};

/// Returns the figures of judges whose intervals have this level, their accuracy first.
pub fn figures_of_judges(
    judges: &[Evaluation],
    differences: &[PairedDifference],
    interaction: Option<&InteractionReport>,
    level: f64,
) -> Vec<Figure> {
    let written = Written::share(level);
    let judged = Judged { judges, written };
    let mut figures = Vec::new();
    figures.extend(judged.accuracy());
    if let Some(found) = interaction {
        // How far judges are from their accuracy on each part of the input set.
        let rows = &found.deviations;
        let judges = in_order(rows.iter().map(|row| row.system.clone()));
        let values = in_order(rows.iter().map(|row| row.value.as_str()));
        figures.extend(deviations_figure(found, judges, &values, level));
    }
    let paired = differences.iter().map(|one| {
        let [first, second] = &one.names;
        let row = written.row(format!("{first} - {second}"), &one.difference);
        row.saying(&format!("{} pairs", one.pairs))
            .against(Some(0.0))
    });
    figures.extend(dots(
        "Differences of accuracy on the same pairs",
        "the tick is at no difference",
        "difference of accuracies",
        paired,
    ));
    figures.extend(judged.measures("Accuracy, by order and length", "share", accuracies));
    figures.extend(judged.measures("The order of the responses", "share", order_shares));
    figures.extend(judged.measures("Agreement beyond chance", "Cohen's kappa", kappas));
    figures.extend(judged.measures("Probabilities", "error, lower is better", errors));
    figures.extend(calibration_lines(judges));
    figures.extend(judged.systems());
    figures.extend(judged.repeats());
    figures.extend(verdict_grids(judges));
    figures
}

/// Judges, and how their numbers are written.
#[derive(Clone, Copy)]
struct Judged<'a> {
    judges: &'a [Evaluation],
    written: Written,
}

/// A figure with its name, and with what an indifferent judge would have.
type NamedMeasure<'a> = (&'static str, &'a Measured, Option<f64>);

impl Judged<'_> {
    fn note(self, more: &str) -> String {
        format!(
            "points and {:.0} % intervals over items; {more}",
            100.0 * self.written.level
        )
    }

    /// Returns the accuracy of every judge on the whole and on every part.
    fn accuracy(self) -> Option<Figure> {
        let rows = self.judges.iter().flat_map(|judge| {
            let whole = [("all", &judge.total)].into_iter();
            let parts = judge.subsets.iter();
            let parts = parts.map(|(name, part)| (name.as_str(), part));
            whole
                .chain(parts)
                .map(move |(name, part)| self.accuracy_row(judge, name, part))
        });
        let note = self.note("the tick is at chance between two responses");
        dots("Accuracy on people's labels", note, "accuracy", rows)
    }

    fn accuracy_row(self, judge: &Evaluation, part: &str, found: &Evaluated) -> DotRow {
        let Measures { accuracy, n, .. } = &found.measures;
        let row_of = |label: &str| {
            let row = self.written.row(label, accuracy);
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
            measures.map(move |(name, found, mark)| {
                let row = self.written.row(name, found).against(mark);
                match self.judges.len() {
                    0 | 1 => row,
                    _ => row.in_group(judge_label(judge)),
                }
            })
        });
        let note = self.note("a tick is where an indifferent judge is");
        dots(title, note, axis, rows)
    }

    /// Returns how far the judges' and people's rankings of the systems agree.
    fn systems(self) -> Option<Figure> {
        let mut rows = Vec::new();
        for judge in self.judges {
            let Some(systems) = &judge.systems else {
                continue;
            };
            for (group, found) in [
                ("Spearman's rho", &systems.rho),
                ("Kendall's tau-b", &systems.tau),
            ] {
                let row = self.written.row(judge_label(judge), found);
                let row = row.saying(&format!("{} systems", systems.n));
                rows.push(row.in_group(group));
            }
        }
        let title = "Rankings of the systems by judge and people";
        dots(
            title,
            self.note("both by Bradley-Terry"),
            "correlation",
            rows,
        )
    }

    /// Returns the accuracy in each repeat.
    fn repeats(self) -> Option<Figure> {
        let mut rows = Vec::new();
        for judge in self.judges {
            let repeats = judge.repeats.iter().flat_map(|one| &one.accuracies);
            for (accuracy, number) in repeats.zip(1..) {
                let row = self.written.row(format!("repeat {number}"), accuracy);
                rows.push(row.in_group(judge_label(judge)));
            }
        }
        dots("Accuracy in each repeat", "", "accuracy", rows)
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
