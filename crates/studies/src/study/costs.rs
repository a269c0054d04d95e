//! What the rows of a study cost: the frontier and the recommendation.

use super::advice::recommend;
use super::config::Config;
use super::frontier::{CostUnit, Priced, compared_systems, frontier};
use super::{StudyReport, StudyRow};
use evenhand_core::Setting;

/// Adds the frontier and the recommendation, in US dollars of the rows with a price where there are
/// any, else in tokens.
pub(super) fn add_costs(report: &mut StudyReport, config: &Config) {
    let has_price = |row: &StudyRow| cost_of(row, CostUnit::Usd).is_some();
    let unit = if report.rows.iter().any(has_price) {
        CostUnit::Usd
    } else {
        CostUnit::Tokens
    };
    report.unit = unit;
    report.compared = compared_systems(&report.rows, &report.shares);
    report.frontier = frontier(&priced_rows(report, |row| cost_of(row, unit)));
    let has_budget = config.advice.budget.is_some();
    let candidates = priced_rows(report, |row| {
        // Where cost does not decide, none is left out for want of a price.
        cost_of(row, unit).or((!has_budget).then_some(f64::INFINITY))
    });
    let leaders = report
        .best_benchers()
        .map_or_else(Vec::new, |(rows, _)| rows);
    report.recommendation = recommend(
        &report.rows,
        &leaders,
        &candidates,
        unit,
        &config.advice,
        report.plan.level,
    );
    report.warnings.extend(missing_costs(report));
    if has_budget && unit != CostUnit::Usd {
        let why = "the budget is in US dollars, and no bencher has a price: nothing is recommended";
        report.warnings.push(why.into());
    }
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

/// Returns the rows that have a cost, of those that rank the systems that are compared.
fn priced_rows(report: &StudyReport, cost: impl Fn(&StudyRow) -> Option<f64>) -> Vec<Priced<'_>> {
    let rows = report.rows.iter().zip(&report.shares).enumerate();
    let priced = rows.filter_map(|(at, (row, curve))| {
        let is_left_out = report.compared.iter().any(|one| one.left_out.contains(&at));
        (!is_left_out).then_some(())?;
        Some(Priced {
            row: at,
            input: &row.input,
            cost: cost(row)?,
            systems: row.bencher.n,
            curve,
        })
    });
    priced.collect()
}

/// Says which benchers have no cost.
fn missing_costs(report: &StudyReport) -> Option<String> {
    let has_none = |row: &&StudyRow| cost_of(row, report.unit).is_none();
    let without: Vec<&StudyRow> = report.rows.iter().filter(has_none).collect();
    // A row lacks the price of its tokens, or all of it.
    let missing = match cost_of(without.first()?, CostUnit::Tokens) {
        Some(_) => "price",
        None => "cost",
    };
    let mut names: Vec<String> = without
        .iter()
        .map(|row| format!("{} on {}", row.judge, row.input))
        .collect();
    // The rows of a judge's aggregations follow each other.
    names.dedup();
    Some(format!(
        "no {missing} is known of {} (benchers: {}): not on the frontier, nor recommended within a \
         budget; give {}, or cost-usd of [[recorded]]",
        names.join(", "),
        without.len(),
        Setting::Prices
    ))
}
