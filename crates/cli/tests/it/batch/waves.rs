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

/// Shards whose replies came by batch files are one run after `merge`, which says that nothing was
/// judged yet; the run of the whole then asks nothing.
#[test]
fn shards_by_batch_files_merge_to_the_whole() {
    let desk = talkative();
    let server = Server::start(Script::default()).unwrap();
    let judge = format!("--judge openai:a@{}", server.url());
    let flags = format!("--data data --protocol pairwise/prepair/swap {judge}");
    let options = |_: usize, _: &str| BatchOptions::default();
    std::fs::create_dir(desk.path("parts")).unwrap();
    let set_aside = |part: usize| {
        let place = desk.path(&format!("parts/{part}"));
        std::fs::rename(desk.path("batch"), place).unwrap();
        for wave in 0..2 {
            std::fs::remove_dir_all(desk.path(&format!("wave{wave}"))).unwrap();
        }
    };
    for part in 1..=2 {
        assert_eq!(
            waves(&desk, &format!("{flags} --shard {part}/2"), options),
            2
        );
        set_aside(part);
    }
    let merged = keyless(&desk, "merge parts --run merged");
    assert_eq!(merged.code, Some(1), "{}", merged.stderr);
    let hint = "parts/2: its ";
    merged.prints(hint);
    let judged = done(&desk, &format!("judge {flags} --run merged --format json"));
    judged.says(": 0 calls made now");
    assert_eq!(waves(&desk, &flags, options), 2);
    let whole = done(&desk, &format!("judge {flags} --run batch --format json"));
    assert_eq!(judged.stdout, whole.stdout);
    assert_eq!(server.stop().replied, 0, "nothing was asked live");
}
