//! The figures of judges on labelled pairs.

use super::Figure;
use super::judge_verdicts::{calibration_lines, verdict_grids};
use super::study::judge_label;
use super::words::{Written, dots, intervals};
use crate::order::in_order;
use crate::slices::deviations_figure;
use evenhand_ranking::InteractionReport;
use evenhand_studies::Figure as Measured;
use evenhand_studies::judge::{Evaluation, Measures, PairedDifference};

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
    for (title, axis, of) in MEASURES {
        figures.extend(judged.measures(title, axis, of));
    }
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
type NamedMeasure = (&'static str, fn(&Measures) -> &Measured, Option<f64>);

/// Figures over all pairs, by title and axis.
const MEASURES: [(&str, &str, &[NamedMeasure]); 4] = [
    (
        "Accuracy, by order and length",
        "share",
        &[
            ("accuracy", |of| &of.accuracy, Some(0.5)),
            ("a shown first", |of| &of.accuracy_forward, Some(0.5)),
            ("b shown first", |of| &of.accuracy_swapped, Some(0.5)),
            (
                "both orders averaged",
                |of| &of.accuracy_averaged,
                Some(0.5),
            ),
            ("right in both orders", |of| &of.accuracy_both, None),
            (
                "balanced by length",
                |of| &of.accuracy_length_balanced,
                Some(0.5),
            ),
            ("always the longer one", |of| &of.longer_wins, Some(0.5)),
            ("always the shorter one", |of| &of.shorter_wins, Some(0.5)),
        ],
    ),
    (
        "The order of the responses",
        "share",
        &[
            ("same verdict in both orders", |of| &of.consistency, None),
            ("prefers the first response", |of| &of.first_slot, Some(0.5)),
        ],
    ),
    (
        "Agreement beyond chance",
        "Cohen's kappa",
        &[
            ("with people's labels", |of| &of.kappa, Some(0.0)),
            ("between the two orders", |of| &of.kappa_orders, Some(0.0)),
        ],
    ),
    (
        "Probabilities",
        "error, lower is better",
        &[
            ("Brier score", |of| &of.brier, None),
            ("calibration error", |of| &of.calibration_error, None),
        ],
    ),
];

impl Judged<'_> {
    fn note(self, more: &str) -> String {
        format!(
            "points and {} over items; {more}",
            intervals(self.written.level)
        )
    }

    /// Returns the accuracy of every judge on the whole and on every part.
    fn accuracy(self) -> Option<Figure> {
        let mut rows = Vec::new();
        for judge in self.judges {
            let parts = judge.subsets.iter();
            let parts = parts.map(|(name, part)| (name.as_str(), part));
            for (part, found) in [("all", &judge.total)].into_iter().chain(parts) {
                let Measures { accuracy, n, .. } = &found.measures;
                let row_of = |label: &str| {
                    let row = self.written.row(label, accuracy);
                    row.saying(&format!("{n} pairs")).against(Some(0.5))
                };
                rows.push(match (judge.subsets.is_empty(), self.judges.len()) {
                    (true, _) => row_of(&judge_label(judge)),
                    (false, 1) => row_of(part),
                    (false, _) => row_of(&judge_label(judge)).in_group(part),
                });
            }
        }
        let note = self.note("the tick is at chance between two responses");
        dots("Accuracy on people's labels", note, "accuracy", rows)
    }

    /// Returns some figures of every judge over all pairs.
    fn measures(self, title: &str, axis: &str, measures: &[NamedMeasure]) -> Option<Figure> {
        let mut rows = Vec::new();
        for judge in self.judges {
            for (name, of, mark) in measures {
                let row = self.written.row(*name, of(&judge.total.measures));
                let row = row.against(*mark);
                rows.push(match self.judges.len() {
                    0 | 1 => row,
                    _ => row.in_group(judge_label(judge)),
                });
            }
        }
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
