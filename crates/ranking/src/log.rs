//! The comparisons of a run, in little room: millions of judgments are kept beside each other.

use evenhand_core::Side;
use evenhand_stats::Comparison;

/// Comparisons in the order in which they came: six bytes each where the outcome is certain, and
/// 24 more where it is not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparisonLog {
    /// The items, each with how many comparisons of it came one after the other.
    items: Vec<(u32, u32)>,
    /// The rest of each, in parts: one list would be copied whenever it grew.
    parts: Vec<Vec<LoggedRow>>,
    /// The outcomes that are not certain: that the first wins, a tie, that the second wins.
    shares: Vec<[f64; 3]>,
}

/// Rows of a part.
const PART: usize = 1 << 16;

/// A comparison without its item, and without what is not certain of its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LoggedRow {
    systems: [u16; 2],
    /// Whether the first system was shown first, in one order.
    in_order: bool,
    /// Which of the three outcomes is certain; None where none is.
    certain: Option<Side>,
}

impl ComparisonLog {
    /// Adds the next comparison. `in_order` says whether it was made in one order, its first system
    /// shown first.
    pub fn push(&mut self, row: Comparison, in_order: bool) {
        match self.items.last_mut() {
            Some((item, rows)) if *item == row.item && *rows < u32::MAX => *rows += 1,
            _ => self.items.push((row.item, 1)),
        }
        let shares = [row.wins_a, row.ties, row.wins_b];
        // By their bits: a zero below zero is kept as it is.
        let is_same = |side: &Side| side.certain().map(f64::to_bits) == shares.map(f64::to_bits);
        let certain = [Side::First, Side::Tie, Side::Second]
            .into_iter()
            .find(is_same);
        if certain.is_none() {
            self.shares.push(shares);
        }
        let logged = LoggedRow {
            systems: [row.a, row.b],
            in_order,
            certain,
        };
        if self.parts.last().is_none_or(|part| part.len() == PART) {
            // The first part grows as it must: most runs are small.
            let room = if self.parts.is_empty() { 0 } else { PART };
            self.parts.push(Vec::with_capacity(room));
        }
        if let Some(part) = self.parts.last_mut() {
            part.push(logged);
        }
    }

    /// Returns the comparisons in the order in which they came.
    pub fn rows(&self) -> impl Iterator<Item = Comparison> {
        let items = self.items.iter();
        let items = items.flat_map(|(item, rows)| (0..*rows).map(|_| *item));
        let mut shares = self.shares.iter();
        let rows = items.zip(self.parts.iter().flatten());
        rows.map(move |(item, row)| {
            let [wins_a, ties, wins_b] = match row.certain {
                Some(side) => side.certain(),
                None => shares.next().copied().unwrap_or_default(),
            };
            Comparison {
                item,
                a: row.systems[0],
                b: row.systems[1],
                wins_a,
                ties,
                wins_b,
            }
        })
    }

    /// Returns the comparisons that are kept, in the same order.
    pub(crate) fn kept(&self, keep: &[bool]) -> ComparisonLog {
        let mut log = ComparisonLog::default();
        for ((row, in_order), keep) in self.rows().zip(self.in_order()).zip(keep) {
            if *keep {
                log.push(row, in_order);
            }
        }
        log
    }

    /// Returns of each comparison whether it was made in one order, its first system shown first:
    /// none was where one trial holds both orders, or a list.
    pub fn in_order(&self) -> impl Iterator<Item = bool> {
        self.parts.iter().flatten().map(|row| row.in_order)
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_added_comes_back_to_the_last_bit(
            rows in prop::collection::vec(
                (0_u32..3, any::<[u16; 2]>(), 0_usize..6, any::<[f64; 3]>(), any::<bool>()), 0..60,
            ),
        ) {
            let rows: Vec<(Comparison, bool)> = rows
                .into_iter()
                .map(|(item, [a, b], kind, odd, in_order)| {
                    let [wins_a, ties, wins_b] = match kind {
                        0 => [1.0, 0.0, 0.0],
                        1 => [0.0, 1.0, 0.0],
                        2 => [0.0, 0.0, 1.0],
                        3 => [-0.0, 0.0, 1.0],
                        4 => [0.25, 0.5, 0.25],
                        _ => odd,
                    };
                    (Comparison { item, a, b, wins_a, ties, wins_b }, in_order)
                })
                .collect();
            let mut log = ComparisonLog::default();
            for (row, in_order) in &rows {
                log.push(*row, *in_order);
            }
            let bits = |row: &Comparison| {
                let shares = [row.wins_a, row.ties, row.wins_b].map(f64::to_bits);
                (row.item, row.a, row.b, shares)
            };
            let found: Vec<_> = log.rows().map(|row| bits(&row)).collect();
            let given: Vec<_> = rows.iter().map(|(row, _)| bits(row)).collect();
            prop_assert_eq!(found, given);
            let orders: Vec<bool> = rows.iter().map(|(_, in_order)| *in_order).collect();
            prop_assert_eq!(log.in_order().collect::<Vec<_>>(), orders);
            prop_assert_eq!((log.len(), log.is_empty()), (rows.len(), rows.is_empty()));
        }
    }
}
