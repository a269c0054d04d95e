//! Which pairs to decide when not all must be: a system that goes on for one pair goes on for
//! others too.

/// Pairs that could be decided, by the units that would have to be judged for them.
pub(super) struct Choice {
    units: Vec<Candidates>,
    /// Whether a pair is to be decided, by its number, and how many are.
    kept: Vec<bool>,
    count: usize,
}

struct Candidates {
    /// How many places the unit has been judged on.
    ahead: f64,
    /// Pairs, and the places that the unit must be judged on for them; the most last.
    pairs: Vec<(f64, usize)>,
}

/// Giving up the last pairs of a unit.
#[derive(Clone, Copy)]
struct Cut {
    unit: usize,
    pairs: usize,
    /// Judgments saved for each pair given up.
    saved: f64,
}

impl Cut {
    /// The one that saves more for each pair; of equals the first.
    fn or_better(self, other: Cut) -> Cut {
        if other.saved > self.saved {
            other
        } else {
            self
        }
    }
}

impl Choice {
    /// No pair yet of so many, and how many places each unit has been judged on.
    pub(super) fn new(pairs: usize, ahead: impl Iterator<Item = usize>) -> Choice {
        Choice {
            units: ahead.map(Candidates::new).collect(),
            kept: vec![false; pairs],
            count: 0,
        }
    }

    pub(super) fn add_pair(&mut self, pair: usize, places: f64, units: &[usize]) {
        self.keep(pair);
        for &unit in units {
            self.units[unit].pairs.push((places, pair));
        }
    }

    fn keep(&mut self, pair: usize) {
        self.kept[pair] = true;
        self.count += 1;
    }

    /// Gives up pairs until `count` are left: again and again those of one unit that take it
    /// furthest, where the most judgments of this unit are saved for each pair given up.
    pub(super) fn reduce_to(mut self, count: usize) -> Vec<usize> {
        self.sort_pairs();
        while let Some(cut) = self.best_cut(self.count.saturating_sub(count)) {
            self.give_up(cut);
        }
        self.kept_pairs()
    }

    /// Puts the pairs that take a unit furthest last, where they can be cut off.
    fn sort_pairs(&mut self) {
        for unit in &mut self.units {
            unit.pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
        }
    }

    fn kept_pairs(&self) -> Vec<usize> {
        let pairs = 0..self.kept.len();
        pairs.filter(|&pair| self.kept[pair]).collect()
    }

    fn give_up(&mut self, cut: Cut) {
        for pair in self.units[cut.unit].drain_last(cut.pairs) {
            self.kept[pair] = false;
        }
        self.count -= cut.pairs;
        self.forget_given_up();
    }

    /// A pair is on the lists of both its systems, so the other one's must be cleared too.
    fn forget_given_up(&mut self) {
        for unit in &mut self.units {
            unit.pairs.retain(|(_, pair)| self.kept[*pair]);
        }
    }

    /// The cut of at most so many pairs that saves most for each of them; none that saves nothing.
    fn best_cut(&self, most: usize) -> Option<Cut> {
        let saving = self.cuts(most).filter(|cut| cut.saved > 0.0);
        saving.reduce(Cut::or_better)
    }

    fn cuts(&self, most: usize) -> impl Iterator<Item = Cut> {
        let units = self.units.iter().enumerate();
        units.flat_map(move |(unit, candidates)| candidates.cuts(unit, most))
    }
}

impl Candidates {
    fn new(ahead: usize) -> Candidates {
        Candidates {
            ahead: ahead as f64,
            pairs: Vec::new(),
        }
    }

    /// The cuts of one to `most` pairs.
    fn cuts(&self, unit: usize, most: usize) -> impl Iterator<Item = Cut> {
        (1..=self.pairs.len().min(most)).map(move |pairs| self.cut(unit, pairs))
    }

    fn cut(&self, unit: usize, pairs: usize) -> Cut {
        Cut {
            unit,
            pairs,
            saved: self.saved_by(pairs),
        }
    }

    /// Judgments saved for each of the last pairs, if so many are given up.
    fn saved_by(&self, pairs: usize) -> f64 {
        let all = self.pairs.len();
        (self.places_for(all) - self.places_for(all - pairs)) / pairs as f64
    }

    /// Removes the last pairs.
    fn drain_last(&mut self, count: usize) -> impl Iterator<Item = usize> {
        let first = self.pairs.len() - count;
        self.pairs.drain(first..).map(|(_, pair)| pair)
    }

    /// How many places the unit is judged on for its first pairs.
    fn places_for(&self, pairs: usize) -> f64 {
        let last = self.pairs[..pairs].last();
        last.map_or(self.ahead, |(places, _)| places.max(self.ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Units 0, 1, 2 at 10 places. Pair 0 takes 0 and 1 to 20, pair 1 takes 0 and 2 to 100, pair
        // 2 takes 1 and 2 to 110. Pair 2 goes first: unit 1 saves 110 - 20 by it, unit 2 only
        // (110 - 10) / 2 for each of two pairs. Then pair 1.
        let choice = || {
            let mut choice = Choice::new(3, [10, 10, 10].into_iter());
            choice.add_pair(0, 20.0, &[0, 1]);
            choice.add_pair(1, 100.0, &[0, 2]);
            choice.add_pair(2, 110.0, &[1, 2]);
            choice
        };
        assert_eq!(choice().reduce_to(3), [0, 1, 2]);
        assert_eq!(choice().reduce_to(2), [0, 1]);
        assert_eq!(choice().reduce_to(1), [0]);
        assert_eq!(choice().reduce_to(0), [0; 0]);
    }

    #[test]
    fn a_unit_is_given_up_whole_where_that_saves_most() {
        // Unit 3 is needed up to 90 by three pairs whose partners are there already; unit 4 to 50
        // by one.
        let mut choice = Choice::new(4, [90, 90, 90, 0, 0].into_iter());
        (0..3).for_each(|pair| choice.add_pair(pair, 90.0 - pair as f64, &[pair, 3]));
        choice.add_pair(3, 25.0, &[0, 4]);
        assert_eq!(
            choice.reduce_to(1),
            [3],
            "30 judgments for each of three pairs, against 25"
        );
    }
}
