//! From the labels of a data set to units.

use super::{LabelledUnit, PeopleLabels, UnitLabel};
use evenhand_core::Side;
use evenhand_formats::{Dataset, Label};
use std::collections::HashMap;

impl PeopleLabels {
    /// Returns the labels of a data set. Those that name nobody are counted and left out.
    pub fn of_dataset(data: &Dataset) -> PeopleLabels {
        let clusters = data.clusters();
        let mut people = PeopleLabels::default();
        // Places of units by their items and systems, and numbers of annotators by their names.
        let mut units: HashMap<[u32; 3], usize> = HashMap::new();
        let mut annotators: HashMap<&str, u32> = HashMap::new();
        for label in &data.labels {
            if label.a == label.b {
                people.self_comparisons += 1;
                continue;
            }
            let Some(name) = &label.annotator else {
                people.unnamed += 1;
                continue;
            };
            let next = annotators.len() as u32;
            let annotator = *annotators.entry(name).or_insert(next);
            if annotator == next {
                people.annotators.push(name.to_string());
            }
            let key = [label.item, label.a.min(label.b), label.a.max(label.b)];
            let next = people.units.len();
            let place = *units.entry(key).or_insert(next);
            if place == next {
                let item = data.items.get(label.item as usize);
                people.units.push(LabelledUnit {
                    item: label.item,
                    cluster: clusters.of(label.item),
                    category: item.and_then(|item| item.category.clone()),
                    ..LabelledUnit::default()
                });
            }
            let side = side_of_first(label);
            people.units[place].add(UnitLabel { annotator, side });
        }
        people
    }
}

/// Returns the side of the system that comes first in the data.
fn side_of_first(label: &Label) -> Side {
    match label.a > label.b {
        true => label.preferred.swapped(),
        false => label.preferred,
    }
}
