//! Which items have not been answered by every system.

use super::TextRef;
use crate::records::Missing;
use evenhand_core::Item;
use std::sync::Arc;

/// Each item that some system has not answered, with those systems.
pub(super) fn missing(
    items: &[Item],
    systems: &[Arc<str>],
    responses: &[Vec<Option<TextRef>>],
) -> Vec<Missing> {
    let answered =
        |item: usize, system: &[Option<TextRef>]| system.get(item).is_some_and(Option::is_some);
    let silent = |item: usize| {
        let all = systems.iter().zip(responses);
        all.filter(|(_, system)| !answered(item, system))
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
    };
    let all = items.iter().enumerate().map(|(index, item)| Missing {
        item: item.id.clone(),
        systems: silent(index),
    });
    all.filter(|missing| !missing.systems.is_empty()).collect()
}
