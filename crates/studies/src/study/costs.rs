//! What the rows of a study cost: the frontier and the recommendation.

use super::advice::recommend;
use super::config::Config;
use super::frontier::{CostUnit, Priced, frontier};
use super::{StudyReport, StudyRow};
use evenhand_core::Setting;

/// Adds the frontier and the recommendation, in US dollars of the rows with a price where there are
/// any, else in tokens.
pub(super) fn add_costs(report: &mut StudyReport, config: &Config) {
    let in_usd = |row: &StudyRow| cost_of(row, CostUnit::Usd).is_some();
    report.unit = if report.rows.iter().any(in_usd) {
        CostUnit::Usd
    } else {
        CostUnit::Tokens
    };
    let unit = report.unit;
    let priced = priced_rows(report, |row| cost_of(row, unit));
    let frontier = frontier(&priced);
    let candidates = match config.advice.budget {
        Some(_) => priced,
        // Where cost does not decide, none is left out for want of a price.
        None => priced_rows(report, |row| {
            Some(cost_of(row, unit).unwrap_or(f64::INFINITY))
        }),
    };
    let recommendation = recommend(&report.rows, &candidates, unit, &config.advice);
    report.warnings.extend(missing_costs(report));
    if config.advice.budget.is_some() && unit != CostUnit::Usd {
        report.warnings.push(
            "the budget is in US dollars, and no bencher has a price: nothing is recommended"
                .into(),
        );
    }
    (report.frontier, report.recommendation) = (frontier, recommendation);
}

/// Returns what a row took; None where that is not known.
fn cost_of(row: &StudyRow, unit: CostUnit) -> Option<f64> {
    let spent = row.spent?;
    match unit {
        CostUnit::Usd => spent.usd,
        CostUnit::Tokens => {
            let tokens = spent.usage.prompt_tokens + spent.usage.completion_tokens;
            (tokens > 0).then_some(tokens as f64)
        }
    }
}

/// Returns the rows that have a cost.
fn priced_rows(report: &StudyReport, cost: impl Fn(&StudyRow) -> Option<f64>) -> Vec<Priced<'_>> {
    let rows = report.rows.iter().zip(&report.shares).enumerate();
    rows.filter_map(|(at, (row, curve))| {
        Some(Priced {
            row: at,
            input: &row.input,
            cost: cost(row)?,
            curve,
        })
    })
    .collect()
}

/// Says which benchers have no cost.
fn missing_costs(report: &StudyReport) -> Option<String> {
    let without: Vec<&StudyRow> = report
        .rows
        .iter()
        .filter(|row| cost_of(row, report.unit).is_none())
        .collect();
    let first = without.first()?;
    let mut names: Vec<String> = without
        .iter()
        .map(|row| format!("{} on {}", row.judge, row.input))
        .collect();
    names.dedup();
    let missing = match cost_of(first, CostUnit::Tokens) {
        Some(_) => "price",
        None => "cost",
    };
    Some(format!(
        "no {missing} is known of {} (benchers: {}): not on the frontier, nor recommended within a \
         budget; give {}, or cost-usd of [[recorded]]",
        names.join(", "),
        without.len(),
        Setting::Prices
    ))
}
