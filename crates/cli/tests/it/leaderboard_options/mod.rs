//! The options of `evenhand leaderboard`, each by what it changes.

mod differences;
mod judges;

use crate::common::{Desk, json_line, number, row, rows, systems};
use serde_json::{Value, json};

/// Ant beats bee 12 to 10, and both beat cat 9 to 5.
fn close_race() -> String {
    let mut text = "model_a,model_b,winner\n".to_string();
    for (pair, wins, losses) in [("ant,bee", 12, 10), ("ant,cat", 9, 5), ("bee,cat", 9, 5)] {
        text += &format!("{pair},model_a\n").repeat(wins);
        text += &format!("{pair},model_b\n").repeat(losses);
    }
    text
}

fn desk() -> Desk {
    let desk = Desk::empty();
    desk.write("b.csv", close_race());
    desk
}

fn win_ratio(desk: &Desk, arguments: &str, system: &str) -> f64 {
    let report = desk.json(&format!(
        "leaderboard {arguments} --aggregate win-ratio --ci none"
    ));
    number(&row(&report, system)["score"])
}

#[test]
fn folders_within_are_not_passed_over_in_silence() {
    let desk = Desk::empty();
    desk.write("all/a.csv", close_race());
    desk.write(
        "all/june/b.csv",
        "model_a,model_b,winner\ncat,dog,model_a\n",
    );
    let note = "all: files in its folders are not read (june); name them too, or write 'all/**', \
                in quotes, for all\n";
    let ran = desk.done("leaderboard all --format json --ci none");
    assert_eq!(ran.stderr, note);
    assert_eq!(desk.done("leaderboard all --ci none --quiet").stderr, "");
    let counted = |files: &str| {
        let report = desk.json(&format!("leaderboard {files} --ci none --quiet"));
        number(&report["coverage"]["trials"])
    };
    assert_eq!(counted("all") + 1.0, counted("all/**"));
}

#[test]
fn the_judgments_that_carry_the_leader_do_carry_it() {
    let desk = desk();
    let report = desk.json("leaderboard b.csv --drop --ci none");
    let drop = &report["drop"];
    assert_eq!(drop["leader"], "ant");
    assert_eq!(drop["instead"], "bee");
    assert_eq!(drop["verified"], true);
    let judgments = number(&drop["judgments"]) as usize;
    assert!(
        (number(&drop["share"]) - judgments as f64 / 50.0).abs() < 1e-12,
        "{drop}"
    );
    // Without that many wins of the leader over the next, the next leads; without one fewer, it
    // does not yet.
    let without = |wins: usize| {
        let mut text = close_race();
        (0..wins).for_each(|_| text = text.replacen("ant,bee,model_a\n", "", 1));
        desk.write("fewer.csv", text);
        let report = desk.json("leaderboard fewer.csv --ci none");
        number(&row(&report, "bee")["score"]) - number(&row(&report, "ant")["score"])
    };
    assert!(
        without(judgments) > 0.0 && without(judgments - 1) <= 1e-9,
        "{drop}"
    );
    for other in ["--aggregate win-ratio", "--aggregate elo", "--prior 0.1"] {
        let report = desk.json(&format!("leaderboard b.csv --drop --ci none {other}"));
        assert_eq!(
            report["drop"]["note"], "it is known for bradley-terry without a prior only",
            "{other}"
        );
    }
}

#[test]
fn both_bad_is_a_tie_or_nothing() {
    let desk = Desk::empty();
    desk.write("b.csv", "model_a,model_b,winner\na,b,model_a\na,b,model_b\na,b,model_a\na,b,both_bad\nb,a,tie (bothbad)\n");
    for (flag, a, n) in [
        ("", 3.0 / 5.0, 5),
        ("--both-bad tie", 3.0 / 5.0, 5),
        ("--both-bad apart", 2.0 / 3.0, 3),
    ] {
        let report = desk.json(&format!(
            "leaderboard b.csv --aggregate win-ratio --ci none {flag}"
        ));
        assert!(
            (number(&row(&report, "a")["score"]) - a).abs() < 1e-12 && row(&report, "a")["n"] == n,
            "{flag}: {report}"
        );
        assert_eq!(
            report["outcomes"],
            json!({"decided": 3.0, "ties": 0.0, "both_bad": 2.0, "apart": n == 3})
        );
        let elo = desk.json(&format!(
            "leaderboard b.csv --aggregate elo --ci none {flag}"
        ));
        assert_eq!(row(&elo, "a")["n"], n, "{flag}");
    }
    for aggregate in ["davidson", "rao-kupper"] {
        let report = desk.json(&format!(
            "leaderboard b.csv --aggregate {aggregate} --ci none"
        ));
        assert_eq!(report["outcomes"]["apart"], true, "{aggregate}");
    }
}

#[test]
fn recorded_formats_are_read_as_their_options_say() {
    let desk = Desk::empty();
    let arena = |id: u32, first: &str, second: &str| {
        json_line(json!({
            "question_id": id, "model": "m", "judge": "g",
            "games": [{"score": first}, {"score": second}],
        }))
    };
    desk.write(
        "arena.jsonl",
        arena(1, "A>B", "B>>A") + &arena(2, "A=B", "A>>B"),
    );
    // For m: lost slightly, lost greatly, a tie, won greatly.
    let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} {y}");
    near(
        win_ratio(&desk, "arena.jsonl --baseline base", "m"),
        1.5 / 4.0,
    );
    near(
        win_ratio(&desk, "arena.jsonl --baseline base --strength 3,1,1", "m"),
        3.5 / 8.0,
    );
    near(
        win_ratio(&desk, "arena.jsonl --baseline base --strength 6,2,0", "m"),
        6.0 / 14.0,
    );
    near(
        win_ratio(&desk, "arena.jsonl --baseline base", "base"),
        2.5 / 4.0,
    );
    let pair = |id: u32, first: &str, second: &str| {
        json_line(json!({
            "question_id": id, "model_1": "x", "model_2": "y",
            "g1_winner": first, "g2_winner": second,
        }))
    };
    desk.write(
        "pairs.jsonl",
        pair(1, "model_1", "model_2") + &pair(2, "tie", "model_1") + &pair(3, "model_1", "model_1"),
    );
    near(win_ratio(&desk, "pairs.jsonl", "x"), 4.5 / 6.0);
    near(win_ratio(&desk, "pairs.jsonl --both-games", "x"), 2.0 / 3.0);
}

#[test]
fn a_selection_of_systems_is_ranked_by_its_own_battles() {
    let desk = desk();
    let only: String = close_race()
        .lines()
        .filter(|line| !line.contains("cat"))
        .map(|line| format!("{line}\n"))
        .collect();
    desk.write("two.csv", only);
    for how in [
        "--ci none",
        "--rounds 50",
        "--ci none --aggregate elo",
        "--ci sandwich",
    ] {
        let mut reports = ["b.csv --systems bee,ant", "two.csv"]
            .map(|file| desk.json(&format!("leaderboard {file} {how}")));
        let without = |report: &mut Value, key: &str| report.as_object_mut().unwrap().remove(key);
        assert_eq!(without(&mut reports[0], "left_out"), Some(28.into()));
        reports
            .iter_mut()
            .for_each(|report| drop(without(report, "usage")));
        assert_eq!(reports[0], reports[1], "{how}");
    }
}

#[test]
fn a_condition_that_holds_is_exit_code_three() {
    let desk = desk();
    for (condition, code) in [
        ("rank.cat>2", 3),
        ("rank.ant>1", 0),
        ("coverage<1", 0),
        ("score.cat<1000", 3),
    ] {
        let ran = desk.run(&format!(
            "leaderboard b.csv --ci none --format json --fail-if {condition}"
        ));
        assert_eq!(ran.code, Some(code), "{condition}: {}", ran.stderr);
        assert_eq!(systems(&ran.json()), ["ant", "bee", "cat"]);
    }
}

#[test]
fn settings_come_from_a_file_and_flags_beat_it() {
    let desk = desk();
    desk.write(
        "own.csv",
        close_race().replacen("model_a,model_b,winner", "x,y,z", 1),
    );
    desk.write(
        "c.toml",
        "aggregate = 'win-ratio'\nci = 'none'\nleft = 'x'\nright = 'y'\nwinner = 'z'\nsystems = \
         ['ant', 'bee']\n",
    );
    let report = desk.json("leaderboard own.csv --config c.toml");
    assert_eq!(report["aggregation"], "win-ratio");
    assert_eq!(report["ci"]["method"], "none");
    assert_eq!(rows(&report).len(), 2);
    let report = desk.json("leaderboard own.csv --config c.toml --aggregate counting");
    assert_eq!(report["aggregation"], "counting");
    desk.write("bad.toml", "nope = 1\n");
    let ran = desk.run("leaderboard own.csv --config bad.toml");
    assert_eq!(ran.code, Some(2));
    ran.says_first("error: bad.toml: unknown key `nope`; leaderboard takes ");
}

#[test]
fn every_format_shows_the_same_rows_in_rank_order() {
    let desk = desk();
    let report = desk.json("leaderboard b.csv --rounds 50");
    let csv = desk
        .done("leaderboard b.csv --rounds 50 --format csv")
        .stdout;
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("system,score,ci_low,ci_high,rank,rank_low,rank_high,n,note")
    );
    for (line, row) in lines.zip(rows(&report)) {
        let cells: Vec<&str> = line.split(',').collect();
        let figures: Vec<f64> = cells[1..8]
            .iter()
            .map(|cell| cell.parse().unwrap())
            .collect();
        let expected = [
            &row["score"],
            &row["ci"][0],
            &row["ci"][1],
            &row["rank"],
            &row["rank_ci"][0],
            &row["rank_ci"][1],
            &row["n"],
        ];
        assert_eq!(cells[0], row["system"].as_str().unwrap());
        assert_eq!(figures, expected.map(number).to_vec());
    }
    assert_eq!(csv.lines().count(), 4);
    let table = desk.done("leaderboard b.csv --rounds 50").stdout;
    let answer = report["answer"]["text"].as_str().unwrap();
    assert_eq!(table.lines().next(), Some(&*format!("{answer}.")));
    let shown: Vec<Vec<&str>> = table
        .lines()
        .skip(2)
        .take(4)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        shown[0].join(" "),
        "rank system score 95 % interval rank interval judgments"
    );
    assert_eq!(
        shown[1..].iter().map(|cells| cells[1]).collect::<Vec<_>>(),
        systems(&report)
    );
    let ranks: Vec<u64> = rows(&report)
        .iter()
        .map(|row| row["rank"].as_u64().unwrap())
        .collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
}

#[test]
fn a_win_rate_has_its_standard_error_beside_it() {
    let desk = Desk::empty();
    desk.write(
        "b.csv",
        "model_a,model_b,winner,item\nx,y,x,1\nx,y,y,2\nx,y,tie,3\nx,y,x,4\nx,y,x,5\n",
    );
    // Of 5 items 3.5 are won: squared deviations 3 * 0.09 + 0.49 + 0.04.
    let error = (0.8f64 / 4.0 / 5.0).sqrt();
    let board = |more: &str| desk.json(&format!("leaderboard b.csv --rounds 50 {more}"));
    let report = board("--aggregate win-ratio");
    for system in ["x", "y"] {
        assert!(
            (number(&row(&report, system)["standard_error"]) - error).abs() < 1e-12,
            "{report}"
        );
    }
    assert!(row(&board(""), "x").get("standard_error").is_none());
    let streamed = board("--aggregate win-ratio --ci none");
    assert!(
        row(&streamed, "x").get("standard_error").is_none(),
        "items are not read there"
    );
    desk.write("all.csv", "model_a,model_b,winner\nx,y,x\nx,y,x\nx,y,x\n");
    let certain = desk.json("leaderboard all.csv --aggregate win-ratio");
    assert!(
        row(&certain, "x").get("standard_error").is_none(),
        "{certain}"
    );
    let table = desk
        .done("leaderboard b.csv --aggregate win-ratio --rounds 50")
        .stdout;
    let shown: Vec<String> = table
        .lines()
        .map(|line| {
            line.split_whitespace()
                .take(5)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    // Below the answer and an empty line.
    assert_eq!(shown[2], "rank system score standard error", "{table}");
    assert!(shown[3].starts_with("1 x 0.700 0.2000 "), "{table}");
    let csv = desk
        .done("leaderboard b.csv --aggregate win-ratio --rounds 50 --format csv")
        .stdout;
    assert!(
        csv.lines()
            .nth(1)
            .unwrap()
            .ends_with(&format!(",5,,{error}")),
        "{csv}"
    );
}

#[test]
fn the_scale_of_log_odds_is_that_of_elo_but_for_its_unit() {
    let desk = desk();
    for ci in ["none", "sandwich", "bootstrap"] {
        let [elo, log_odds] = ["elo", "log-odds"].map(|scale| {
            desk.json(&format!(
                "leaderboard b.csv --rounds 50 --ci {ci} --scale {scale}"
            ))
        });
        let as_elo = |value: &Value| 1000.0 + number(value) * 400.0 / std::f64::consts::LN_10;
        for (x, y) in rows(&elo).iter().zip(rows(&log_odds)) {
            assert!(
                (number(&x["score"]) - as_elo(&y["score"])).abs() < 1e-9,
                "{x} {y}"
            );
            assert!(
                ci == "none" || (number(&x["ci"][0]) - as_elo(&y["ci"][0])).abs() < 1e-9,
                "{x} {y}"
            );
            assert_eq!((&x["rank"], &x["rank_ci"]), (&y["rank"], &y["rank_ci"]));
        }
    }
}

#[test]
fn elo_is_averaged_over_orders() {
    let desk = Desk::empty();
    desk.write(
        "b.csv",
        "model_a,model_b,winner\n".to_owned()
            + &"a,b,model_a\n".repeat(30)
            + &"a,b,model_b\n".repeat(30),
    );
    let score = |more: &str| {
        let report = desk.json(&format!(
            "leaderboard b.csv --aggregate elo --ci none {more}"
        ));
        row(&report, "a")["score"].as_f64().unwrap()
    };
    // All of a's wins come first, so one pass leaves it behind; over orders the two are equals.
    assert!(score("") < 990.0 && (score("--permutations 400") - 1000.0).abs() < 2.0);
    assert_eq!(
        score("--permutations 50 --threads 1"),
        score("--permutations 50 --threads 2")
    );
}

/// Twelve systems, each of which beats all below it in nine games of ten.
fn ladder() -> Desk {
    let desk = Desk::empty();
    let battle = |a: usize, b: usize, n: usize| {
        let winner = if n.is_multiple_of(10) {
            "model_b"
        } else {
            "model_a"
        };
        format!("s{a:02},s{b:02},{winner}\n")
    };
    let pairs = (0..12).flat_map(|a| (a + 1..12).map(move |b| (a, b)));
    let rows: String = pairs
        .flat_map(|(a, b)| (0..60).map(move |n| battle(a, b, n)))
        .collect();
    desk.write("ladder.csv", format!("model_a,model_b,winner\n{rows}"));
    desk
}
