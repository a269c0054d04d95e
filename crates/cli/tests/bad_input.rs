//! Bad input ends with code 2, one exact message, nothing on stdout, and an earlier run left as it
//! was.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{Desk, Ran, answer, item, response, snapshot};

const RANK: &str = "rank --data data --judge simulated";

/// Three items, three systems, and a finished run in `kept`.
fn desk() -> Desk {
    let desk = Desk::new(3, &["a", "b", "c"]);
    desk.done(&format!("{RANK} --run kept"));
    desk
}

/// Runs what must be refused on the directory of an earlier run, which it must leave as it was.
fn refused(desk: &Desk, arguments: &str) -> String {
    let before = snapshot(&desk.path("kept"));
    assert!(before.contains_key("run.sqlite"));
    let ran = desk.run(&format!("{arguments} --run kept"));
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(2), ""),
        "{arguments}: {}",
        ran.stderr
    );
    assert!(
        snapshot(&desk.path("kept")) == before,
        "{arguments}: the run in kept was changed"
    );
    ran.stderr
}

#[track_caller]
fn assert_refused(desk: &Desk, arguments: &str, message: &str) {
    assert_eq!(
        refused(desk, arguments),
        format!("error: {message}\n"),
        "{arguments}"
    );
}

/// That these settings are refused, whatever the data.
#[track_caller]
fn assert_setting_refused(settings: &str, message: &str) {
    assert_refused(&desk(), &format!("{RANK} {settings}"), message);
}

mod data {
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
                       with the items too, before this one";
        assert_refused(&desk, RANK, message);
    }

    #[test]
    fn duplicate_item_ids_are_named_with_both_places() {
        let desk = desk();
        desk.append("data/items.jsonl", item(1));
        let message = "data/items.jsonl:4: duplicate item id `q1` (first at data/items.jsonl:2); \
                       give every item an id of its own";
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
                       .tsv, plain or .gz, or .parquet";
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
            (common::systems(&report), &report["coverage"]["verdicts"]),
            (vec!["a"], &3.into())
        );
    }
}

mod missing_responses {
    use super::*;

    /// `b` has no response to `q1`.
    fn gap() -> Desk {
        let desk = desk();
        let kept: Vec<String> = desk
            .lines("data/responses.jsonl")
            .into_iter()
            .filter(|line| !is_of_b_to_q1(line))
            .collect();
        assert_eq!(kept.len(), 8);
        desk.write("data/responses.jsonl", kept.join("\n"));
        desk
    }

    fn is_of_b_to_q1(line: &str) -> bool {
        line.contains("\"q1\"") && line.contains("\"b\"")
    }

    #[test]
    fn stop_the_run_with_a_list() {
        let message = "1 of 3 items lack a response of some system: `q1` (no response of `b`); add \
                       the responses, or go on without them with --allow-missing";
        assert_refused(&gap(), RANK, message);
    }

    #[test]
    fn are_left_out_of_pairs_and_reported_if_allowed() {
        let report = gap().json(&format!("{RANK} --allow-missing --run run"));
        // Items q0 and q2: 3 pairs in 2 orders each; q1: only a against c.
        assert_eq!(
            report["coverage"],
            serde_json::json!({"trials": 14, "verdicts": 14, "failures": {}})
        );
        let n = |system| common::row(&report, system)["n"].as_u64().unwrap();
        assert_eq!([n("a"), n("b"), n("c")], [10, 8, 10]);
        let warning = "1 of 3 items lack a response of some system: `q1` (no response of `b`)";
        assert!(
            report["warnings"]
                .as_array()
                .unwrap()
                .contains(&warning.into()),
            "{}",
            report["warnings"]
        );
    }

    #[test]
    fn are_left_out_of_scores_if_allowed() {
        let report = gap().json(&format!(
            "{RANK} --allow-missing --run run --protocol pointwise"
        ));
        assert_eq!(
            report["coverage"],
            serde_json::json!({"trials": 8, "verdicts": 8, "failures": {}})
        );
        assert_eq!(common::row(&report, "b")["n"], 2);
    }
}

mod run_directory {
    use super::*;

    #[test]
    fn that_cannot_be_made_is_named() {
        let desk = desk();
        let ran = desk.run(&format!("{RANK} --run data/items.jsonl/run"));
        let message = "error: data/items.jsonl/run: the run directory cannot be written: Not a \
                       directory (os error 20); choose another with --run DIR\n";
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (Some(2), "", message)
        );
        assert_eq!(desk.lines("data/items.jsonl").len(), 3);
    }

    /// The value of a setting in the message about another configuration.
    fn there(message: &str, key: &str) -> String {
        let line = message
            .lines()
            .find_map(|line| line.strip_prefix(&format!("  {key}: the directory has ")));
        line.unwrap_or_else(|| panic!("no {key} in {message}"))
            .to_string()
    }

    #[test]
    fn of_another_configuration_says_which_keys_differ() {
        let desk = desk();
        let message = refused(
            &desk,
            &format!("{RANK} --protocol pairwise/cot --design reference:b"),
        );
        let expected = "error: kept: this run directory belongs to another configuration:\n  \
                        design: the directory has all-pairs, this command has reference:b\n  \
                        protocol: the directory has pairwise/direct/swap, this command has \
                        pairwise/cot/swap\n  give the same settings, or another --run DIR; with \
                        --reuse kept it asks nothing that was asked here\n";
        assert_eq!(message, expected);
    }

    #[test]
    fn of_another_judge_says_so() {
        let message = refused(&desk(), "rank --data data --judge simulated:gap=1,seed=3");
        assert_eq!(
            there(&message, "judge"),
            "simulated:gap=0.5,seed=0, this command has simulated:gap=1,seed=3"
        );
        assert_eq!(message.lines().count(), 3, "{message}");
    }

    #[test]
    fn of_other_data_says_so_with_digests() {
        let desk = desk();
        desk.write(
            "data/items.jsonl",
            desk.read("data/items.jsonl")
                .replace("number 1", "number one"),
        );
        let message = refused(&desk, RANK);
        let data = there(&message, "data");
        let [old, new] = data.split(", this command has ").collect::<Vec<_>>()[..] else {
            panic!("{data}")
        };
        assert!(
            old.starts_with("3 items, digest ")
                && new.starts_with("3 items, digest ")
                && old != new,
            "{data}"
        );
        assert_eq!(
            message.lines().count(),
            3,
            "only the data differ: {message}"
        );
    }

    #[test]
    fn of_another_configuration_is_refused_by_an_estimate_too() {
        let message = refused(
            &desk(),
            "estimate --data data --judge simulated --protocol pairwise/cot",
        );
        assert_eq!(
            there(&message, "protocol"),
            "pairwise/direct/swap, this command has pairwise/cot/swap"
        );
    }

    #[test]
    fn that_holds_something_else_is_left_alone() {
        let desk = desk();
        desk.write(
            "kept/run.sqlite",
            "This is a note that somebody keeps under a name which is also ours.\n".repeat(9),
        );
        let message = "kept: run.sqlite is no run of evenhand (file is not a database); choose \
                       another --run DIR";
        assert_refused(&desk, RANK, message);
    }

    /// Any application may number its own format 1, as ours does: `application_id` tells them
    /// apart.
    #[test]
    fn that_holds_the_database_of_another_program_is_left_alone() {
        let desk = desk();
        desk.write("kept/run.sqlite", "");
        let foreign = rusqlite::Connection::open(desk.path("kept/run.sqlite")).unwrap();
        foreign
            .execute_batch("CREATE TABLE notes (text); PRAGMA user_version = 1;")
            .unwrap();
        drop(foreign);
        let message = refused(&desk, RANK);
        assert!(message.starts_with("error: kept: run.sqlite "), "{message}");
        assert!(message.ends_with("choose another --run DIR\n"), "{message}");
    }

    #[test]
    fn of_a_later_version_is_left_alone() {
        let desk = desk();
        let later = rusqlite::Connection::open(desk.path("kept/run.sqlite")).unwrap();
        later
            .execute_batch("PRAGMA user_version = 7; PRAGMA wal_checkpoint(TRUNCATE);")
            .unwrap();
        drop(later);
        let message = "kept: this run was made by another version of evenhand (format 7; this one \
                       reads formats 3 to 5); use that version, or choose another --run DIR";
        assert_refused(&desk, RANK, message);
    }

    #[test]
    fn that_is_in_use_is_left_to_its_owner() {
        let desk = Desk::new(2, &["a", "b", "c"]);
        let rank = |judge: &str, run: &str| {
            format!("rank --data data --judge simulated:{judge} --run {run} --format json")
        };
        let first = desk.start(&rank("delay-ms=150,log=asked", "shared"));
        desk.wait_for_lines("asked", 1);
        let second = desk.run(&rank("log=asked-too", "shared"));
        let first = Ran::of(first.wait_with_output().unwrap());
        let message = "error: shared: another evenhand process is using this run directory; wait \
                       for it, stop it, or choose another with --run DIR\n";
        assert_eq!(
            (second.code, second.stdout.as_str(), second.stderr.as_str()),
            (Some(2), "", message)
        );
        assert_eq!(desk.lines("asked-too").len(), 0);
        assert_eq!(
            (first.code, first.stderr.as_str()),
            (
                Some(0),
                "run kept in shared: 12 calls made now, 0 answered from the store\n"
            )
        );
        assert_eq!(first.timeless(), desk.done(&rank("", "alone")).timeless());
    }
}

mod settings {
    use super::*;

    #[test]
    fn an_unknown_protocol_lists_the_forms() {
        let message = "--protocol likert: `likert` is no form; expected pairwise, pairwise-tie, \
                       pairwise-5point, pairwise-score, pairwise-likert, pointwise, listwise or \
                       likelihood (pointwise and pairwise-score take a scale, as in pointwise:1-5 \
                       or pointwise:0..1:0.1; listwise a group size, as in listwise:3; likelihood \
                       what it is set against, as in likelihood:inverse), or a preset (evenhand \
                       prompts list)";
        assert_setting_refused("--protocol likert", message);
    }

    #[test]
    fn parts_that_do_not_go_together_are_refused_with_the_reason() {
        let swap = "--protocol pointwise/direct/swap: this calibration needs two responses in one \
                    prompt, and this form shows one at a time; use single or mec";
        assert_setting_refused("--protocol pointwise/direct/swap", swap);
        let cot = "--protocol likelihood/cot: likelihood asks for no verdict, so nothing can be \
                   reasoned or laid down before it; use likelihood/direct/single";
        assert_setting_refused("--protocol likelihood/cot", cot);
    }

    #[test]
    fn a_choice_of_pairs_is_refused_where_no_pairs_are_shown() {
        let message = "--design sample:2: pointwise:1-10 looks at each response alone, so no pairs \
                       are chosen; leave --design out";
        assert_setting_refused("--protocol pointwise --design sample:2", message);
    }

    #[test]
    fn an_unknown_design_lists_the_designs() {
        assert_setting_refused(
            "--design round-robin",
            "--design round-robin: expected all-pairs, reference:SYSTEM, sample:K, labelled or \
             adaptive",
        );
        let sample =
            "--design sample:0: K must be a whole number of comparisons per item, 1 or more";
        assert_setting_refused("--design sample:0", sample);
    }

    #[test]
    fn an_unknown_reference_lists_the_systems() {
        let message = "--design reference:z: no such system in the data; it has a, b, c";
        assert_setting_refused("--design reference:z", message);
    }

    #[test]
    fn unknown_systems_are_listed_with_the_known() {
        let message = "--systems: `y`, `z` not in the data; the systems are `a`, `b`, `c`";
        assert_setting_refused("--systems a,y,z", message);
    }

    #[test]
    fn no_items_are_too_few() {
        assert_setting_refused("--items 0", "--items 0: expected at least one item");
    }

    #[test]
    fn levels_and_rounds_have_a_range() {
        for level in ["0", "1", "1.5", "-0.5", "NaN"] {
            let message = format!(
                "--level {level}: expected a number strictly between 0 and 1, such as 0.95"
            );
            assert_setting_refused(&format!("--level={level}"), &message);
        }
        for rounds in ["0", "1", "10000001"] {
            let message = format!("--rounds {rounds}: expected 2 to 10000000 resamples");
            assert_setting_refused(&format!("--rounds {rounds}"), &message);
        }
    }

    #[test]
    fn means_of_preferences_are_refused() {
        for (aggregate, form) in [("mean", "pairwise"), ("median", "pairwise-tie")] {
            let message = format!(
                "--aggregate {aggregate}: {form} gives preferences and no scores; use \
                 bradley-terry or win-ratio, or a pointwise protocol"
            );
            assert_setting_refused(
                &format!("--aggregate {aggregate} --protocol {form}"),
                &message,
            );
        }
    }

    #[test]
    fn conditions_that_mean_nothing_are_refused_before_anything_is_judged() {
        let figures = "expected FIGURE<NUMBER, with <, <=, > or >= and one of coverage, failures, \
                       consistency, first_slot, outside, warnings, warnings.KIND, score.SYSTEM or \
                       rank.SYSTEM";
        for condition in [
            "covrage<1",
            "coverage",
            "coverage<x",
            "coverage<0.9,failures",
        ] {
            let at_fault = condition.split(',').next_back().unwrap();
            let message = format!("--fail-if {at_fault}: {figures}");
            assert_setting_refused(&format!("--fail-if {condition}"), &message);
        }
    }

    #[test]
    fn a_condition_on_an_unknown_system_is_refused_before_anything_is_judged() {
        let desk = Desk::new(2, &["a", "b"]);
        let ran =
            desk.run("rank --data data --judge simulated:log=asked --run run --fail-if rank.z>1");
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(
            ran.stderr.starts_with("error: --fail-if rank.z>1: "),
            "{}",
            ran.stderr
        );
        assert_eq!(
            (desk.lines("asked").len(), ran.stdout.as_str()),
            (0, ""),
            "it was known before the first call"
        );
    }

    #[test]
    fn an_unknown_flag_has_claps_code_and_a_tip() {
        let message = refused(&desk(), &format!("{RANK} --level-of-detail 3"));
        assert!(
            message.starts_with("error: unexpected argument '--level-of-detail' found\n"),
            "{message}"
        );
        assert!(message.contains("Usage: "), "{message}");
    }
}

mod judges {
    use super::*;

    #[track_caller]
    fn assert_judge_refused(judge: &str, message: &str) {
        assert_refused(
            &desk(),
            &format!("rank --data data --judge {judge}"),
            message,
        );
    }

    #[test]
    fn that_are_unknown_are_refused_with_the_kinds() {
        let message = "--judge gpt: expected openai:MODEL[@BASE_URL], anthropic:MODEL, gguf:PATH, \
                       simulated[:SPEC], recorded:RUN_DIR, panel:FILE, or a name from the \
                       configuration's [judges]";
        assert_judge_refused("gpt", message);
        assert_judge_refused("gguf:", "--judge gguf:: expected gguf:PATH");
        assert_judge_refused("recorded:", "--judge recorded:: expected recorded:PATH");
    }

    #[test]
    fn that_are_served_have_a_sound_address_without_credentials() {
        let credentials = "--judge openai:m: the base URL holds credentials; give the key by the \
                           environment, and the URL without it";
        assert_judge_refused("openai:m@https://me:sk-secret@h.example/v1", credentials);
        assert_judge_refused("openai:m@https://sk-secret@h.example/v1", credentials);
        let query = "--judge openai:m: the base URL may carry no query but api-version: a key \
                     given so would be written down";
        assert_judge_refused("openai:m@https://h.example/v1?key=sk-secret", query);
        assert_judge_refused(
            "openai:",
            "--judge openai: expected openai:MODEL or openai:MODEL@BASE_URL",
        );
        assert_judge_refused(
            "anthropic:@https://h.example",
            "--judge anthropic: expected anthropic:MODEL or anthropic:MODEL@BASE_URL",
        );
    }

    #[test]
    fn that_are_simulated_take_only_known_defects_in_their_range() {
        let unknown = "simulated judge: `acuracy=1`: unknown key; expected one of accuracy, gap, \
                       first-slot, length, distractor, flattery, markdown, emoji, authority, \
                       injection, self=SYSTEM:SHARE, intransitive, choice-set, wide-scale, tie, \
                       compression, invalid, refuse, misread, greedy, probabilities, delay-ms, \
                       seed, log";
        assert_judge_refused("simulated:acuracy=1", unknown);
        assert_judge_refused(
            "simulated:gap=1,accuracy",
            "simulated judge: `accuracy`: expected key=value",
        );
        for bad in ["accuracy=1.1", "invalid=-0.1", "tie=NaN", "length=x"] {
            assert_judge_refused(
                &format!("simulated:{bad}"),
                &format!("simulated judge: `{bad}`: expected a number from 0 to 1"),
            );
        }
        assert_judge_refused(
            "simulated:self=a",
            "simulated judge: `self=a`: expected self=SYSTEM:SHARE",
        );
    }

    #[test]
    fn that_cannot_write_their_log_say_so() {
        let message = "simulated judge: log=nowhere/asked: No such file or directory (os error 2)";
        assert_judge_refused("simulated:log=nowhere/asked", message);
    }

    #[test]
    fn that_were_recorded_need_a_run() {
        let ran = desk().run("rank --data data --judge recorded:data --run run");
        let message = "error: data: there is no run here that can be read (run.sqlite: No such \
                       file or directory (os error 2))\n";
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (Some(2), "", message)
        );
    }

    #[cfg(not(feature = "embedded"))]
    #[test]
    fn that_are_embedded_need_the_engine() {
        let message = "--judge gguf:m.gguf: this evenhand was built without the embedded engine; \
                       build it with the feature `embedded`";
        assert_judge_refused("gguf:m.gguf", message);
    }

    #[cfg(feature = "embedded")]
    #[test]
    fn that_are_embedded_need_a_whole_gguf_file() {
        let desk = desk();
        desk.write(
            "model.bin",
            "This is no model at all, whatever its name may say.\n".repeat(20),
        );
        desk.write("cut.bin", b"GGUF\x03\0\0\0\x09\0\0\0\0\0\0\0\x02\0");
        for file in ["model.bin", "cut.bin", "nowhere.bin"] {
            let message = refused(&desk, &format!("rank --data data --judge gguf:{file}"));
            assert!(
                message.contains(file) && message.contains("GGUF"),
                "{message}"
            );
        }
    }
}

mod configuration {
    use super::*;

    #[track_caller]
    fn assert_configuration_refused(toml: &str, message: &str) {
        let desk = desk();
        desk.write("my.toml", toml);
        assert_refused(&desk, &format!("{RANK} --config my.toml"), message);
    }

    #[test]
    fn with_an_unknown_key_names_file_and_key() {
        let desk = desk();
        desk.write("my.toml", "seed = 1\nround = 50\n");
        let message = refused(&desk, &format!("{RANK} --config my.toml"));
        let begins = "error: my.toml: unknown key `round`; rank takes data, items, systems, ";
        assert!(
            message.starts_with(begins) && message.contains(", rounds, level, "),
            "{message}"
        );
    }

    #[test]
    fn with_a_value_of_another_type_names_file_and_key() {
        let message =
            "my.toml: key `rounds`: expected a text, a number, true or false, or a list of them";
        assert_configuration_refused("rounds = { n = 5 }\n", message);
    }

    #[test]
    fn that_is_no_toml_is_located() {
        let desk = desk();
        desk.write("my.toml", "seed = 1\nrounds = \n");
        let message = refused(&desk, &format!("{RANK} --config my.toml"));
        assert!(
            message.starts_with(
                "error: my.toml: not valid TOML: TOML parse error at line 2, column 10\n"
            ),
            "{message}"
        );
    }

    #[test]
    fn that_is_not_there_is_named() {
        let message = "my.toml: cannot be read: No such file or directory (os error 2)";
        assert_refused(&desk(), &format!("{RANK} --config my.toml"), message);
    }

    #[test]
    fn without_a_file_name_is_said_to_lack_it() {
        let ran = desk().run(&format!("{RANK} --config"));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert!(
            ran.stderr
                .contains("a value is required for '--config <FILE>'"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn options_that_a_mode_does_not_use_are_refused() {
    let desk = Desk::new(3, &["a", "b"]);
    let live = "--data data --judge simulated";
    for (line, option) in [
        (
            "meta judge --recorded r --reviewed nofile".to_string(),
            "--reviewed",
        ),
        (
            "meta judge --recorded r --prompt-pack nodir".into(),
            "--prompt-pack",
        ),
        (
            "meta judge --recorded r --protocol pairwise".into(),
            "--protocol",
        ),
        ("meta judge --recorded r --panel majority".into(), "--panel"),
        (
            "meta judge --recorded r --design all-pairs".into(),
            "--design",
        ),
        ("audit --recorded r --probes position".into(), "--probes"),
        (format!("rank {live} --panel majority"), "--panel"),
        (format!("rank {live} --adjust holm"), "--adjust"),
        (format!("judge {live} --review-share 0.5"), "--review-share"),
        (
            format!("batch export {live} --out out --max-cost 1"),
            "--max-cost",
        ),
        (format!("audit {live} --tweak-set tweaks"), "--tweak-set"),
    ] {
        let ran = desk.run(&line);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{line}: {}",
            ran.stderr
        );
        let sentence = format!("error: {option}: it is not used here: ");
        assert!(
            ran.stderr.starts_with(&sentence) && ran.stderr.ends_with("; leave it out\n"),
            "{line}: {}",
            ran.stderr
        );
    }
    desk.write("settings.toml", "review-share = 0.5\n");
    let ran = desk.run(&format!("judge {live} --config settings.toml"));
    assert!(
        ran.code == Some(2)
            && ran
                .stderr
                .starts_with("error: --review-share: it is not used"),
        "{}",
        ran.stderr
    );
    assert!(!desk.path("out").exists() && !desk.path("runs").exists());
}
