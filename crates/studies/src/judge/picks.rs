//! Conditions on recordings, and on the data set beside them.

use super::RecordedOptions;
use evenhand_engine::EngineError;
use evenhand_engine::conditions_of;
use evenhand_formats::Dataset;
use evenhand_formats::records::Filter;
use std::collections::HashSet;

/// Splits the conditions on records in two parts: those on fields of the recordings or of the
/// labels, and the others, which are on the data set beside them. Files that cannot be read have no
/// fields here; who reads them says why.
///
/// # Errors
/// A path that is not there; a directory without data files.
pub fn split_filter(options: &RecordedOptions) -> Result<(Filter, Filter), EngineError> {
    let options = &options.with_files()?;
    let filter = &options.reading.columns.filter;
    let files = [options.recorded.clone(), options.labels.clone()].concat();
    let own = conditions_of(filter, &files);
    let is_own = |number: usize| {
        let condition = filter.conditions().get(number);
        condition.is_some_and(|condition| own.conditions().contains(condition))
    };
    let others = filter.filter_conditions(|number| !is_own(number));
    Ok((own, others))
}

/// Returns the ids of the items that a data set holds, where recordings of others are left out.
pub(super) fn selected_items(
    options: &RecordedOptions,
    data: Option<&Dataset>,
) -> Option<HashSet<String>> {
    let data = data.filter(|_| options.only_items_of_data)?;
    Some(data.items.iter().map(|item| item.id.clone()).collect())
}
