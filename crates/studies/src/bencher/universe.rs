//! What is resampled together: the items of all benchers that share them, and those of the labels.

use evenhand_engine::Sample;
use std::collections::BTreeSet;

/// The items that a round of a sample draws from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Universe {
    /// Samples of the same group draw the same items in every round.
    pub(super) group: usize,
    /// Names, in ascending order.
    pub(super) items: Vec<String>,
}

/// The universe of each sample. Samples share one if at least half of the items of the larger are
/// in both.
pub(super) fn universes(samples: &[Sample], labels: Option<&Sample>) -> Vec<Universe> {
    let labelled = labels.map_or(&[][..], |labels| &labels.items);
    of_items(
        &samples
            .iter()
            .map(|sample| sample.items.as_slice())
            .collect::<Vec<_>>(),
        labelled,
    )
}

fn of_items(samples: &[&[String]], labelled: &[String]) -> Vec<Universe> {
    let own: Vec<BTreeSet<&String>> = samples.iter().map(|items| items.iter().collect()).collect();
    let mut groups: Vec<usize> = Vec::new();
    for (number, items) in own.iter().enumerate() {
        let like = own[..number]
            .iter()
            .position(|before| shared(before, items));
        groups.push(like.map_or(number, |like| groups[like]));
    }
    let of = |&group: &usize| {
        let members = groups
            .iter()
            .zip(&own)
            .filter(|(other, _)| **other == group);
        let mut all: BTreeSet<&String> = members
            .flat_map(|(_, items)| items.iter().copied())
            .collect();
        all.extend(labelled);
        Universe {
            group,
            items: all.into_iter().cloned().collect(),
        }
    };
    groups.iter().map(of).collect()
}

fn shared(a: &BTreeSet<&String>, b: &BTreeSet<&String>) -> bool {
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
        let found = of_items(&all.each_ref().map(|one| one.as_slice()), &items("z"));
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
