//! Which bencher to take, and what to expect of it. None of the papers' code gives this.

use super::config;
use super::frontier::{CostUnit, FrontierPoint, Priced, all_points};
use super::{StudyRow, bencher_label};
use crate::Figure;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The cheapest bencher within a budget of those as good as the best.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    let advisor = Advisor {
        rows,
        candidates: &candidates,
        best: best_point(&candidates)?,
        unit,
        wanted,
    };
    advisor.recommend()
}

/// Chooses between candidates, held against the one with the best mean.
struct Advisor<'a> {
    rows: &'a [StudyRow],
    candidates: &'a [&'a FrontierPoint],
    best: &'a FrontierPoint,
    unit: CostUnit,
    wanted: &'a config::Advice,
}

impl Advisor<'_> {
    fn recommend(&self) -> Option<Recommendation> {
        let found = self.cheapest_as_good()?;
        let mut advice = self.recommendation(self.rows.get(found.row)?, found);
        advice.as_good = self.rival_labels(found.row);
        advice.text = sentences(&advice);
        if let Some(row) = self.rows.get(self.best.row).filter(|_| self.best != found) {
            let dearer = dearer_sentence(row, self.best, self.unit);
            advice.text.insert(1, dearer);
        }
        Some(advice)
    }

    fn cheapest_as_good(&self) -> Option<&FrontierPoint> {
        let mut as_good = self.candidates.to_vec();
        as_good.retain(|point| is_as_good(point, self.best));
        as_good.into_iter().min_by(|x, y| x.cheaper_first(y))
    }

    /// Returns the advice to take this point; its rivals and its text are still to come.
    fn recommendation(&self, row: &StudyRow, found: &FrontierPoint) -> Recommendation {
        Recommendation {
            bencher: bencher_label(row),
            unit: self.unit,
            closest: self.wanted.closest,
            expected_tau: self.wanted.closest.and_then(|u| tau_within(row, u)),
            tells_apart: least_ordered_distance(row),
            ..Recommendation::of_point(found)
        }
    }

    /// Returns the names of other benchers that are as good as the best on the most inputs they
    /// have.
    fn rival_labels(&self, chosen: usize) -> Vec<String> {
        let points = on_most_inputs(self.candidates).into_iter();
        let rivals = points.filter(|point| is_as_good(point, self.best) && point.row != chosen);
        let rows = rivals.filter_map(|point| self.rows.get(point.row));
        let mut labels: Vec<String> = rows.map(bencher_label).collect();
        labels.sort();
        labels
    }
}

impl Recommendation {
    /// Returns what a point itself says.
    fn of_point(found: &FrontierPoint) -> Recommendation {
        Recommendation {
            row: found.row,
            share: found.share,
            items: found.items,
            of: found.of,
            cost: known_cost(found),
            rho: found.rho.clone(),
            ..Recommendation::default()
        }
    }
}

/// Returns tau_u at this threshold; thresholds that were asked for come last in the curve.
fn tau_within(row: &StudyRow, u: f64) -> Option<Figure> {
    let mut curve = row.bencher.tau_u.iter();
    let point = curve.rfind(|point| point.u == Some(u))?;
    Some(point.tau.clone())
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
    points.iter().copied().max_by(|x, y| compare_points(x, y))
}

fn compare_points(x: &FrontierPoint, y: &FrontierPoint) -> Ordering {
    let by_interval = x.has_interval().cmp(&y.has_interval());
    by_interval
        .then(x.mean_rho().total_cmp(&y.mean_rho()))
        .then_with(|| y.cheaper_first(x))
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
    let both = closed_interval(&x.rho).zip(y.rho.value);
    both.is_some_and(|(interval, mean)| contains(interval, mean))
}

fn closed_interval(figure: &Figure) -> Option<[f64; 2]> {
    let [low, high] = figure.ci?;
    Some([low?, high?])
}

fn contains([low, high]: [f64; 2], value: f64) -> bool {
    low - EQUAL <= value && value <= high + EQUAL
}

/// Returns the least u from which on tau_u's interval stays above 0.
fn least_ordered_distance(row: &StudyRow) -> Option<f64> {
    let curve = ordered_curve(row);
    let last_bad = curve.iter().rposition(|(_, good)| !good);
    let (u, _) = curve.get(last_bad.map_or(0, |at| at + 1))?;
    Some(*u)
}

/// Returns the thresholds in ascending order, each with whether tau_u is above chance there.
fn ordered_curve(row: &StudyRow) -> Vec<(f64, bool)> {
    let points = row.bencher.tau_u.iter();
    let known = points.filter_map(|point| Some((point.u?, is_above_chance(&point.tau))));
    let mut curve: Vec<(f64, bool)> = known.collect();
    curve.sort_by(|x, y| x.0.total_cmp(&y.0));
    curve
}

fn is_above_chance(tau: &Figure) -> bool {
    match tau.ci {
        Some([low, _]) => low.is_some_and(|low| low > 0.0),
        None => tau.value == Some(1.0),
    }
}

fn figure_text(figure: &Figure) -> String {
    match figure.value {
        Some(value) => format!("{value:.2}{}", interval_text(figure)),
        None => format!("undefined: {}", figure.note.clone().unwrap_or_default()),
    }
}

fn interval_text(figure: &Figure) -> String {
    let interval = closed_interval(figure);
    let text = interval.map(|[low, high]| format!(" ({low:.2} to {high:.2})"));
    text.unwrap_or_default()
}

fn price_text(cost: Option<f64>, unit: CostUnit) -> String {
    let text = cost.map(|cost| match unit {
        CostUnit::Usd => format!(", for {cost:.4} USD"),
        CostUnit::Tokens => format!(", for {cost:.0} tokens"),
    });
    text.unwrap_or_default()
}

/// Names the best point, where a cheaper one is recommended.
fn dearer_sentence(row: &StudyRow, best: &FrontierPoint, unit: CostUnit) -> String {
    format!(
        "The best mean has {} on {} of {} inputs{}: rho {}; these data do not tell the two apart.",
        bencher_label(row),
        best.items,
        best.of,
        price_text(known_cost(best), unit),
        figure_text(&best.rho)
    )
}

fn sentences(found: &Recommendation) -> Vec<String> {
    let own = [
        Some(take_sentence(found)),
        rivals_sentence(&found.as_good),
        Some(distance_sentence(found.tells_apart)),
        closest_sentence(found),
    ];
    own.into_iter().flatten().collect()
}

fn rivals_sentence(rivals: &[String]) -> Option<String> {
    let names = rivals.join("; ");
    (!rivals.is_empty()).then(|| format!("As good as far as these data tell: {names}."))
}

fn take_sentence(found: &Recommendation) -> String {
    format!(
        "Take {} on {} of {} inputs ({:.0} %){}: expect rho {}.",
        found.bencher,
        found.items,
        found.of,
        100.0 * found.share,
        price_text(found.cost, found.unit),
        figure_text(&found.rho)
    )
}

fn distance_sentence(least: Option<f64>) -> String {
    match least {
        Some(u) => format!(
            "It orders systems that are up to {u:.0} points apart better than chance, and from \
             there on."
        ),
        None => "At no distance does it order systems better than chance by its interval: do not \
                 rank with it."
            .into(),
    }
}

/// Says what to expect of the user's closest systems.
fn closest_sentence(found: &Recommendation) -> Option<String> {
    let tau = found.expected_tau.as_ref()?;
    let (closest, expected) = (found.closest?, figure_text(tau));
    Some(if is_above_chance(tau) {
        format!("Of systems at most {closest} points apart expect tau_u {expected}.")
    } else {
        unordered_sentence(closest, &expected)
    })
}

fn unordered_sentence(closest: f64, expected: &str) -> String {
    format!(
        "Warning: your closest systems are {closest} points apart, and of systems that close it \
         cannot be trusted to tell which is better (tau_u {expected})."
    )
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
