//! Which bencher to take, and what to expect of it. None of the papers' code gives this.

use super::config;
use super::frontier::{CostUnit, FrontierPoint, Priced, all_points};
use super::{StudyRow, bencher_label};
use crate::Figure;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The cheapest bencher within a budget of those as good as the best.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
    pub unit: CostUnit,
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
    /// The recommendation in sentences, with what speaks against it.
    pub text: Vec<String>,
}

/// Recommends the cheapest candidate within the budget of those as good as the one with the best
/// mean; None where there is no candidate.
pub(super) fn recommend(
    rows: &[StudyRow],
    priced: &[Priced<'_>],
    unit: CostUnit,
    wanted: &config::Advice,
) -> Option<Recommendation> {
    let points = all_points(priced.iter());
    let candidates = candidates_within(&points, unit, wanted.budget);
    let best = best_point(&candidates)?;
    let as_good = candidates.iter().copied();
    let found = as_good
        .filter(|point| is_as_good(point, best))
        .min_by(|x, y| x.cheaper_first(y))?;
    let row = rows.get(found.row)?;

    let mut rivals: Vec<String> = on_most_inputs(&candidates)
        .into_iter()
        .filter(|point| is_as_good(point, best) && point.row != found.row)
        .filter_map(|point| rows.get(point.row))
        .map(bencher_label)
        .collect();
    rivals.sort();
    let expected_tau = wanted.closest.and_then(|closest| {
        // Thresholds that were asked for come last in the curve.
        let point = row
            .bencher
            .tau_u
            .iter()
            .rfind(|point| point.u == Some(closest))?;
        Some(point.tau.clone())
    });
    let mut advice = Recommendation {
        row: found.row,
        bencher: bencher_label(row),
        share: found.share,
        items: found.items,
        of: found.of,
        cost: known_cost(found),
        unit,
        rho: found.rho.clone(),
        as_good: rivals,
        closest: wanted.closest,
        expected_tau,
        tells_apart: least_ordered_distance(row),
        text: Vec::new(),
    };
    advice.text = sentences(&advice);
    // Names the best point, where a cheaper one is recommended.
    if best != found
        && let Some(row) = rows.get(best.row)
    {
        let dearer = format!(
            "The best mean has {} on {} of {} inputs{}: rho {}; these data do not tell the two \
             apart.",
            bencher_label(row),
            best.items,
            best.of,
            price_text(known_cost(best), unit),
            figure_text(&best.rho)
        );
        advice.text.insert(1, dearer);
    }
    Some(advice)
}

/// Returns what the budget allows; without a budget every bencher on all inputs, as nothing speaks
/// for fewer.
fn candidates_within(
    points: &[FrontierPoint],
    unit: CostUnit,
    budget: Option<f64>,
) -> Vec<&FrontierPoint> {
    let mut defined: Vec<&FrontierPoint> = points.iter().collect();
    defined.retain(|point| point.rho.value.is_some());
    let Some(budget) = budget else {
        return on_most_inputs(&defined);
    };
    defined.retain(|point| unit == CostUnit::Usd && point.cost <= budget);
    defined
}

/// Returns each bencher on the most inputs that it has here.
fn on_most_inputs<'a>(points: &[&'a FrontierPoint]) -> Vec<&'a FrontierPoint> {
    let mut most: BTreeMap<usize, &FrontierPoint> = BTreeMap::new();
    for point in points {
        let held = most.entry(point.row).or_insert(point);
        if point.items > held.items {
            *held = point;
        }
    }
    most.into_values().collect()
}

/// Returns the best mean, of the points whose interval says something where there are any; of equal
/// means the cheaper one.
fn best_point<'a>(points: &[&'a FrontierPoint]) -> Option<&'a FrontierPoint> {
    points.iter().copied().max_by(|x, y| {
        let by_interval = x.has_interval().cmp(&y.has_interval());
        by_interval
            .then(x.mean_rho().total_cmp(&y.mean_rho()))
            .then_with(|| y.cheaper_first(x))
    })
}

impl FrontierPoint {
    /// Whether its interval says something.
    fn has_interval(&self) -> bool {
        closed_interval(&self.rho).is_some()
    }
}

/// Returns what a point costs, where that is known.
fn known_cost(point: &FrontierPoint) -> Option<f64> {
    Some(point.cost).filter(|cost| cost.is_finite() && *cost > 0.0)
}

/// Means that differ by less are the same mean, added up in another order.
const EQUAL: f64 = 1e-9;

/// Whether the data do not distinguish two points: equal means, or each mean in the other's
/// interval. An interval with an open end says nothing; of such points only those on as many inputs
/// are compared, and by their means alone.
fn is_as_good(x: &FrontierPoint, y: &FrontierPoint) -> bool {
    if x.has_interval() && y.has_interval() {
        equal_means(x, y) || (covers(x, y) && covers(y, x))
    } else {
        equal_means(x, y) && x.items == y.items
    }
}

/// Whether two means are the same; one that is undefined is not.
fn equal_means(x: &FrontierPoint, y: &FrontierPoint) -> bool {
    let difference = x.mean_rho() - y.mean_rho();
    difference.abs() <= EQUAL
}

/// Whether the interval of one point holds the mean of another.
fn covers(x: &FrontierPoint, y: &FrontierPoint) -> bool {
    match (closed_interval(&x.rho), y.rho.value) {
        (Some([low, high]), Some(mean)) => low - EQUAL <= mean && mean <= high + EQUAL,
        _ => false,
    }
}

fn closed_interval(figure: &Figure) -> Option<[f64; 2]> {
    let [low, high] = figure.ci?;
    Some([low?, high?])
}

/// Returns the least u from which on tau_u's interval stays above 0.
fn least_ordered_distance(row: &StudyRow) -> Option<f64> {
    let known = row
        .bencher
        .tau_u
        .iter()
        .filter_map(|point| Some((point.u?, is_above_chance(&point.tau))));
    let mut curve: Vec<(f64, bool)> = known.collect();
    curve.sort_by(|x, y| x.0.total_cmp(&y.0));
    let last_bad = curve.iter().rposition(|(_, good)| !good);
    let (u, _) = curve.get(last_bad.map_or(0, |at| at + 1))?;
    Some(*u)
}

fn is_above_chance(tau: &Figure) -> bool {
    match tau.ci {
        Some([low, _]) => low.is_some_and(|low| low > 0.0),
        None => tau.value == Some(1.0),
    }
}

fn figure_text(figure: &Figure) -> String {
    match (figure.value, closed_interval(figure)) {
        (Some(value), Some([low, high])) => format!("{value:.2} ({low:.2} to {high:.2})"),
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => format!("undefined: {}", figure.note.clone().unwrap_or_default()),
    }
}

fn price_text(cost: Option<f64>, unit: CostUnit) -> String {
    match (cost, unit) {
        (Some(cost), CostUnit::Usd) => format!(", for {cost:.4} USD"),
        (Some(cost), CostUnit::Tokens) => format!(", for {cost:.0} tokens"),
        (None, _) => String::new(),
    }
}

fn sentences(found: &Recommendation) -> Vec<String> {
    let mut text = vec![format!(
        "Take {} on {} of {} inputs ({:.0} %){}: expect rho {}.",
        found.bencher,
        found.items,
        found.of,
        100.0 * found.share,
        price_text(found.cost, found.unit),
        figure_text(&found.rho)
    )];
    if !found.as_good.is_empty() {
        let names = found.as_good.join("; ");
        text.push(format!("As good as far as these data tell: {names}."));
    }
    text.push(match found.tells_apart {
        Some(u) => format!(
            "It orders systems that are up to {u:.0} points apart better than chance, and from \
             there on."
        ),
        None => "At no distance does it order systems better than chance by its interval: do not \
                 rank with it."
            .into(),
    });
    // What to expect of the user's closest systems.
    if let (Some(tau), Some(closest)) = (&found.expected_tau, found.closest) {
        let expected = figure_text(tau);
        text.push(if is_above_chance(tau) {
            format!("For systems at most {closest} points apart expect tau_u {expected}.")
        } else {
            format!(
                "Warning: your closest systems are {closest} points apart, and of systems that \
                 close it cannot be trusted to tell which is better (tau_u {expected})."
            )
        });
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
        assert!(!is_as_good(&point(1, 1, (0.6, None, None)), &best));
        assert!(!is_as_good(&point(1, 1, (0.6, Some(0.5), None)), &best));
        assert!(
            !is_as_good(&point(1, 1, (0.99, None, None)), &best),
            "one input says nothing"
        );
        assert!(
            !is_as_good(&point(1, 3, (0.6, Some(0.1), Some(1.0))), &best),
            "its interval is wide, and it is worse"
        );
        assert!(is_as_good(
            &point(1, 20, (0.985, Some(0.9), Some(1.0))),
            &best
        ));
    }

    #[test]
    fn means_that_differ_by_rounding_are_equal() {
        let of = |row, rho| point(row, 30, (rho, Some(rho), Some(rho)));
        assert!(is_as_good(
            &of(0, 0.9994838709333606),
            &of(1, 0.9994838709333602)
        ));
        assert!(!is_as_good(&of(0, 0.9994838709333606), &of(1, 0.9994838)));
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
        let found = on_most_inputs(&candidates_within(&all, CostUnit::Usd, Some(30.0)));
        assert_eq!(
            found
                .iter()
                .map(|point| (point.row, point.items))
                .collect::<Vec<_>>(),
            [(0, 30), (1, 30)]
        );
        assert!(!is_as_good(found[1], found[0]));
    }
}
