//! The tests of examples/own-protocol, run here too: the crate stands outside the workspace, and
//! `make test-slow` builds it there.

#[path = "../../../../examples/own-protocol/src/lib.rs"]
#[allow(
    unreachable_pub,
    clippy::module_inception,
    reason = "it is a library, seen from here as a part of a test"
)]
mod own_protocol;
