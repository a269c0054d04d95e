//! The integration tests of this crate, in one program, so that one link is enough.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod best;
mod common;
mod embedding;
mod full;
mod languages;

#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    assert_eq!(evenhand_testing::forgotten_modules(folder), [""; 0]);
}
