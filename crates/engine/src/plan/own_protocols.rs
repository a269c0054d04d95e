//! Protocols that the program which calls the engine brings: each has a name, and `own:NAME` is
//! it.

use super::registry::Registry;
use evenhand_protocols::{CustomProtocol, Protocol};
use std::sync::Arc;

type Maker = dyn Fn() -> Protocol + Send + Sync;

static PROTOCOLS: Registry<Maker> = Registry::new();

/// A name of a protocol; the protocol is forgotten when this is dropped.
pub struct OwnProtocol(String);

/// Gives a protocol the first free of the names `NAME`, `NAME-2`, `NAME-3`, ..
pub fn register_protocol<P>(protocol: P) -> OwnProtocol
where
    P: CustomProtocol + Clone + 'static,
{
    let name = protocol.name().to_string();
    let make = move || Protocol::custom(protocol.clone());
    OwnProtocol(PROTOCOLS.add(&name, "-", Arc::new(make)))
}

impl OwnProtocol {
    /// Returns what names it where a protocol is expected.
    pub fn spec(&self) -> String {
        format!("own:{}", self.0)
    }
}

impl Drop for OwnProtocol {
    fn drop(&mut self) {
        PROTOCOLS.remove(&self.0);
    }
}

/// Returns the protocol that `own:NAME` is; None for another name, and for one that nobody
/// registered.
pub fn own_protocol(name: &str) -> Option<Protocol> {
    let make = PROTOCOLS.find(name.strip_prefix("own:")?)?;
    Some(make())
}
