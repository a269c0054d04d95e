//! Which bencher to take, and what to expect of it. None of the papers' code gives this.

use super::config;
use super::frontier::{FrontierPoint, Priced, Unit, all};
use super::{Row, label};
use crate::Figure;
use serde::Serialize;

/// The best bencher within a budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recommendation {
    /// Which row of the study it is.
    pub row: usize,
    /// Its name.
    pub bencher: String,
    /// The share of the inputs that the budget allows.
    pub share: f64,
    /// How many inputs that is.
    pub items: usize,
    /// What it costs; None where that is not known.
    pub cost: Option<f64>,
    /// What is counted as cost.
    pub unit: Unit,
    /// Spearman's rho to expect.
    pub rho: Figure,
    /// Benchers that may well be as good: their interval holds this one's mean.
    pub as_good: Vec<String>,
    /// How far apart the user's closest systems are.
    pub closest: Option<f64>,
    /// tau_u to expect of systems at most that far apart, on all inputs.
    pub expected_tau: Option<Figure>,
    /// The least distance at which the order of systems is better than chance by the interval of tau_u; None where it never is.
    pub tells_apart: Option<f64>,
    /// The same in sentences, with what speaks against it.
    pub text: Vec<String>,
}

/// The candidate with the best mean within the budget; None where there is none.
pub(super) fn recommend(rows: &[Row], priced: &[Priced<'_>], unit: Unit, wanted: &config::Advice) -> Option<Recommendation> {
    let points = all(priced.iter());
    // Without a budget nothing speaks for fewer inputs than there are.
    let most = points.iter().map(|point| point.share).fold(0.0, f64::max);
    let within = |point: &&FrontierPoint| match wanted.budget {
        Some(budget) => unit == Unit::Usd && point.cost <= budget,
        None => point.share == most,
    };
    let rho = |point: &&FrontierPoint| point.rho.value.unwrap_or(f64::NEG_INFINITY);
    let better = |x: &&FrontierPoint, y: &&FrontierPoint| rho(x).total_cmp(&rho(y)).then(y.cost.total_cmp(&x.cost));
    let best = points.iter().filter(within).filter(|point| point.rho.value.is_some()).max_by(better)?;
    let row = rows.get(best.row)?;
    let value = best.rho.value?;
    let rival = |point: &&FrontierPoint| point.row != best.row && holds(&point.rho, value);
    let mut as_good: Vec<String> =
        points.iter().filter(within).filter(rival).filter_map(|point| rows.get(point.row)).map(label).collect();
    as_good.sort();
    as_good.dedup();
    let expected = wanted.closest.and_then(|u| row.bencher.tau_u.iter().rfind(|point| point.u == Some(u)));
    let mut found = Recommendation {
        row: best.row,
        bencher: label(row),
        share: best.share,
        items: best.items,
        cost: Some(best.cost).filter(|_| best.cost > 0.0),
        unit,
        rho: best.rho.clone(),
        as_good,
        closest: wanted.closest,
        expected_tau: expected.map(|point| point.tau.clone()),
        tells_apart: tells_apart(row),
        text: Vec::new(),
    };
    found.text = sentences(&found, wanted);
    Some(found)
}

fn holds(figure: &Figure, value: f64) -> bool {
    figure.ci.is_some_and(|[low, high]| low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high))
}

/// The least u from which on tau_u's interval stays above 0.
fn tells_apart(row: &Row) -> Option<f64> {
    let mut curve: Vec<(f64, bool)> =
        row.bencher.tau_u.iter().filter_map(|point| Some((point.u?, above_chance(&point.tau)))).collect();
    curve.sort_by(|x, y| x.0.total_cmp(&y.0));
    let last_bad = curve.iter().rposition(|(_, good)| !good);
    curve.get(last_bad.map_or(0, |at| at + 1)).map(|(u, _)| *u)
}

fn above_chance(tau: &Figure) -> bool {
    match tau.ci {
        Some([low, _]) => low.is_some_and(|low| low > 0.0),
        None => tau.value == Some(1.0),
    }
}

fn sentences(found: &Recommendation, wanted: &config::Advice) -> Vec<String> {
    let interval = |figure: &Figure| match (figure.value, figure.ci) {
        (Some(value), Some([Some(low), Some(high)])) => format!("{value:.2} ({low:.2} to {high:.2})"),
        (Some(value), _) => format!("{value:.2}"),
        (None, _) => format!("undefined: {}", figure.note.clone().unwrap_or_default()),
    };
    let cost = match (found.cost, found.unit) {
        (Some(cost), Unit::Usd) => format!(", for {cost:.4} USD"),
        (Some(cost), Unit::Tokens) => format!(", for {cost:.0} tokens"),
        (None, _) => String::new(),
    };
    let mut text = vec![format!(
        "Take {} on {} inputs ({:.0} %){cost}: expect rho {}.",
        found.bencher,
        found.items,
        100.0 * found.share,
        interval(&found.rho)
    )];
    if !found.as_good.is_empty() {
        text.push(format!("As good as far as these data tell: {}.", found.as_good.join("; ")));
    }
    match found.tells_apart {
        Some(u) => {
            text.push(format!("It orders systems that are up to {u:.0} points apart better than chance, and from there on."))
        }
        None => text.push("At no distance does it order systems better than chance by its interval: do not rank with it.".into()),
    }
    match (wanted.closest, &found.expected_tau) {
        (Some(closest), Some(tau)) if !above_chance(tau) => text.push(format!(
            "Warning: your closest systems are {closest} points apart, and of systems that close it cannot be trusted to tell which is better (tau_u {}).",
            interval(tau)
        )),
        (Some(closest), Some(tau)) => text.push(format!("Of systems at most {closest} points apart expect tau_u {}.", interval(tau))),
        _ => {}
    }
    text
}
