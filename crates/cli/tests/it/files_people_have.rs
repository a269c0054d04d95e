//! Files as people have them: each is read, or refused with what it is and how to go on.

use crate::common::{Desk, json_lines, rows, systems};
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn refused(desk: &Desk, arguments: &str, expected: &[&str]) {
    let ran = desk.run(arguments);
    assert_eq!(
        ran.code,
        Some(2),
        "{arguments}: {}{}",
        ran.stdout,
        ran.stderr
    );
    for part in expected {
        assert!(
            ran.stderr.contains(part),
            "{arguments}: {part}: {}",
            ran.stderr
        );
    }
}

fn battle(a: &str, b: &str, winner: &Value) -> Value {
    json!({"model_a": a, "model_b": b, "winner": winner})
}

/// A name that is nearly that of something is told which.
#[test]
fn what_is_not_there_is_looked_for_under_names_like_it() {
    let desk = Desk::new(4, &["a", "b"]);
    desk.done("rank --data data --judge simulated --run runs/w1");
    for (arguments, meant) in [
        (
            "judgments w1",
            "there is no file or folder of this name; did you mean runs/w1?",
        ),
        ("show w1", "; did you mean runs/w1?"),
        ("compare w1 --pair a,b", "; did you mean runs/w1?"),
        ("rank --data dta --judge simulated", "; did you mean data?"),
        (
            "rank --data data/item.jsonl --judge simulated",
            "; did you mean data/items.jsonl?",
        ),
        (
            "rank --data dta/items.jsonl --judge simulated",
            "; did you mean data/items.jsonl?",
        ),
    ] {
        refused(&desk, arguments, &[meant]);
    }
    let unlike = desk.run("rank --data zebra --judge simulated");
    assert!(!unlike.stderr.contains("did you mean"), "{}", unlike.stderr);
}

/// Answers and nobody who won: a judge compares them, by the file's own columns, whose names are on
/// one line.
#[test]
fn answers_given_to_leaderboard_are_told_who_judges_them() {
    let desk = Desk::empty();
    let table = "question,\"my\nnote\",output_1,output_2,output_3\nWhy?,n,a,b,c\nHow?,n,d,e,f\n";
    desk.write("wide.csv", table);
    let map = "--map 'instruction=question,output_1=output_1,output_2=output_2,output_3=output_3'";
    let told = [
        "but answers of several systems: `evenhand rank` has a judge compare them",
        map,
        "`my\\nnote`",
    ];
    refused(&desk, "leaderboard wide.csv", &told);
    let ran = desk.run("leaderboard wide.csv");
    assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{}", ran.stderr);
}

#[test]
fn rewardbench_2_lists_completions_and_each_rejected_one_is_judged() {
    let desk = Desk::empty();
    let item = |at: usize| {
        json!({"id": at.to_string(), "prompt": format!("question {at}"), "chosen": ["right"],
               "rejected": ["wrong a", "wrong b", "wrong c"], "subset": "Math"})
    };
    let tied = json!({"id": "tied:1", "prompt": "a colour", "chosen": ["red", "blue"],
                      "rejected": ["seven"], "subset": "Ties"});
    let reference = json!({"id": "ref:1", "prompt": "a colour of the sky", "chosen": ["blue"],
                           "rejected": ["seven", "nine"], "subset": "Ties"});
    desk.write(
        "rb2.jsonl",
        json_lines((0..3).map(item).chain([tied, reference])),
    );
    let judged = desk.json("meta judge --data rb2.jsonl --judge simulated:gap=9 --no-reuse");
    // Three rejected of each of three, both of the tied ones against the one that is wrong, and
    // two.
    assert_eq!(judged["counts"]["pairs"], 13, "{judged}");
    assert!(judged["best_of"].is_number(), "{judged}");
    assert!(
        judged["ties_score"].is_null(),
        "pairs have no scores: {judged}"
    );
    assert!(
        judged
            .to_string()
            .contains("a pointwise protocol gives such scores"),
        "{judged}"
    );
    let scored = desk.json(
        "meta judge --data rb2.jsonl --judge simulated:gap=9 --protocol pointwise/direct --no-reuse",
    );
    assert!(scored["ties_score"].is_number(), "{scored}");
    let parts = scored["subsets"].to_string();
    assert!(parts.contains("but for RewardBench 2's Ties"), "{scored}");
    let texts =
        desk.done("judge --data rb2.jsonl --judge simulated --texts --format json --no-reuse");
    texts.prints("wrong c");
}

#[test]
fn arena_hard_judgments_have_no_assumed_baseline() {
    let desk = Desk::empty();
    let game = |at: usize| json!({"question_id": at, "model": "m", "judge": "j", "games": [{"score": "A>B", "judgment": ""}]});
    desk.write("judgments.jsonl", json_lines((0..12).map(game)));
    for command in [
        "leaderboard judgments.jsonl",
        "baseline save judgments.jsonl --out b.json",
    ] {
        refused(
            &desk,
            command,
            &[
                "judgments.jsonl:1: the record names no `baseline`",
                "--baseline NAME",
            ],
        );
    }
    let report = desk.json("leaderboard judgments.jsonl --baseline base");
    assert_eq!(systems(&report), ["base", "m"]);
    assert!(report.to_string().contains("in one order only"), "{report}");
}

#[test]
fn judges_that_judged_other_systems_are_warned_of() {
    let desk = Desk::empty();
    let score = |at: usize, system: &str, judge: &str| json!({"item": at, "system": system, "judge": judge, "score": at % 3});
    let file = |judges: [&str; 2]| {
        json_lines((0..12).flat_map(|at| [score(at, "m1", judges[0]), score(at, "m2", judges[1])]))
    };
    desk.write("apart.jsonl", file(["j1", "j2"]));
    desk.write("one.jsonl", file(["j1", "j1"]));
    let warned = |name: &str| {
        desk.json(&format!("leaderboard {name}"))
            .to_string()
            .contains("was judged by j1 alone")
    };
    assert!(warned("apart.jsonl") && !warned("one.jsonl"));
}

#[test]
fn all_judgments_failed_is_no_success() {
    let desk = Desk::empty();
    let failed = |at: usize, system: &str| {
        json!({"question_id": at, "model": system, "judge": ["gpt-4", "single-v1"], "judgment": "$ERROR$",
               "score": -1, "turn": 1})
    };
    desk.write(
        "single.jsonl",
        json_lines((0..4).flat_map(|at| [failed(at, "x"), failed(at, "y")])),
    );
    let ran = desk.run("leaderboard single.jsonl");
    ran.ends(1, "none of 8 judgments has a verdict (8 unparsed)");
    assert!(!ran.stdout.contains("bradley-terry"), "{}", ran.stdout);
    // An option in the help works.
    desk.write(
        "scores.csv",
        "system,item,score\na,1,2\na,2,\nb,1,1\nb,2,3\n",
    );
    assert_eq!(
        desk.run("leaderboard scores.csv --min-coverage 0.7").code,
        Some(0)
    );
    let ran = desk.run("leaderboard scores.csv --min-coverage 0.8");
    ran.ends(1, "3 of 4 judgments have a verdict (75.0 %; 1 missing)");
}

#[test]
fn a_key_twice_is_refused_everywhere() {
    let desk = Desk::empty();
    desk.write(
        "scores.jsonl",
        "{\"item\":1,\"system\":\"a\",\"score\":9,\"score\":1}\n",
    );
    desk.write(
        "battles.jsonl",
        "{\"model_a\":\"a\",\"model_b\":\"b\",\"winner\":\"a\",\"winner\":\"b\"}\n",
    );
    desk.write("pairs.jsonl", "{\"instruction\":\"i\",\"output_1\":\"x\",\"output_2\":\"y\",\"label\":1,\"label\":2,\"input\":\"\"}\n");
    for command in [
        "leaderboard scores.jsonl",
        "leaderboard battles.jsonl",
        "judge --data pairs.jsonl --judge simulated",
    ] {
        refused(&desk, command, &[".jsonl:1", "twice"]);
    }
}

#[test]
fn a_generation_that_failed_is_a_missing_response() {
    let desk = Desk::empty();
    let item = |at: usize| json!({"id": at.to_string(), "instruction": format!("i{at}")});
    desk.write("items.jsonl", json_lines((0..4).map(item)));
    for (name, nothing) in [
        ("null.jsonl", Value::Null),
        ("error.jsonl", json!("$ERROR$")),
    ] {
        let response = |at: usize, system: &str| {
            let output = match (at, system) {
                (2, "y") => nothing.clone(),
                _ => json!(format!("{system}{at}")),
            };
            json!({"item": at.to_string(), "system": system, "output": output})
        };
        desk.write(
            name,
            json_lines((0..4).flat_map(|at| [response(at, "x"), response(at, "y")])),
        );
        let command =
            format!("judge --data items.jsonl {name} --judge simulated --format json --no-reuse");
        refused(&desk, &command, &[":6: field `output`", "--allow-missing"]);
        let ran = desk.done(&format!("{command} --allow-missing"));
        // Both orders of three items.
        assert_eq!(ran.stdout.lines().count(), 6, "{name}: {}", ran.stdout);
    }
}

#[test]
fn votes_without_a_winner_are_dropped_and_counted() {
    let desk = Desk::empty();
    let winners = [json!("model_a"), json!("model_b"), Value::Null, json!("")];
    let battles = (0..12).map(|at| battle("x", "y", &winners[at % 4]));
    desk.write("votes.jsonl", json_lines(battles));
    refused(
        &desk,
        "leaderboard votes.jsonl",
        &["votes.jsonl:3: field winner is empty", "'=drop'"],
    );
    let report = desk.json("leaderboard votes.jsonl --outcomes =drop");
    assert_eq!(report["coverage"]["trials"], 12);
    assert_eq!(report["coverage"]["failures"], json!({"missing": 6}));
}

#[test]
fn names_with_commas_stand_in_quotes() {
    let desk = Desk::empty();
    let battles = (0..6).map(|_| battle("GPT,t=0", "plain", &json!("tie")));
    let other = battle("plain", "other", &json!("tie"));
    desk.write("battles.jsonl", json_lines(battles.chain([other])));
    let report = desk.json("leaderboard battles.jsonl --ci none --systems \"GPT,t=0\",plain");
    assert_eq!(rows(&report).len(), 2);
    refused(
        &desk,
        "leaderboard battles.jsonl --ci none --systems GPT,t=0,plain",
        &["those that are: \"GPT,t=0\", plain, other"],
    );
    desk.write(
        "wide.csv",
        "\"Ticket,no\",Question,\"Reply,A\",Reply_B,Reply_C\n1,Why?,a,b,c\n",
    );
    let map = "item=\"Ticket,no\",instruction=Question,output_1=\"Reply,A\",output_2=Reply_B,\
               output_3=Reply_C,system_1:=\"A,v1\"";
    let ran = desk.done(&format!(
        "judge --data wide.csv --map {map} --judge simulated --format json --no-reuse"
    ));
    assert_eq!(ran.stdout.lines().count(), 6);
    ran.prints("\"A,v1\"");
    ran.prints("\"output_3\"");
}

/// A pair has no place for a third answer.
#[test]
fn a_further_answer_beside_a_pair_is_not_passed_over_in_silence() {
    let desk = Desk::empty();
    let pair = |more: Value| {
        let row = |at: usize| {
            let mut row = json!({"prompt": format!("Say {at}"), "chosen": format!("yes {at}"),
                                 "rejected": format!("no {at}"), "chosen_model": "m", "subset": "s"});
            let more = more.as_object().unwrap().clone();
            row.as_object_mut().unwrap().extend(more);
            row
        };
        json_lines((0..3).map(row))
    };
    let judge = "--judge simulated --format json --no-reuse";
    for field in ["response_c", "rejected_2", "other"] {
        desk.write("pairs.jsonl", pair(json!({field: "a third answer"})));
        let ran = desk.done(&format!("judge --data pairs.jsonl {judge}"));
        let map =
            format!("'instruction=prompt,output_1=chosen,output_2=rejected,output_3={field}'");
        ran.says(&format!(
            "pairs.jsonl: `{field}` is not read: a record is a pair of `chosen` and \
             `rejected`; --map {map} reads all of them, without a label"
        ));
        let all = desk.done(&format!(
            "judge --data pairs.jsonl {judge} --map {}",
            map.replace('\'', "")
        ));
        assert_eq!(all.stdout.lines().count(), 18, "{field}");
        assert!(!all.stderr.contains("is not read"), "{}", all.stderr);
    }
    desk.write(
        "pairs.jsonl",
        pair(json!({"rejected_score": 3, "notes": "none"})),
    );
    let ran = desk.done(&format!("judge --data pairs.jsonl {judge}"));
    assert!(!ran.stderr.contains("not read"), "{}", ran.stderr);
}

#[test]
fn paths_are_read_in_battles() {
    let desk = Desk::empty();
    let row = |at: usize| {
        let winner = ["model_a", "model_b"][at / 2 % 2];
        let lang = ["de", "en"][at % 2];
        json!({"model_a": "x", "model_b": "y", "winner": winner, "question_id": at,
               "meta": {"lang": lang}, "tag": {"math_v0.1": {"math": at.is_multiple_of(3)}},
               "style": {"a": at, "b": 3 + at % 5}})
    };
    desk.write("battles.jsonl", json_lines((0..24).map(row)));
    for (field, sizes) in [("meta.lang", [12, 12]), ("tag.math_v0.1.math", [16, 8])] {
        let report = desk.json(&format!("leaderboard battles.jsonl --ci none --by {field}"));
        let slices = report["slices"].as_array().unwrap();
        let found: Vec<u64> = slices
            .iter()
            .map(|slice| slice["n_items"].as_u64().unwrap())
            .collect();
        assert_eq!(found, sizes, "{field}");
    }
    let report = desk.json("leaderboard battles.jsonl --where meta.lang=en --ci none");
    assert_eq!(report["coverage"]["trials"], 12);
    desk.json("leaderboard battles.jsonl --control style.a/style.b");
}

#[test]
fn the_item_of_battles_may_be_in_any_column() {
    let desk = Desk::empty();
    let judge = "id,winner,left,right\n0,left,x,y\n1,right,x,y\n2,left,x,y\n3,left,x,y\n";
    desk.write("judge.csv", judge);
    desk.write("people.csv", judge.replace("3,left", "3,right"));
    let command = "meta judge --recorded judge.csv --labels people.csv";
    refused(&desk, command, &["--item-column COLUMN"]);
    let judged = desk.json(&format!("{command} --item-column id"));
    assert_eq!(judged["counts"]["pairs"], 4, "{judged}");
}

#[test]
fn bad_records_are_told_together_or_skipped() {
    let desk = Desk::empty();
    let good = "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"tie\"}\n";
    let bad = "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"won\"}\n";
    desk.write(
        "battles.jsonl",
        [good, bad, good, "{broken\n", good, bad].concat(),
    );
    // What comes again is told once.
    let expected = [
        "battles.jsonl:2: ",
        "; the same in line 6\n",
        "battles.jsonl:4: ",
    ];
    refused(&desk, "leaderboard battles.jsonl", &expected);
    refused(
        &desk,
        "leaderboard battles.jsonl --skip-bad 2",
        &[
            "3 records of a file cannot be read, and --skip-bad allows 2; mend them, or allow more:\n",
            "battles.jsonl:2: ",
            "; the same in line 6\n",
            "battles.jsonl:4: ",
        ],
    );
    let report = desk.json("leaderboard battles.jsonl --skip-bad 3 --ci none");
    assert_eq!(report["coverage"]["failures"], json!({"unreadable": 3}));
    assert!(report.to_string().contains("battles.jsonl:4"), "{report}");
    let many = bad.repeat(30);
    desk.write("many.jsonl", many);
    let ran = desk.run("leaderboard many.jsonl");
    assert!(
        ran.stderr
            .contains("; the same in lines 2, 3, 4, 5, 6, 7, 8, 9, 10\n"),
        "{}",
        ran.stderr
    );
    let item = |at: usize| {
        format!(
            "{{\"id\": \"{at}\", \"instruction\": {}}}\n",
            ["\"i\"", "7", "[]"][at % 3]
        )
    };
    desk.write("items.jsonl", (0..6).map(item).collect::<String>());
    let command = "meta people --data items.jsonl";
    refused(
        &desk,
        command,
        &[
            "items.jsonl:2: ",
            "; the same in line 5\n",
            "items.jsonl:3: ",
            "; the same in line 6\n",
        ],
    );
    desk.write(
        "scores.csv",
        "system,item,score\na,1,2\na,2,good\nb,1,bad\nb,2,3\n",
    );
    refused(
        &desk,
        "leaderboard scores.csv",
        &["scores.csv:3: ", "scores.csv:4: "],
    );
    let report = desk.json("leaderboard scores.csv --skip-bad 2 --ci none");
    assert_eq!(report["coverage"]["failures"], json!({"unreadable": 2}));
}

#[test]
fn the_samples_of_an_inspect_log_are_records() {
    let sample = |id: &str, epoch: u32, system: &str, says: &str, value: &Value| {
        json!({
            "id": id, "epoch": epoch, "input": format!("What is {id}?"), "target": "the target",
            "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": says}],
            "output": {"model": system, "completion": says},
            "scores": {"match": {"value": value, "answer": says}}, "metadata": {"level": 2},
        })
    };
    let desk = Desk::empty();
    for (system, method, first) in [
        ("agent-1", CompressionMethod::Deflated, "C"),
        ("agent-2", CompressionMethod::Zstd, "I"),
    ] {
        let mut log = ZipWriter::new(Cursor::new(Vec::new()));
        let mut add = |name: &str, value: &Value| {
            let options = SimpleFileOptions::default().compression_method(method);
            log.start_file(name, options).unwrap();
            let text = serde_json::to_string_pretty(value).unwrap();
            log.write_all(text.as_bytes()).unwrap();
        };
        add("_journal/start.json", &json!({"eval": {"model": system}}));
        for (id, value) in [
            ("water", json!("I")),
            ("air", json!(first)),
            ("fire", json!("P")),
        ] {
            let says = format!("{system} says {id}");
            add(
                &format!("samples/{id}_epoch_1.json"),
                &sample(id, 1, system, &says, &value),
            );
            add(
                &format!("samples/{id}_epoch_2.json"),
                &sample(id, 2, system, "a second epoch", &value),
            );
        }
        // No records: they would be taken for samples without a text.
        add(
            "summaries.json",
            &json!([sample("water", 1, system, "summary", &json!("C"))]),
        );
        add("header.json", &json!({"status": "success"}));
        desk.write(
            &format!("logs/{system}.eval"),
            log.finish().unwrap().into_inner(),
        );
    }
    // As the samples are known, and by fields; systems are called after the files.
    for map in [
        "",
        "--map item=id,instruction=input,output=output.completion,reference=target",
    ] {
        let prompts = desk
            .done(&format!(
                "prompts render --data logs --where epoch=1 --trials 1 \
                 --protocol pairwise/direct+reference {map}"
            ))
            .stdout;
        for part in [
            "What is air?",
            "the target",
            "agent-1 says air",
            "agent-2 says air",
        ] {
            assert!(prompts.contains(part), "{map}: {part}: {prompts}");
        }
        let ranking = desk.json(&format!(
            "rank --data logs --where epoch=1 --judge simulated --no-reuse {map}"
        ));
        assert_eq!(systems(&ranking).len(), 2, "{ranking}");
        assert_eq!(ranking["items"], 3, "{ranking}");
    }
    let board = desk.json(
        "leaderboard logs/agent-1.eval logs/agent-2.eval --where epoch=1 --ci none \
         --system-column output.model --item-column id --score-column scores.match.value",
    );
    let scores: Vec<f64> = rows(&board)
        .iter()
        .map(|row| row["score"].as_f64().unwrap())
        .collect();
    assert_eq!(scores, [0.5, 0.5 / 3.0], "{board}");
    refused(
        &desk,
        "leaderboard logs/agent-1.eval",
        &["an Inspect log", "--score-column scores.NAME.value"],
    );
    // A log in which a file is spoilt is no shorter log.
    let mut spoilt = std::fs::read(desk.path("logs/agent-1.eval")).unwrap();
    spoilt.truncate(spoilt.len() / 2);
    desk.write("spoilt.eval", spoilt);
    for command in [
        "leaderboard spoilt.eval",
        "judge --data spoilt.eval --judge simulated",
    ] {
        refused(
            &desk,
            command,
            &["spoilt.eval: the zip file cannot be read"],
        );
    }
}

#[test]
fn files_of_other_programs_are_named() {
    let desk = Desk::empty();
    desk.write(
        "results.json",
        serde_json::to_string_pretty(
            &json!({"results": [{"system": "x", "score": 1}], "config": {}}),
        )
        .unwrap(),
    );
    for command in [
        "leaderboard results.json",
        "judge --data results.json --judge simulated",
    ] {
        refused(
            &desk,
            command,
            &["`results`, `config`", "jq -c '.results[]'"],
        );
    }
}

#[test]
fn names_that_look_the_same_are_warned_of() {
    let desk = Desk::empty();
    desk.write(
        "battles.csv",
        "model_a,model_b,winner\nm1,m2,model_a\nm2,m1 ,model_a\n",
    );
    let report = desk.json("leaderboard battles.csv --ci none");
    assert!(
        report.to_string().contains("white space or capitals alone"),
        "{report}"
    );
}

/// A column that is empty throughout is no answer, and that is said before a judge is asked.
#[test]
fn a_column_without_answers_is_warned_of_before_anything_is_asked() {
    let desk = Desk::empty();
    let rows = |notes: usize| -> String {
        let row = |at: usize| {
            let note = if at < notes { "fine" } else { "" };
            format!("Question {at}?,Answer {at}.,{note}\n")
        };
        (0..60).map(row).collect()
    };
    let head = "Frage,ALT,Notiz\n";
    desk.write("table.csv", head.to_owned() + &rows(0));
    desk.write("half.csv", head.to_owned() + &rows(30));
    desk.write("most.csv", head.to_owned() + &rows(31));
    let map = "--map instruction=Frage,output_1=ALT,output_2=Notiz,system_1:=ALT,system_2:=NEU";
    let said = |command: &str, file: &str| {
        let judge = "--judge simulated:gap=0.2";
        desk.done(&format!("{command} --data {file} {map} {judge}"))
    };
    for command in ["rank", "estimate"] {
        said(command, "table.csv").says("60 of 60 responses of NEU are empty");
        said(command, "half.csv").says("30 of 60 responses of NEU are empty");
        let most = said(command, "most.csv");
        assert!(!most.stderr.contains("are empty"), "{}", most.stderr);
    }
    let report: Value = said("rank --format json", "table.csv").json();
    let kinds = report["warning_kinds"].as_array().unwrap();
    assert!(kinds.contains(&json!("empty-responses")), "{report}");
}

/// Reads what promptfoo wrote, and names its settings where they are given in its place.
#[test]
fn the_results_of_promptfoo_are_responses() {
    let desk = Desk::empty();
    let result = |test: usize, prompt: &str, topic: &str| {
        let question = format!("Question {test}?");
        json!({
            "testIdx": test, "promptIdx": 0, "vars": {"question": question, "topic": topic},
            "prompt": {"raw": format!("{prompt}: {question}"), "label": prompt},
            "provider": {"id": "openai:m", "label": ""},
            "response": {"output": format!("{prompt} answer {test}")},
            "testCase": {"metadata": {"category": topic}, "assert": [
                {"type": "llm-rubric", "metric": "tone", "value": "Is polite about {{topic}}."},
            ]},
        })
    };
    let results = |prompts: &[&str]| {
        let tests = |prompt: &&str| {
            let prompt = (*prompt).to_owned();
            (0..6).map(move |test| result(test, &prompt, ["art", "law"][test % 2]))
        };
        let listed: Vec<Value> = prompts.iter().flat_map(tests).collect();
        json!({"evalId": "e", "results": {"version": 3, "results": listed}})
    };
    let both = results(&["old", "new"]);
    desk.write("results.json", serde_json::to_string_pretty(&both).unwrap());
    let rank = "rank --judge simulated --quiet --data results.json";
    let report = desk.json(&format!("{rank} --by category --run r"));
    let mut names = systems(&report);
    names.sort_unstable();
    assert_eq!(names, ["openai:m / new", "openai:m / old"]);
    let judgments = desk.done("judgments r --format json").stdout;
    assert!(judgments.contains("topic: "), "{judgments}");
    // A filter names promptfoo's own fields.
    let report = desk.json(&format!("{rank} --where vars.topic=law --run law"));
    assert_eq!(report["items"], 3, "{report}");
    // The rubrics are criteria.
    desk.done(&format!("{rank} --protocol checklist --run criteria"));
    // The same with one's own mapping, as before.
    let map =
        "--map item=testIdx,instruction=vars.question,system=prompt.label,output=response.output";
    let report = desk.json(&format!("{rank} {map} --run mapped"));
    let mut names = systems(&report);
    names.sort_unstable();
    assert_eq!(names, ["new", "old"]);

    let mut failed = both;
    failed["results"]["results"][1]["response"] = json!({"error": "timeout"});
    desk.write("failed.json", failed.to_string());
    refused(
        &desk,
        "rank --judge simulated --data failed.json",
        &["failed.json: row 2: ", "--allow-missing"],
    );
    desk.done("rank --judge simulated --data failed.json --allow-missing --run f");

    desk.write(
        "promptfooconfig.yaml",
        "prompts:\n  - Say hi\nproviders:\n  - openai:gpt\n",
    );
    let config = ["this is YAML", "docs/coming-from.md"];
    refused(
        &desk,
        "rank --data promptfooconfig.yaml --judge simulated",
        &config,
    );
    refused(&desk, "leaderboard promptfooconfig.yaml", &config);
}

#[test]
fn a_log_of_oaieval_says_how_its_responses_are_written() {
    let desk = Desk::empty();
    let log = [
        json!({"spec": {"completion_fns": ["m"], "eval_name": "colours.dev.v0"}}),
        json!({"sample_id": "c.0", "type": "sampling", "data": {"prompt": "Hi?", "sampled": ["Hi."]}}),
        json!({"final_report": {"accuracy": 1.0}}),
    ];
    desk.write("log.jsonl", json_lines(log));
    for command in ["rank --judge simulated --data", "leaderboard"] {
        let said = [
            "log of OpenAI's oaieval",
            "select(.type == \"sampling\")",
            "--map instruction=instruction",
        ];
        refused(&desk, &format!("{command} log.jsonl"), &said);
    }
    // What that writes is read.
    let response = |system: &str| {
        json!({
            "item": "c.0", "instruction": [{"role": "user", "content": "Hi?"}],
            "system": system, "output": format!("{system} says hi."),
        })
    };
    desk.write("log-responses.jsonl", json_lines(["m", "n"].map(response)));
    desk.done(
        "rank --judge simulated --data log-responses.jsonl --map instruction=instruction --run r",
    );
}

#[test]
fn battles_without_a_winner_are_not_given_a_voter_for_one() {
    let desk = Desk::empty();
    desk.write(
        "battles.csv",
        "voter,lang,model_a,model_b\nv1,en,a,b\nv2,en,b,a\n",
    );
    let ran = desk.run("leaderboard battles.csv");
    ran.ends(
        2,
        "`model_a` and `model_b` name two systems, but no column says who won",
    );
    assert!(!ran.stderr.contains("'voter'"), "{}", ran.stderr);
}
