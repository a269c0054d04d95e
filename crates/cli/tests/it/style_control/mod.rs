//! Style that is counted in the responses and taken out: `rank --control`, and `leaderboard
//! --control --texts`.

mod battles;
mod order;
mod runs;

use crate::common::{Desk, answer, item, number, row, rows, systems};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Value, json};
use std::sync::Arc;

/// Best first, as a simulated judge takes them.
const SYSTEMS: [&str; 5] = ["ant", "bee", "cat", "dog", "eel"];
const ALL: &str = "length,headings,lists,bold";

/// A Markdown text with so many headings, list items, bold spans and plain words, and how many
/// tokens it has.
fn text([headings, lists, bold, words]: [usize; 4]) -> (String, usize) {
    let text = "# h\n\n".repeat(headings)
        + &"- i\n".repeat(lists)
        + "\n"
        + &"**b** ".repeat(bold)
        + &"w ".repeat(words);
    (text, 2 * headings + 2 * lists + 5 * bold + words)
}

/// What a response holds: the worse the system, the longer; the rest changes from one to the next.
fn parts(item: usize, system: usize) -> [usize; 4] {
    let turn = item * 7 + system * 11;
    [turn % 3, turn % 4, turn % 5 / 2, 1 + turn % 17 + 8 * system]
}

/// Answers of five systems, for a judge that likes long ones.
fn desk(items: usize) -> Desk {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..items).map(item).collect::<String>());
    let all = (0..items).flat_map(|item| {
        SYSTEMS
            .iter()
            .enumerate()
            .map(move |(system, name)| answer(item, name, &text(parts(item, system)).0))
    });
    desk.write("data/responses.jsonl", all.collect::<String>());
    desk
}

/// A judge whose verdicts are probabilities, so that what it likes shows without the noise of
/// draws.
const LIKES_LENGTH: &str =
    "rank --data data --judge simulated:length=0.6,gap=0.8,probabilities=true --quiet --run run";
/// The same, drawing its verdicts.
const DRAWS: &str =
    "rank --data data --judge simulated:length=0.6,gap=0.8,seed=3 --quiet --run drawn";

/// The effect of the covariate of this name, with its interval.
fn effect(report: &Value, name: &str) -> [f64; 3] {
    let all = report["style"].as_array().unwrap();
    let found = all
        .iter()
        .find(|effect| effect["covariate"] == name)
        .unwrap();
    [
        number(&found["log_odds"]),
        number(&found["ci"][0]),
        number(&found["ci"][1]),
    ]
}

fn refused(desk: &Desk, arguments: &str, message: &str) {
    let ran = desk.run(arguments);
    ran.is_refused(message);
}

#[test]
fn a_liking_for_length_is_taken_out_of_the_ranking() {
    let desk = desk(60);
    let plain = desk.json(LIKES_LENGTH);
    assert!(
        number(&row(&plain, "eel")["score"]) > number(&row(&plain, "ant")["score"]),
        "length is to mislead: {plain}"
    );
    let report = desk.json(&format!("{LIKES_LENGTH} --control length"));
    assert_eq!(systems(&report), SYSTEMS, "{report}");
    let [log_odds, low, high] = effect(&report, "length");
    assert!(0.0 < low && low < log_odds && log_odds < high, "{report}");
    assert_eq!(report["ci"]["method"], "sandwich");
    assert_eq!(report["ci"]["cluster"], "item");
    assert!(
        rows(&report)
            .iter()
            .all(|row| row["n"] == 480 && row["ci"].is_array() && row["rank_ci"].is_array()),
        "{report}"
    );
    let report = desk.json(&format!("{LIKES_LENGTH} --control {ALL}"));
    let [_, least, _] = effect(&report, "length");
    assert!(
        ["headings", "lists", "bold"]
            .iter()
            .all(|name| effect(&report, name)[2] < least),
        "{report}"
    );
    let table = desk.done(&format!("{LIKES_LENGTH} --control {ALL}")).stdout;
    let shown = format!(
        " control   length: {:+.3} log-odds (",
        effect(&report, "length")[0]
    );
    assert!(
        table.contains(&shown)
            && table.matches("\n control   ").count() == 4
            && table.matches(" for one standard deviation\n").count() == 4,
        "{table}"
    );
}

#[test]
fn verdicts_that_are_drawn_say_the_same_less_certainly() {
    let desk = desk(60);
    let [plain, report] = ["", " --control length"].map(|how| desk.json(&format!("{DRAWS}{how}")));
    let lead = |report: &Value| {
        number(&row(report, "ant")["score"]) - number(&row(report, "eel")["score"])
    };
    assert!(
        lead(&plain) < 0.0 && lead(&report) > 0.0,
        "{plain} {report}"
    );
    let certain = desk.json(&format!("{LIKES_LENGTH} --control length"));
    let width = |report: &Value| effect(report, "length")[2] - effect(report, "length")[1];
    assert!(
        effect(&report, "length")[1] > 0.0 && width(&certain) < width(&report),
        "{report} {certain}"
    );
}

/// The judgments of a run as battles with counts: a verdict is a win for each of the two, weighted
/// by its probability.
fn judged(desk: &Desk, run: &str) -> String {
    let mut battles = "model_a,model_b,winner,item,weight,la,lb,ha,hb,ia,ib,ba,bb\n".to_string();
    for judgment in desk.judgments(run) {
        let number = |side: &str| {
            SYSTEMS
                .iter()
                .position(|name| judgment[side] == **name)
                .unwrap()
        };
        let item: usize = judgment["item"].as_str().unwrap()[1..].parse().unwrap();
        let [a, b] = ["first", "second"].map(|side| parts(item, number(side)));
        let [la, lb] = [a, b].map(|parts| text(parts).1);
        let systems = format!("{},{}", SYSTEMS[number("first")], SYSTEMS[number("second")]);
        for (winner, p) in [
            ("left", &judgment["p_first"]),
            ("right", &judgment["p_second"]),
        ] {
            let counts = format!(
                "{la},{lb},{},{},{},{},{},{}",
                a[0], b[0], a[1], b[1], a[2], b[2]
            );
            battles += &format!("{systems},{winner},{item},{p},{counts}\n");
        }
    }
    battles
}

#[test]
fn scores_are_controlled_by_the_comparisons_that_they_imply() {
    let desk = desk(30);
    // Item 0 has no score, so that comparisons and items are numbered apart.
    let lines = desk.read("data/responses.jsonl");
    desk.write(
        "data/responses.jsonl",
        lines
            .lines()
            .skip(5)
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    let run = "--data data --judge simulated:gap=1 --protocol pointwise --quiet --allow-missing \
               --run run";
    let mut battles = "model_a,model_b,winner,item,la,lb\n".to_string();
    let scores = desk.judgments(run);
    for (at, one) in scores.iter().enumerate() {
        for other in scores[at + 1..]
            .iter()
            .filter(|other| other["item"] == one["item"])
        {
            let winner = match number(&one["score"]).total_cmp(&number(&other["score"])) {
                std::cmp::Ordering::Greater => "model_a",
                std::cmp::Ordering::Less => "model_b",
                std::cmp::Ordering::Equal => "tie",
            };
            let length = |row: &Value| {
                let system = SYSTEMS
                    .iter()
                    .position(|name| row["first"] == **name)
                    .unwrap();
                text(parts(
                    row["item"].as_str().unwrap()[1..].parse().unwrap(),
                    system,
                ))
                .1
            };
            // Both ways round, so that no system comes first more often: the mean difference is 0.
            let line = |[x, y]: [&Value; 2], winner: &str| {
                let names = [x, y].map(|row| row["first"].as_str().unwrap());
                format!(
                    "{},{},{winner},{},{},{}\n",
                    names[0],
                    names[1],
                    x["item"],
                    length(x),
                    length(y)
                )
            };
            let turned = match winner {
                "model_a" => "model_b",
                "model_b" => "model_a",
                tie => tie,
            };
            battles += &(line([one, other], winner) + &line([other, one], turned));
        }
    }
    desk.write("b.csv", battles);
    let report = desk.json(&format!("rank {run} --control length"));
    let battles = desk.json("leaderboard b.csv --control la/lb");
    for name in SYSTEMS {
        assert!(
            (number(&row(&report, name)["score"]) - number(&row(&battles, name)["score"])).abs()
                < 1e-6,
            "{report} {battles}"
        );
        assert_eq!(row(&report, name)["n"], 29);
    }
    assert!(
        (effect(&report, "length")[0] - effect(&battles, "la/lb")[0]).abs() < 1e-9,
        "{report} {battles}"
    );
    assert_eq!(report["aggregation"], "bradley-terry");
}

/// The cells of 240 battles: systems, winner, item, both texts, and both counts of each covariate.
fn cells() -> Vec<Vec<String>> {
    let one = |turn: usize| {
        let (a, b) = [(0, 1), (2, 0), (1, 2), (3, 1), (0, 3), (2, 3)][turn % 6];
        let winner = ["model_a", "tie", "model_b", "model_a", "model_b"][turn / 6 * 3 % 5];
        let [x, y] = [parts(turn, a), parts(turn * 3 + 1, b)];
        let [(one, la), (two, lb)] = [text(x), text(y)];
        let counts = [la, lb, x[0], y[0], x[1], y[1], x[2], y[2]].map(|count| count.to_string());
        let named = [
            SYSTEMS[a],
            SYSTEMS[b],
            winner,
            &format!("i{}", turn / 4),
            &one,
            &two,
        ]
        .map(String::from);
        named.into_iter().chain(counts).collect()
    };
    (0..240).map(one).collect()
}

const HEADER: [&str; 14] = [
    "model_a",
    "model_b",
    "winner",
    "item",
    "one",
    "two",
    "length_a",
    "length_b",
    "headings_a",
    "headings_b",
    "lists_a",
    "lists_b",
    "bold_a",
    "bold_b",
];
const PAIRS: &str = "length_a/length_b,headings_a/headings_b,lists_a/lists_b,bold_a/bold_b";

fn csv() -> String {
    let quoted = |cells: Vec<String>| {
        cells
            .iter()
            .map(|cell| format!("\"{cell}\""))
            .collect::<Vec<_>>()
            .join(",")
            + "\n"
    };
    HEADER.join(",") + "\n" + &cells().into_iter().map(quoted).collect::<String>()
}

fn jsonl() -> String {
    let value = |at: usize, cell: &str| {
        if at < 6 {
            json!(cell)
        } else {
            json!(cell.parse::<u32>().unwrap())
        }
    };
    let line = |cells: Vec<String>| {
        let fields = HEADER.iter().zip(&cells).enumerate();
        let object: serde_json::Map<String, Value> = fields
            .map(|(at, (name, cell))| (name.to_string(), value(at, cell)))
            .collect();
        format!("{}\n", Value::Object(object))
    };
    cells().into_iter().map(line).collect()
}

fn parquet() -> Vec<u8> {
    let kind = |at: usize| if at < 6 { "binary" } else { "int32" };
    let field = |(at, name): (usize, &&str)| {
        format!(
            "required {} {name}{};",
            kind(at),
            if at < 6 { " (UTF8)" } else { "" }
        )
    };
    let schema = format!(
        "message battles {{ {} }}",
        HEADER.iter().enumerate().map(field).collect::<String>()
    );
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    for rows in cells().chunks(100) {
        let mut group = writer.next_row_group().unwrap();
        for at in 0..HEADER.len() {
            let mut column = group.next_column().unwrap().unwrap();
            if at < 6 {
                let texts: Vec<_> = rows
                    .iter()
                    .map(|row| ByteArray::from(row[at].as_str()))
                    .collect();
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&texts, None, None)
                    .unwrap();
            } else {
                let numbers: Vec<i32> = rows.iter().map(|row| row[at].parse().unwrap()).collect();
                column
                    .typed::<parquet::data_type::Int32Type>()
                    .write_batch(&numbers, None, None)
                    .unwrap();
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}
