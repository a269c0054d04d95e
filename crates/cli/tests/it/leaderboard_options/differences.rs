//! Differences between systems, and rank intervals.

use super::*;
use crate::common::assert_holds;

#[test]
fn differences_are_those_of_the_scores_in_rank_order_and_adjusted_upwards() {
    let desk = desk();
    for ci in ["bootstrap", "bca", "sandwich"] {
        let report = desk.json(&format!(
            "leaderboard b.csv --differences --rounds 200 --ci {ci}"
        ));
        let names = systems(&report);
        let pairs = report["differences"].as_array().unwrap();
        let shown: Vec<_> = pairs
            .iter()
            .map(|pair| (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap()))
            .collect();
        assert_eq!(
            shown,
            [
                (names[0], names[1]),
                (names[0], names[2]),
                (names[1], names[2])
            ]
        );
        for pair in pairs {
            let score = |side: &str| number(&row(&report, pair[side].as_str().unwrap())["score"]);
            let difference = number(&pair["difference"]);
            assert!(
                (difference - (score("a") - score("b"))).abs() < 1e-6 && difference >= 0.0,
                "{pair}"
            );
            assert!(
                number(&pair["ci"][0]) <= difference && difference <= number(&pair["ci"][1]),
                "{pair}"
            );
            assert!(number(&pair["p_adjusted"]) >= number(&pair["p"]), "{pair}");
        }
        let raw = desk.json(&format!(
            "leaderboard b.csv --differences --rounds 200 --ci {ci} --adjust none"
        ));
        assert!(
            raw["differences"]
                .as_array()
                .unwrap()
                .iter()
                .all(|pair| pair["p"] == pair["p_adjusted"]),
            "{raw}"
        );
    }
}

#[test]
fn differences_change_sign_with_the_winners() {
    let desk = desk();
    let swapped = close_race()
        .replace("model_a\n", "X\n")
        .replace("model_b\n", "model_a\n")
        .replace("X\n", "model_b\n");
    desk.write("swapped.csv", swapped);
    let [one, other] = ["b.csv", "swapped.csv"]
        .map(|file| desk.json(&format!("leaderboard {file} --differences --ci sandwich")));
    let of = |report: &Value, a: &str, b: &str| {
        let pair = report["differences"]
            .as_array()
            .unwrap()
            .iter()
            .find(|pair| pair["a"] == a && pair["b"] == b)
            .unwrap();
        [
            number(&pair["difference"]),
            number(&pair["ci"][0]),
            number(&pair["ci"][1]),
            number(&pair["p"]),
        ]
    };
    for (a, b) in [("ant", "bee"), ("ant", "cat"), ("bee", "cat")] {
        let (x, y) = (of(&one, a, b), of(&other, b, a));
        // Which comparisons are grouped, and their signs, are drawn anew.
        let near = [1e-6, 20.0, 20.0, 0.06];
        let mut ends = x.iter().zip(y).zip(near);
        assert!(
            ends.all(|((x, y), near)| (x - y).abs() < near),
            "{x:?} {y:?}"
        );
    }
}

#[test]
fn differences_are_in_every_format() {
    let desk = ladder();
    let asked = "leaderboard ladder.csv --differences";
    let report = desk.json(asked);
    let pairs = report["differences"].as_array().unwrap();
    let markdown = desk.done(&format!("{asked} --format markdown")).stdout;
    let (ranking, table) = markdown.split_once("**Differences of pairs**").unwrap();
    assert!(ranking.contains("| rank | system |"), "{ranking}");
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("| s"))
        .collect();
    // The header names the systems too.
    assert_eq!(rows.len(), 1 + pairs.len());
    let csv = desk.done(&format!("{asked} --format csv")).stdout;
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let cells: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let (systems, compared) = cells.split_at(12);
    assert!(
        systems
            .iter()
            .all(|row| row[at("against")].is_empty() && !row[at("n")].is_empty())
    );
    assert_eq!(compared.len(), pairs.len());
    for ((pair, row), cells) in pairs.iter().zip(&rows[1..]).zip(compared) {
        let [a, b] = ["a", "b"].map(|side| pair[side].as_str().unwrap());
        assert!(row.starts_with(&format!("| {a} | {b} | ")), "{row}");
        assert_eq!([cells[at("system")], cells[at("against")]], [a, b]);
        for (column, value) in [
            ("difference", &pair["difference"]),
            ("ci_low", &pair["ci"][0]),
            ("ci_high", &pair["ci"][1]),
            ("p", &pair["p"]),
            ("p_adjusted", &pair["p_adjusted"]),
        ] {
            let written = cells[at(column)].parse::<f64>().ok();
            let same = match (written, value.as_f64()) {
                (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * one.abs(),
                (one, other) => one.is_none() && other.is_none(),
            };
            assert!(same, "{a} {b} {column}: {written:?} {value}");
        }
        let is_bound = pair["p_adjusted_is_bound"] == true;
        assert_eq!(cells[at("p_adjusted_is_bound")], is_bound.to_string());
        assert!(cells[at("score")].is_empty());
    }
}

/// The least p-value of 1000 resamples used to be multiplied by the number of pairs: 0.066 here,
/// 0.779 with 40 systems.
#[test]
fn p_values_of_pairs_that_are_far_apart_pay_for_no_other_pair() {
    let desk = ladder();
    let report = desk.json("leaderboard ladder.csv --differences");
    let pairs = report["differences"].as_array().unwrap();
    assert_eq!(pairs.len(), 66);
    for pair in pairs {
        assert!(
            number(&pair["p_adjusted"]) <= 0.05 && number(&pair["ci"][0]) > 0.0,
            "{pair}"
        );
        let bound = pair["p_adjusted_is_bound"] == true;
        assert_eq!(
            bound,
            (number(&pair["p_adjusted"]) - 1.0 / 1001.0).abs() < 1e-12,
            "{pair}"
        );
        assert!(bound || number(&pair["difference"]) < 200.0, "{pair}");
    }
    let table = desk.done("leaderboard ladder.csv --differences").stdout;
    assert_holds(&table, "s00 is ahead of s11 by ");
    assert_holds(&table, ", p < 0.001, < 0.001 for all 66 pairs");
    let holm = desk
        .done("leaderboard ladder.csv --differences --adjust holm")
        .stdout;
    let said = [
        "no pattern of signs was as extreme for ",
        " of 66 pairs: their p-values are bounds; with --rounds ",
    ];
    assert!(said.iter().all(|said| holm.contains(said)), "{holm}");
}

/// Rank intervals and the sentence on neighbours come from one set of comparisons, of which a
/// system without a finite score in some resamples is a part as any other.
#[test]
fn a_rank_interval_never_excludes_what_is_left_open() {
    let desk = Desk::empty();
    let mut rows = String::from("model_a,model_b,winner\n");
    for (a, b, wins) in [
        ("s0", "s1", 9),
        ("s0", "s2", 11),
        ("s1", "s2", 9),
        ("s0", "s3", 16),
        ("s1", "s3", 15),
        ("s2", "s3", 16),
    ] {
        rows += &(0..16)
            .map(|n| format!("{a},{b},{}\n", if n < wins { "model_a" } else { "model_b" }))
            .collect::<String>();
    }
    desk.write("b.csv", rows);
    let report = desk.json("leaderboard b.csv");
    let last = row(&report, "s3");
    assert!(
        last["note"]
            .as_str()
            .unwrap()
            .starts_with("no finite score in "),
        "{last}"
    );
    // It won one of 48: the data say where it stands, if not how far below the others.
    assert_eq!(last["rank_ci"], json!([4, 4]));
    let open = report["warnings"].to_string();
    for pair in report["ranking"].as_array().unwrap().windows(2) {
        let name = |at: usize| pair[at]["system"].as_str().unwrap();
        let [Some(upper), Some(lower)] = [0, 1].map(|at| pair[at]["rank_ci"].as_array()) else {
            continue;
        };
        let apart = upper[1].as_u64() < lower[0].as_u64();
        assert!(
            !(apart && open.contains(&format!("{} and {}", name(0), name(1)))),
            "{report}"
        );
    }
}

#[test]
fn too_few_resamples_give_no_rank_intervals_and_say_so() {
    let desk = Desk::empty();
    desk.write(
        "b.csv",
        "model_a,model_b,winner\n".to_owned() + &"a,b,model_a\nb,a,model_a\na,b,tie\n".repeat(20),
    );
    let report = desk.json("leaderboard b.csv --rounds 10");
    assert!(
        rows(&report)
            .iter()
            .all(|row| row["rank_ci"].is_null() && row["ci"].is_array()),
        "{report}"
    );
    assert_eq!(
        report["warnings"][0],
        "too few resamples for rank intervals at this level: they need at least 19"
    );
}

/// Of Elo's finite ratings an interval used to be said that had no width: 52 (52 to 52).
#[test]
fn who_won_every_battle_is_ahead_without_bound_and_that_is_said() {
    let desk = Desk::empty();
    let mut battles = String::from("system_a,system_b,winner\n");
    for at in 0..10 {
        let winner = if at % 3 > 0 { "system_a" } else { "system_b" };
        battles += &format!("a,b,system_a\na,c,system_a\nb,c,{winner}\n");
    }
    desk.write("won.csv", battles);
    for aggregate in ["bradley-terry", "elo", "counting", "pagerank"] {
        let arguments = format!("leaderboard won.csv --differences --aggregate {aggregate}");
        let report = desk.json(&arguments);
        for pair in &report["differences"].as_array().unwrap()[..2] {
            assert!(
                pair["difference"].is_null() && pair["ci"].is_null(),
                "{pair}"
            );
            assert!(number(&pair["p"]) < 0.05, "{pair}");
        }
        let shown = desk.done(&arguments).stdout;
        let said = "how far a is ahead of b has no upper bound: no comparison that bears on it \
                    speaks against it, p ";
        assert!(shown.contains(said), "{aggregate}: {shown}");
    }
}

/// z answered two of twelve items: tests of so few refute little, and shares have bounds.
#[test]
fn no_interval_of_shares_goes_beyond_what_is_possible() {
    let desk = Desk::empty();
    let mut battles = String::from("model_a,model_b,winner,question_id\n");
    for item in 0..12 {
        let winner = if item % 3 == 0 { "tie" } else { "model_a" };
        battles += &format!("x,y,{winner},q{item}\n");
    }
    battles += "z,y,model_a,q0\nz,y,model_a,q1\n";
    desk.write("few.csv", battles);
    let ranked = "leaderboard few.csv --aggregate win-ratio --differences --level 0.99";
    let report = desk.json(ranked);
    let is_within = |row: &Value, least: f64| {
        let ends = row["ci"].as_array().unwrap();
        ends.iter()
            .all(|end| (least..=1.0).contains(&end.as_f64().unwrap()))
    };
    let rows = report["ranking"].as_array().unwrap();
    assert!(
        rows.iter()
            .filter(|row| row["ci"].is_array())
            .all(|row| is_within(row, 0.0))
    );
    let pairs = report["differences"].as_array().unwrap();
    assert!(
        pairs.len() == 3 && pairs.iter().all(|pair| is_within(pair, -1.0)),
        "{pairs:?}"
    );
}
