//! `--fail-if` on the difference of two systems that are ranked: `worse(v2,v1)`.

use super::{find_row, score_of};
use evenhand_compare::Change;
use evenhand_compare::gate::{Decided, Gate, GateTest, decide_change};
use evenhand_ranking::{Duel, Intervals, PairRow, Report, ScoreUnit};

/// Decides a condition on the difference of two systems.
///
/// Whether the later system is worse at all is asked of the test that the ranking makes of the two,
/// so that a gate never says other than the row of `differences`. Where it makes none (no
/// intervals, too few items), of the items that both were judged on, by an exact test, as `compare`
/// asks it. Conditions with a margin or a bound are in the unit of the scores, and so of the
/// ranking's difference.
pub(super) fn decide(gate: &Gate, report: &Report) -> Decided {
    let [new, old] = gate.systems().unwrap_or_default();
    let name = format!("{new} against {old}");
    let level = report.ci.level;
    let duel = report
        .duels
        .iter()
        .find(|duel| duel.new == new && duel.old == old);
    // The ranking's own row of the two, and the sign that makes it that of the later one.
    let row = report.differences.iter().find_map(|row| {
        let is_row_of = |a: &str, b: &str| row.a == a && row.b == b;
        match (is_row_of(new, old), is_row_of(old, new)) {
            (true, _) => Some((1.0, row)),
            (_, true) => Some((-1.0, row)),
            _ => None,
        }
    });
    let by_scores = scores_change([new, old], row, duel, report);
    if let (Some(duel), GateTest::Worse(_, 0.0)) = (duel, &gate.test) {
        let row_p = row.and_then(|(_, row)| {
            // A bound that is too large to decide says nothing against the exact test.
            row.p.filter(|p| !row.p_is_bound || *p < 1.0 - level)
        });
        let is_finite = |change: &Change| change.difference.is_finite();
        if row_p.is_none() || !by_scores.as_ref().is_some_and(is_finite) {
            let mut change = Change::of_items(&duel.change, duel.items);
            change.p_value = row_p.or(change.p_value);
            return decide_change(&gate.test, &name, &change, duel.as_share, level);
        }
    }
    if let Some(change) = by_scores {
        return decide_change(&gate.test, &name, &change, false, level);
    }
    let why = match row {
        _ if report.ci.method == Intervals::None => "the ranking has no intervals",
        Some((_, row)) => row.note.as_deref().unwrap_or("the difference is undefined"),
        None => "the ranking does not compare the two",
    };
    Decided::open(format!("{name}: {why}"))
}

/// The score of the later system less that of the earlier one; None where it is undefined.
fn scores_change(
    [new, old]: [&str; 2],
    row: Option<(f64, &PairRow)>,
    duel: Option<&Duel>,
    report: &Report,
) -> Option<Change> {
    // Of two systems one of which won or lost everything, and of two between whom nothing varies,
    // the items that both were judged on say how far apart they are.
    let by_items = |difference: f64| {
        let [low, high] = interval_of_duel(duel?, report)?;
        Some([low.min(difference), high.max(difference)])
    };
    let finite = row.and_then(|(sign, row)| Some((sign, row, row.difference?)));
    if let Some((sign, row, difference)) = finite {
        // An end that is not finite is so on its own side.
        let ends = row.ci.map(|[low, high]| {
            let low = low.unwrap_or(f64::NEG_INFINITY);
            let high = high.unwrap_or(f64::INFINITY);
            match sign > 0.0 {
                true => [low, high],
                false => [-high, -low],
            }
        });
        let difference = sign * difference;
        let ends = ends.or_else(|| by_items(difference));
        return Some(Change::of_ranking(difference, ends, row.p));
    }
    let score = |system| find_row(report, system).and_then(score_of);
    let mut difference = score(new)? - score(old)?;
    // Of a weakness less is better, as the rows of differences have it.
    if report.unit == ScoreUnit::Weakness {
        difference = -difference;
    }
    let interval = by_items(difference);
    // A finite difference without an interval, or of two that the ranking does not compare, decides
    // nothing.
    let is_said = match difference.is_finite() {
        true => row.is_some() && interval.is_some(),
        false => difference.is_infinite(),
    };
    is_said.then(|| match (duel, row.and_then(|(_, row)| row.p)) {
        // It rests on the items of the two alone.
        (Some(duel), None) => Change {
            difference,
            interval,
            ..Change::of_items(&duel.change, duel.items)
        },
        (_, p) => Change::of_ranking(difference, interval, p),
    })
}

/// The interval of what two systems were judged on together, in the unit of the scores; None where
/// a score says other than how often one is preferred to the other.
fn interval_of_duel(duel: &Duel, report: &Report) -> Option<[f64; 2]> {
    let ends = duel.change.interval?;
    let of_odds = |unit: f64| ends.map(|end| unit * ((0.5 + end) / (0.5 - end)).ln());
    match report.unit {
        _ if !duel.as_share => Some(ends),
        ScoreUnit::FittedElo | ScoreUnit::AnchoredElo => {
            Some(of_odds(400.0 / std::f64::consts::LN_10))
        }
        ScoreUnit::LogOdds => Some(of_odds(1.0)),
        // What one of two wins the other loses.
        ScoreUnit::ShareWon | ScoreUnit::MeanShareWon if report.ranking.len() == 2 => {
            Some(ends.map(|end| 2.0 * end))
        }
        _ => None,
    }
}
