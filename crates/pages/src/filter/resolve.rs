//! Names of a filter as numbers of a run.

use super::{Filter, FilterError};
use crate::RunIndex;
use crate::names::Names;

/// How many names an error lists.
const SHOWN: usize = 20;

/// The names of a filter, as numbers of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resolved {
    pub(super) system: Option<u32>,
    pub(super) pair: Option<[u32; 2]>,
    pub(super) item: Option<u32>,
    pub(super) category: Option<u32>,
    pub(super) winner: Option<u32>,
}

impl Resolved {
    pub(super) fn of(filter: &Filter, index: &RunIndex) -> Result<Resolved, FilterError> {
        let systems = index.systems();
        Ok(Resolved {
            system: find("system", filter.system.as_deref(), systems)?,
            pair: find_pair(filter.pair.as_deref(), systems)?,
            item: find("item", filter.item.as_deref(), index.items())?,
            category: find("category", filter.category.as_deref(), index.categories())?,
            winner: find("winner", filter.winner.as_deref(), systems)?,
        })
    }
}

fn find(
    field: &'static str,
    name: Option<&str>,
    names: &Names,
) -> Result<Option<u32>, FilterError> {
    let Some(name) = name else { return Ok(None) };
    match names.find(name) {
        Some(number) => Ok(Some(number)),
        None => Err(unknown_name(field, name, names)),
    }
}

/// Finds two systems in `A~B`, whose names may hold the mark between them.
fn find_pair(pair: Option<&str>, names: &Names) -> Result<Option<[u32; 2]>, FilterError> {
    let Some(pair) = pair else { return Ok(None) };
    let mut splits = pair.match_indices('~');
    let found = splits.find_map(|(at, mark)| {
        let (a, b) = (
            names.find(&pair[..at])?,
            names.find(&pair[at + mark.len()..])?,
        );
        Some([a.min(b), a.max(b)])
    });
    match found {
        Some(pair) => Ok(Some(pair)),
        None => Err(unknown_name("pair", pair, names)),
    }
}

fn unknown_name(field: &'static str, found: &str, names: &Names) -> FilterError {
    let mut known: Vec<&str> = names.iter().take(SHOWN).collect();
    if names.len() > SHOWN {
        known.push("..");
    }
    FilterError::UnknownName {
        field,
        found: found.into(),
        known: known.join(", "),
    }
}
