//! A leaderboard that is kept up: an anchor, a minimum of battles, new battles week by week.

use crate::common::{Desk, assert_holds};
use serde_json::{Value, json};

/// Battles of four systems, the earlier in the alphabet the better; `rare` has but three.
fn battles(seed: u32, rows: u32) -> String {
    let names = ["a", "b", "c", "d"];
    let mut text = String::from("model_a,model_b,winner\n");
    let mut state = seed;
    let mut draw = |limit: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % limit
    };
    for _ in 0..rows {
        let one = draw(4) as usize;
        let other = (one + 1 + draw(3) as usize) % 4;
        let better = if one < other { "model_a" } else { "model_b" };
        let worse = if one < other { "model_b" } else { "model_a" };
        let winner = match draw(10) {
            0..=5 => better,
            6..=8 => worse,
            _ => "tie",
        };
        text += &format!("{},{},{winner}\n", names[one], names[other]);
    }
    text
}

fn row<'a>(report: &'a Value, system: &str) -> &'a Value {
    let rows = report["ranking"].as_array().unwrap();
    rows.iter().find(|row| row["system"] == system).unwrap()
}

#[test]
fn an_anchor_keeps_its_rating_and_the_others_their_distance() {
    let desk = Desk::empty();
    desk.write("one.csv", battles(1, 400));
    for ci in ["bootstrap", "sandwich"] {
        let plain = desk.json(&format!("leaderboard one.csv --ci {ci} --differences"));
        let anchored = desk.json(&format!("leaderboard one.csv --ci {ci} --anchor b=1163"));
        assert_eq!(row(&anchored, "b")["score"], 1163.0);
        assert_eq!(row(&anchored, "b")["ci"], json!([1163.0, 1163.0]));
        let score = |report: &Value, system: &str| row(report, system)["score"].as_f64().unwrap();
        let gap = |report: &Value| score(report, "a") - score(report, "b");
        assert!((gap(&plain) - gap(&anchored)).abs() < 1e-9);
        let pairs = plain["differences"].as_array().unwrap();
        let pair = pairs
            .iter()
            .find(|pair| pair["a"] == "a" && pair["b"] == "b")
            .unwrap();
        let low = row(&anchored, "a")["ci"][0].as_f64().unwrap();
        assert!((low - 1163.0 - pair["ci"][0].as_f64().unwrap()).abs() < 1e-9);
        assert_eq!(anchored["differences"], Value::Null);
        assert_eq!(row(&anchored, "a")["rank_ci"], row(&plain, "a")["rank_ci"]);
    }
    for (arguments, said) in [
        ("--anchor z=1000", "it is not ranked here; ranked are "),
        (
            "--anchor a=1000 --min-battles 1000000",
            "no system has that many; the most is ",
        ),
        ("--anchor b", "expected a system and its rating"),
        (
            "--anchor b=1000 --aggregate win-ratio",
            "only strengths on Elo's scale",
        ),
    ] {
        desk.refused(&format!("leaderboard one.csv {arguments}"), said);
    }
}

#[test]
fn systems_with_few_battles_are_left_out_and_named() {
    let desk = Desk::empty();
    let with_rare = battles(1, 400) + "rare,a,model_a\nrare,b,tie\nc,rare,model_b\n";
    desk.write("one.csv", with_rare);
    desk.write("without.csv", battles(1, 400));
    let kept = desk.json("leaderboard one.csv --min-battles 10");
    let plain = desk.json("leaderboard without.csv");
    assert_eq!(kept["ranking"], plain["ranking"]);
    assert_eq!(kept["upkeep"]["left_out"], json!(["rare"]));
    let table = desk.done("leaderboard one.csv --min-battles 10").stdout;
    assert_holds(&table, "rare has fewer than 10 battles in all");
    desk.done("leaderboard one.csv --update board.json --date 2026-11-28");
    // A board's last edition says how its intervals were made, and not how battles were counted.
    let cited = desk.run("cite board.json");
    cited.says("a board does not keep how its battles were counted; name it too");
    assert_holds(&cited.stdout, "intervals from resamples");
    let refused = desk.run("leaderboard one.csv --min-battles 10000");
    refused.says("no system has that many");
    desk.refused(
        "leaderboard one.csv --min-battles 10 --anchor rare=1000",
        "it has fewer battles than --min-battles asks for",
    );
}

/// Battles are counted once, over all slices, and who is left out is in no table.
#[test]
fn systems_that_are_left_out_are_in_no_slice() {
    let desk = Desk::empty();
    let mut text = String::from("question_id,category,model_a,model_b,winner\n");
    for item in 0..60 {
        let category = ["code", "math"][item % 2];
        for (a, b) in [("x", "y"), ("x", "z"), ("y", "z")] {
            let winner = ["model_a", "model_b", "tie"][(item + a.len() + b.len()) % 3];
            text += &format!("{item},{category},{a},{b},{winner}\n");
        }
    }
    // 12 battles, of which a slice has 6; and one that has all of its 100 in one slice.
    for item in 0..12 {
        let category = ["code", "math"][item % 2];
        text += &format!("{item},{category},rare,x,model_b\n");
    }
    for item in 0..100 {
        text += &format!("m{item},math,solver,x,tie\n");
    }
    desk.write("all.csv", text);
    let found = desk.json("leaderboard all.csv --by category --min-battles 70 --rounds 50");
    assert_eq!(found["upkeep"]["left_out"], json!(["rare"]));
    assert!(!found["slices"].to_string().contains("rare"), "{found}");
    assert!(
        !found["interaction"].to_string().contains("rare"),
        "{found}"
    );
    // 60 of the others' battles are in each slice, fewer than 70.
    let slices = found["slices"].as_array().unwrap();
    let names = |slice: &Value| slice["ranking"].as_array().unwrap().len();
    assert_eq!(
        slices.iter().map(names).collect::<Vec<_>>(),
        [3, 4],
        "{found}"
    );
}

/// Those of `battles` with the lengths of both responses, and some ties in which both were bad.
fn battles_with_lengths() -> String {
    let rows = battles(1, 400).replacen(",tie\n", ",both_bad\n", 15);
    let rows = rows.lines().skip(1).enumerate();
    let rows = rows.map(|(at, row)| format!("{row},{},{}\n", at % 7, at * 3 % 11));
    "model_a,model_b,winner,x,y\n".to_owned() + &rows.collect::<String>()
}

#[test]
fn covariates_are_fitted_to_the_battles_that_are_ranked() {
    let desk = Desk::empty();
    let rare = "rare,a,model_a,900,1\nrare,b,tie,0,80\nc,rare,model_b,7,7\n";
    desk.write("one.csv", battles_with_lengths() + rare);
    desk.write("without.csv", battles_with_lengths());
    for more in ["", " --aggregate davidson", " --both-bad apart"] {
        let how = format!("--control order,x/y{more}");
        let plain = desk.json(&format!("leaderboard without.csv {how}"));
        for kept in ["--min-battles 10", "--systems a,b,c,d"] {
            let report = desk.json(&format!("leaderboard one.csv {how} {kept}"));
            for part in ["ranking", "style", "outcomes"] {
                assert_eq!(report[part], plain[part], "{how} {kept} {part}");
            }
        }
        // The line says what was done, as without covariates.
        let usual = desk.json(&format!("leaderboard without.csv --ci none{more}"));
        assert_eq!(plain["outcomes"], usual["outcomes"], "{more}");
        assert_eq!(plain["outcomes"]["apart"], !more.is_empty(), "{more}");
        assert_eq!(plain["outcomes"]["both_bad"], 15.0, "{more}");
        if !more.is_empty() {
            let dropped = desk.json(&format!(
                "leaderboard without.csv {how} --outcomes both_bad=drop"
            ));
            for part in ["ranking", "style"] {
                assert_eq!(dropped[part], plain[part], "{more} {part}");
            }
        }
    }
}

#[test]
fn battles_that_are_ranked_are_counted() {
    let desk = Desk::empty();
    let battles = battles_with_lengths();
    desk.write("one.csv", &battles);
    let most = |with_both_bad: bool| {
        let of_system = |name: &str| {
            let rows = battles.lines().skip(1);
            let rows = rows.filter(|row| with_both_bad || !row.contains("both_bad"));
            rows.filter(|row| row.split(',').take(2).any(|one| one == name))
                .count()
        };
        let counts = ["a", "b", "c", "d"].map(of_system);
        counts.into_iter().max().unwrap()
    };
    // Davidson's model leaves out battles of which both were bad.
    for (how, with_both_bad) in [
        ("", true),
        ("--aggregate davidson", false),
        ("--both-bad apart", false),
        ("--control order", true),
    ] {
        let most = most(with_both_bad);
        desk.refused(
            &format!("leaderboard one.csv --min-battles 10000 {how}"),
            &format!("--min-battles 10000: no system has that many; the most is {most}"),
        );
    }
}

#[test]
fn a_board_takes_new_battles_and_keeps_its_history() {
    let desk = Desk::empty();
    desk.write("week1.csv", battles(1, 300));
    desk.write("week2.csv", battles(2, 300));
    let update = |file: &str, date: &str| {
        desk.json(&format!(
            "leaderboard {file} --update board.json --date {date} --anchor b=1000"
        ))
    };
    update("week1.csv", "2026-11-18");
    let first = desk.read("board.json");
    let now = update("week2.csv", "2026-11-25");
    let together = desk.json("leaderboard week1.csv week2.csv --cluster none --anchor b=1000");
    for system in ["a", "b", "c", "d"] {
        let [one, other] =
            [&now, &together].map(|board| row(board, system)["score"].as_f64().unwrap());
        assert!((one - other).abs() < 1e-6, "{system}: {one} {other}");
    }
    let board: Value = serde_json::from_str(&desk.read("board.json")).unwrap();
    let editions = board["history"].as_array().unwrap();
    assert_eq!(editions.len(), 2);
    assert_eq!(editions[0]["battles"], 300);
    assert_eq!(editions[1]["battles"], 600);
    assert_eq!(editions[1]["ranking"], json!(editions_rows(&now)));
    desk.refused(
        "leaderboard week1.csv --update board.json --date 2026-11-25",
        "in the board already, since 2026-11-18",
    );
    // The same files in the same order make the same bytes.
    std::fs::remove_file(desk.path("board.json")).unwrap();
    update("week1.csv", "2026-11-18");
    assert_eq!(desk.read("board.json"), first);
}

fn editions_rows(report: &Value) -> Vec<Value> {
    let rows = report["ranking"].as_array().unwrap().iter();
    rows.map(|row| {
        json!({"system": row["system"], "score": row["score"], "ci": row["ci"],
            "rank": row["rank"], "rank_ci": row["rank_ci"], "battles": row["n"]})
    })
    .collect()
}

#[test]
fn what_cannot_be_added_is_refused_and_the_board_stays() {
    let desk = Desk::empty();
    desk.write("week1.csv", battles(1, 50));
    desk.write("scores.csv", "system,item,score\na,1,5\nb,1,6\n");
    desk.write("odd.json", "{}");
    desk.done("leaderboard week1.csv --update board.json --date 2026-11-18 --quiet");
    let before = desk.read("board.json");
    for (arguments, said) in [
        ("week1.csv --update board.json", "--date YYYY-MM-DD"),
        ("--update board.json --date yesterday", "expected a day"),
        (
            "scores.csv --update board.json --date 2026-11-25",
            "a board counts battles",
        ),
        (
            "week1.csv --update odd.json --date 2026-11-25",
            "it is not a board",
        ),
    ] {
        desk.refused(&format!("leaderboard {arguments}"), said);
    }
    assert_eq!(desk.read("board.json"), before);
    desk.done("leaderboard --update board.json --date 2026-11-25 --ci sandwich --quiet");
    assert_ne!(desk.read("board.json"), before);
}

#[test]
fn an_anchor_is_kept_with_the_board() {
    let desk = Desk::empty();
    desk.write("week1.csv", battles(1, 300));
    desk.write("week2.csv", battles(2, 300));
    desk.write("week3.csv", battles(3, 300));
    desk.json("leaderboard week1.csv --update board.json --date 2026-11-11 --anchor b=1100");
    let next = desk.json("leaderboard week2.csv --update board.json --date 2026-11-18");
    assert_eq!(row(&next, "b")["score"], 1100.0);
    assert_eq!(
        next["upkeep"]["anchor"],
        json!({"system": "b", "rating": 1100.0})
    );
    let board = desk.read("board.json");
    let other =
        desk.run("leaderboard week3.csv --update board.json --date 2026-11-25 --anchor b=1000");
    other.ends(2, "its anchor is b=1100");
    assert_eq!(desk.read("board.json"), board);
    // A board of before, whose anchor stood nowhere but in its unit.
    let old: String = board
        .lines()
        .filter(|line| !line.starts_with("\"anchor\""))
        .map(|line| format!("{line}\n"))
        .collect();
    desk.write("old.json", old);
    desk.refused(
        "leaderboard week3.csv --update old.json --date 2026-11-25",
        "had an anchor",
    );
    let again =
        desk.json("leaderboard week3.csv --update old.json --date 2026-11-25 --anchor b=1100");
    assert_eq!(row(&again, "b")["score"], 1100.0);
}

#[test]
fn editions_that_are_written_at_once_wait_for_each_other() {
    let desk = Desk::empty();
    let files: Vec<String> = (1..=6).map(|at| format!("part{at}.csv")).collect();
    for (seed, file) in (1..).zip(&files) {
        desk.write(file, battles(seed, 200));
    }
    std::thread::scope(|scope| {
        for (day, file) in (11..).zip(&files) {
            let date = format!("2026-11-{day}");
            let run = format!("leaderboard {file} --update board.json --date {date} --ci none");
            let desk = &desk;
            scope.spawn(move || desk.done(&run));
        }
    });
    let board: Value = serde_json::from_str(&desk.read("board.json")).unwrap();
    assert_eq!(board["files"].as_array().unwrap().len(), 6);
    let history = board["history"].as_array().unwrap();
    let days: Vec<&Value> = history.iter().map(|edition| &edition["date"]).collect();
    let all: Vec<String> = (11..17).map(|day| format!("2026-11-{day}")).collect();
    assert_eq!(json!(days), json!(all), "by day, whoever came first");
    let most = history
        .iter()
        .filter_map(|edition| edition["battles"].as_u64());
    assert_eq!(most.max(), Some(1200));
    assert!(!desk.path(".board.json.lock").exists());
}

#[test]
fn battles_that_come_again_are_said_before_they_are_doubled() {
    let desk = Desk::empty();
    let body = |seed, rows| {
        let text = battles(seed, rows);
        text.split_once('\n').unwrap().1.to_owned()
    };
    let header = "model_a,model_b,winner\n";
    desk.write("week1.csv", battles(1, 300));
    desk.write("week2.csv", battles(2, 200));
    // All so far and a new week; the same rows with names, in another order.
    let all = format!("{header}{}{}{}", body(1, 300), body(2, 200), body(3, 100));
    desk.write("all.csv", &all);
    desk.json("leaderboard week1.csv --update board.json --date 2026-11-11");
    desk.json("leaderboard week2.csv --update board.json --date 2026-11-18");
    let board = desk.read("board.json");
    let update = "leaderboard all.csv --update board.json --date 2026-11-25";
    let refused = desk.run(update);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let said = "all.csv: 500 of 600 battles are in the board already (300 in week1.csv of \
                2026-11-11, 200 in week2.csv of 2026-11-18) and would count twice";
    refused.says(said);
    refused.says("--allow-duplicates");
    assert_eq!(desk.read("board.json"), board);
    desk.json(&format!("{update} --allow-duplicates"));
    let board: Value = serde_json::from_str(&desk.read("board.json")).unwrap();
    assert_eq!(board["history"][2]["battles"], 1100);

    let named = |from: usize, to: usize| -> Vec<String> {
        let rows = body(9, 400);
        let rows = rows.lines().enumerate();
        let rows = rows.map(|(at, row)| format!("battle-{at},{row}\n"));
        rows.skip(from).take(to - from).collect()
    };
    let header = format!("id,{header}");
    desk.write("first.csv", header.clone() + &named(0, 150).concat());
    let mut turned = named(0, 250);
    turned.reverse();
    desk.write("later.csv", header.clone() + &turned.concat());
    desk.write("new.csv", header + &named(250, 400).concat());
    desk.json("leaderboard first.csv --update named.json --date 2026-11-11");
    let refused = desk.run("leaderboard later.csv --update named.json --date 2026-11-18");
    refused.says("about 150 of 250 battles");
    desk.json("leaderboard new.csv --update named.json --date 2026-11-18");
}

/// Without a name of the battle, its order tells; beside a board whole rows do.
#[test]
fn a_part_of_what_was_counted_is_no_new_file() {
    let desk = Desk::empty();
    let rows: Vec<String> = battles(5, 600).lines().skip(1).map(str::to_owned).collect();
    let part = |rows: &[String]| format!("model_a,model_b,winner\n{}\n", rows.join("\n"));
    desk.write("all.csv", part(&rows));
    desk.write("part.csv", part(&rows[100..250]));
    desk.write("new.csv", battles(6, 150));
    for (files, said) in [
        (
            "all.csv part.csv",
            "part.csv: 150 of 150 battles are in all.csv already",
        ),
        (
            "part.csv all.csv",
            "all.csv: 150 of 600 battles are in part.csv already",
        ),
    ] {
        let both = desk.json(&format!("leaderboard {files}"));
        assert!(
            both["warnings"].to_string().contains(said),
            "{files}: {}",
            both["warnings"]
        );
    }
    for files in ["all.csv new.csv", "new.csv all.csv"] {
        let both = desk.json(&format!("leaderboard {files}"));
        assert!(!both["warnings"].to_string().contains("already"), "{files}");
    }
    let named = |rows: &[String], from: usize| {
        let rows = rows.iter().enumerate();
        let rows = rows.map(|(at, row)| format!("2026-11-{:02}T{},{row}\n", at % 30, at + from));
        "time,model_a,model_b,winner\n".to_owned() + &rows.collect::<String>()
    };
    desk.write("all.csv", named(&rows, 0));
    desk.json("leaderboard all.csv --update board.json --date 2026-11-11");
    let board = desk.read("board.json");
    let whole = named(&rows, 0);
    let lines: Vec<&str> = whole.lines().collect();
    for (from, to) in [(1, 151), (301, 400), (450, 601)] {
        desk.write(
            "part.csv",
            format!("{}\n{}\n", lines[0], lines[from..to].join("\n")),
        );
        let refused = desk.run("leaderboard part.csv --update board.json --date 2026-11-18");
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        refused.says("are in the board already (all.csv of 2026-11-11)");
        assert_eq!(desk.read("board.json"), board);
    }
    let new: Vec<String> = battles(9, 600).lines().skip(1).map(str::to_owned).collect();
    desk.write("new.csv", named(&new, 5000));
    desk.json("leaderboard new.csv --update board.json --date 2026-11-18");
}

/// Battles that name their questions: so many from this one on, of three systems.
fn asked(from: usize, to: usize, seed: usize) -> Vec<[String; 4]> {
    let battle = |question: usize| {
        let drawn = (question * 7919 + seed * 104_729) % 1013;
        let pair = [["a", "b"], ["a", "c"], ["c", "b"]][drawn % 3];
        let winner = ["model_a", "model_b", "tie"][drawn / 3 % 3];
        let name = format!("w{seed}-{question}");
        [name.as_str(), pair[0], pair[1], winner].map(String::from)
    };
    (from..to).map(battle).collect()
}

fn csv(rows: &[[String; 4]]) -> String {
    let rows = rows.iter().map(|row| row.join(",") + "\n");
    "question_id,model_a,model_b,winner\n".to_owned() + &rows.collect::<String>()
}

fn turned(rows: &[[String; 4]]) -> Vec<[String; 4]> {
    let rows = rows.iter().map(|[question, a, b, winner]| {
        let winner = match winner.as_str() {
            "model_a" => "model_b",
            "model_b" => "model_a",
            other => other,
        };
        [question.as_str(), b.as_str(), a.as_str(), winner].map(String::from)
    });
    rows.collect()
}

/// What a battle says is who met whom on which question and how it ended; not how the row is
/// written.
#[test]
fn battles_that_come_again_are_known_by_what_they_say() {
    let desk = Desk::empty();
    let old = asked(0, 100, 1);
    desk.write("w1.csv", csv(&old));
    let wide = csv(&old)
        .replace("\n", ",en\n")
        .replacen("winner,en", "winner,lang", 1);
    desk.write("extra.csv", wide);
    desk.write("swap.csv", csv(&turned(&old)));
    let mut reversed = old.clone();
    reversed.reverse();
    desk.write("rev.csv", csv(&turned(&reversed)));
    desk.write("cum.csv", csv(&[old.clone(), asked(0, 900, 2)].concat()));
    let lines = old.iter().map(|[question, a, b, winner]| {
        let line = json!({"winner": winner, "model_b": b, "model_a": a, "question_id": question});
        format!("{line}\n")
    });
    desk.write("w1.jsonl", lines.collect::<String>());
    desk.write("w2.csv", csv(&asked(0, 100, 2)));
    let update = |file: &str, board: &str| {
        desk.run(&format!(
            "leaderboard {file} --update {board} --date 2026-11-18"
        ))
    };
    let begin = |board: &str| {
        let ran = desk.done(&format!(
            "leaderboard w1.csv --update {board} --date 2026-11-11"
        ));
        ran.says("1 edition, the last");
    };
    begin("board.json");
    for (file, of) in [
        ("extra.csv", 100),
        ("swap.csv", 100),
        ("rev.csv", 100),
        ("w1.jsonl", 100),
        ("cum.csv", 1000),
    ] {
        let before = desk.read("board.json");
        let refused = update(file, "board.json");
        assert_eq!(refused.code, Some(2), "{file}: {}", refused.stderr);
        let said = format!("{file}: 100 of {of} battles are in the board already (w1.csv of");
        assert!(refused.stderr.contains(&said), "{file}: {}", refused.stderr);
        assert_eq!(desk.read("board.json"), before);
        // In one call it is warned of.
        let both = desk.json(&format!("leaderboard w1.csv {file}"));
        let said = format!("{file}: 100 of {of} battles are in w1.csv already, and count twice");
        let warnings = both["warnings"].as_array().unwrap();
        assert!(warnings.iter().any(|text| *text == said), "{warnings:?}");
        // Whichever comes first.
        let both = desk.json(&format!("leaderboard {file} w1.csv"));
        // Of a large file a sample is kept.
        let how_many = if of == 100 { "100" } else { "most" };
        let said =
            format!("w1.csv: {how_many} of 100 battles are in {file} already, and count twice");
        let warnings = both["warnings"].as_array().unwrap();
        assert!(warnings.iter().any(|text| *text == said), "{warnings:?}");
    }
    for share in [1, 5, 10, 30, 49, 50, 80] {
        let board = format!("board{share}.json");
        begin(&board);
        let rows = [&turned(&old)[..share], &asked(share, 100, 2)[..]].concat();
        desk.write("part.csv", csv(&rows));
        let ran = update("part.csv", &board);
        let code = if share < 50 { 0 } else { 2 };
        let said = format!("part.csv: {share} of 100 battles are in the board already");
        assert_eq!(ran.code, Some(code), "{share}: {}", ran.stderr);
        assert!(ran.stderr.contains(&said), "{share}: {}", ran.stderr);
    }
    let new = update("w2.csv", "board.json");
    assert_eq!(new.code, Some(0));
    assert!(!new.stderr.contains("already"), "{}", new.stderr);
    let both = desk.json("leaderboard w1.csv w2.csv");
    assert!(!both["warnings"].to_string().contains("already"));
}

#[test]
fn two_judges_of_one_battle_are_two_battles() {
    let desk = Desk::empty();
    let head = "question_id,model_a,model_b,winner,judge\n";
    for judge in ["j1", "j2"] {
        let rows = asked(0, 60, 1).into_iter();
        let rows = rows.map(|row| format!("{},{judge}\n", row.join(",")));
        desk.write(
            &format!("{judge}.csv"),
            head.to_owned() + &rows.collect::<String>(),
        );
    }
    let both = desk.json("leaderboard j1.csv j2.csv");
    assert!(!both["warnings"].to_string().contains("already"), "{both}");
}

#[test]
fn the_same_file_twice_is_said() {
    let desk = Desk::empty();
    desk.write("one.csv", battles(1, 100));
    desk.write("copy.csv", battles(1, 100));
    desk.write("two.csv", battles(2, 100));
    for (files, said) in [
        ("one.csv one.csv", "one.csv: it is given twice"),
        (
            "one.csv two.csv copy.csv",
            "copy.csv: it has the same bytes as one.csv",
        ),
    ] {
        for rest in ["", " --update board.json --date 2026-11-11"] {
            desk.refused(&format!("leaderboard {files}{rest}"), said);
        }
    }
    assert!(!desk.path("board.json").exists());
    let twice = desk.json("leaderboard one.csv one.csv --allow-duplicates");
    assert_eq!(twice["coverage"]["verdicts"], 200);
}
