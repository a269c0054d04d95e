//! `evenhand align`, end to end.

use crate::common::{Desk, json_line};
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

const A: &str = "Cats sleep a lot. They hunt at night. Dogs bark at cars.";
const B: &str =
    "Dogs do bark. A cat will sleep all day. At night cats hunt mice. Dogs bark at all cars.";

fn pairs(pairs: &[(&str, &str)]) -> String {
    pairs
        .iter()
        .map(|(a, b)| json_line(json!({"a": a, "b": b, "question": 1})))
        .collect()
}

fn rows(stdout: &str) -> Vec<Value> {
    stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn pairs_become_lines_in_their_order() {
    let desk = Desk::empty();
    desk.write(
        "pairs.jsonl",
        pairs(&[(A, B), ("Short.", B), ("é. x. y. ", "ü. z! w. ")]),
    );
    // Of the first pair, the last sentences share 5 of 6 tokens; those before, 7 of 15. 18 and 38
    // are equally far from the middle, 28.
    let first = json!({"length": {"a": [18], "b": [40]}, "semantic": {"a": [38], "b": [65], "score": 7.0 / 15.0 + 5.0 / 6.0}});
    let none = json!({"length": null, "semantic": null});
    // The cuts after 6 and 6 have the same sum, 1/4 + 1/2.
    let third =
        json!({"length": {"a": [3], "b": [3]}, "semantic": {"a": [3], "b": [3], "score": 0.75}});
    let plain = desk.done("align pairs.jsonl --k 2 --segmentation plain");
    assert_eq!(
        (rows(&plain.stdout), plain.stderr.as_str()),
        (vec![first.clone(), none.clone(), third], "")
    );
    let full = desk.done("align pairs.jsonl --k 2");
    // By the rules of Unicode no sentence begins with a small letter.
    assert_eq!(rows(&full.stdout), [first, none.clone(), none]);
}

#[test]
fn threads_gzip_and_stdin_change_nothing() {
    let desk = Desk::empty();
    let many: Vec<(String, String)> = (0..700)
        .map(|i| (format!("{A} Line {i}. {B}"), format!("{B} {A} {i}. End.")))
        .collect();
    let text = pairs(
        &many
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect::<Vec<_>>(),
    );
    desk.write("pairs.jsonl", format!("\u{feff}{text}\n"));
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    desk.write("pairs.gz", gzip.finish().unwrap());
    let one = desk.done("align pairs.jsonl --threads 1").stdout;
    assert_eq!(one.lines().count(), 700);
    assert_eq!(
        desk.done("align pairs.jsonl --threads 3 --similarity token-overlap --format jsonl")
            .stdout,
        one
    );
    assert_eq!(desk.done("align pairs.gz").stdout, one);
    let mut child = desk
        .command("align -")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    assert_eq!(
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap(),
        one
    );
    writer.join().unwrap();
}

#[test]
fn bad_lines_are_located_after_what_is_good() {
    let desk = Desk::empty();
    let cases = [
        ("{\"a\": \"x\"}", "field `b` is missing; expected a string"),
        ("{\"a\": 1, \"b\": \"x\"}", "field `a`: expected a string"),
        ("[1]", "expected an object with `a` and `b`"),
        (
            "{\"a\": \"x\", \"b\" \"y\"}",
            "not valid JSON (expected `:` at line 1 column 16); each line must be one whole JSON \
             object",
        ),
    ];
    for (line, message) in cases {
        desk.write("pairs.jsonl", format!("{}\n{line}\n", pairs(&[(A, B)])));
        let ran = desk.run("align pairs.jsonl");
        assert_eq!((ran.code, ran.stdout.lines().count()), (Some(2), 1));
        assert_eq!(ran.stderr, format!("error: pairs.jsonl:3: {message}\n"));
    }
    desk.write("pairs.jsonl", b"{\"a\": \"\xff\"}");
    assert_eq!(
        desk.run("align pairs.jsonl").stderr,
        "error: pairs.jsonl:1: the line is not UTF-8\n"
    );
    let missing = desk.run("align nowhere.jsonl");
    assert_eq!(missing.code, Some(2));
    assert_eq!(
        missing.stderr,
        "error: nowhere.jsonl: cannot be read: No such file or directory (os error 2)\n"
    );
}

#[test]
fn k_out_of_range_is_bad_usage() {
    let desk = Desk::empty();
    desk.write("pairs.jsonl", pairs(&[(A, B)]));
    for k in ["0", "1", "33", "x", "-2"] {
        let ran = desk.run(&format!("align pairs.jsonl --k={k}"));
        ran.prints_nothing(2);
        ran.says("expected a whole number from 2 to 32");
    }
}

#[test]
fn answers_of_many_sentences_say_what_was_searched() {
    let desk = Desk::empty();
    let long: String = (0..300).map(|i| format!("Word{i} is. ")).collect();
    desk.write("pairs.jsonl", pairs(&[(&long, B)]));
    let row = desk.done("align pairs.jsonl --k 2").stdout;
    assert_eq!(
        rows(&row)[0]["semantic"]["searched"],
        json!({"a": 255, "b": null})
    );
}

mod by_embedding {
    use super::*;
    use evenhand_testing::server::{Fault, Script, Server};

    fn desk() -> Desk {
        let desk = Desk::empty();
        desk.write(
            "pairs.jsonl",
            pairs(&[
                (A, B),
                ("Short.", B),
                (B, A),
                ("Cats. Dogs.", "Birds! Fish!"),
            ]),
        );
        desk
    }

    /// The semantic cuts of a and b, pair by pair.
    fn cuts(stdout: &str) -> Vec<Value> {
        rows(stdout)
            .iter()
            .map(|row| json!([row["semantic"]["a"], row["semantic"]["b"]]))
            .collect()
    }

    #[test]
    fn pairs_are_cut_where_the_embeddings_of_their_segments_are_alike() {
        let desk = desk();
        let ran = desk.done("align pairs.jsonl --k 2 --similarity embedding --embedder simulated");
        // Words, not marks, are counted: dogs bark at cars.
        assert_eq!(
            cuts(&ran.stdout),
            [
                json!([[38], [65]]),
                json!([null, null]),
                json!([[65], [38]]),
                json!([null, null])
            ]
        );
        let (by_tokens, by_words) = (desk.done("align pairs.jsonl --k 2"), rows(&ran.stdout));
        assert!(
            rows(&by_tokens.stdout)
                .iter()
                .zip(&by_words)
                .all(|(tokens, words)| tokens["length"] == words["length"])
        );
        let score = by_words[0]["semantic"]["score"].as_f64().unwrap();
        assert!(score > 1.0 && score < 2.0, "{score}");
        assert_eq!(
            by_words[0]["semantic"]
                .as_object()
                .unwrap()
                .keys()
                .collect::<Vec<_>>(),
            ["a", "b", "score"]
        );
        let one = desk.done(
            "align pairs.jsonl --k 2 --similarity embedding --embedder simulated --threads 1",
        );
        assert_eq!(one.stdout, ran.stdout);
    }

    #[test]
    fn a_server_embeds_each_answer_once() {
        let (desk, server) = (
            desk(),
            Server::start(Script {
                keep: 9,
                ..Script::default()
            })
            .unwrap(),
        );
        let ran = desk.done(&format!(
            "align pairs.jsonl --k 2 --similarity embedding --embedder openai:e@{}",
            server.url()
        ));
        assert_eq!(
            cuts(&ran.stdout)[..3],
            [
                json!([[38], [65]]),
                json!([null, null]),
                json!([[65], [38]])
            ]
        );
        let seen = server.requests();
        assert_eq!(seen.len(), 4, "A and B, and the two of the last pair");
        assert!(
            seen.iter()
                .all(|seen| seen.head.starts_with("POST /v1/embeddings "))
        );
        let body: Value = serde_json::from_str(
            &seen
                .iter()
                .find(|seen| seen.body.contains("hunt at night"))
                .unwrap()
                .body,
        )
        .unwrap();
        let input = json!([
            "Cats sleep a lot.",
            "They hunt at night.",
            "Dogs bark at cars."
        ]);
        assert_eq!(
            body,
            json!({"model": "e", "input": input, "encoding_format": "float"})
        );
    }

    #[test]
    fn what_fails_is_located() {
        let (desk, script) = (
            desk(),
            Script {
                faults: 1.0,
                fault_kinds: vec![Fault::ContextTooLong400],
                ..Script::default()
            },
        );
        let server = Server::start(script).unwrap();
        let ran = desk.run(&format!(
            "align pairs.jsonl --k 2 --similarity embedding --embedder openai:e@{}",
            server.url()
        ));
        ran.prints_nothing(1);
        ran.says_first("error: pairs.jsonl:1: the answers cannot be embedded: ");
    }

    #[test]
    fn without_an_embedder_or_with_one_for_nothing_it_is_bad_usage() {
        let desk = desk();
        for (flags, message) in [
            (
                "--similarity embedding",
                "--similarity embedding: name who embeds the answers' pieces with --embedder \
                 gguf:PATH, openai:MODEL[@BASE_URL] or simulated",
            ),
            (
                "--embedder simulated",
                "--embedder simulated: token overlap embeds nothing; add --similarity embedding, \
                 or leave the embedder out",
            ),
        ] {
            let ran = desk.run(&format!("align pairs.jsonl {flags}"));
            ran.is_refused(message);
        }
    }
}
