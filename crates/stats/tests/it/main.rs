//! The integration tests of this crate, in one program, so that one link is enough.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![allow(clippy::print_stdout, reason = "the simulations print their tables")]
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate, and tests read files and the environment"
)]

mod adaptive;
mod adaptive_recorded;
mod adaptive_validity;
mod agreement;
mod agreement_goldens;
mod agreement_laws;
mod answers;
mod beyond_chance;
mod changes;
mod column_gains;
mod common;
mod conformal_coverage;
mod control;
mod control_goldens;
mod control_laws;
mod control_length;
mod coverage;
mod coverage_ppi;
mod fleiss;
mod floor_scores;
mod goldens;
mod graded_response;
mod inference;
mod interaction;
mod intervals;
mod joint;
mod judge_aware;
mod known_order;
mod laws;
mod looks;
mod migration;
mod migration_recorded;
mod noise;
mod order_effect;
mod pairwise;
mod pairwise_laws;
mod planning;
mod prediction_powered;
mod prediction_powered_pandalm;
mod prediction_powered_simulated;
mod repeats;
mod self_preference;
mod shares;
mod simulated_labels;
mod slices_of_voters;
mod slices_simulated;
mod style_simulated;
mod tournament;
mod unlike_clusters;

#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    assert_eq!(evenhand_testing::forgotten_modules(folder), [""; 0]);
}
