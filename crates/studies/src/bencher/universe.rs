//! Finds the items that are resampled together: the items of all benchers that share them, and
//! those of the labels.

use evenhand_ranking::Sample;
use std::collections::BTreeSet;

/// The items that a round of a sample draws from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Universe {
    /// Samples of the same group draw the same items in every round.
    pub(super) group: usize,
    /// Names, in ascending order.
    pub(super) items: Vec<String>,
}

/// Returns the universe of each sample. Samples share one if at least half of the items of the
/// larger are in both.
pub(super) fn universes(samples: &[Sample], labels: Option<&Sample>) -> Vec<Universe> {
    let labelled = labels.map_or(&[][..], |labels| &labels.items);
    let items = samples.iter().map(|sample| sample.items.as_slice());
    universes_of_items(&items.collect::<Vec<_>>(), labelled)
}

fn universes_of_items(samples: &[&[String]], labelled: &[String]) -> Vec<Universe> {
    let sets = samples.iter().map(|items| items.iter().collect());
    let sets: Vec<BTreeSet<&String>> = sets.collect();
    // The group of each set is that of the first that it shares most items with, or its own.
    let mut groups: Vec<usize> = Vec::new();
    for (number, items) in sets.iter().enumerate() {
        let mut before = sets[..number].iter();
        let like = before.position(|other| share_half(other, items));
        groups.push(like.map_or(number, |like| groups[like]));
    }
    let universe = |group: &usize| {
        let mut items: BTreeSet<&String> = labelled.iter().collect();
        for (_, own) in groups
            .iter()
            .zip(&sets)
            .filter(|(other, _)| *other == group)
        {
            items.extend(own);
        }
        Universe {
            group: *group,
            items: items.into_iter().cloned().collect(),
        }
    };
    groups.iter().map(universe).collect()
}

/// Whether at least half of the items of the larger set are in both.
fn share_half(a: &BTreeSet<&String>, b: &BTreeSet<&String>) -> bool {
    let common = a.intersection(b).count();
    common > 0 && 2 * common >= a.len().max(b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(names: &str) -> Vec<String> {
        names.chars().map(String::from).collect()
    }

    #[test]
    fn half_of_the_items_make_a_group() {
        let all = [items("abcd"), items("xy"), items("bcde"), items("cdefgh")];
        let found = universes_of_items(&all.each_ref().map(|one| one.as_slice()), &items("z"));
        // c d e of the last are half of its six, though only c d are in the first.
        assert_eq!(
            found.iter().map(|one| one.group).collect::<Vec<_>>(),
            [0, 1, 0, 0]
        );
        assert_eq!(found[0].items, items("abcdefghz"));
        assert_eq!(
            (found[1].items.clone(), found[3].items == found[0].items),
            (items("xyz"), true)
        );
    }
}
