//! How many waves of requests each protocol takes.

use super::*;

#[test]
fn a_direct_verdict_is_one_wave() {
    law("pairwise/direct/swap", &[Script::default()], 1);
}

#[test]
fn a_verdict_from_text_is_one_wave() {
    law(
        "pairwise/cot/swap",
        &[Script {
            logprobs: false,
            ..Script::default()
        }],
        1,
    );
    law("pairwise/cot/swap", &[Script::default()], 1);
}

/// Segments of like length, then the responses' embeddings in files of their own, then segments
/// that are alike.
#[test]
fn portia_by_embeddings_is_three_waves() {
    law(
        "pairwise/direct/portia:2,embedding",
        &[Script::default()],
        3,
    );
}

#[test]
fn criteria_then_analyses_then_a_verdict_are_three_waves() {
    law("pairwise/prepair+metrics/swap", &[Script::default()], 3);
}

#[test]
fn a_cascade_of_splits_ends_when_all_orders_agree() {
    law(
        "pairwise-tie/direct/portia:3",
        &[answers(&["A", "B", "C"])],
        2,
    );
}

#[test]
fn a_score_is_one_wave() {
    law("pointwise", &[answers(&["1", "4", "7", "10"])], 1);
}

#[test]
fn two_judges_have_files_of_their_own() {
    law(
        "pairwise/direct/swap",
        &[
            Script::default(),
            Script {
                seed: 1,
                logprobs: false,
                ..Script::default()
            },
        ],
        1,
    );
}

/// The limit of a verdict is 8 tokens; asked once more, it is 32.
#[test]
fn a_reply_cut_short_is_asked_for_again_in_the_next_wave() {
    let long = answers(&[
        "of these two I prefer with some doubt left.\nVerdict: A",
        "of these two I prefer with some doubt left.\nVerdict: B",
    ]);
    law(
        "pairwise/direct/swap",
        &[Script {
            logprobs: false,
            ..long
        }],
        2,
    );
}
