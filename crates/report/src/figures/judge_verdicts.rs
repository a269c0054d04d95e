//! What judges said against what people did: which verdict met which label, and how often what was
//! stated at 70 % came true.

use super::study::judge_label;
use super::words::{grid, lines};
use super::{Cell, Figure, LinePoint, Series};
use evenhand_studies::judge::Evaluation;

/// Judges whose verdicts are drawn, a grid each.
const GRIDS: usize = 6;

/// Returns a grid of labels and verdicts for each judge that gave any.
pub(super) fn verdict_grids(judges: &[Evaluation]) -> Vec<Figure> {
    let judged = judges
        .iter()
        .filter(|judge| judge.total.measures.confusion != [[0; 3]; 3]);
    let alone = judges.len() < 2;
    judged
        .take(GRIDS)
        .map(|judge| verdict_grid(judge, alone))
        .collect()
}

fn verdict_grid(judge: &Evaluation, alone: bool) -> Figure {
    let of = if alone {
        String::new()
    } else {
        format!(": {}", judge_label(judge))
    };
    let names = |who: &str| {
        ["a", "tie", "b"]
            .map(|side| format!("{who}: {side}"))
            .to_vec()
    };
    let cells = judge.total.measures.confusion.map(|counts| {
        let all: u64 = counts.iter().sum();
        let cell = |count: u64| {
            // No pair may have the label of the row.
            let share = (all > 0).then(|| count as f64 / all as f64)?;
            Some(Cell {
                value: Some(share),
                text: format!("{count} ({:.0} %)", 100.0 * share),
            })
        };
        counts.map(cell).to_vec()
    });
    grid(
        format!("Verdicts against labels{of}"),
        "verdicts in both orders, and their share of those on pairs with the label of the row; a \
         is the response that the data name first",
        [names("people"), names("judge")],
        cells.to_vec(),
        ([0.0, 1.0], "share of the row"),
    )
}

/// Returns what was stated and how often it came true, of all judges that state probabilities.
pub(super) fn calibration_lines(judges: &[Evaluation]) -> Option<Figure> {
    let mut series = Vec::new();
    for judge in judges {
        let bins = &judge.total.measures.calibration;
        if bins.is_empty() {
            continue;
        }
        let points = bins.iter().filter_map(|bin| {
            // An empty bin has neither.
            let (forecast, observed) = (bin.forecast?, bin.observed?);
            let text = format!(
                "{observed:.3} where {forecast:.3} was stated, {} pairs",
                bin.n
            );
            Some(point(forecast, observed, text))
        });
        series.push(Series {
            label: match judges.len() {
                1 => "this judge".into(),
                _ => judge_label(judge),
            },
            dashed: false,
            points: points.collect(),
        });
    }
    if series.is_empty() {
        return None;
    }
    let diagonal = [0.0, 1.0].map(|at| point(at, at, format!("{at:.0}")));
    series.push(Series {
        label: "as stated".into(),
        dashed: true,
        points: diagonal.to_vec(),
    });
    lines(
        "Stated probabilities and what came true",
        "ten bins with about as many pairs each; on the dashed line a probability is as often \
         right as it says",
        [
            "stated probability that a is better",
            "share of pairs where it is",
        ],
        series,
    )
}

fn point(x: f64, y: f64, text: String) -> LinePoint {
    LinePoint {
        x,
        y: Some(y),
        text,
        ..LinePoint::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(name: &str, confusion: [[u64; 3]; 3]) -> Evaluation {
        let mut judge = Evaluation {
            judge: name.into(),
            ..Evaluation::default()
        };
        judge.total.measures.confusion = confusion;
        judge
    }

    #[test]
    fn a_grid_has_counts_with_their_share_of_the_label() {
        let judges = [judge("j", [[3, 0, 1], [0, 0, 0], [0, 1, 0]])];
        let grids = verdict_grids(&judges);
        let [Figure::Grid(grid)] = &grids[..] else {
            panic!("{grids:?}");
        };
        assert_eq!(grid.title, "Verdicts against labels");
        assert_eq!(grid.rows, ["people: a", "people: tie", "people: b"]);
        let texts = |row: usize| grid.cells[row].iter().flatten().map(|cell| &*cell.text);
        assert_eq!(
            texts(0).collect::<Vec<_>>(),
            ["3 (75 %)", "0 (0 %)", "1 (25 %)"]
        );
        assert_eq!(texts(1).count(), 0, "no pair has this label");
        assert_eq!(
            texts(2).collect::<Vec<_>>(),
            ["0 (0 %)", "1 (100 %)", "0 (0 %)"]
        );
    }

    #[test]
    fn several_judges_have_a_grid_each_and_one_without_verdicts_none() {
        let judges = [judge("j", [[1; 3]; 3]), judge("k", [[0; 3]; 3])];
        let grids = verdict_grids(&judges);
        let [Figure::Grid(grid)] = &grids[..] else {
            panic!("{grids:?}");
        };
        assert_eq!(grid.title, "Verdicts against labels: j");
    }

    #[test]
    fn judges_without_probabilities_have_no_line() {
        assert_eq!(calibration_lines(&[judge("j", [[1; 3]; 3])]), None);
    }

    #[test]
    fn a_line_goes_through_the_bins() {
        let found = evenhand_stats::expected_calibration_error(
            &[0.25, 0.25, 0.75],
            &[true, false, true],
            2,
            evenhand_stats::Binning::EqualWidth,
        );
        let mut judge = judge("j", [[0; 3]; 3]);
        judge.total.measures.calibration = found.unwrap().bins;
        let Some(Figure::Lines(lines)) = calibration_lines(&[judge]) else {
            panic!("there are probabilities");
        };
        let points = lines.series[0]
            .points
            .iter()
            .map(|point| (point.x, point.y));
        assert_eq!(
            points.collect::<Vec<_>>(),
            [(0.25, Some(0.5)), (0.75, Some(1.0))]
        );
        assert_eq!(
            lines.series[0].points[0].text,
            "0.500 where 0.250 was stated, 2 pairs"
        );
        assert!(lines.series[1].dashed);
    }
}
