//! Who answers a missing reply: a model, the store, a count, or nobody.

pub(crate) mod adaptive;
mod calls;
mod chosen;
mod driver;
pub(crate) mod estimate;
pub(crate) mod fetch;
pub(crate) mod forecast;
pub(crate) mod hold;
mod intake;
pub(crate) mod limits;
pub(crate) mod merge;
mod notes;
mod outlook;
pub(crate) mod outside;
pub(crate) mod pass;
pub(crate) mod progress;
pub(crate) mod recorded;
pub(crate) mod render;
pub(crate) mod replay;
pub(crate) mod reusable;
pub(crate) mod runs;
pub(crate) mod session;
mod stand_in;
pub(crate) mod stores;
pub(crate) mod tally;
pub(crate) mod texts;
pub(crate) mod tournament;
