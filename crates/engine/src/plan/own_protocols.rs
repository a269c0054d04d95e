//! Protocols that the program which calls the engine brings: each has a name, and `own:NAME` is
//! it.

use evenhand_protocols::{CustomProtocol, Protocol};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Maker = dyn Fn() -> Protocol + Send + Sync;

static PROTOCOLS: Mutex<BTreeMap<String, Arc<Maker>>> = Mutex::new(BTreeMap::new());

/// A name of a protocol; the protocol is forgotten when this is dropped.
pub struct OwnProtocol(String);

/// Gives a protocol the first free of the names `NAME`, `NAME-2`, `NAME-3`, ..
pub fn register_protocol<P>(protocol: P) -> OwnProtocol
where
    P: CustomProtocol + Clone + 'static,
{
    let name = protocol.name().to_string();
    let mut protocols = protocols();
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    let free = names.find(|name| !protocols.contains_key(name));
    let free = free.unwrap_or_default();
    let make = move || Protocol::custom(protocol.clone());
    protocols.insert(free.clone(), Arc::new(make));
    OwnProtocol(free)
}

impl OwnProtocol {
    /// Returns what names it where a protocol is expected.
    pub fn spec(&self) -> String {
        format!("own:{}", self.0)
    }
}

impl Drop for OwnProtocol {
    fn drop(&mut self) {
        protocols().remove(&self.0);
    }
}

fn protocols() -> MutexGuard<'static, BTreeMap<String, Arc<Maker>>> {
    PROTOCOLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the protocol that `own:NAME` is; None for another name, and for one that nobody
/// registered.
pub fn own_protocol(name: &str) -> Option<Protocol> {
    let make = protocols().get(name.strip_prefix("own:")?).cloned()?;
    Some(make())
}
