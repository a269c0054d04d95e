//! What the rows of a study cost: the frontier and the recommendation.

use super::advice::{Recommendation, recommend};
use super::config::Config;
use super::frontier::{CostUnit, Priced, frontier};
use super::{Spending, StudyReport, StudyRow};
use evenhand_core::Setting;

/// Adds the frontier and the recommendation, in US dollars of the rows with a price where there are
/// any, else in tokens.
pub(super) fn add_costs(report: &mut StudyReport, config: &Config) {
    report.unit = unit_of(&report.rows);
    report.frontier = frontier(&priced_rows(report, |row| cost_of(row, report.unit)));
    report.recommendation = recommend_row(report, config);
    report.warnings.extend(missing_costs(report));
    if config.advice.budget.is_some() && report.unit != CostUnit::Usd {
        report.warnings.push(NO_PRICES.into());
    }
}

const NO_PRICES: &str =
    "the budget is in US dollars, and no bencher has a price: nothing is recommended";

fn unit_of(rows: &[StudyRow]) -> CostUnit {
    if rows.iter().any(|row| cost_of(row, CostUnit::Usd).is_some()) {
        CostUnit::Usd
    } else {
        CostUnit::Tokens
    }
}

fn recommend_row(report: &StudyReport, config: &Config) -> Option<Recommendation> {
    let has_budget = config.advice.budget.is_some();
    let candidates = priced_rows(report, |row| {
        let cost = cost_of(row, report.unit);
        // Where cost does not decide, none is left out for want of a price.
        cost.or((!has_budget).then_some(f64::INFINITY))
    });
    recommend(&report.rows, &candidates, report.unit, &config.advice)
}

/// Returns what a row took; None where that is not known.
fn cost_of(row: &StudyRow, unit: CostUnit) -> Option<f64> {
    let spent = row.spent?;
    match unit {
        CostUnit::Usd => spent.usd,
        CostUnit::Tokens => spent.tokens(),
    }
}

impl Spending {
    /// Returns the tokens of prompts and replies; None where none were counted.
    fn tokens(&self) -> Option<f64> {
        let tokens = self.usage.prompt_tokens + self.usage.completion_tokens;
        (tokens > 0).then_some(tokens as f64)
    }
}

/// Returns the rows that have a cost.
fn priced_rows(report: &StudyReport, cost: impl Fn(&StudyRow) -> Option<f64>) -> Vec<Priced<'_>> {
    let rows = report.rows.iter().zip(&report.shares).enumerate();
    let priced = rows.filter_map(|(at, (row, curve))| {
        Some(Priced {
            row: at,
            input: &row.input,
            cost: cost(row)?,
            curve,
        })
    });
    priced.collect()
}

/// Says which benchers have no cost.
fn missing_costs(report: &StudyReport) -> Option<String> {
    let has_none = |row: &&StudyRow| cost_of(row, report.unit).is_none();
    let without: Vec<&StudyRow> = report.rows.iter().filter(has_none).collect();
    let missing = missing_part(without.first()?);
    Some(format!(
        "no {missing} is known of {} (benchers: {}): not on the frontier, nor recommended within a \
         budget; give {}, or cost-usd of [[recorded]]",
        judge_names(&without),
        without.len(),
        Setting::Prices
    ))
}

/// Returns what a row without a cost lacks: the price of its tokens, or all of it.
fn missing_part(row: &StudyRow) -> &'static str {
    match cost_of(row, CostUnit::Tokens) {
        Some(_) => "price",
        None => "cost",
    }
}

fn judge_names(rows: &[&StudyRow]) -> String {
    let names = rows.iter().map(|row| row.judge_and_input());
    let mut names = names.collect::<Vec<_>>();
    // The rows of a judge's aggregations follow each other.
    names.dedup();
    names.join(", ")
}

impl StudyRow {
    fn judge_and_input(&self) -> String {
        format!("{} on {}", self.judge, self.input)
    }
}
