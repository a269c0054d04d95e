//! Boards that keep single battles: an edition is the ranking of all files at once.

use crate::common::{Desk, assert_holds};
use serde_json::{Value, json};

/// A week's battles of four systems, the earlier in the alphabet the better, more so in English:
/// questions that other weeks ask too, two languages, some without one, and two lengths.
fn week(seed: u32, name: u32) -> String {
    let systems = ["d", "b", "a", "c"];
    let mut state = 7919 * (3 * seed + name) + 1;
    let mut draw = |limit: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % limit
    };
    let mut text = String::from("question_id,model_a,model_b,winner,lang,chars_a,chars_b\n");
    for _ in 0..150 {
        let one = draw(4) as usize;
        let (a, b) = (systems[one], systems[(one + 1 + draw(3) as usize) % 4]);
        let lang = ["en", "de", "en", ""][draw(4) as usize];
        let better = 5 + u32::from(lang == "en") * 2;
        let (good, bad) = match a < b {
            true => ("model_a", "model_b"),
            false => ("model_b", "model_a"),
        };
        let winner = match draw(10) {
            0 => "tie",
            1 => "nobody",
            fate if fate < 1 + better => good,
            _ => bad,
        };
        let (chars_a, chars_b) = (1 + draw(900), 1 + draw(900));
        let question = draw(500);
        text += &format!("q{question},{a},{b},{winner},{lang},{chars_a}.25,{chars_b}\n");
    }
    text
}

/// What a ranking says, apart from what was told of its files.
const SAID: [&str; 19] = [
    "answer",
    "ranking",
    "aggregation",
    "unit",
    "ci",
    "seed",
    "protocol",
    "coverage",
    "items",
    "questions",
    "noise",
    "components",
    "outcomes",
    "style",
    "differences",
    "slices",
    "interaction",
    "upkeep",
    "two",
];

/// Adds files to a board one by one, the options of the first alone being told, and compares what
/// it says in the end with the ranking of all at once.
fn check(desk: &Desk, files: &[String], begun_with: &str, always: &str) {
    let _ = std::fs::remove_file(desk.path("board.json"));
    let mut last = Value::Null;
    for (at, file) in files.iter().enumerate() {
        let told = if at == 0 { begun_with } else { "" };
        last = desk.json(&format!(
            "leaderboard {file} --update board.json --date 2026-11-{:02} {told} {always}",
            at + 1
        ));
    }
    let files = files.join(" ");
    let at_once = desk.json(&format!("leaderboard {files} {begun_with} {always}"));
    let again = desk.json(&format!("leaderboard board.json {always}"));
    for key in SAID {
        let about = format!("{key} of {files} {begun_with} {always}");
        assert_eq!(last[key], at_once[key], "{about}");
        assert_eq!(again[key], at_once[key], "again, {about}");
    }
}

#[test]
fn an_edition_is_the_ranking_of_all_files_at_once() {
    let desk = Desk::empty();
    for seed in 0..2 {
        for name in 0..3 {
            desk.write(&format!("w{name}.csv"), week(seed, name));
        }
        for (turn, order) in [[0, 1, 2], [2, 0, 1], [1, 2, 0]].into_iter().enumerate() {
            let files = order.map(|name| format!("w{name}.csv"));
            let always = format!("--outcomes nobody=drop --rounds 60 --seed {seed}");
            // Every second in each order, so that all are met in each.
            let begun = [
                "",
                "--anchor b=1000",
                "--by lang --anchor b=1000",
                "--by lang --cluster none",
                "--control chars_a/chars_b,order --anchor c=1200.5",
                "--by lang --control chars_a/chars_b --anchor b=1000",
            ];
            for begun_with in begun
                .into_iter()
                .skip((turn + seed as usize) % 2)
                .step_by(2)
            {
                check(&desk, &files, begun_with, &always);
            }
        }
    }
}

#[test]
fn counts_of_pairs_are_ranked_as_the_single_battles_of_all_files() {
    let desk = Desk::empty();
    for name in 0..3 {
        desk.write(&format!("w{name}.csv"), week(5, name));
    }
    for order in [[0, 1, 2], [2, 1, 0]] {
        let files = order.map(|name| format!("w{name}.csv"));
        let always = "--outcomes nobody=drop --rounds 60 --cluster none";
        check(&desk, &files, "--anchor b=1000", always);
        let board: Value = serde_json::from_str(&desk.read("board.json")).unwrap();
        assert_eq!(board["format"], "evenhand board 1");
        assert_eq!(board["rows"], Value::Null);
    }
}

/// JSON lines with a field within a field, and texts of responses.
fn lines(seed: u32) -> String {
    let battle = |at: u32| {
        let drawn = at * 7919 + seed * 104_729;
        let pair = [["x", "y"], ["z", "x"], ["y", "z"]][(drawn % 3) as usize];
        let winner = ["model_a", "model_b", "tie"][(drawn / 3 % 5 % 3) as usize];
        let text = |words: u32, items: u32| {
            let items = "- one\n".repeat(1 + items as usize % 5);
            "word # secret\n".repeat(1 + words as usize % 7) + &items
        };
        let lang = ["en", "fr"][(drawn / 7 % 2) as usize];
        let mut line = json!({
            "model_a": pair[0], "model_b": pair[1], "winner": winner,
            "meta": {"lang": lang},
            "left_text": text(drawn / 5, drawn / 13),
            "right_text": text(drawn / 11, drawn / 17),
        });
        if at.is_multiple_of(5) {
            line["weight"] = json!(2);
        }
        format!("{line}\n")
    };
    (0..90).map(battle).collect()
}

#[test]
fn fields_within_fields_weights_and_counts_of_texts_are_kept_and_no_texts() {
    let desk = Desk::empty();
    desk.write("one.jsonl", lines(1));
    desk.write("two.jsonl", lines(2));
    let files = ["one.jsonl", "two.jsonl"].map(String::from);
    let begun = "--by meta.lang --control length,lists --texts left_text,right_text";
    check(&desk, &files, begun, "--rounds 50 --allow-duplicates");
    let board = desk.read("board.json");
    assert!(!board.contains("secret"), "{board}");
    let board: Value = serde_json::from_str(&board).unwrap();
    assert_eq!(board["format"], "evenhand board 2");
    assert_eq!(board["rows"].as_array().unwrap().len(), 180);
    // How intervals were made stands with each edition.
    let made = json!({"method": "sandwich", "cluster": "none", "rounds": 0, "level": 0.95});
    for edition in board["history"].as_array().unwrap() {
        assert_eq!(edition["intervals"], made);
    }
}

#[test]
fn a_board_may_begin_with_battles_of_one_kind() {
    let desk = Desk::empty();
    let battles = |day: u32, lang: &str| {
        let rows = (0..30).map(|at| {
            let winner = ["model_a", "model_a", "model_b", "tie"][(at * 7 + day as usize) % 4];
            format!("q{day}-{at},a,b,{winner},{lang}\n")
        });
        let head = String::from("question_id,model_a,model_b,winner,lang\n");
        rows.fold(head, |text, row| text + &row)
    };
    desk.write("w1.csv", battles(1, "en"));
    desk.write("w2.csv", battles(2, "de"));
    let first = "leaderboard w1.csv --update board.json --date 2026-11-18 --by lang";
    let first = desk.json(first);
    assert_eq!(first["slices"].as_array().unwrap().len(), 1);
    let summary = first["interaction"]["summary"].as_str().unwrap();
    assert_holds(summary, "all battles so far have the same value");
    let second = desk.json("leaderboard w2.csv --update board.json --date 2026-11-25");
    let values = second["slices"].as_array().unwrap().iter();
    let values: Vec<&Value> = values.map(|slice| &slice["value"]).collect();
    assert_eq!(values, ["de", "en"]);
    assert!(second["interaction"]["p"].is_f64(), "{second}");
    // A column that the first file lacks is that of --by.
    let lacking = desk.run("leaderboard w1.csv --update other.json --date 2026-11-18 --by langs");
    lacking.ends(2, "w1.csv: --by: no column `langs` (`lang` comes near)");
    assert!(!desk.path("other.json").exists());
    // An edition of an earlier day counts the battles up to its day, and the later ones are ranked
    // again: the board is as if its files had come in the order of their days.
    desk.write("w3.csv", battles(3, "de"));
    let early = "leaderboard w3.csv --update board.json --date 2026-11-20";
    let late = desk.done(early);
    late.says(
        "3 editions, the one of 2026-11-20 put in its place, those of 2026-11-25 ranked again",
    );
    for (week, day) in [(1, "18"), (3, "20"), (2, "25")] {
        let by = if week == 1 { " --by lang" } else { "" };
        let update = format!("leaderboard w{week}.csv --update ordered.json --date 2026-11-{day}");
        desk.done(&format!("{update}{by}"));
    }
    let [put, ordered] = ["board", "ordered"].map(|name| desk.read(&format!("{name}.json")));
    assert_eq!(put, ordered);
    let again = desk.run("leaderboard --update board.json --date 2026-11-31");
    again.ends(2, "--date 2026-11-31: expected a day");
    // Files that are ranked once and have one value are a mistake.
    let refused = desk.run("leaderboard w1.csv --by lang");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

#[test]
fn what_a_board_does_not_keep_is_refused_and_the_board_stays() {
    let desk = Desk::empty();
    desk.write("w0.csv", week(1, 0));
    desk.write("w1.csv", week(1, 1));
    desk.write("bare.csv", "model_a,model_b,winner\na,b,model_a\nb,a,tie\n");
    desk.write(
        "counts.csv",
        "model_a,model_b,wins_a,wins_b,ties\na,b,3,2,1\n",
    );
    let update = |file: &str, board: &str, more: &str| {
        desk.run(&format!(
            "leaderboard {file} --update {board} --date 2026-11-18 --ci none \
             --outcomes nobody=drop {more}"
        ))
    };
    for (board, more) in [
        ("counts.json", "--cluster none"),
        ("items.json", ""),
        ("lang.json", "--by lang"),
    ] {
        let begun = update("w0.csv", board, more);
        assert_eq!(begun.code, Some(0), "{board}: {}", begun.stderr);
    }
    for (file, board, more, said) in [
        (
            "w1.csv",
            "counts.json",
            "--by lang",
            "it keeps only counts of pairs",
        ),
        (
            "w1.csv",
            "counts.json",
            "--control order",
            "it keeps only counts of pairs",
        ),
        (
            "w1.csv",
            "items.json",
            "--by lang",
            "was begun with no --by",
        ),
        (
            "w1.csv",
            "lang.json",
            "--by question_id",
            "was begun with --by lang",
        ),
        (
            "w1.csv",
            "lang.json",
            "--control order",
            "was begun with no --control",
        ),
        ("bare.csv", "items.json", "", "name no item"),
        ("counts.csv", "lang.json", "", "keeps single battles"),
        ("w1.csv", "new.json", "--by winner", "for itself"),
    ] {
        let before = (board != "new.json").then(|| desk.read(board));
        let refused = update(file, board, more);
        assert_eq!(refused.code, Some(2), "{board} {more}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(said),
            "{board} {more}: {}",
            refused.stderr
        );
        match before {
            Some(before) => assert_eq!(desk.read(board), before),
            None => assert!(!desk.path(board).exists()),
        }
    }
}

/// Adds files to a board, each with its day.
fn make_board(desk: &Desk, files: &[(&str, &str)], more: &str) -> String {
    let _ = std::fs::remove_file(desk.path("board.json"));
    for (file, day) in files {
        desk.done(&format!(
            "leaderboard {file} --update board.json --date 2026-11-{day} --quiet {more}"
        ));
    }
    desk.read("board.json")
}

/// Whatever a board keeps, and in whatever order its files came.
#[test]
fn an_edition_that_is_taken_back_leaves_no_trace() {
    let desk = Desk::empty();
    for name in 0..4 {
        desk.write(&format!("w{name}.csv"), week(3, name));
    }
    let always = "--outcomes nobody=drop --rounds 40";
    let files = [("w0.csv", "04"), ("w1.csv", "11"), ("w2.csv", "18")];
    for begun in ["--cluster none", "", "--by lang --anchor b=1000"] {
        let more = format!("{always} {begun}");
        for removed in [0, 1, 2] {
            let mut without = files.to_vec();
            let (_, day) = without.remove(removed);
            let expected = make_board(&desk, &without, &more);
            let before = make_board(&desk, &files, &more);
            let correct = format!("leaderboard --update board.json --remove 2026-11-{day} {more}");
            let report: Value =
                serde_json::from_str(&desk.done(&format!("{correct} --format json")).stdout)
                    .unwrap();
            // Which files decide what is kept may change with the first.
            assert_eq!(
                desk.read("board.json"),
                expected,
                "{begun}, without {removed}"
            );
            let again = desk.json(&format!("leaderboard board.json {more}"));
            assert_eq!(report["ranking"], again["ranking"]);
            assert_eq!(report["history"], again["history"]);

            // Other files take its place.
            let mut instead = files.to_vec();
            instead[removed].0 = "w3.csv";
            let expected = make_board(&desk, &instead, &more);
            desk.write("board.json", before);
            let replace = correct.replacen("leaderboard", "leaderboard w3.csv", 1);
            let ran = desk.done(&replace);
            ran.says(&format!(
                "board.json: 3 editions, the one of 2026-11-{day} made anew"
            ));
            assert_eq!(
                desk.read("board.json"),
                expected,
                "{begun}, instead of {removed}"
            );
        }
        // One of an earlier day that came later counts no battles of the days after it.
        let mixed = [("w0.csv", "04"), ("w1.csv", "18"), ("w2.csv", "11")];
        let expected = make_board(&desk, &[mixed[0], mixed[2]], &more);
        make_board(&desk, &mixed, &more);
        desk.done(&format!(
            "leaderboard --update board.json --remove 2026-11-18 {more}"
        ))
        .says("2 editions, the one of 2026-11-18 taken back\n");
        assert_eq!(desk.read("board.json"), expected, "{begun}");
    }
}

#[test]
fn an_edition_without_files_is_taken_back_alone() {
    let desk = Desk::empty();
    desk.write("w0.csv", week(3, 0));
    desk.write("w1.csv", week(3, 1));
    let more = "--outcomes nobody=drop --ci none";
    let with_it = make_board(
        &desk,
        &[("w0.csv", "04"), ("", "05"), ("w1.csv", "11")],
        more,
    );
    let expected = make_board(&desk, &[("w0.csv", "04"), ("w1.csv", "11")], more);
    desk.write("board.json", &with_it);
    desk.done(&format!(
        "leaderboard --update board.json --remove 2026-11-05 {more}"
    ))
    .says("board.json: 2 editions, the one of 2026-11-05 taken back\n");
    assert_eq!(desk.read("board.json"), expected);
    // What only ranked again what is gone has nothing left.
    desk.write("board.json", &with_it);
    desk.done(&format!(
        "leaderboard --update board.json --remove 2026-11-04 {more}"
    ))
    .says("1 edition, the one of 2026-11-04 taken back, those of 2026-11-11 ranked again");
}

#[test]
fn an_edition_that_cannot_be_taken_back_is_refused_and_the_board_stays() {
    let desk = Desk::empty();
    desk.write("w0.csv", week(3, 0));
    desk.write("w1.csv", week(3, 1));
    let more = "--outcomes nobody=drop --ci none --cluster none";
    let board = make_board(&desk, &[("w0.csv", "04"), ("w1.csv", "11")], more);
    let refuse = |arguments: &str, said: &str| {
        let before = desk.read("board.json");
        desk.run(&format!("leaderboard {arguments} {more}"))
            .ends(2, said);
        assert_eq!(desk.read("board.json"), before);
    };
    let update = "--update board.json";
    refuse(
        &format!("{update} --remove 2026-11-05"),
        "--remove 2026-11-05: the board has the editions of 2026-11-04, 2026-11-11",
    );
    refuse(&format!("{update} --remove yesterday"), "expected a day");
    refuse(
        &format!("{update} --remove 2026-11-04 --date 2026-11-04"),
        "--date",
    );
    refuse("w0.csv --remove 2026-11-04", "--update");
    // What the board still has is not added once more in the place of another.
    refuse(
        &format!("w1.csv {update} --remove 2026-11-04"),
        "in the board already",
    );
    let same = format!("w0.csv {update} --remove 2026-11-04");
    desk.done(&format!("leaderboard {same} {more}"));
    assert_eq!(desk.read("board.json"), board);
    // A board of before, which kept the sum of all files alone.
    let mut old: Value = serde_json::from_str(&board).unwrap();
    for file in old["files"].as_array_mut().unwrap() {
        file.as_object_mut().unwrap().remove("counts");
    }
    desk.write("board.json", old.to_string());
    refuse(
        &format!("{update} --remove 2026-11-04"),
        "it does not say which battles came with which file",
    );
    // One that was made up to point beyond its systems.
    let odd = board.replacen("\"systems\":[\"", "\"systems\":[],\"unknown\":[\"", 1);
    desk.write("board.json", odd);
    refuse(
        &format!("{update} --remove 2026-11-04"),
        "it is not a board",
    );
    make_board(&desk, &[("w0.csv", "04")], more);
    refuse(
        &format!("{update} --remove 2026-11-04"),
        "nothing would be left",
    );
}

#[test]
fn boards_of_before_are_read_and_go_on() {
    let desk = Desk::empty();
    desk.write(
        "old.json",
        "{\n\"format\": \"evenhand board 1\",\n\"files\": [],\n\"counts\": [\n\
         [\"a\",\"b\",6.0,2.0,0.0,3.0],\n[\"b\",\"c\",5.0,1.0,0.0,4.0]\n],\n\"history\": [\n\
         {\"date\":\"2026-11-11\",\"battles\":21,\"unit\":\"Elo points\",\"ranking\":[]}\n\
         ]\n}\n",
    );
    desk.write("new.csv", "model_a,model_b,winner\nc,a,model_a\nd,a,tie\n");
    let old = desk.json("leaderboard old.json --ci none");
    assert_eq!(old["ranking"].as_array().unwrap().len(), 3);
    desk.json("leaderboard new.csv --update old.json --date 2026-11-18 --ci none");
    let board: Value = serde_json::from_str(&desk.read("old.json")).unwrap();
    assert_eq!(board["systems"], json!(["a", "b", "c", "d"]));
    assert_eq!(board["history"][0]["intervals"], Value::Null);
    assert_eq!(board["history"][1]["intervals"]["method"], "none");
    assert_eq!(board["history"][1]["battles"], 23);
}

/// Keeps, and says, which battles count and what counts once, as the board was begun; refuses others.
#[test]
fn a_board_keeps_which_rows_count_and_what_counts_once() {
    let desk = Desk::empty();
    let votes = |day: usize| {
        let mut text = String::from("voter,question_id,lang,model_a,model_b,winner\n");
        for at in 0..60 {
            let (voter, lang) = (at % 12, ["en", "de", "fr"][at % 5 % 3]);
            let winner = ["model_a", "model_b", "tie"][(at * 7 + day) % 11 % 3];
            let (a, b) = [("x", "y"), ("y", "z"), ("x", "z")][at % 3];
            text += &format!("v{voter},q{day}-{at},{lang},{a},{b},{winner}\n");
        }
        text
    };
    desk.write("w1.csv", votes(1));
    desk.write("w2.csv", votes(2));
    let update = |day: u32, board: &str, more: &str| {
        desk.run(&format!(
            "leaderboard w{day}.csv --update {board} --date 2026-11-0{day} --rounds 50 {more}"
        ))
    };
    let begun = [
        ("voter.json", "--cluster voter", "voters"),
        ("none.json", "--cluster none", ""),
        (
            "en.json",
            "--where lang=en --where lang=de",
            "single judgments",
        ),
        ("lang.json", "--by lang --cluster voter", "voters"),
    ];
    for (board, settings, units) in begun {
        let first = update(1, board, settings);
        assert_eq!(first.code, Some(0), "{board}: {}", first.stderr);
        let before = desk.read(board);
        for (other, setting) in [
            ("--cluster question_id", "--cluster"),
            ("--where lang=fr", "--where"),
        ] {
            let refused = update(2, board, other);
            assert_eq!(refused.code, Some(2), "{board} {other}: {}", refused.stderr);
            assert_holds(
                &refused.stderr,
                &format!("{setting}: {board} was begun with "),
            );
            assert_holds(&refused.stderr, "to keep it, or begin another board");
            assert_eq!(desk.read(board), before, "{board} {other}");
        }
        // Told again or not, the second edition is the ranking of both files so.
        let told = desk.json(&format!("leaderboard w1.csv w2.csv --rounds 50 {settings}"));
        let kept = update(2, board, "--format json");
        assert_eq!(kept.code, Some(0), "{board}: {}", kept.stderr);
        let kept: Value = serde_json::from_str(&kept.stdout).unwrap();
        for key in ["ranking", "ci", "coverage", "slices"] {
            assert_eq!(kept[key], told[key], "{board} {key}");
        }
        let table = desk
            .done(&format!("leaderboard {board} --rounds 50"))
            .stdout;
        assert_holds(&table, "in every edition of this board");
        match units {
            "" => assert_holds(&table, "--cluster none"),
            units => assert_holds(&table, &format!("50 resamples of {units}")),
        }
    }
    let board: Value = serde_json::from_str(&desk.read("voter.json")).unwrap();
    assert_eq!(board["keeps"], json!({"cluster": "voter"}));
    // What was begun with all rows goes on so.
    assert_eq!(update(1, "all.json", "").code, Some(0));
    update(2, "all.json", "--where lang=en").ends(2, "all.json was begun with no --where");
    update(2, "all.json", "--cluster none").ends(2, "all.json was begun with no --cluster");
}

#[test]
fn a_refusal_of_doubled_battles_names_each_edition_that_has_some() {
    let desk = Desk::empty();
    let battles = |first: usize, count: usize| -> String {
        let row = |at: usize| format!("q{at},a,b,{}\n", ["model_a", "model_b"][at * 7 % 5 % 2]);
        (first..first + count).map(row).collect()
    };
    let head = "question_id,model_a,model_b,winner\n";
    let files = [
        ("w1.csv", battles(0, 100)),
        ("w2.csv", battles(1000, 100)),
        ("w3.csv", battles(2000, 100)),
        (
            "all.csv",
            battles(0, 20) + &battles(1000, 100) + &battles(2000, 5),
        ),
    ];
    for (name, rows) in files {
        desk.write(name, head.to_owned() + &rows);
    }
    for day in 1..=3 {
        desk.done(&format!(
            "leaderboard w{day}.csv --update board.json --date 2026-11-0{day} --ci none"
        ));
    }
    let refused = desk.run("leaderboard all.csv --update board.json --date 2026-11-09 --ci none");
    refused.ends(
        2,
        "(100 in w2.csv of 2026-11-02, 20 in w1.csv of 2026-11-01, 5 in w3.csv of 2026-11-03)",
    );
}
