//! Conditions on records, and the files that have their fields.

use crate::{EngineError, open_input};
use evenhand_formats::records::{FieldsFound, Filter, Input, find_record};
use serde_json::Value;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Returns the conditions whose fields some of these files begin with. A file that cannot be read
/// has no fields here; its reader says why.
pub fn conditions_of(filter: &Filter, paths: &[PathBuf]) -> Filter {
    if filter.is_empty() {
        return Filter::default();
    }
    let firsts: Vec<Value> = paths.iter().filter_map(|path| first_record(path)).collect();
    filter.filter_conditions(|number| {
        let condition = filter.conditions().get(number);
        condition.is_some_and(|condition| firsts.iter().any(|first| condition.is_in(first, 0)))
    })
}

/// Checks that some of these files begins with the field of each condition.
///
/// # Errors
/// A field that is in no file, with the nearest one.
pub fn check_conditions(filter: &Filter, paths: &[PathBuf]) -> Result<(), EngineError> {
    if filter.is_empty() {
        return Ok(());
    }
    let mut found = FieldsFound::default();
    for path in paths {
        let name = path.display().to_string();
        let first = first_record(path).unwrap_or_default();
        // Each file is of a sort of its own: some may lack a field.
        found.add_file(filter, name.clone(), &name, &first);
    }
    Ok(found.check_fields(filter)?)
}

fn first_record(path: &Path) -> Option<Value> {
    let file = BufReader::new(open_input(path).ok()?);
    find_record(file, &Input::new(&path.display().to_string()), |_, _| true).ok()?
}
