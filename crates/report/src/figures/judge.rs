//! The figures of judges on labelled pairs.

use super::Figure;
use super::judge_verdicts::{calibration_lines, verdict_grids};
use super::study::judge_label;
use super::words::{Written, dots, intervals};
use crate::slices::deviations_figure;
use evenhand_core::in_order;
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

/// Says what the ticks of accuracies are.
pub(super) const CHANCE: &str = "the tick is at the chance of a coin; where there are ties or \
                                 failures, chance is another and has no tick";

/// Returns the accuracy of a judge that tosses a coin for each pair; None where it is not a half: a
/// tie is wrong unless people say so too, and a failure is wrong, so that chance among three
/// outcomes is less than a half.
pub(super) fn chance(measures: &Measures) -> Option<f64> {
    let [[_, a_tied, _], tied, [_, b_tied, _]] = &measures.confusion;
    let ties = a_tied + b_tied + tied.iter().sum::<u64>() + measures.tied_labels;
    (ties == 0 && measures.coverage.failures.is_empty()).then_some(0.5)
}

/// The chance to be right by the average of both orders, which is a tie where they contradict each
/// other.
fn chance_averaged(measures: &Measures) -> Option<f64> {
    chance(measures).filter(|_| measures.consistency.value == Some(1.0))
}

/// What prefers the longer or the shorter one always has no ties and no failures of its own.
fn chance_by_length(measures: &Measures) -> Option<f64> {
    (measures.tied_labels == 0).then_some(0.5)
}

fn half(_: &Measures) -> Option<f64> {
    Some(0.5)
}

fn zero(_: &Measures) -> Option<f64> {
    Some(0.0)
}

fn unmarked(_: &Measures) -> Option<f64> {
    None
}

/// A figure with its name, and with what an indifferent judge would have.
type NamedMeasure = (
    &'static str,
    fn(&Measures) -> &Measured,
    fn(&Measures) -> Option<f64>,
);

/// Figures over all pairs, by title and axis.
const MEASURES: [(&str, &str, &[NamedMeasure]); 4] = [
    (
        "Accuracy, by order and length",
        "share",
        &[
            ("accuracy", |of| &of.accuracy, chance),
            ("a shown first", |of| &of.accuracy_forward, chance),
            ("b shown first", |of| &of.accuracy_swapped, chance),
            (
                "both orders averaged",
                |of| &of.accuracy_averaged,
                chance_averaged,
            ),
            ("right in both orders", |of| &of.accuracy_both, unmarked),
            (
                "balanced by length",
                |of| &of.accuracy_length_balanced,
                chance,
            ),
            (
                "always the longer one",
                |of| &of.longer_wins,
                chance_by_length,
            ),
            (
                "always the shorter one",
                |of| &of.shorter_wins,
                chance_by_length,
            ),
        ],
    ),
    (
        "The order of the responses",
        "share",
        &[
            (
                "same verdict in both orders",
                |of| &of.consistency,
                unmarked,
            ),
            ("prefers the first response", |of| &of.first_slot, half),
        ],
    ),
    (
        "Agreement beyond chance",
        "Cohen's kappa",
        &[
            ("with people's labels", |of| &of.kappa, zero),
            ("between the two orders", |of| &of.kappa_orders, zero),
        ],
    ),
    (
        "Probabilities",
        "error, lower is better",
        &[
            ("Brier score", |of| &of.brier, unmarked),
            ("calibration error", |of| &of.calibration_error, unmarked),
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
                    row.saying(&format!("{n} pairs"))
                        .against(chance(&found.measures))
                };
                rows.push(match (judge.subsets.is_empty(), self.judges.len()) {
                    (true, _) => row_of(&judge_label(judge)),
                    (false, 1) => row_of(part),
                    // Parts may be more than there are colours: each row names its own.
                    (false, _) => {
                        let judge = judge_label(judge);
                        row_of(&format!("{part}: {judge}")).in_group(judge)
                    }
                });
            }
        }
        let note = self.note(CHANCE);
        dots("Accuracy on people's labels", note, "accuracy", rows)
    }

    /// Returns some figures of every judge over all pairs.
    fn measures(self, title: &str, axis: &str, measures: &[NamedMeasure]) -> Option<Figure> {
        let mut rows = Vec::new();
        for judge in self.judges {
            for (name, of, mark) in measures {
                let row = self.written.row(*name, of(&judge.total.measures));
                let row = row.against(mark(&judge.total.measures));
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

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_engine::Coverage;

    #[test]
    fn chance_has_a_tick_where_it_is_a_half() {
        let decided = Measures {
            confusion: [[7, 0, 3], [0; 3], [2, 0, 8]],
            ..Measures::default()
        };
        assert_eq!(chance(&decided), Some(0.5));
        let mut tied = decided.clone();
        tied.confusion[0][1] = 1;
        let tied_label = Measures {
            tied_labels: 1,
            ..decided.clone()
        };
        let failed = Measures {
            coverage: Coverage {
                failures: [("unparsed".into(), 1)].into(),
                ..Coverage::default()
            },
            ..decided
        };
        assert_eq!([tied, tied_label, failed].map(|of| chance(&of)), [None; 3]);
    }
}
