//! Data sets that cannot be read.

use super::*;

#[test]
fn malformed_json_is_located() {
    let desk = desk();
    desk.append(
        "data/responses.jsonl",
        "{\"item\": \"q0\", \"system\": \"d\", \"output\" \"x\"}\n",
    );
    let message = "data/responses.jsonl:10:40: not valid JSON (expected `:`, found `\"`); each \
                   line must be one whole JSON object";
    assert_refused(&desk, RANK, message);
}

#[test]
fn a_record_that_lacks_a_field_is_located() {
    let desk = desk();
    desk.append(
        "data/responses.jsonl",
        "{\"item\": \"q0\", \"system\": \"d\"}\n",
    );
    let message = "data/responses.jsonl:10: field `output` is missing; expected a string; the \
                   record has `item`, `system`";
    assert_refused(&desk, RANK, message);
}

#[test]
fn a_response_to_an_unknown_item_is_named() {
    let desk = desk();
    desk.append("data/responses.jsonl", response(9, "a"));
    let message = "data/responses.jsonl:10: response for the unknown item `q9`; give the file \
                   with the items too, before this one; or, if its records hold the \
                   instructions, name their field: --map instruction=FIELD";
    assert_refused(&desk, RANK, message);
}

#[test]
fn duplicate_item_ids_are_named_with_both_places() {
    let desk = desk();
    desk.append("data/items.jsonl", item(1));
    let message = "data/items.jsonl:4: duplicate item id `q1` (first at data/items.jsonl:2); give \
                   every item its own id";
    assert_refused(&desk, RANK, message);
}

#[test]
fn duplicate_responses_are_named_with_both_places() {
    let desk = desk();
    desk.append("data/responses.jsonl", answer(1, "b", "another"));
    let message = "data/responses.jsonl:10: duplicate response of `b` for the item `q1` (first \
                   at data/responses.jsonl:5); remove one of them, or give the systems \
                   different names";
    assert_refused(&desk, RANK, message);
}

#[test]
fn an_empty_file_is_named() {
    let desk = desk();
    desk.write("data/responses.jsonl", "");
    assert_refused(
        &desk,
        RANK,
        "data/responses.jsonl: the file is empty; expected at least one record",
    );
}

#[test]
fn invalid_utf8_is_located_to_the_byte() {
    let desk = desk();
    let good = desk.read("data/responses.jsonl");
    let head = b"{\"item\": \"q0\", \"system\": \"d\", \"output\": \"caf";
    desk.append("data/responses.jsonl", [head, &b"\xe9\"}\n"[..]].concat());
    let offset = good.len() + head.len();
    let message = format!(
        "data/responses.jsonl:10: not valid UTF-8 (byte 0xe9 at byte offset {offset} of the \
         file); save the file as UTF-8"
    );
    assert_refused(&desk, RANK, &message);
}

#[test]
fn a_directory_without_data_is_named() {
    let desk = desk();
    desk.write("papers/readme.txt", "nothing to judge");
    let message = "papers: the directory holds no data files; expected .json, .jsonl, .csv or \
                   .tsv, plain or .gz, .parquet, or .eval";
    assert_refused(&desk, "rank --data papers --judge simulated", message);
}

#[test]
fn a_missing_path_is_named() {
    let message = "nowhere.jsonl: cannot be read: No such file or directory (os error 2)";
    assert_refused(
        &desk(),
        "rank --data nowhere.jsonl --judge simulated",
        message,
    );
}

#[test]
fn items_alone_are_not_enough() {
    let message = "there are no responses; give a file with the systems' responses";
    assert_refused(
        &desk(),
        "rank --data data/items.jsonl --judge simulated",
        message,
    );
}

#[test]
fn one_system_cannot_be_compared() {
    let message = "there is only one system (`a`), and a comparison needs two; add the \
                   responses of another, or use a pointwise protocol";
    assert_setting_refused("--systems a", message);
}

#[test]
fn one_system_can_be_scored() {
    let report = Desk::new(3, &["a"]).json(&format!("{RANK} --run run --protocol pointwise"));
    assert_eq!(
        (
            crate::common::systems(&report),
            &report["coverage"]["verdicts"]
        ),
        (vec!["a"], &3.into())
    );
}
