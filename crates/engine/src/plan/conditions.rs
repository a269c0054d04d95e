//! Conditions of `--where`, and the files that have their fields.

use crate::{EngineError, open_input};
use evenhand_formats::records::{FieldsFound, Filter, Input, find};
use serde_json::Value;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The conditions whose fields some of these files begin with. A file that cannot be read has no
/// fields here; who reads it says why.
pub fn conditions_of(filter: &Filter, paths: &[PathBuf]) -> Filter {
    if filter.is_empty() {
        return Filter::default();
    }
    let firsts: Vec<Value> = paths.iter().filter_map(|path| first(path)).collect();
    let is_there = |number: usize| {
        let condition = filter.conditions().get(number);
        condition.is_some_and(|condition| firsts.iter().any(|first| condition.is_in(first, 0)))
    };
    filter.only(is_there)
}

/// Checks that some of these files begins with the field of each condition.
///
/// # Errors
/// A field that is nowhere, with the nearest one.
pub fn check_conditions(filter: &Filter, paths: &[PathBuf]) -> Result<(), EngineError> {
    let mut found = FieldsFound::default();
    for path in paths.iter().filter(|_| !filter.is_empty()) {
        let name = path.display().to_string();
        // Each file is of a sort of its own: some may lack a field.
        found.add(
            filter,
            name.clone(),
            &name,
            &first(path).unwrap_or_default(),
        );
    }
    Ok(found.check_fields(filter)?)
}

fn first(path: &Path) -> Option<Value> {
    let file = BufReader::new(open_input(path).ok()?);
    find(file, &Input::new(&path.display().to_string()), |_, _| true).ok()?
}
