//! The integration tests of this crate, in one program, so that one link is enough.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod attacks;
mod common;
mod dialogues;
mod exact_means;
mod laws;
mod own_protocol;
mod paper_pack;
mod recorded_extraction;
mod truncated;

#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    assert_eq!(evenhand_testing::forgotten_modules(folder), [""; 0]);
}
