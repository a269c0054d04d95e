//! The data set of a run, from the texts that the run keeps.

use crate::EngineError;
use evenhand_core::{Refusal, ShownFields};
use evenhand_formats::records::{ItemRef, Place, Record, SystemOutput, Vote};
use evenhand_formats::{Dataset, DatasetBuilder};
use evenhand_store::Reader;
use std::collections::BTreeMap;

/// Returns the items and responses of a run as the data set that was judged there, with the systems
/// in their order and the labels of people that the run keeps. `shown` are the fields that prompts
/// show.
///
/// # Errors
/// A run that cannot be read, or keeps no texts.
pub fn dataset_of_run(reader: &Reader, shown: &ShownFields) -> Result<Dataset, EngineError> {
    let dir = reader.dir().display().to_string();
    if !reader.keeps_texts()? {
        return Err(Refusal::of_input(format!(
            "{dir}: the run keeps no texts, which runs of early versions, audits and studies do \
             not; judge the data again"
        ))
        .into());
    }
    let place = Place::file(&*dir);
    let mut builder = DatasetBuilder::default();
    let items = reader.items()?;
    let mut answers: BTreeMap<String, Vec<(String, SystemOutput)>> = BTreeMap::new();
    let mut unshown = std::collections::BTreeSet::new();
    for item in items {
        for response in reader.responses(&item.id)? {
            let fields = response.fields.keys();
            unshown.extend(
                fields
                    .filter(|name| !shown.response.contains(*name))
                    .cloned(),
            );
            let output = SystemOutput {
                earlier: response.earlier.to_vec(),
                whole: response.whole,
                trajectory: response.trajectory.as_deref().cloned(),
                fields: (*response.fields).clone(),
                ..SystemOutput::new(&*response.system, &*response.text)
            };
            let of_system = answers.entry(response.system.to_string()).or_default();
            of_system.push((item.id.clone(), output));
        }
        builder.add_record(Record::Item(item), &place)?;
    }
    // The systems stand in the order of the manifest, which names them in one text; where that does
    // not tell them apart, in the order in which the run keeps them.
    let names = reader.manifest()?.settings.remove("systems");
    let kept = reader.systems()?;
    let order = order_in(names.as_deref().unwrap_or_default(), &kept).unwrap_or(kept);
    let mut systems: Vec<(String, Vec<(String, SystemOutput)>)> = answers.into_iter().collect();
    systems.sort_by_key(|(name, _)| order.iter().position(|known| known == name));
    for (item, answer) in systems.into_iter().flat_map(|(_, answers)| answers) {
        let item = ItemRef::Id(item);
        builder.add_record(Record::Response { item, answer }, &place)?;
    }
    for label in reader.labels()? {
        let record = Record::Label {
            item: ItemRef::Id(label.item),
            a: label.a,
            b: label.b,
            votes: vec![Vote {
                preferred: label.preferred,
                annotator: label.annotator,
                decides: false,
            }],
        };
        builder.add_record(record, &place)?;
    }
    let mut dataset = builder.finish(true)?;
    dataset.unshown_fields = unshown;
    Ok(dataset)
}

/// Returns these systems in the order in which a text joins them by `, `, which may stand in their
/// names too; None where it is not them that it joins.
fn order_in(text: &str, systems: &[String]) -> Option<Vec<String>> {
    let (mut rest, mut left) = (text, systems.to_vec());
    // The longest first: `a, b` before `a`.
    left.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut order = Vec::new();
    while !left.is_empty() {
        let behind = |name: &String| {
            let behind = rest.strip_prefix(name.as_str())?;
            behind
                .strip_prefix(", ")
                .or(behind.is_empty().then_some(""))
        };
        let (at, behind) =
            (left.iter().enumerate()).find_map(|(at, name)| Some((at, behind(name)?)))?;
        order.push(left.remove(at));
        rest = behind;
    }
    rest.is_empty().then_some(order)
}

#[cfg(test)]
mod tests {
    use super::order_in;

    #[test]
    fn names_with_the_sign_between_them_keep_their_order() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| name.to_string())
                .collect::<Vec<_>>()
        };
        for order in [
            &["z, a", "b", "a"][..],
            &["b", "z, a", "a"],
            &["a", "a, b", "c"],
            &["x"],
        ] {
            let mut kept = names(order);
            kept.sort();
            assert_eq!(order_in(&order.join(", "), &kept), Some(names(order)));
        }
        // A system without a response that was judged is not among those that are kept.
        assert_eq!(order_in("a, b, c", &names(&["c", "a"])), None);
    }
}
