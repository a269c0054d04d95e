//! Who answers a missing reply: a model, the store, a count, or nobody.

pub(crate) mod adaptive;
pub(crate) mod driver;
pub(crate) mod embedder;
pub(crate) mod estimate;
pub(crate) mod forecast;
pub(crate) mod limits;
pub(crate) mod pass;
pub(crate) mod recorded;
pub(crate) mod render;
pub(crate) mod reusable;
pub(crate) mod rewriter;
pub(crate) mod run;
pub(crate) mod runs;
