//! Judges that the program which calls the engine brings: each has a name, and `own:NAME` opens it.

use super::registry::Registry;
use crate::EngineError;
use evenhand_core::{Refusal, Setting};
use evenhand_models::{Model, ModelError};
use std::sync::Arc;

/// Opens a judge; called on the thread that asks it.
type Opener = dyn Fn() -> Result<Box<dyn Model>, ModelError> + Send + Sync;

static JUDGES: Registry<Opener> = Registry::new();

/// A name of a judge; the judge is forgotten when this is dropped.
pub struct OwnJudge(String);

/// Gives a judge the first free of the names `NAME`, `NAME-2`, `NAME-3`, ..
pub fn register_judge(
    name: &str,
    open: impl Fn() -> Result<Box<dyn Model>, ModelError> + Send + Sync + 'static,
) -> OwnJudge {
    OwnJudge(JUDGES.add(name, "-", Arc::new(open)))
}

impl OwnJudge {
    /// Returns what names it where a judge is expected.
    pub fn spec(&self) -> String {
        format!("own:{}", self.0)
    }
}

impl Drop for OwnJudge {
    fn drop(&mut self) {
        JUDGES.remove(&self.0);
    }
}

pub(super) fn open_own_judge(name: &str) -> Result<Box<dyn Model>, EngineError> {
    let open = JUDGES.find(name).ok_or_else(|| {
        let why = "no judge of this name was registered in this program";
        Refusal::of_value(Setting::Judge, format!("own:{name}"), why)
    })?;
    Ok(open()?)
}
