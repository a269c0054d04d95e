//! Served judges: models behind an HTTP API.
//!
//! `codec` says what is sent and how the answer is read, `schedule` when and where to; both are pure. `fault` is what the two
//! have in common.

pub mod fault;
