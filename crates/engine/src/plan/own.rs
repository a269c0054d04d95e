//! Judges and protocols that the program which calls the engine brings: each has a name, and
//! `own:NAME` is it.

use super::registry::{Registered, Registry};
use crate::EngineError;
use evenhand_core::{Refusal, Setting};
use evenhand_models::{Model, ModelError};
use evenhand_protocols::{CustomProtocol, Protocol, ProtocolOptions};
use std::sync::Arc;

/// Opens a judge; called on the thread that asks it.
type Opener = dyn Fn() -> Result<Box<dyn Model>, ModelError> + Send + Sync;
type Maker = dyn Fn() -> Protocol + Send + Sync;

static JUDGES: Registry<Opener> = Registry::new();
static PROTOCOLS: Registry<Maker> = Registry::new();

/// A name of a judge; the judge is forgotten when this is dropped.
pub struct OwnJudge(Registered<Opener>);

/// A name of a protocol; the protocol is forgotten when this is dropped.
pub struct OwnProtocol(Registered<Maker>);

/// Gives a judge the first free of the names `NAME`, `NAME-2`, `NAME-3`, ..
pub fn register_judge(
    name: &str,
    open: impl Fn() -> Result<Box<dyn Model>, ModelError> + Send + Sync + 'static,
) -> OwnJudge {
    OwnJudge(JUDGES.add(name, "-", Arc::new(open)))
}

/// Gives a protocol the first free of the names `NAME`, `NAME-2`, `NAME-3`, ..
pub fn register_protocol<P>(protocol: P) -> OwnProtocol
where
    P: CustomProtocol + Clone + 'static,
{
    let name = protocol.name().to_string();
    let make = move || Protocol::custom(protocol.clone());
    OwnProtocol(PROTOCOLS.add(&name, "-", Arc::new(make)))
}

impl OwnJudge {
    /// Returns what names it where a judge is expected.
    pub fn spec(&self) -> String {
        format!("own:{}", self.0.name)
    }
}

impl OwnProtocol {
    /// Returns what names it where a protocol is expected.
    pub fn spec(&self) -> String {
        format!("own:{}", self.0.name)
    }
}

pub(super) fn open_own_judge(name: &str) -> Result<Box<dyn Model>, EngineError> {
    let open = JUDGES.find(name).ok_or_else(|| {
        let why = "no judge of this name was registered in this program";
        Refusal::of_value(Setting::Judge, format!("own:{name}"), why)
    })?;
    Ok(open()?)
}

/// Returns the protocol of a name: one that this program registered (`own:NAME`), or one of ours.
///
/// # Errors
/// A name that is neither.
pub fn protocol_named(name: &str, options: &ProtocolOptions) -> Result<Protocol, EngineError> {
    let own = name.strip_prefix("own:");
    match own.and_then(|name| PROTOCOLS.find(name)) {
        Some(make) => Ok(make()),
        None => Ok(Protocol::with(name, options)?),
    }
}
