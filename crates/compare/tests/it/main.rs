//! The integration tests of this crate, in one program, so that one link is enough.

mod common;
mod errors;
mod gates;
mod judge;
mod plan;
mod questions;

#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    assert_eq!(evenhand_testing::forgotten_modules(folder), [""; 0]);
}
