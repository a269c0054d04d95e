//! Judges, protocols and inputs that the program which calls the engine has registered, by names.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Things by their names, for the whole process.
pub(super) struct Registry<T: ?Sized>(Mutex<BTreeMap<String, Arc<T>>>);

/// The name of a thing, which is forgotten when this is dropped.
pub(super) struct Registered<T: ?Sized + 'static> {
    registry: &'static Registry<T>,
    pub(super) name: String,
}

impl<T: ?Sized> Registry<T> {
    pub(super) const fn new() -> Registry<T> {
        Registry(Mutex::new(BTreeMap::new()))
    }

    /// Gives the thing the first free of these names: `NAME`, `NAME2`, `NAME3`, .. with the
    /// separator before the number.
    pub(super) fn add(&'static self, name: &str, separator: &str, thing: Arc<T>) -> Registered<T> {
        let mut known = self.lock();
        let numbered = (2..).map(|number| format!("{name}{separator}{number}"));
        let mut names = std::iter::once(name.to_string()).chain(numbered);
        let free = names.find(|name| !known.contains_key(name));
        let name = free.unwrap_or_default();
        known.insert(name.clone(), thing);
        Registered {
            registry: self,
            name,
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<T>> {
        self.lock().get(name).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Drop for Registered<T> {
    fn drop(&mut self) {
        self.registry.lock().remove(&self.name);
    }
}
