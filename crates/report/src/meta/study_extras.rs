//! The smaller tables of a study: judges and their prices, references, budgets, the frontier,
//! labelled pairs, how the settings agree, and failures read strictly and tolerantly. A table each,
//! where there is something to show.

use super::{bencher_label, coefficient_with_interval, percent_with_interval};
use crate::columns::{Column, Columns, table_of};
use crate::numbers::{group_digits, or_blank, or_dash};
use crate::order::sort_by_number;
use crate::text_table::TextTable;
use evenhand_core::in_order;
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{
    Concordance, CostUnit, JudgePrice, JudgeRank, RandomAccuracy, StudyReport,
};

/// Returns the tables that have a row, in the order of the paper.
pub(super) fn extra_tables(report: &StudyReport) -> impl Iterator<Item = TextTable> {
    // One judge is in the same order by every setting: that says nothing.
    let concordances = report.concordances.iter().filter(|row| row.judges > 1);
    // The prices of the judges (table 3), where any is known.
    let known = report.judge_prices.iter();
    let known = known.filter(|_| {
        report
            .judge_prices
            .iter()
            .any(|one| one.input_usd.is_some())
    });
    let mut prices = table_of(&PRICE_COLUMNS, known);
    prices.align_right([1, 2]);
    let tables = [
        rank_table(report),
        prices,
        reference_table(report),
        budget_table(report),
        frontier_table(report),
        table_of(&LABELLED_COLUMNS, &report.labelled).with_numbers_from(3),
        table_of(&CONCORDANCE_COLUMNS, concordances).with_numbers_from(2),
        random_table(report),
        table_of(&RANDOM_ACCURACY_COLUMNS, &report.random_labelled).with_numbers_from(1),
    ];
    tables.into_iter().filter(|table| table.has_rows())
}

/// Returns the judges by rho and rank on every input set, in the order of the first (table 2 of Gao
/// et al. 2024); no row where there is one judge.
fn rank_table(report: &StudyReport) -> TextTable {
    let ranks = &report.judge_ranks;
    let inputs = in_order(ranks.iter().map(|one| one.input.as_str()));
    // The best on the first input set first; those who are not there come last.
    let first = ranks.first().map(|one| &one.input);
    let mut sorted: Vec<&JudgeRank> = ranks.iter().collect();
    sorted.sort_by_key(|one| (Some(&one.input) != first, one.rank.unwrap_or(u32::MAX)));
    let judges = in_order(sorted.into_iter().map(|one| one.judge.as_str()));

    let mut columns: Columns<&str> =
        Columns::new(&[("ranking of judges", |judge| judge.to_string())]);
    for input in &inputs {
        let rank_of = move |judge: &&str| {
            let mut own = ranks.iter().filter(|one| one.judge == *judge);
            own.find(|one| one.input == *input)
        };
        columns.push(format!("{input} rho"), move |judge| {
            let rho = rank_of(judge).and_then(|one| one.rho.value);
            or_dash(rho, |rho| format!("{rho:.4}"))
        });
        columns.push("rank", move |judge| {
            let Some(one) = rank_of(judge) else {
                return "-".into();
            };
            match (one.rank, one.rank_low, one.rank_high) {
                (Some(rank), Some(low), Some(high)) => format!("{rank} ({low} to {high})"),
                (Some(rank), ..) => rank.to_string(),
                (None, ..) => "-".into(),
            }
        });
    }
    let shown = judges.iter().filter(|_| judges.len() > 1);
    columns.table(shown).with_numbers_from(1)
}

const PRICE_COLUMNS: [Column<JudgePrice>; 4] = [
    ("USD for a million tokens", |price| price.judge.clone()),
    ("of prompts", |price| usd_text(price.input_usd)),
    ("of replies", |price| usd_text(price.output_usd)),
    ("from", |price| {
        let kind = if price.electricity {
            "electricity, "
        } else {
            ""
        };
        match (&price.source, &price.date) {
            (Some(source), Some(date)) => format!("{kind}{source}, {date}"),
            _ => "-".into(),
        }
    }),
];

/// Returns an amount with what it has to say: 0.006156, 1.25, 5.
fn usd_text(usd: Option<f64>) -> String {
    or_dash(usd, |usd| {
        let text = format!("{usd:.6}");
        text.trim_end_matches('0').trim_end_matches('.').into()
    })
}

fn reference_table(report: &StudyReport) -> TextTable {
    let end_text =
        |end: Option<&(f64, &str)>| or_dash(end, |(rho, system)| format!("{rho:.2} ({system})"));
    let rows = report.references.iter().filter_map(|(at, found)| {
        let row = report.rows.get(*at)?;
        // One reference is every one that was asked for, and a row of its own above.
        if found.points.len() < 2 {
            return None;
        }
        // Those whose rho is defined, the worst first.
        let points = found.points.iter();
        let rhos =
            sort_by_number(points.filter_map(|point| Some((point.rho.value?, &*point.system))));
        Some([
            bencher_label(row),
            found.points.len().to_string(),
            end_text(rhos.first()),
            end_text(rhos.last()),
            coefficient_with_interval(&found.trend),
        ])
    });
    let mut table = TextTable::with_header([
        "every system as the reference",
        "references",
        "worst rho",
        "best rho",
        "rho of rating and agreement",
    ])
    .with_rows(rows);
    table.align_right([1, 4]);
    table
}

fn budget_table(report: &StudyReport) -> TextTable {
    let mut table = TextTable::with_header([
        "as many comparisons as responses",
        "inputs x comparisons",
        "rho",
        "tau-b",
    ]);
    for (at, splits) in &report.budgets {
        let Some(row) = report.rows.get(*at) else {
            continue;
        };
        for split in splits {
            let [items, comparisons] =
                [split.items, split.comparisons].map(|n| group_digits(n as u64));
            table.add_row([
                bencher_label(row),
                format!("{items} x {comparisons}"),
                coefficient_with_interval(&split.spread.rho),
                coefficient_with_interval(&split.spread.tau),
            ]);
        }
    }
    table.with_numbers_from(1)
}

fn frontier_table(report: &StudyReport) -> TextTable {
    let cost = match report.unit {
        CostUnit::Usd => "cost (USD)",
        CostUnit::Tokens => "cost (tokens)",
    };
    let rows = report.frontier.iter().filter_map(|point| {
        let row = report.rows.get(point.row)?;
        let reference = row.reference.as_ref();
        let against = or_blank(reference, |system| format!(" against {system}"));
        Some([
            bencher_label(row) + &against,
            match report.unit {
                CostUnit::Usd => format!("{:.5}", point.cost),
                CostUnit::Tokens => group_digits(point.cost as u64),
            },
            group_digits(point.items as u64),
            group_digits(point.systems as u64),
            coefficient_with_interval(&point.rho),
            coefficient_with_interval(&point.tau),
        ])
    });
    TextTable::with_header([
        "best at its cost",
        cost,
        "inputs",
        "systems",
        "rho",
        "tau-b",
    ])
    .with_rows(rows)
    .with_numbers_from(1)
}

const LABELLED_COLUMNS: [Column<(String, Evaluation)>; 9] = [
    ("labelled pairs", |(input, _)| input.clone()),
    ("judge", |(_, one)| one.judge.clone()),
    ("type", |(_, one)| one.protocol.clone()),
    ("pairs", |(_, one)| group_digits(one.total.measures.n)),
    ("accuracy %", |(_, one)| {
        percent_with_interval(&one.total.measures.accuracy)
    }),
    ("right in both orders", |(_, one)| {
        percent_with_interval(&one.total.measures.accuracy_both)
    }),
    ("consistent", |(_, one)| {
        percent_with_interval(&one.total.measures.consistency)
    }),
    ("kappa", |(_, one)| {
        coefficient_with_interval(&one.total.measures.kappa)
    }),
    ("no verdict", |(_, one)| {
        let coverage = &one.total.measures.coverage;
        group_digits(coverage.trials - coverage.verdicts)
    }),
];

const CONCORDANCE_COLUMNS: [Column<Concordance>; 5] = [
    ("do the settings order the judges alike?", |row| {
        format!("setting {}, {}", row.a.0, row.a.1)
    }),
    ("", |row| format!("setting {}, {}", row.b.0, row.b.1)),
    ("judges", |row| row.judges.to_string()),
    ("rho", |row| coefficient_with_interval(&row.rho)),
    ("tau-b", |row| coefficient_with_interval(&row.tau_b)),
];

/// The first column of failures read strictly and tolerantly, side by side (appendix C of Gao et
/// al. 2024).
const RANDOM: &str = "failures as failures, or with a random verdict";

/// Returns the benchers by both readings; no row where random verdicts were not asked for.
fn random_table(report: &StudyReport) -> TextTable {
    let rows = report.random_rows.iter().filter_map(|(at, random)| {
        let row = report.rows.get(*at)?;
        let strict = &row.bencher.figures;
        Some([
            bencher_label(row),
            group_digits(random.counts.drawn),
            coefficient_with_interval(&strict.spearman),
            coefficient_with_interval(&random.spearman),
            coefficient_with_interval(&strict.kendall_tau_b),
            coefficient_with_interval(&random.kendall_tau_b),
        ])
    });
    let header = [
        RANDOM,
        "drawn",
        "rho, strict",
        "rho, random",
        "tau-b, strict",
        "tau-b, random",
    ];
    TextTable::with_header(header)
        .with_rows(rows)
        .with_numbers_from(1)
}

/// The judges of labelled pairs by both readings.
const RANDOM_ACCURACY_COLUMNS: [Column<RandomAccuracy>; 4] = [
    (RANDOM, |one| {
        format!("{} on {}: {}", one.judge, one.input, one.kind)
    }),
    ("drawn", |one| group_digits(one.counts.drawn)),
    ("accuracy %, strict", |one| {
        percent_with_interval(&one.strict_accuracy)
    }),
    ("accuracy %, random", |one| {
        percent_with_interval(&one.accuracy)
    }),
];
