//! Names as numbers, in order of first appearance.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Names, numbered from 0 in order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct Names {
    numbers: FxHashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
}

impl Names {
    /// Returns the number of a name, a new one where it is new.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let (number, name) = (self.names.len() as u32, Arc::<str>::from(name));
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }

    /// Returns the number of a name that is known.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Returns the name of a number; empty for a number that was not given out.
    pub fn get(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", |name| name)
    }

    /// Returns how many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Lists the names in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// Lists the names as texts of their own.
    pub fn to_vec(&self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }
}
