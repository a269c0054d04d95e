//! Which bencher to take, and what to expect of it. None of the papers' code gives this.

use super::config;
use super::frontier::{CostUnit, FrontierPoint, Priced, all_points};
use super::joint_order::JointOrder;
use super::{StudyRow, bencher_label};
use crate::Figure;
use evenhand_ranking::{chosen_percent, group_digits};
use evenhand_stats::Estimate;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The cheapest bencher within a budget of those close to the best: their means lie in each other's
/// intervals.
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
    /// Of the judges and types on the same input set, each by the aggregation of the best where it
    /// has that, the others that none is shown to be better than, each on as many inputs as the
    /// budget allows: by one test of all of them together, which shows an order of benchers that
    /// agree equally in at most 1 - `level` of studies. It does not show that they are as good.
    pub not_shown_worse: Vec<String>,
    /// The level of that test.
    pub level: f64,
    /// How many rounds it takes to show any order of so many benchers, where there are fewer; None
    /// where there are enough.
    pub rounds_needed: Option<usize>,
    /// How far apart the user's closest systems are.
    pub closest: Option<f64>,
    /// tau_u to expect of systems at most that far apart, on all inputs.
    pub expected_tau: Option<Figure>,
    /// The least distance at which the order of systems is better than chance by the interval of
    /// tau_u; None where it never is.
    pub tells_apart: Option<f64>,
    /// The recommendation in sentences, with what speaks against it.
    pub text: Vec<String>,
    /// Why it is another bencher than the one that agrees most, or on fewer inputs; None where it
    /// is that one.
    #[serde(skip)]
    pub(super) why: Option<String>,
}

/// Recommends the cheapest candidate within the budget of those close to the best one; None where
/// there is no candidate.
///
/// The best is the first of `leaders`, the benchers that agree most and equally on all inputs, or a
/// cheaper one of these, where one is within the budget, else the one with the best mean: so the
/// advice and the answer are about one best bencher.
// Long, and flat: the best, those that are close, what is expected of the one that is taken, and
// why it is not the best.
pub(super) fn recommend(
    rows: &[StudyRow],
    leaders: &[usize],
    priced: &[Priced<'_>],
    unit: CostUnit,
    wanted: &config::Advice,
    level: f64,
) -> Option<Recommendation> {
    // On all inputs a bencher has the interval that the table of benchers gives it. Which are close
    // is asked by the intervals of rounds, which those on fewer inputs have too.
    let shown_rho = |point: &FrontierPoint| {
        let row = rows.get(point.row).filter(|_| point.items == point.of);
        let table = row.map(|row| &row.bencher.figures.spearman);
        table.map_or_else(
            || point.rho.clone(),
            |table| Figure {
                value: point.rho.value,
                ..table.clone()
            },
        )
    };
    let mut points = all_points(priced.iter());
    points
        .iter_mut()
        .filter(|point| shown_rho(point).ci.is_none())
        .for_each(|point| point.rho.ci = None);
    let candidates = candidates_within(&points, unit, wanted.budget);
    // Of several that agree most and equally, the cheapest; on parts of the inputs, which a budget
    // leaves, they do not agree equally.
    let as_much = on_most_inputs(&candidates).into_iter();
    let as_much: Vec<&FrontierPoint> = as_much
        .filter(|point| leaders.contains(&point.row))
        .collect();
    let cheapest = as_much.iter().copied();
    let cheapest = cheapest.min_by(|x, y| x.cheaper_first(y));
    let leading = cheapest.filter(|_| as_much.iter().all(|point| point.items == point.of));
    let best = leading
        .or_else(|| best_point(&as_much))
        .or_else(|| best_point(&candidates))?;
    // On fewer inputs than it can have a bencher is not tested: it is the same bencher.
    let tested = tested_beside(best, on_most_inputs(&candidates), rows);
    let rounds = tested.iter().map(|point| rho_rounds(point, rows, priced));
    let order = JointOrder::new(rounds.collect(), level);
    let others = |at: usize| (0..tested.len()).filter(move |other| *other != at);
    // In rounds noise draws the rho of a noisy judge further towards 0 than that of a steady one,
    // so that the intervals must be apart too.
    let are_apart = |one: usize, other: usize| {
        let [one, other] = [one, other].map(|at| closed_interval(&shown_rho(tested[at])));
        one.zip(other)
            .is_some_and(|([low, _], [_, high])| low > high)
    };
    let is_worse =
        |at: usize| others(at).any(|other| order.is_better(other, at) && are_apart(other, at));
    let (worse, rest): (Vec<usize>, Vec<usize>) = (0..tested.len()).partition(|at| is_worse(*at));
    let [worse, rest] = [worse, rest].map(|places| {
        let rows = places.into_iter().map(|at| tested[at].row);
        rows.collect::<Vec<usize>>()
    });

    let close = candidates.iter().copied();
    let found = close
        .filter(|point| is_close(point, best))
        .filter(|point| point.row == best.row || !worse.contains(&point.row))
        .min_by(|x, y| x.cheaper_first(y))?;
    let row = rows.get(found.row)?;
    let others = rest.iter().filter(|one| **one != found.row);
    let others = others.filter_map(|one| rows.get(*one)).map(bencher_label);
    let mut not_shown_worse: Vec<String> = others.collect();
    not_shown_worse.sort();
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
        rho: shown_rho(found),
        not_shown_worse,
        level,
        rounds_needed: order.rounds_needed(),
        closest: wanted.closest,
        expected_tau,
        tells_apart: least_ordered_distance(row),
        text: Vec::new(),
        why: None,
    };
    let is_known = row
        .bencher
        .tau_u
        .iter()
        .any(|point| point.tau.value.is_some());
    advice.text = sentences(&advice, is_known);
    // Says why it is not the bencher that the answer names.
    let name = |at: usize| rows.get(at).map(bencher_label);
    if best.row != found.row || best.items != found.items {
        let is_cheaper = known_cost(best).zip(known_cost(found));
        let is_cheaper = is_cheaper.is_some_and(|(best, found)| found < best);
        let why = match is_cheaper {
            true => ", and this costs less",
            false => "",
        };
        advice.why = Some(match is_cheaper {
            true => "which costs less and is not told apart from it".into(),
            false => "which is not told apart from it".into(),
        });
        advice.text.insert(
            1,
            format!(
                "{} agrees most, on {} of {} inputs{}, with rho {}; these data do not tell the two \
                 apart{why}.",
                name(best.row)?,
                group_digits(best.items as u64),
                group_digits(best.of as u64),
                price_text(known_cost(best), unit),
                figure_text(&shown_rho(best))
            ),
        );
    }
    if let Some(leader) = leaders.first().filter(|_| as_much.is_empty()) {
        let but = match priced.iter().any(|one| one.row == *leader) {
            true => "is not within the budget",
            false => "has no known price",
        };
        let text = format!("{} agrees most of all, but {but}.", name(*leader)?);
        advice.text.insert(1, text);
        advice.why = Some(format!("as that one {but}"));
    } else if leaders.contains(&found.row) && found.items < found.of {
        advice.why = Some("which is within the budget".into());
    }
    Some(advice)
}

/// Returns the points of the ways to judge that are tested beside the best: of each judge and type
/// on its input set, against the same reference, that of the best one's aggregation, else of its
/// first. All aggregations on all sets would be so many orders that no study has the rounds for
/// them.
fn tested_beside<'a>(
    best: &FrontierPoint,
    points: Vec<&'a FrontierPoint>,
    rows: &[StudyRow],
) -> Vec<&'a FrontierPoint> {
    let Some(own) = rows.get(best.row) else {
        return Vec::new();
    };
    let mut found: Vec<(&StudyRow, &FrontierPoint)> = Vec::new();
    for point in points {
        let row = rows.get(point.row);
        let is_beside = |row: &&StudyRow| row.input == own.input && row.reference == own.reference;
        let Some(row) = row.filter(is_beside) else {
            continue;
        };
        let is_same = |one: &StudyRow| one.judge == row.judge && one.kind == row.kind;
        match found.iter().position(|(one, _)| is_same(one)) {
            None => found.push((row, point)),
            Some(at) if row.aggregation == own.aggregation => found[at] = (row, point),
            Some(_) => {}
        }
    }
    found.into_iter().map(|(_, point)| point).collect()
}

/// Returns the rho of a point in the rounds that benchers of its input set share: those of the row
/// on all inputs, and on fewer those of the share, which are the first of the same draws.
fn rho_rounds<'a>(
    point: &FrontierPoint,
    rows: &'a [StudyRow],
    priced: &[Priced<'a>],
) -> &'a [Estimate] {
    if point.items == point.of
        && let Some(row) = rows.get(point.row)
    {
        return &row.rho_rounds;
    }
    let mut curves = priced.iter().filter(|one| one.row == point.row);
    let shares = curves.next().map(|one| one.curve).unwrap_or_default();
    let mut own = shares.iter().filter(|share| share.items == point.items);
    own.next()
        .map_or(&[][..], |share| &share.spread.rho_rounds[..])
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

/// Whether a point is close to the best: equal means, or each mean in the other's interval. That is
/// a rule of choice and no test: of benchers that agree equally it holds less often than a level
/// says. An interval with an open end says nothing; of such points only those on as many inputs are
/// compared, and by their means alone: one that agrees at least as much is close.
fn is_close(x: &FrontierPoint, best: &FrontierPoint) -> bool {
    if x.has_interval() && best.has_interval() {
        equal_means(x, best) || (covers(x, best) && covers(best, x))
    } else {
        x.items == best.items && (equal_means(x, best) || x.mean_rho() > best.mean_rho())
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

/// Whether tau_u is above chance by its interval: without one nothing shows it.
fn is_above_chance(tau: &Figure) -> bool {
    let low = tau.ci.and_then(|[low, _]| low);
    low.is_some_and(|low| low > 0.0)
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
        (Some(cost), CostUnit::Tokens) => {
            format!(", for {} tokens", group_digits(cost.round() as u64))
        }
        (None, _) => String::new(),
    }
}

fn sentences(found: &Recommendation, is_known: bool) -> Vec<String> {
    let mut text = vec![format!(
        "Take {} on {} of {} inputs ({:.0} %){}: expect rho {}.",
        found.bencher,
        group_digits(found.items as u64),
        group_digits(found.of as u64),
        100.0 * found.share,
        price_text(found.cost, found.unit),
        figure_text(&found.rho)
    )];
    if let Some(needed) = found.rounds_needed {
        text.push(format!(
            "There are too few rounds to show another judge or type on these inputs to be worse: \
             that takes rounds = {} or more (share-rounds, on a part of the inputs).",
            group_digits(needed as u64)
        ));
    } else if !found.not_shown_worse.is_empty() {
        let names = found.not_shown_worse.join("; ");
        let level = chosen_percent(found.level);
        text.push(format!(
            "Of the judges and types on these inputs, not shown to be worse (joint level {level} \
             %): {names}."
        ));
    }
    text.push(match found.tells_apart {
        Some(u) => format!(
            "Of two systems that people rate up to {u:.0} points apart, it ranks the better one \
             first more often than chance; of closer ones that is not shown."
        ),
        None if is_known => "It is not shown to rank the better of two systems first more often \
                             than chance, however far apart they are: do not rank with it."
            .into(),
        None => "From which distance on it ranks the better of two systems first more often than \
                 chance is not known here: people's ratings have no intervals."
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
    use super::super::agreement::{SharePoint, Spread};
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
            systems: 14,
            tau: rho.clone(),
            rho,
        }
    }

    /// Two that rounds do not tell apart, of which the answer names the dearer: the advice says why
    /// it takes the other, and has no interval where the table of benchers has none.
    #[test]
    fn the_advice_is_about_the_bencher_that_the_answer_names() {
        let row = |judge: &str, rho: f64| {
            let mut row = StudyRow {
                judge: judge.into(),
                ..StudyRow::default()
            };
            row.bencher.n = 9;
            row.bencher.figures.spearman = Figure {
                value: Some(rho),
                note: Some("all resamples give the same value".into()),
                ..Figure::default()
            };
            row
        };
        let rows = [row("cheap", 0.99), row("dear", 1.0)];
        let rho = point(0, 30, (1.0, Some(1.0), Some(1.0))).rho;
        let curve = [SharePoint {
            share: 1.0,
            items: 30,
            of: 30,
            systems: 9,
            spread: Spread {
                tau: rho.clone(),
                rho,
                rho_rounds: Vec::new(),
            },
        }];
        let priced = [(0, 2_067_448.0), (1, 4e6)].map(|(row, cost)| Priced {
            row,
            input: "x",
            cost,
            systems: 9,
            curve: &curve,
        });
        let wanted = config::Advice::default();
        let found = recommend(&rows, &[1], &priced, CostUnit::Tokens, &wanted, 0.95).unwrap();
        assert_eq!((found.row, found.rho.ci), (0, None));
        assert!(
            found.text[0].ends_with(", for 2,067,448 tokens: expect rho 1.00."),
            "{:?}",
            found.text
        );
        assert!(
            found.text[1].starts_with("dear on ")
                && found.text[1].ends_with("do not tell the two apart, and this costs less."),
            "{:?}",
            found.text
        );
    }

    /// Of three aggregations of two judges on two sets those are tested that are of the best's set
    /// and aggregation.
    #[test]
    fn judges_and_types_on_the_inputs_of_the_best_are_tested() {
        let row = |judge: &str, input: &str, aggregation| StudyRow {
            judge: judge.into(),
            input: input.into(),
            aggregation,
            ..StudyRow::default()
        };
        let rows = [
            row("a", "x", "mean"),
            row("a", "x", "win-ratio"),
            row("b", "x", "mean"),
            row("b", "x", "win-ratio"),
            row("c", "x", "mean"),
            row("c", "x", "median"),
            row("b", "y", "win-ratio"),
        ];
        let points: Vec<FrontierPoint> = (0..rows.len())
            .map(|row| point(row, 30, (0.9, Some(0.8), Some(1.0))))
            .collect();
        let tested = tested_beside(&points[1], points.iter().collect(), &rows);
        let tested: Vec<usize> = tested.iter().map(|point| point.row).collect();
        assert_eq!(tested, [1, 3, 4]);
    }

    #[test]
    fn an_interval_with_an_open_end_is_no_agreement() {
        let best = point(0, 30, (0.99, Some(0.98), Some(1.0)));
        assert!(!is_close(&point(1, 1, (0.6, None, None)), &best));
        assert!(!is_close(&point(1, 1, (0.6, Some(0.5), None)), &best));
        assert!(
            !is_close(&point(1, 1, (0.99, None, None)), &best),
            "one input says nothing"
        );
        assert!(
            !is_close(&point(1, 3, (0.6, Some(0.1), Some(1.0))), &best),
            "its interval is wide, and it is worse"
        );
        assert!(is_close(
            &point(1, 20, (0.985, Some(0.9), Some(1.0))),
            &best
        ));
        assert!(
            is_close(&point(1, 30, (1.0, None, None)), &best),
            "all its rounds agree as the ratings do, on as many inputs"
        );
        assert!(!is_close(&point(1, 30, (0.98, None, None)), &best));
    }

    #[test]
    fn means_that_differ_by_rounding_are_equal() {
        let of = |row, rho| point(row, 30, (rho, Some(rho), Some(rho)));
        assert!(is_close(
            &of(0, 0.9994838709333606),
            &of(1, 0.9994838709333602)
        ));
        assert!(!is_close(&of(0, 0.9994838709333606), &of(1, 0.9994838)));
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
        assert!(!is_close(found[1], found[0]));
    }
}
