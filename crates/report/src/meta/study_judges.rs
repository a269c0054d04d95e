//! Judges of a study: how they rank (table 2 of Gao et al. 2024), and what they cost (table 3).

use crate::numbers::or_dash;
use crate::order::in_order;
use crate::text_table::TextTable;
use evenhand_studies::study::{JudgePrice, JudgeRank, StudyReport};

/// Returns the judges by rho and rank on every input set, in the order of the first; no row where
/// there is one judge.
pub(super) fn rank_table(report: &StudyReport) -> TextTable {
    let ranks = &report.judge_ranks;
    let inputs = in_order(ranks.iter().map(|one| one.input.as_str()));
    let judges = judges_by_rank(ranks);
    let shown = judges.iter().filter(|_| judges.len() > 1);
    TextTable::with_header(rank_header(&inputs))
        .with_rows(shown.map(|judge| rank_cells(ranks, judge, &inputs)))
        .with_numbers_from(1)
}

/// Returns the judges, the best on the first input set first; those who are not there come last.
fn judges_by_rank(ranks: &[JudgeRank]) -> Vec<&str> {
    let first = ranks.first().map(|one| &one.input);
    let mut sorted: Vec<&JudgeRank> = ranks.iter().collect();
    sorted.sort_by_key(|one| (Some(&one.input) != first, one.rank.unwrap_or(u32::MAX)));
    in_order(sorted.into_iter().map(|one| one.judge.as_str()))
}

fn rank_header(inputs: &[&str]) -> Vec<String> {
    let columns = inputs
        .iter()
        .flat_map(|input| [format!("{input} rho"), "rank".into()]);
    [String::from("ranking of judges")]
        .into_iter()
        .chain(columns)
        .collect()
}

fn rank_cells(ranks: &[JudgeRank], judge: &str, inputs: &[&str]) -> Vec<String> {
    let on_inputs = inputs
        .iter()
        .map(|input| find_rank(ranks, judge, input))
        .flat_map(cells_on_input);
    [judge.to_string()].into_iter().chain(on_inputs).collect()
}

fn find_rank<'a>(ranks: &'a [JudgeRank], judge: &str, input: &str) -> Option<&'a JudgeRank> {
    let mut ranks = ranks.iter();
    ranks.find(|one| one.judge == judge && one.input == input)
}

fn cells_on_input(rank: Option<&JudgeRank>) -> [String; 2] {
    let Some(rank) = rank else {
        return ["-".into(), "-".into()];
    };
    let rho = or_dash(rank.rho.value, |rho| format!("{rho:.4}"));
    [rho, rank_text(rank)]
}

fn rank_text(one: &JudgeRank) -> String {
    match (one.rank, one.rank_low, one.rank_high) {
        (Some(rank), Some(low), Some(high)) => format!("{rank} ({low} to {high})"),
        (Some(rank), ..) => rank.to_string(),
        (None, ..) => "-".into(),
    }
}

const PRICE_HEADER: [&str; 4] = [
    "USD for a million tokens",
    "of prompts",
    "of replies",
    "from",
];

/// Returns the prices of the judges; no row where none is known.
pub(super) fn price_table(report: &StudyReport) -> TextTable {
    let prices = &report.judge_prices;
    let is_known = prices.iter().any(|price| price.input_usd.is_some());
    let shown = prices.iter().filter(|_| is_known);
    let mut table = TextTable::with_header(PRICE_HEADER).with_rows(shown.map(price_cells));
    table.align_right([1, 2]);
    table
}

fn price_cells(price: &JudgePrice) -> [String; 4] {
    [
        price.judge.clone(),
        usd_text(price.input_usd),
        usd_text(price.output_usd),
        source_text(price),
    ]
}

/// Returns an amount with what it has to say: 0.006156, 1.25, 5.
fn usd_text(usd: Option<f64>) -> String {
    or_dash(usd, |usd| {
        let text = format!("{usd:.6}");
        text.trim_end_matches('0').trim_end_matches('.').into()
    })
}

fn source_text(price: &JudgePrice) -> String {
    let kind = if price.electricity {
        "electricity, "
    } else {
        ""
    };
    match (&price.source, &price.date) {
        (Some(source), Some(date)) => format!("{kind}{source}, {date}"),
        _ => "-".into(),
    }
}
