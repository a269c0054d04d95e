//! `evenhand models`.

use crate::args::ModelsArgs;
use crate::{Done, Failed};

/// Local models that are there, and how to get one.
pub(crate) fn models(_: &ModelsArgs) -> Result<Done, Failed> {
    Ok(Done::Fine)
}
