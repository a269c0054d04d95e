//! Conditions on recordings, and on the data set beside them.

use super::RecordedOptions;
use evenhand_core::Dataset;
use evenhand_core::formats::{Filter, Input, find};
use evenhand_engine::{EngineError, open_input};
use serde_json::Value;
use std::collections::HashSet;
use std::io::BufReader;
use std::path::Path;

/// The conditions of `--where` in two parts: those on fields of the recordings or of the labels, and the others, which are
/// on the data set beside them. Files that cannot be read have no fields here; who reads them says why.
///
/// # Errors
/// A path that is not there; a directory without data files.
pub fn parts_of_filter(options: &RecordedOptions) -> Result<(Filter, Filter), EngineError> {
    let options = &options.with_files()?;
    let firsts: Vec<Value> = options.recorded.iter().chain(&options.labels).filter_map(|path| first(path)).collect();
    let filter = &options.reading.filter;
    let own = |number: usize| {
        let condition = filter.conditions().get(number);
        condition.is_some_and(|condition| firsts.iter().any(|first| condition.is_in(first, 0)))
    };
    Ok((filter.only(own), filter.only(|number| !own(number))))
}

fn first(path: &Path) -> Option<Value> {
    let file = BufReader::new(open_input(path).ok()?);
    find(file, &Input::new(&path.display().to_string()), |_, _| true).ok()?
}

/// The ids of the items that a data set holds, where recordings of others are left out.
pub(super) fn items(options: &RecordedOptions, data: Option<&Dataset>) -> Option<HashSet<String>> {
    let data = data.filter(|_| options.only_items_of_data)?;
    Some(data.items.iter().map(|item| item.id.clone()).collect())
}
