//! The tests of examples/own-protocol, run here too: the crate stands outside the workspace, and
//! `make test-slow` builds it there.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../../examples/own-protocol/src/lib.rs"]
#[allow(
    unreachable_pub,
    reason = "it is a library, seen from here as a part of a test"
)]
mod own_protocol;
