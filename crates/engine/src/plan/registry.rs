//! Judges, protocols and inputs that the program which calls the engine has registered, by names.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Things by their names, for the whole process.
pub(super) struct Registry<T: ?Sized>(Mutex<BTreeMap<String, Arc<T>>>);

impl<T: ?Sized> Registry<T> {
    pub(super) const fn new() -> Registry<T> {
        Registry(Mutex::new(BTreeMap::new()))
    }

    /// Gives the thing the first free of these names, and returns it: `NAME`, `NAME2`, `NAME3`, ..
    /// with the separator before the number.
    pub(super) fn add(&self, name: &str, separator: &str, thing: Arc<T>) -> String {
        let mut known = self.lock();
        let numbered = (2..).map(|number| format!("{name}{separator}{number}"));
        let mut names = std::iter::once(name.to_string()).chain(numbered);
        let free = names.find(|name| !known.contains_key(name));
        let free = free.unwrap_or_default();
        known.insert(free.clone(), thing);
        free
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<T>> {
        self.lock().get(name).cloned()
    }

    pub(super) fn remove(&self, name: &str) {
        self.lock().remove(name);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
