//! Which verdicts on pairs count where the judgment of the other order failed.

use std::collections::HashMap;

/// A verdict on two systems on an item, or a judgment without one, in the order in which they were
/// shown.
pub type ShownOrder = (u32, [u32; 2]);

/// Returns which of the verdicts count for a comparison of systems: of a pair on an item that was
/// judged in both orders, as many of one order as of the other, the first ones. None where all do.
/// `failed` are the judgments without a verdict; pairs without any stay as they are, and so does a
/// pair of which one order alone was ever judged.
///
/// Half a pair carries the judge's preference for a slot whole. Where failures depend on what is
/// shown first, that preference would pass for one system's lead; so it counts as far as the other
/// order cancels it. A judge that looks at the slot alone then says of every pair that the two are
/// equal, whatever fails.
pub fn whole_pairs(
    verdicts: impl Iterator<Item = ShownOrder> + Clone,
    failed: impl Iterator<Item = ShownOrder>,
) -> Option<Vec<bool>> {
    let pair_of = |(item, [a, b]): ShownOrder| ((item, [a.min(b), a.max(b)]), usize::from(a > b));
    // Of each pair with a failure, in both orders, whether it was judged and how many verdicts it
    // has.
    let mut pairs: HashMap<ShownOrder, [(bool, usize); 2]> = HashMap::new();
    for shown in failed {
        let (pair, order) = pair_of(shown);
        pairs.entry(pair).or_default()[order].0 = true;
    }
    if pairs.is_empty() {
        return None;
    }
    for shown in verdicts.clone() {
        let (pair, order) = pair_of(shown);
        if let Some(orders) = pairs.get_mut(&pair) {
            orders[order].0 = true;
            orders[order].1 += 1;
        }
    }
    let mut left: HashMap<ShownOrder, [usize; 2]> = HashMap::new();
    for (pair, [(is_judged, first), (is_turned_judged, second)]) in pairs {
        if is_judged && is_turned_judged && first != second {
            left.insert(pair, [first.min(second); 2]);
        }
    }
    if left.is_empty() {
        return None;
    }
    let counts = verdicts.map(|shown| {
        let (pair, order) = pair_of(shown);
        left.get_mut(&pair).is_none_or(|orders| {
            let counts = orders[order] > 0;
            orders[order] = orders[order].saturating_sub(1);
            counts
        })
    });
    Some(counts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(verdicts: &[ShownOrder], failed: &[ShownOrder]) -> Option<Vec<bool>> {
        whole_pairs(verdicts.iter().copied(), failed.iter().copied())
    }

    #[test]
    fn one_order_counts_as_far_as_the_other_has_a_verdict() {
        let whole = [(0, [0, 1]), (0, [1, 0])];
        assert_eq!(counted(&whole, &[]), None);
        assert_eq!(counted(&whole, &[(1, [0, 1])]), None, "another item");
        assert_eq!(counted(&whole, &[(0, [0, 2])]), None, "another pair");
        assert_eq!(counted(&[(0, [0, 1])], &[(0, [1, 0])]), Some(vec![false]));
        // Repeats: one of two orders lacks one of three.
        let repeated = [
            (0, [1, 0]),
            (0, [1, 0]),
            (0, [1, 0]),
            (0, [0, 1]),
            (0, [0, 1]),
            (0, [2, 0]),
        ];
        assert_eq!(
            counted(&repeated, &[(0, [0, 1])]),
            Some(vec![true, true, false, true, true, true])
        );
        // One that failed in both orders alike is as it was.
        assert_eq!(counted(&whole, &[(0, [0, 1]), (0, [1, 0])]), None);
    }

    #[test]
    fn pairs_that_are_judged_in_one_order_by_design_stay() {
        assert_eq!(counted(&[(0, [0, 1])], &[(0, [0, 1])]), None);
        assert_eq!(counted(&[(0, [0, 1])], &[(1, [1, 0])]), None);
    }

    /// Whatever fails, a judge that looks at the slot alone has every pair won as often as lost.
    #[test]
    fn a_judge_that_looks_at_the_slot_alone_favours_nobody() {
        let all = (0..12).flat_map(|at: u32| [(at / 6, [at % 3, 3]), (at / 6, [3, at % 3])]);
        let all: Vec<ShownOrder> = all.collect();
        for pattern in 0..500_u64 {
            let word = pattern.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
            let fails = |at: &usize| word >> (at % 64) & 1 == 1;
            let (failed, verdicts): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(fails);
            let [verdicts, failed]: [Vec<ShownOrder>; 2] =
                [verdicts, failed].map(|places| places.iter().map(|at| all[*at]).collect());
            let counts = counted(&verdicts, &failed).unwrap_or(vec![true; verdicts.len()]);
            let mut leads: HashMap<ShownOrder, i32> = HashMap::new();
            for ((item, [a, b]), counts) in verdicts.iter().zip(counts) {
                let second = if b > a { 1 } else { -1 };
                let lead = leads.entry((*item, [*a.min(b), *a.max(b)])).or_default();
                *lead += i32::from(counts) * second;
            }
            assert!(leads.values().all(|lead| *lead == 0), "{pattern}");
        }
    }
}
