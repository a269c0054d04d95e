//! Which bencher to take, and what to expect of it. None of the papers' code gives this.

use super::config;
use super::frontier::{FrontierPoint, Priced, Unit, all};
use super::{Row, label};
use crate::Figure;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The cheapest bencher within a budget of those as good as the best.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recommendation {
    /// Which row of the study it is.
    pub row: usize,
    /// Its name.
    pub bencher: String,
    /// The share of the inputs that it is to judge, in (0, 1].
    pub share: f64,
    /// How many inputs that is.
    pub items: usize,
    /// How many inputs there are.
    pub of: usize,
    /// What it costs; None where that is not known.
    pub cost: Option<f64>,
    /// What is counted as cost.
    pub unit: Unit,
    /// Spearman's rho to expect.
    pub rho: Figure,
    /// Other benchers that these data do not tell from the best one, each on as many inputs as the
    /// budget allows.
    pub as_good: Vec<String>,
    /// How far apart the user's closest systems are.
    pub closest: Option<f64>,
    /// tau_u to expect of systems at most that far apart, on all inputs.
    pub expected_tau: Option<Figure>,
    /// The least distance at which the order of systems is better than chance by the interval of
    /// tau_u; None where it never is.
    pub tells_apart: Option<f64>,
    /// The same in sentences, with what speaks against it.
    pub text: Vec<String>,
}

/// The cheapest candidate within the budget of those as good as the one with the best mean; None
/// where there is no candidate.
pub(super) fn recommend(
    rows: &[Row],
    priced: &[Priced<'_>],
    unit: Unit,
    wanted: &config::Advice,
) -> Option<Recommendation> {
    let points = all(priced.iter());
    let candidates = candidates(&points, unit, wanted.budget);
    let best = best(&candidates)?;
    let as_good = |point: &&&FrontierPoint| alike(point, best);
    let found = candidates
        .iter()
        .filter(as_good)
        .min_by(|x, y| cheaper(x, y))?;
    let rivals = whole(&candidates)
        .into_iter()
        .filter(|point| alike(point, best) && point.row != found.row);
    let row = rows.get(found.row)?;
    let expected = wanted
        .closest
        .and_then(|u| row.bencher.tau_u.iter().rfind(|point| point.u == Some(u)));
    let mut advice = Recommendation {
        row: found.row,
        bencher: label(row),
        share: found.share,
        items: found.items,
        of: found.of,
        cost: known(found),
        unit,
        rho: found.rho.clone(),
        as_good: rivals
            .filter_map(|point| rows.get(point.row))
            .map(label)
            .collect(),
        closest: wanted.closest,
        expected_tau: expected.map(|point| point.tau.clone()),
        tells_apart: tells_apart(row),
        text: Vec::new(),
    };
    advice.as_good.sort();
    advice.text = sentences(&advice, wanted);
    if let Some(row) = rows.get(best.row).filter(|_| best != *found) {
        advice.text.insert(1, dearer(row, best, unit));
    }
    Some(advice)
}

/// What the budget allows; without a budget every bencher on all inputs, for nothing speaks for
/// fewer.
fn candidates(points: &[FrontierPoint], unit: Unit, budget: Option<f64>) -> Vec<&FrontierPoint> {
    let defined: Vec<&FrontierPoint> = points
        .iter()
        .filter(|point| point.rho.value.is_some())
        .collect();
    match budget {
        Some(budget) => defined
            .into_iter()
            .filter(|point| unit == Unit::Usd && point.cost <= budget)
            .collect(),
        None => whole(&defined),
    }
}

/// Each bencher on the most inputs that it has here.
fn whole<'a>(points: &[&'a FrontierPoint]) -> Vec<&'a FrontierPoint> {
    let mut most: BTreeMap<usize, &FrontierPoint> = BTreeMap::new();
    for point in points {
        let held = most.entry(point.row).or_insert(point);
        if point.items > held.items {
            *held = point;
        }
    }
    most.into_values().collect()
}

/// The best mean, of the points whose interval says something where there are any; of equal means
/// the cheaper one.
fn best<'a>(points: &[&'a FrontierPoint]) -> Option<&'a FrontierPoint> {
    let rho = |point: &FrontierPoint| point.rho.value.unwrap_or(f64::NEG_INFINITY);
    let better = |x: &&&FrontierPoint, y: &&&FrontierPoint| {
        let known = closed(&x.rho).is_some().cmp(&closed(&y.rho).is_some());
        known
            .then(rho(x).total_cmp(&rho(y)))
            .then_with(|| cheaper(y, x))
    };
    points.iter().max_by(better).copied()
}

/// By cost, one that is not known last; then by mean, the better one first.
fn cheaper(x: &FrontierPoint, y: &FrontierPoint) -> Ordering {
    let rho = |point: &FrontierPoint| point.rho.value.unwrap_or(f64::NEG_INFINITY);
    x.cost
        .total_cmp(&y.cost)
        .then(rho(y).total_cmp(&rho(x)))
        .then(x.row.cmp(&y.row))
}

/// What a point costs, where that is known.
fn known(point: &FrontierPoint) -> Option<f64> {
    Some(point.cost).filter(|cost| cost.is_finite() && *cost > 0.0)
}

/// Means that differ by less are the same mean, added up in another order.
const EQUAL: f64 = 1e-9;

/// True where the data do not tell two points apart: equal means, or each mean in the other's
/// interval. An interval with an open end says nothing; of such points only those on as many inputs
/// are compared, and by their means alone.
fn alike(x: &FrontierPoint, y: &FrontierPoint) -> bool {
    let (Some(a), Some(b)) = (x.rho.value, y.rho.value) else {
        return false;
    };
    let equal = (a - b).abs() <= EQUAL;
    match (closed(&x.rho), closed(&y.rho)) {
        (Some(of_x), Some(of_y)) => equal || (holds(of_x, b) && holds(of_y, a)),
        _ => equal && x.items == y.items,
    }
}

fn closed(figure: &Figure) -> Option<[f64; 2]> {
    let [low, high] = figure.ci?;
    Some([low?, high?])
}

fn holds([low, high]: [f64; 2], value: f64) -> bool {
    low - EQUAL <= value && value <= high + EQUAL
}

/// The least u from which on tau_u's interval stays above 0.
fn tells_apart(row: &Row) -> Option<f64> {
    let mut curve: Vec<(f64, bool)> = row
        .bencher
        .tau_u
        .iter()
        .filter_map(|point| Some((point.u?, above_chance(&point.tau))))
        .collect();
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

fn interval(figure: &Figure) -> String {
    match (figure.value, closed(figure)) {
        (Some(value), Some([low, high])) => format!("{value:.2} ({low:.2} to {high:.2})"),
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => format!("undefined: {}", figure.note.clone().unwrap_or_default()),
    }
}

fn price(cost: Option<f64>, unit: Unit) -> String {
    match (cost, unit) {
        (Some(cost), Unit::Usd) => format!(", for {cost:.4} USD"),
        (Some(cost), Unit::Tokens) => format!(", for {cost:.0} tokens"),
        (None, _) => String::new(),
    }
}

/// The best point, where a cheaper one is recommended.
fn dearer(row: &Row, best: &FrontierPoint, unit: Unit) -> String {
    let (name, cost, rho) = (label(row), price(known(best), unit), interval(&best.rho));
    let inputs = format!("{} of {} inputs", best.items, best.of);
    format!(
        "The best mean has {name} on {inputs}{cost}: rho {rho}; these data do not tell the two \
         apart."
    )
}

fn sentences(found: &Recommendation, wanted: &config::Advice) -> Vec<String> {
    let mut text = vec![format!(
        "Take {} on {} of {} inputs ({:.0} %){}: expect rho {}.",
        found.bencher,
        found.items,
        found.of,
        100.0 * found.share,
        price(found.cost, found.unit),
        interval(&found.rho)
    )];
    if !found.as_good.is_empty() {
        text.push(format!(
            "As good as far as these data tell: {}.",
            found.as_good.join("; ")
        ));
    }
    match found.tells_apart {
        Some(u) => text.push(format!(
            "It orders systems that are up to {u:.0} points apart better than \
                               chance, and from there on."
        )),
        None => text.push(
            "At no distance does it order systems better than chance by its \
                           interval: do not rank with it."
                .into(),
        ),
    }
    match (wanted.closest, &found.expected_tau) {
        (Some(closest), Some(tau)) if !above_chance(tau) => text.push(format!(
            "Warning: your closest systems are {closest} points apart, and of systems that close \
             it cannot be trusted to tell which is better (tau_u {}).",
            interval(tau)
        )),
        (Some(closest), Some(tau)) => text.push(format!(
            "Of systems at most {closest} points apart \
                                                         expect tau_u {}.",
            interval(tau)
        )),
        _ => {}
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(row: usize, items: usize, rho: (f64, Option<f64>, Option<f64>)) -> FrontierPoint {
        let (value, low, high) = rho;
        let rho = Figure {
            value: Some(value),
            ci: Some([low, high]),
            ..Figure::default()
        };
        let (cost, share) = (items as f64, items as f64 / 30.0);
        FrontierPoint {
            row,
            input: "x".into(),
            cost,
            share,
            items,
            of: 30,
            tau: rho.clone(),
            rho,
        }
    }

    #[test]
    fn an_interval_with_an_open_end_is_no_agreement() {
        let best = point(0, 30, (0.99, Some(0.98), Some(1.0)));
        assert!(!alike(&point(1, 1, (0.6, None, None)), &best));
        assert!(!alike(&point(1, 1, (0.6, Some(0.5), None)), &best));
        assert!(
            !alike(&point(1, 1, (0.99, None, None)), &best),
            "one input says nothing"
        );
        assert!(
            !alike(&point(1, 3, (0.6, Some(0.1), Some(1.0))), &best),
            "its interval is wide, and it is worse"
        );
        assert!(alike(&point(1, 20, (0.985, Some(0.9), Some(1.0))), &best));
    }

    #[test]
    fn means_that_differ_by_rounding_are_equal() {
        let of = |row, rho| point(row, 30, (rho, Some(rho), Some(rho)));
        assert!(alike(
            &of(0, 0.9994838709333606),
            &of(1, 0.9994838709333602)
        ));
        assert!(!alike(&of(0, 0.9994838709333606), &of(1, 0.9994838)));
    }

    #[test]
    fn a_bencher_is_compared_on_the_most_inputs_that_the_budget_allows() {
        // On 2 inputs the second bencher's interval is wide; on 30 it is known to be worse.
        let best = point(0, 30, (0.95, Some(0.9), Some(1.0)));
        let all = [
            best,
            point(1, 2, (0.91, Some(0.6), Some(1.0))),
            point(1, 30, (0.8, Some(0.78), Some(0.82))),
        ];
        let found = whole(&candidates(&all, Unit::Usd, Some(30.0)));
        assert_eq!(
            found
                .iter()
                .map(|point| (point.row, point.items))
                .collect::<Vec<_>>(),
            [(0, 30), (1, 30)]
        );
        assert!(!alike(found[1], found[0]));
    }
}
