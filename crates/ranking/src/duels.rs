//! Two systems compared on what they were judged on together: the exact test that a gate asks for,
//! whatever the scores of the ranking can say of the two.

use super::method::{Ci, Method};
use super::score::Evidence;
use evenhand_core::ItemShares;
use evenhand_stats::change::{MeanChange, Moves, cluster_values, clustered_change};
use evenhand_stats::{Cluster, Comparison};
use std::collections::BTreeMap;

/// Two systems compared item by item.
#[derive(Clone, Debug, PartialEq)]
pub struct Duel {
    /// The system that may be worse.
    pub new: String,
    /// The one that it is compared with.
    pub old: String,
    /// Items, or comparisons where those are independent, on which both were judged together, or
    /// both scored.
    pub items: usize,
    /// Whether the change is one of shares, against even; else it is one of scores.
    pub as_share: bool,
    /// Whether items are won by one of the two alone, are ties, or are shared.
    pub item_shares: ItemShares,
    /// By how much the first is better, with its test.
    pub change: MeanChange,
}

/// A share of a half less a half cannot move further.
const SHARES: Moves = Moves {
    step: 0.5,
    limit: 0.5,
};

/// Returns the duels of these pairs of systems, the later first; none for a pair that was never
/// judged together.
pub(crate) fn duels(
    pairs: &[[String; 2]],
    names: &[String],
    evidence: &Evidence,
    method: &Method,
) -> Vec<Duel> {
    let number = |name: &String| names.iter().position(|known| known == name);
    let found = pairs.iter().filter_map(|[new, old]| {
        let systems = [number(new)? as u16, number(old)? as u16];
        let (as_share, differences) = differences(systems, evidence, method)?;
        let by_cluster = cluster_values(differences.iter().copied());
        let moves = match evidence {
            Evidence::Scores(data) if !as_share => {
                Moves::of_scores(data.rows().iter().map(|row| row.score))
            }
            _ => SHARES,
        };
        Some(Duel {
            new: new.clone(),
            old: old.clone(),
            items: by_cluster.len(),
            as_share,
            item_shares: ItemShares::of(by_cluster.iter().map(|one| 0.5 + one)),
            change: clustered_change(&differences, moves, method.rank.bootstrap.level).ok()?,
        })
    });
    found.collect()
}

/// Of more comparisons that are items of their own the exact test costs more than the ranking.
const MOST_COUNTED: f64 = 100_000.0;

/// Returns how two systems do against each other; None where there are more or fewer, or the method
/// asks for no intervals.
pub(crate) fn duel_of_two(names: &[String], evidence: &Evidence, method: &Method) -> Option<Duel> {
    let [first, second] = names else { return None };
    let is_many = match evidence {
        Evidence::Counts(tally) => tally.games(0, 1) > MOST_COUNTED,
        _ => false,
    };
    let pair = [[first.clone(), second.clone()]];
    let is_wanted = !is_many && method.rank.ci != Ci::None;
    is_wanted.then(|| duels(&pair, names, evidence, method).pop())?
}

/// The differences of two systems, each with its cluster, and whether they are shares against even.
fn differences(
    [new, old]: [u16; 2],
    evidence: &Evidence,
    method: &Method,
) -> Option<(bool, Vec<(u32, f64)>)> {
    let apart = |values: Vec<f64>| Vec::from_iter((0..).zip(values));
    match evidence {
        Evidence::Comparisons(data) => {
            let rows = data.rows().iter();
            let rows = rows.filter_map(|row| Some((row.item, points(row, [new, old])?)));
            Some((true, apart(shares_from_even(rows, method.rank.cluster))))
        }
        Evidence::Games(games) => {
            let rows = games.games.iter().zip(&games.clusters);
            let rows = rows.filter_map(|(game, cluster)| {
                let share = match [game.a, game.b] {
                    systems if systems == [new, old] => game.score,
                    systems if systems == [old, new] => 1.0 - game.score,
                    _ => return None,
                };
                Some((*cluster, [share * game.weight, game.weight]))
            });
            Some((true, apart(shares_from_even(rows, method.rank.cluster))))
        }
        Evidence::Counts(tally) => {
            let [new, old] = [new, old].map(usize::from);
            let counts = [
                tally.wins(new, old),
                tally.ties(new, old),
                tally.wins(old, new),
            ];
            // Sums of weights are no counts of comparisons.
            let are_whole = counts
                .iter()
                .all(|count| count.fract() == 0.0 && *count < 1e7);
            let values = [0.5, 0.0, -0.5].into_iter().zip(counts);
            let values = values.flat_map(|(value, count)| vec![value; count as usize]);
            are_whole.then(|| (true, apart(values.collect())))
        }
        Evidence::Scores(data) => {
            let mut items: BTreeMap<u32, (u32, [Option<f64>; 2])> = BTreeMap::new();
            for (row, cluster) in data.rows().iter().zip(data.cluster_rows()) {
                let place = [new, old].iter().position(|system| *system == row.system);
                if let Some(place) = place {
                    let item = items.entry(row.item).or_insert((cluster.item, [None; 2]));
                    item.1[place] = Some(row.score);
                }
            }
            // Where scores are compared with each other, who is better on an item is what counts.
            let as_share = method.aggregation.point_method().is_none();
            let both = items.values().filter_map(|(cluster, [new, old])| {
                let difference = (*new)? - (*old)?;
                Some((
                    *cluster,
                    match as_share {
                        true if difference == 0.0 => 0.0,
                        true => 0.5 * difference.signum(),
                        false => difference,
                    },
                ))
            });
            match method.rank.cluster {
                Cluster::Item => Some((as_share, both.collect())),
                Cluster::None => Some((as_share, apart(both.map(|(_, value)| value).collect()))),
            }
        }
        Evidence::Rated { .. } => None,
    }
}

/// The points that the first won against the second, of how many; None for other systems.
fn points(row: &Comparison, [new, old]: [u16; 2]) -> Option<[f64; 2]> {
    let won = match [row.a, row.b] {
        systems if systems == [new, old] => row.wins_a,
        systems if systems == [old, new] => row.wins_b,
        _ => return None,
    };
    Some([won + row.ties / 2.0, row.wins_a + row.ties + row.wins_b])
}

/// The share won on each item, less a half; rows are items of their own where nothing is clustered.
fn shares_from_even(rows: impl Iterator<Item = (u32, [f64; 2])>, cluster: Cluster) -> Vec<f64> {
    let from_even = |[won, all]: [f64; 2]| won / all - 0.5;
    if cluster == Cluster::None {
        return rows.map(|(_, points)| from_even(points)).collect();
    }
    let mut items: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
    for (item, [won, all]) in rows {
        let sums = items.entry(item).or_default();
        sums[0] += won;
        sums[1] += all;
    }
    items.into_values().map(from_even).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aggregation, RankOptions};
    use evenhand_stats::{ItemScore, ItemScores};

    /// Six items of one question say no more than one.
    #[test]
    fn scores_of_one_question_count_once() {
        let rows = (0..36).flat_map(|item| {
            [(0, 5.0), (1, 4.0)].map(|(system, score)| ItemScore::new(item, system, score))
        });
        let data = ItemScores::clustered(2, rows.collect(), |item| item / 6).unwrap();
        let names = ["old", "new"].map(String::from);
        let pair = [[names[1].clone(), names[0].clone()]];
        for aggregation in [Aggregation::Mean, Aggregation::WinRatio] {
            let method = RankOptions::default().method(aggregation).unwrap();
            let found = duels(&pair, &names, &Evidence::Scores(data.clone()), &method);
            assert_eq!((found[0].items, found[0].change.moved), (6, 6));
            assert_eq!(found[0].change.p_value, 1.0 / 32.0, "{aggregation:?}");
        }
    }
}
