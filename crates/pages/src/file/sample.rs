//! Which rows a file holds where there are too many.

use crate::RunIndex;

/// Returns the rows of evenly spaced items, at most this many judgments of them; all rows where
/// they are no more. Of one item with more, evenly spaced rows.
pub(super) fn choose_rows(index: &RunIndex, most: usize) -> Vec<u32> {
    let all: Vec<u32> = (0..index.row_count() as u32).collect();
    if index.judgments() <= most {
        return all;
    }
    let items = index.items().len();
    let wanted = (items * most / index.judgments()).max(1);
    let is_chosen = mark_evenly(wanted, items);
    let rows: Vec<u32> = all
        .into_iter()
        .filter(|row| is_chosen[index.facts(*row).item as usize])
        .collect();
    let judgments = |row: &u32| index.judgments_of(*row).iter().flatten().count();
    let held: usize = rows.iter().map(judgments).sum();
    if held <= most {
        return rows;
    }
    // One item with more.
    let wanted = (rows.len() * most / held).max(1);
    let marks = mark_evenly(wanted, rows.len());
    let kept = rows.into_iter().zip(marks).filter(|(_, is_kept)| *is_kept);
    kept.map(|(row, _)| row).collect()
}

/// Marks this many of so many places, evenly spaced from the first on.
fn mark_evenly(wanted: usize, of: usize) -> Vec<bool> {
    let mut marks = vec![false; of];
    for number in 0..wanted.min(of) {
        marks[number * of / wanted] = true;
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EntryOutcome, JudgmentEntry};

    fn index_of(items: u64, rows_each: u32) -> RunIndex {
        let mut index = RunIndex::default();
        for trial in 0..items * u64::from(rows_each) {
            index.add(&JudgmentEntry {
                trial,
                item: &format!("item-{}", trial / u64::from(rows_each)),
                systems: vec!["a", "b"],
                replicate: (trial % u64::from(rows_each)) as u32,
                outcome: EntryOutcome::Pair([1.0, 0.0, 0.0]),
                ..JudgmentEntry::default()
            });
        }
        index
    }

    #[test]
    fn few_rows_are_all_kept() {
        assert_eq!(choose_rows(&index_of(5, 2), 10).len(), 10);
    }

    #[test]
    fn whole_items_are_kept_evenly_spaced() {
        let index = index_of(100, 4);
        let rows = choose_rows(&index, 40);
        let items: Vec<u32> = rows.iter().map(|row| index.facts(*row).item).collect();
        assert_eq!(items.len(), 40);
        assert_eq!(items[..9], [0, 0, 0, 0, 10, 10, 10, 10, 20]);
    }

    #[test]
    fn one_item_with_too_many_rows_is_thinned() {
        assert_eq!(choose_rows(&index_of(1, 100), 10).len(), 10);
    }
}
