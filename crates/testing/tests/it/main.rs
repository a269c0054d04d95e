//! The integration tests of this crate, in one program, so that one link is enough.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;
mod faults;
mod process;
mod server;

#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    assert_eq!(evenhand_testing::forgotten_modules(folder), [""; 0]);
}
