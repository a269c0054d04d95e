//! `evenhand leaderboard` as its user meets it: the same data in every format, the same bytes for
//! any number of threads, what is undefined said, and every option doing what its help says.

use crate::common::{Desk, json_line, row, rows, systems};
use evenhand_testing::is_slow;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;

const SYSTEMS: [&str; 4] = ["ant", "bee", "cat", "dog"];

/// First system, second system, winner.
type Battle = (&'static str, &'static str, &'static str);

/// 240 battles in which every system both wins and loses against every other, the earlier in the
/// alphabet more often.
fn battles() -> Vec<Battle> {
    let one = |turn: usize| {
        let (a, b) = [(0, 1), (2, 0), (0, 3), (1, 2), (3, 1), (2, 3)][turn % 6];
        let first = if a < b { 5 + b - a } else { 5 - (a - b) };
        let winner = match turn / 6 * 7 % 10 {
            0 => "tie",
            place if place <= first => "model_a",
            _ => "model_b",
        };
        (SYSTEMS[a], SYSTEMS[b], winner)
    };
    (0..240).map(one).collect()
}

fn csv(battles: &[Battle]) -> String {
    let lines = battles
        .iter()
        .map(|(a, b, winner)| format!("{a},{b},{winner}\n"));
    "model_a,model_b,winner\n".to_string() + &lines.collect::<String>()
}

/// Battles with an item, two weights that are not the same, and two covariates.
fn wide_csv() -> String {
    let line = |(turn, (a, b, winner)): (usize, &Battle)| {
        let (weight, x, y) = (1 + turn % 3, turn * 7 % 11, turn * 5 % 13);
        format!("{a},{b},{winner},i{},{weight},{x},{y}\n", turn / 3)
    };
    "model_a,model_b,winner,item,weight,x,y\n".to_string()
        + &battles().iter().enumerate().map(line).collect::<String>()
}

fn desk() -> Desk {
    let desk = Desk::empty();
    desk.write("b.csv", csv(&battles()));
    desk.write("w.csv", wide_csv());
    desk
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn parquet(battles: &[Battle]) -> Vec<u8> {
    let schema = "message battles \
                  { required binary model_a (UTF8); required binary model_b (UTF8); required \
                  binary winner (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for pick in [
        |row: &Battle| row.0,
        |row: &Battle| row.1,
        |row: &Battle| row.2,
    ] {
        let cells: Vec<_> = battles
            .iter()
            .map(|row| ByteArray::from(pick(row)))
            .collect();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&cells, None, None)
            .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}

fn counts(battles: &[Battle]) -> String {
    let mut text = "model_a,model_b,wins_a,wins_b,ties\n".to_string();
    for (first, a) in SYSTEMS.iter().enumerate() {
        for b in &SYSTEMS[first + 1..] {
            let count = |win_of: &str| {
                battles
                    .iter()
                    .filter(|row| {
                        [row.0, row.1].contains(a)
                            && [row.0, row.1].contains(b)
                            && won(row) == win_of
                    })
                    .count()
            };
            text += &format!("{a},{b},{},{},{}\n", count(a), count(b), count("tie"));
        }
    }
    text
}

fn won(row: &Battle) -> &'static str {
    match row.2 {
        "model_a" => row.0,
        "model_b" => row.1,
        other => other,
    }
}

/// The report without what may differ between two ways to the same ranking: these battles come
/// again in a circle, so that two files of them are warned of.
fn ranked(desk: &Desk, arguments: &str) -> String {
    let mut report = desk.json(&format!("leaderboard {arguments}"));
    for apart in ["usage", "warnings", "warning_kinds"] {
        report.as_object_mut().unwrap().remove(apart);
    }
    report.to_string()
}

#[test]
fn the_same_battles_in_every_format_rank_the_same() {
    let desk = desk();
    let sides = |text: &str| text.replace("model_a", "left").replace("model_b", "right");
    let lines = |names: [&str; 3]| -> String {
        battles()
            .iter()
            .map(|row| json_line(json!({names[0]: row.0, names[1]: row.1, names[2]: sides(row.2)})))
            .collect()
    };
    let text = csv(&battles());
    desk.write("b.tsv", text.replace(',', "\t"));
    desk.write("b.jsonl", lines(["model_a", "model_b", "winner"]));
    desk.write("sides.jsonl", lines(["left", "right", "winner"]));
    desk.write("b.csv.gz", gzip(text.as_bytes()));
    desk.write("b.jsonl.gz", gzip(desk.read("b.jsonl").as_bytes()));
    desk.write("b.parquet", parquet(&battles()));
    desk.write("sides.csv", sides(&text));
    desk.write("systems.csv", text.replace("model_", "system_"));
    desk.write(
        "systems.jsonl",
        lines(["model_a", "model_b", "winner"]).replace("model_", "system_"),
    );
    desk.write(
        "own.csv",
        text.replacen("model_a,model_b,winner", "mine,theirs,who", 1),
    );
    desk.write("half.csv", csv(&battles()[..100]));
    desk.write("rest.csv", csv(&battles()[100..]));
    for how in [
        "--rounds 100",
        "--ci none --aggregate win-ratio",
        "--ci sandwich",
        "--rounds 50 --ci bca",
        "--ci none --aggregate elo",
    ] {
        let expected = ranked(&desk, &format!("b.csv {how}"));
        let own = "own.csv --left mine --right theirs --winner who";
        for files in [
            "b.tsv",
            "b.jsonl",
            "sides.jsonl",
            "b.csv.gz",
            "b.jsonl.gz",
            "b.parquet",
            "sides.csv",
            "systems.csv",
            "systems.jsonl",
            own,
            "half.csv rest.csv",
        ] {
            assert_eq!(
                ranked(&desk, &format!("{files} {how}")),
                expected,
                "{files} {how}"
            );
        }
    }
}

#[test]
fn counts_rank_as_the_battles_they_count() {
    let desk = desk();
    // In the order in which the battles name the systems first.
    desk.write("c.csv", counts(&battles()));
    for aggregate in [
        "bradley-terry",
        "win-ratio",
        "average-win-rate",
        "davidson",
        "rao-kupper",
        "newman",
        "counting",
        "pagerank",
    ] {
        let [battles, counts] = ["b.csv", "c.csv"].map(|file| {
            desk.json(&format!(
                "leaderboard {file} --ci none --aggregate {aggregate}"
            ))
        });
        assert_eq!(systems(&battles), systems(&counts));
        for one in rows(&battles) {
            let other = row(&counts, one["system"].as_str().unwrap());
            let [x, y] = [one, other].map(|row| row["score"].as_f64().unwrap());
            assert!(
                (x - y).abs() <= 1e-6 * x.abs() && one["n"] == other["n"],
                "{aggregate}: {one} {other}"
            );
        }
        assert_eq!(battles["coverage"], counts["coverage"]);
        assert_eq!(battles["outcomes"], counts["outcomes"]);
    }
}

#[test]
fn weights_by_any_name_count_as_repeated_rows() {
    let desk = desk();
    let repeated = battles()
        .into_iter()
        .enumerate()
        .flat_map(|(turn, row)| std::iter::repeat_n(row, 1 + turn % 3));
    desk.write("repeated.csv", csv(&repeated.collect::<Vec<_>>()));
    desk.write("named.csv", wide_csv().replacen("weight", "times", 1));
    let scores = |arguments: &str| -> Vec<(String, f64)> {
        let report = desk.json(&format!("leaderboard {arguments} --ci none"));
        rows(&report)
            .iter()
            .map(|row| (row["system"].to_string(), row["score"].as_f64().unwrap()))
            .collect()
    };
    let expected = scores("repeated.csv");
    for found in [scores("w.csv"), scores("named.csv --weight times")] {
        assert!(
            found
                .iter()
                .zip(&expected)
                .all(|(x, y)| x.0 == y.0 && (x.1 - y.1).abs() < 1e-6),
            "{found:?} {expected:?}"
        );
    }
}

/// Sixty battles of weight 10 that one system won, and 140 of weight 1 that the other did.
#[test]
fn no_share_of_items_contradicts_a_leader_by_weight() {
    let desk = desk();
    let rows = (0..200).map(|item| match item < 60 {
        true => format!("a,b,model_a,10,q{item}\n"),
        false => format!("a,b,model_b,1,q{item}\n"),
    });
    let head = "model_a,model_b,winner,weight,item\n".to_string();
    desk.write(
        "heavy.csv",
        std::iter::once(head).chain(rows).collect::<String>(),
    );
    let report = desk.json("leaderboard heavy.csv --aggregate win-ratio");
    let answer = &report["answer"];
    assert_eq!(answer["leaders"][0], "a");
    assert!(answer["preferred"].is_null(), "{answer}");
    assert_eq!(
        answer["kind"] == "leader",
        answer["says"].is_null(),
        "{answer}"
    );
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let desk = desk();
    let mut ways: Vec<String> = [
        "b.csv --ci bca",
        "b.csv --ci sandwich",
        "b.csv --ci none",
        "w.csv",
        "w.csv --ci bca",
    ]
    .map(String::from)
    .to_vec();
    ways.extend(
        [
            "w.csv --control x,y",
            "w.csv --control x/y --differences",
            "w.csv --cluster none",
            "w.csv --ci sandwich",
        ]
        .map(String::from),
    );
    let aggregates = [
        "bradley-terry --drop --differences",
        "rao-kupper",
        "davidson",
        "win-ratio",
        "average-win-rate",
        "elo",
        "newman",
    ];
    ways.extend(
        aggregates
            .iter()
            .flat_map(|how| ["b.csv", "w.csv"].map(|file| format!("{file} --aggregate {how}"))),
    );
    for way in ways {
        let run = |threads: usize| {
            desk.done(&format!(
                "leaderboard {way} --rounds 60 --seed 3 --threads {threads} --format json"
            ))
            .timeless()
        };
        let one = run(1);
        assert!(run(2) == one && run(5) == one, "{way}");
    }
}

#[test]
fn one_dominated_system_leaves_the_others_alone() {
    let desk = desk();
    let mut more = battles();
    more.extend([
        ("ant", "eel", "model_a"),
        ("eel", "bee", "model_b"),
        ("dog", "eel", "model_a"),
    ]);
    desk.write("more.csv", csv(&more));
    let [without, with] =
        ["b.csv", "more.csv"].map(|file| desk.json(&format!("leaderboard {file} --ci none")));
    for one in rows(&without) {
        let other = row(&with, one["system"].as_str().unwrap());
        assert!(
            (one["score"].as_f64().unwrap() - other["score"].as_f64().unwrap()).abs() < 1e-9,
            "{one} {other}"
        );
    }
    let last = &rows(&with)[4];
    assert_eq!(last["system"], "eel");
    assert_eq!(last["score"], Value::Null);
    assert_eq!(last["rank"], 5);
    assert_eq!(
        last["note"],
        "it lost every comparison: no finite score exists"
    );
    let shrunk = desk.json("leaderboard more.csv --ci none --prior 0.1");
    assert!(
        rows(&shrunk).iter().all(|row| row["score"].is_f64()),
        "{shrunk}"
    );
    let warning = "scores are shrunk towards the mean by a ridge prior of weight 0.1: they are \
                   finite whatever was won";
    assert_eq!(shrunk["warnings"], json!([warning]));
}

#[test]
fn what_is_undefined_is_said() {
    let desk = Desk::empty();
    let note = |report: &Value, system: &str| {
        row(report, system)["note"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    };
    desk.write(
        "won.csv",
        "left,right,winner\na,b,left\na,c,left\nb,c,left\nc,b,left\n",
    );
    let report = desk.json("leaderboard won.csv --rounds 50");
    assert_eq!(
        note(&report, "a"),
        "it won every comparison: no finite score exists"
    );
    assert_eq!(row(&report, "a")["rank"], 1);
    assert_eq!(row(&report, "a")["no_score"], "won-all");
    assert_eq!(row(&report, "b").get("no_score"), None);
    desk.write(
        "apart.csv",
        "left,right,winner\na,b,left\nb,a,left\nc,d,left\nd,c,left\n",
    );
    let report = desk.json("leaderboard apart.csv --rounds 50");
    assert!(
        rows(&report)
            .iter()
            .all(|row| row["no_score"] == "undefined"
                && row["score"].is_null()
                && row["rank"].is_null()),
        "{report}"
    );
    assert_eq!(report["components"], json!([["a", "b"], ["c", "d"]]));
    let groups = "no chain of comparisons links these groups, and nothing can be said between \
                  them: a, b | c, d";
    assert_eq!(report["warnings"], json!([groups]));
    desk.write(
        "pair.csv",
        "left,right,winner\na,b,left\na,b,left\nb,a,left\n",
    );
    let report = desk.json("leaderboard pair.csv --ci none");
    let gap =
        row(&report, "a")["score"].as_f64().unwrap() - row(&report, "b")["score"].as_f64().unwrap();
    assert!((gap - 400.0 * 2f64.log10()).abs() < 1e-6, "{report}");
    desk.write("ties.csv", "left,right,winner\na,b,tie\nb,c,tie\na,c,tie\n");
    let report = desk.json("leaderboard ties.csv --ci none");
    assert!(
        rows(&report)
            .iter()
            .all(|row| row["score"] == 1000.0 && row["rank"] == 1),
        "{report}"
    );
    desk.write(
        "zero.csv",
        "left,right,winner,weight\na,b,left,0\nb,a,left,0\n",
    );
    let report = desk.json("leaderboard zero.csv --rounds 50");
    assert!(
        rows(&report)
            .iter()
            .all(|row| row["score"].is_null() && row["note"] == "no score: there is no data"),
        "{report}"
    );
}

#[test]
fn intervals_hold_their_scores_and_ranks() {
    let desk = desk();
    for aggregate in [
        "bradley-terry",
        "davidson",
        "rao-kupper",
        "win-ratio",
        "average-win-rate",
        "counting",
        "newman",
        "pagerank",
    ] {
        for file in ["b.csv", "w.csv"] {
            let report = desk.json(&format!(
                "leaderboard {file} --aggregate {aggregate} --rounds 200"
            ));
            for row in rows(&report) {
                let number = |value: &Value| value.as_f64().unwrap();
                assert!(
                    number(&row["ci"][0]) <= number(&row["score"])
                        && number(&row["score"]) <= number(&row["ci"][1]),
                    "{row}"
                );
                assert!(
                    number(&row["rank_ci"][0]) <= number(&row["rank"])
                        && number(&row["rank"]) <= number(&row["rank_ci"][1]),
                    "{row}"
                );
            }
        }
    }
    let width = |level: &str| {
        let report = desk.json(&format!("leaderboard b.csv --rounds 200 --level {level}"));
        assert_eq!(
            report["ci"]["level"].as_f64().unwrap(),
            level.parse::<f64>().unwrap()
        );
        assert_eq!(report["ci"]["rounds"], 200);
        rows(&report)[0]["ci"][1].as_f64().unwrap() - rows(&report)[0]["ci"][0].as_f64().unwrap()
    };
    assert!(width("0.5") < width("0.9") && width("0.9") < width("0.99"));
}

#[test]
fn damaged_parquet_files_are_refused() {
    let desk = Desk::empty();
    let whole = parquet(&battles());
    for length in (0..whole.len()).step_by(whole.len() / 40) {
        desk.write("x.parquet", &whole[..length]);
        let ran = desk.run("leaderboard x.parquet --ci none");
        ran.prints_nothing(2);
        assert!(
            ran.stderr.starts_with("error: x.parquet"),
            "{length}: {}",
            ran.stderr
        );
    }
    // Each takes a process: one byte in seven, and every one where EVENHAND_SLOW=1 is set.
    for turn in (0..whole.len()).step_by(if is_slow() { 1 } else { 7 }) {
        let mut bytes = whole.clone();
        bytes[turn] = bytes[turn].wrapping_add(1 + (turn % 255) as u8);
        desk.write("x.parquet", &bytes);
        let ran = desk.run("leaderboard x.parquet --ci none");
        // The reader of Parquet panics at some contradictions; those are caught, and said as damage
        // of the file.
        let refused =
            ran.code == Some(2) && ran.stdout.is_empty() && ran.stderr.contains("error: x.parquet");
        assert!(
            ran.code == Some(0) || refused,
            "{turn}: {:?} {}",
            ran.code,
            ran.stderr
        );
    }
}

/// Whatever the method: a score with a prior, or one that depends on the opponents', moves with
/// theirs alone.
#[test]
fn who_won_or_lost_everything_has_no_interval() {
    let desk = Desk::empty();
    let mut battles = String::from("item,model_a,model_b,winner\n");
    for item in 0..40 {
        let close = if item % 3 == 0 { "model_b" } else { "model_a" };
        battles +=
            &format!("{item},best,mid,model_a\n{item},best,low,model_a\n{item},mid,low,{close}\n");
    }
    desk.write("battles.csv", battles);
    for how in [
        "",
        "--prior 1",
        "--aggregate elo",
        "--aggregate pagerank",
        "--cluster none --prior 1",
    ] {
        let report = desk.json(&format!("leaderboard battles.csv {how}"));
        assert!(!row(&report, "best")["ci"].is_array(), "{how}: {report}");
        assert!(row(&report, "mid")["ci"].is_array(), "{how}: {report}");
    }
}
