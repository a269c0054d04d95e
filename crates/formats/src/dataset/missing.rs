//! Which items have not been answered by every system.

use super::TextRef;
use crate::records::Missing;
use evenhand_core::Item;
use std::sync::Arc;

/// Returns each item that some system has not answered, with those systems.
pub(super) fn find_missing(
    items: &[Item],
    systems: &[Arc<str>],
    responses: &[Vec<Option<TextRef>>],
) -> Vec<Missing> {
    let mut missing = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let systems = silent_systems(index, systems, responses);
        if !systems.is_empty() {
            missing.push(Missing {
                item: item.id.clone(),
                systems,
            });
        }
    }
    missing
}

fn silent_systems(
    item: usize,
    systems: &[Arc<str>],
    responses: &[Vec<Option<TextRef>>],
) -> Vec<Arc<str>> {
    let columns = systems.iter().zip(responses);
    let silent = columns.filter(|(_, column)| column.get(item).is_none_or(Option::is_none));
    silent.map(|(name, _)| name.clone()).collect()
}
