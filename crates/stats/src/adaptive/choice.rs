//! Which pairs to decide when not all must be: a system that goes on for one pair goes on for
//! others too.

/// A pair that could be decided.
pub(super) struct Candidate {
    pub(super) pair: usize,
    /// The units that would have to be judged for it.
    pub(super) units: Vec<usize>,
    /// The number of places that they would have to be judged on.
    pub(super) places: f64,
}

/// `count` of the candidates, chosen so that few judgments decide them; `ahead` says how many
/// places each unit has been judged on.
///
/// Pairs are given up until `count` are left: again and again those of one unit that take it
/// furthest, where the most judgments of this unit are saved for each pair given up.
pub(super) fn cheapest_pairs(
    ahead: &[usize],
    candidates: &[Candidate],
    count: usize,
) -> Vec<usize> {
    // Of each unit its candidates; those that take it furthest stand last.
    let mut of_unit: Vec<Vec<usize>> = vec![Vec::new(); ahead.len()];
    for (candidate, Candidate { units, .. }) in candidates.iter().enumerate() {
        for &unit in units {
            of_unit[unit].push(candidate);
        }
    }
    for list in &mut of_unit {
        list.sort_by(|&x, &y| candidates[x].places.total_cmp(&candidates[y].places));
    }
    let mut kept = vec![true; candidates.len()];
    let mut left = candidates.len();
    while left > count {
        // (saved for each pair given up, unit, how many of its last pairs); of equals the first.
        let mut best = (0.0, 0, 0);
        for (unit, list) in of_unit.iter().enumerate() {
            let ahead = ahead[unit] as f64;
            let places_for_first = |pairs: usize| match list[..pairs].last() {
                Some(&last) => candidates[last].places.max(ahead),
                None => ahead,
            };
            let all = places_for_first(list.len());
            for cut in 1..=list.len().min(left - count) {
                let saved = (all - places_for_first(list.len() - cut)) / cut as f64;
                if saved > best.0 {
                    best = (saved, unit, cut);
                }
            }
        }
        let (_, unit, cut) = best;
        if cut == 0 {
            break;
        }
        for &given_up in &of_unit[unit][of_unit[unit].len() - cut..] {
            kept[given_up] = false;
        }
        left -= cut;
        // A pair is on the lists of both its systems.
        for list in &mut of_unit {
            list.retain(|&candidate| kept[candidate]);
        }
    }
    let kept = candidates.iter().zip(kept).filter(|(_, kept)| *kept);
    kept.map(|(candidate, _)| candidate.pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(pair: usize, places: f64, units: [usize; 2]) -> Candidate {
        Candidate {
            pair,
            units: units.to_vec(),
            places,
        }
    }

    #[test]
    fn by_hand() {
        // Units 0, 1, 2 at 10 places. Pair 0 takes 0 and 1 to 20, pair 1 takes 0 and 2 to 100, pair
        // 2 takes 1 and 2 to 110. Pair 2 goes first: unit 1 saves 110 - 20 by it, unit 2 only
        // (110 - 10) / 2 for each of two pairs. Then pair 1.
        let candidates = [
            candidate(0, 20.0, [0, 1]),
            candidate(1, 100.0, [0, 2]),
            candidate(2, 110.0, [1, 2]),
        ];
        let choose = |count| cheapest_pairs(&[10; 3], &candidates, count);
        assert_eq!(choose(3), [0, 1, 2]);
        assert_eq!(choose(2), [0, 1]);
        assert_eq!(choose(1), [0]);
        assert_eq!(choose(0), [0; 0]);
    }

    #[test]
    fn a_unit_is_given_up_whole_where_that_saves_most() {
        // Unit 3 is needed up to 90 by three pairs whose partners are there already; unit 4 to 50
        // by one.
        let candidates = [
            candidate(0, 90.0, [0, 3]),
            candidate(1, 89.0, [1, 3]),
            candidate(2, 88.0, [2, 3]),
            candidate(3, 25.0, [0, 4]),
        ];
        assert_eq!(
            cheapest_pairs(&[90, 90, 90, 0, 0], &candidates, 1),
            [3],
            "30 judgments for each of three pairs, against 25"
        );
    }
}
