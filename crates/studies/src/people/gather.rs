//! From the labels of a data set to units.

use super::{LabelledUnit, PeopleLabels, UnitLabel};
use evenhand_core::{Clusters, Item, Side};
use evenhand_formats::records::Preference;
use evenhand_formats::{Dataset, Label};
use std::collections::HashMap;

impl PeopleLabels {
    /// Returns the labels of a data set. Those that name nobody are counted and left out.
    pub fn of_dataset(data: &Dataset) -> PeopleLabels {
        let mut gather = Gather::new(data);
        for label in &data.labels {
            gather.add(label);
        }
        gather.people
    }
}

/// Labels while they are put together.
struct Gather<'a> {
    items: &'a [Item],
    clusters: Clusters,
    people: PeopleLabels,
    /// Places of units, by their items and systems.
    units: HashMap<[u32; 3], usize>,
    annotators: HashMap<&'a str, u32>,
}

impl<'a> Gather<'a> {
    fn new(data: &'a Dataset) -> Gather<'a> {
        Gather {
            items: &data.items,
            clusters: data.clusters(),
            people: PeopleLabels::default(),
            units: HashMap::new(),
            annotators: HashMap::new(),
        }
    }

    fn add(&mut self, label: &'a Label) {
        if label.a == label.b {
            self.people.self_comparisons += 1;
        } else if let Some(name) = &label.annotator {
            self.add_named(label, name);
        } else {
            self.people.unnamed += 1;
        }
    }

    fn add_named(&mut self, label: &Label, name: &'a str) {
        let annotator = self.number_annotator(name);
        let side = side_of_first(label);
        let unit = self.find_unit(label);
        if let Some(unit) = self.people.units.get_mut(unit) {
            unit.add(UnitLabel { annotator, side });
        }
    }

    fn number_annotator(&mut self, name: &'a str) -> u32 {
        let next = self.annotators.len() as u32;
        let number = *self.annotators.entry(name).or_insert(next);
        if number == next {
            self.people.annotators.push(name.into());
        }
        number
    }

    /// Returns the place of a label's unit, which may be new.
    fn find_unit(&mut self, label: &Label) -> usize {
        let key = [label.item, label.a.min(label.b), label.a.max(label.b)];
        let next = self.people.units.len();
        let place = *self.units.entry(key).or_insert(next);
        if place == next {
            let unit = self.new_unit(label.item);
            self.people.units.push(unit);
        }
        place
    }

    fn new_unit(&self, item: u32) -> LabelledUnit {
        let place = item as usize;
        LabelledUnit {
            item,
            cluster: self.clusters.of(item),
            category: self.items.get(place).and_then(|item| item.category.clone()),
            ..LabelledUnit::default()
        }
    }
}

/// Returns the side of the system that comes first in the data.
fn side_of_first(label: &Label) -> Side {
    let side = match label.preferred {
        Preference::A => Side::First,
        Preference::Tie => Side::Tie,
        Preference::B => Side::Second,
    };
    if label.a > label.b {
        side.swapped()
    } else {
        side
    }
}
