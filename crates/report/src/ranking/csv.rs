//! The ranking as CSV.

use super::pairs::pair_cell;
use super::table::has_standard_errors;
use crate::columns::{Column, Columns};
use crate::numbers::or_blank;
use crate::serialize::{end_cell, optional_cell};
use crate::slices::push_slice_columns;
use evenhand_ranking::{CriterionKind, PairRow, RankingRow, Report, SliceRanking};

const COLUMNS: [Column<RankingRow>; 9] = [
    ("system", |row| row.system.clone()),
    ("score", |row| optional_cell(row.score)),
    ("ci_low", |row| end_cell(row.ci, 0)),
    ("ci_high", |row| end_cell(row.ci, 1)),
    ("rank", |row| optional_cell(row.rank)),
    ("rank_low", |row| {
        optional_cell(row.rank_ci.map(|[low, _]| low))
    }),
    ("rank_high", |row| {
        optional_cell(row.rank_ci.map(|[_, high]| high))
    }),
    ("n", |row| row.n.to_string()),
    ("note", |row| optional_cell(row.note.as_ref())),
];

/// A row of the file: a system in the ranking of the whole, of a slice, or by the criterion named;
/// or two systems compared.
#[derive(Default)]
struct Row<'a> {
    ranked: Option<&'a RankingRow>,
    pair: Option<&'a PairRow>,
    slice: Option<&'a SliceRanking>,
    criterion: &'a str,
}

impl<'a> Row<'a> {
    fn ranked(row: &'a RankingRow) -> Self {
        Row {
            ranked: Some(row),
            ..Row::default()
        }
    }
}

/// Returns one row for each system, with a header: of the whole ranking, then by each criterion, or
/// of each slice, where there are some; then one for each difference of two systems.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn ranking_csv(report: &Report) -> Result<String, csv::Error> {
    let mut columns: Columns<Row> = Columns::new(&[]);
    for (name, cell) in COLUMNS {
        columns.push(name, move |row| match (row.ranked, row.pair) {
            (Some(ranked), _) => cell(ranked),
            (None, pair) => or_blank(pair, |pair| pair_cell(pair, name)),
        });
    }
    let mut rows: Vec<Row> = report.ranking.iter().map(Row::ranked).collect();
    if let Some(criteria) = &report.criteria {
        columns.push("criterion", |row| row.criterion.into());
        for by in &criteria.rankings {
            let criterion = match by.kind {
                CriterionKind::OwnFaults => "(faults of single items)",
                CriterionKind::OwnMerits => "(criteria of single items)",
                CriterionKind::Shared => by.criterion.as_deref().unwrap_or_default(),
            };
            rows.extend(by.ranking.iter().map(|row| Row {
                criterion,
                ..Row::ranked(row)
            }));
        }
    } else if report.interaction.is_some() || has_standard_errors(&report.ranking) {
        columns.push("standard_error", |row| {
            optional_cell(row.ranked.and_then(|ranked| ranked.standard_error))
        });
    }
    if let Some(found) = &report.interaction {
        push_slice_columns(&mut columns, found, |row| {
            let slice = row.slice?;
            Some((
                row.ranked?.system.as_str(),
                slice.value.as_str(),
                slice.n_items,
            ))
        });
        for slice in &report.slices {
            rows.extend(slice.ranking.iter().map(|row| Row {
                slice: Some(slice),
                ..Row::ranked(row)
            }));
        }
    }
    if !report.differences.is_empty() {
        columns.push("against", |row| or_blank(row.pair, |pair| pair.b.clone()));
        columns.push("difference", |row| {
            optional_cell(row.pair.and_then(|pair| pair.difference))
        });
        columns.push("p", |row| optional_cell(row.pair.and_then(|pair| pair.p)));
        // Deviations of slices have one too.
        columns.fill("p_adjusted", |row| {
            optional_cell(row.pair.and_then(|pair| pair.p_adjusted))
        });
        columns.push("p_is_bound", |row| {
            or_blank(row.pair, |pair| pair.p_is_bound.to_string())
        });
        columns.push("p_adjusted_is_bound", |row| {
            or_blank(row.pair, |pair| pair.p_adjusted_is_bound.to_string())
        });
        rows.extend(report.differences.iter().map(|pair| Row {
            pair: Some(pair),
            ..Row::default()
        }));
    }
    columns.csv(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_ranking::{InteractionReport, SliceDeviation};

    #[test]
    fn a_file_has_systems_slices_and_pairs_in_rows_of_their_own() {
        let row = |system: &str, score| RankingRow {
            system: system.into(),
            score: Some(score),
            ci: None,
            rank: Some(1),
            rank_ci: None,
            better_than: None,
            standard_error: None,
            n: 20,
            raw_win_rate: None,
            no_score: None,
            note: None,
        };
        let report = Report {
            ranking: vec![row("a", 0.75), row("b", 0.25)],
            slices: vec![SliceRanking {
                value: "code".into(),
                n_items: 7,
                ranking: vec![row("a", 0.5)],
                ..SliceRanking::default()
            }],
            interaction: Some(InteractionReport {
                deviations: vec![SliceDeviation {
                    system: "a".into(),
                    value: "code".into(),
                    items: 7,
                    deviation: -0.25,
                    standard_error: None,
                    pooled: -0.125,
                    p_adjusted: Some(0.5),
                    note: None,
                }],
                ..InteractionReport::default()
            }),
            differences: vec![PairRow {
                a: "a".into(),
                b: "b".into(),
                difference: Some(0.5),
                ci: Some([Some(0.25), None]),
                p: Some(0.01),
                p_adjusted: Some(0.02),
                p_is_bound: true,
                ..PairRow::default()
            }],
            ..Report::default()
        };
        assert_eq!(
            ranking_csv(&report).unwrap(),
            "system,score,ci_low,ci_high,rank,rank_low,rank_high,n,note,standard_error,slice,\
             n_items,deviation,pooled,p_adjusted,against,difference,p,p_is_bound,\
             p_adjusted_is_bound\n\
             a,0.75,,,1,,,20,,,,,,,,,,,,\n\
             b,0.25,,,1,,,20,,,,,,,,,,,,\n\
             a,0.5,,,1,,,20,,,code,7,-0.25,-0.125,0.5,,,,,\n\
             a,,0.25,,,,,,,,,,,,0.02,b,0.5,0.01,true,false\n"
        );
    }
}
