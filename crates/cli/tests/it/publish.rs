//! `publish` and `site` with the real binary.

use crate::common::{Desk, Ran};
use crate::report_file::embedded;
use serde_json::{Value, json};

fn desk() -> Desk {
    let desk = Desk::new(12, &["careful", "brief"]);
    desk.done("rank --data data --judge simulated:accuracy=0.8 --run runs/one --quiet");
    desk.done("rank --data data --judge simulated:accuracy=0.7,seed=2 --run runs/two --quiet");
    desk
}

#[test]
fn a_ranking_becomes_a_record_for_each_system() {
    let desk = desk();
    let report = desk.json("rank --data data --judge simulated:accuracy=0.8 --run runs/one");
    let told = desk.done(
        "publish runs/one --as every-eval-ever --out eee --organization Ours --dataset questions",
    );
    told.says("2 records");
    for row in report["ranking"].as_array().unwrap() {
        let system = row["system"].as_str().unwrap();
        let record: Value =
            serde_json::from_str(&desk.read(&format!("eee/{system}.json"))).unwrap();
        assert_eq!(record["schema_version"], "0.2.1");
        assert_eq!(record["model_info"], json!({"name": system, "id": system}));
        assert_eq!(record["source_metadata"]["evaluator_relationship"], "other");
        let result = &record["evaluation_results"][0];
        assert_eq!(
            result["source_data"],
            json!({"dataset_name": "questions", "source_type": "other"})
        );
        assert_eq!(result["score_details"]["score"], row["score"]);
        let interval = &result["score_details"]["uncertainty"]["confidence_interval"];
        assert_eq!(interval["lower"], row["ci"][0]);
        assert_eq!(interval["confidence_level"], 0.95);
        // A score alone does not say what limits it.
        let limits = &result["score_details"]["details"];
        assert_eq!(limits["answer"], report["answer"]["text"]);
        assert_eq!(limits["verdicts"], "24 of 24");
        let judges = result["metric_config"]["llm_scoring"]["judges"]
            .as_array()
            .unwrap();
        assert!(
            judges[0]["model_info"]["id"]
                .as_str()
                .unwrap()
                .starts_with("simulated")
        );
        let details = result["metric_config"]["llm_scoring"]["additional_details"]
            .as_object()
            .unwrap();
        assert!(details.values().all(Value::is_string));
    }
}

/// A judge is sure of a pair where both orders say the same: each is held against the run.
#[test]
fn pairs_that_a_judge_is_sure_of_are_written_for_trainers() {
    let desk = desk();
    let judged = desk.done(
        "judge --data data --judge simulated:accuracy=0.7,seed=2 --run runs/two --format json",
    );
    let mut shares = std::collections::BTreeMap::<String, f64>::new();
    for line in judged.stdout.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let first = row["p_first"].as_f64().unwrap() + row["p_tie"].as_f64().unwrap() / 2.0;
        let is_careful = row["first"] == "careful";
        let share = if is_careful { first } else { 1.0 - first };
        *shares
            .entry(row["item"].as_str().unwrap().into())
            .or_default() += share / 2.0;
    }
    for (flags, least) in [("", 0.9), ("--confidence 0", 0.0)] {
        desk.done(&format!(
            "publish runs/two --as preference-pairs --out dpo.jsonl {flags}"
        ));
        let file = desk.read("dpo.jsonl");
        let pairs: Vec<Value> = file
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let sure = shares.values().map(|share| (2.0 * share - 1.0).abs());
        let wanted = sure
            .filter(|margin| *margin >= least && *margin > 0.0)
            .count();
        assert_eq!(pairs.len(), wanted);
        assert!(wanted > 0 && (least == 0.0 || wanted < 12), "{wanted}");
        for pair in &pairs {
            let margin = 2.0 * shares[pair["item"].as_str().unwrap()] - 1.0;
            assert!((pair["margin"].as_f64().unwrap() - margin.abs()).abs() < 1e-9);
            let chosen = if margin > 0.0 { "careful" } else { "brief" };
            assert_eq!(pair["chosen_system"], chosen);
            assert!(pair["chosen"].as_str().unwrap().contains(chosen), "{pair}");
            assert!(
                !pair["rejected"].as_str().unwrap().contains(chosen),
                "{pair}"
            );
            assert!(!pair["prompt"].as_str().unwrap().is_empty());
        }
    }
    let refused = desk.run("publish runs/two --as preference-pairs --out p.jsonl --confidence 2");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

#[test]
fn two_systems_stand_side_by_side_for_llm_comparator() {
    let desk = desk();
    desk.done("publish runs/one --as llm-comparator --pair brief,careful --out pairs.json");
    let file: Value = serde_json::from_str(&desk.read("pairs.json")).unwrap();
    assert_eq!(
        file["models"],
        json!([{"name": "brief"}, {"name": "careful"}])
    );
    let examples = file["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 12);
    for example in examples {
        let ratings = example["individual_rater_scores"].as_array().unwrap();
        assert_eq!(ratings.len(), 2);
        let scores: Vec<f64> = ratings
            .iter()
            .map(|one| one["score"].as_f64().unwrap())
            .collect();
        assert!(scores.iter().all(|score| score.abs() <= 1.5));
        assert_eq!(
            example["score"].as_f64(),
            Some(f64::midpoint(scores[0], scores[1]))
        );
        assert_ne!(ratings[0]["is_flipped"], ratings[1]["is_flipped"]);
        assert!(example["output_text_a"].as_str().unwrap().contains("brief"));
    }
    desk.refused(
        "publish runs/one --as llm-comparator --pair brief,nobody --out p.json",
        "careful, brief",
    );
}

#[test]
fn runs_are_a_site_of_static_pages() {
    let desk = desk();
    desk.done("site runs --out public --title Ours");
    let index = desk.read("public/index.html");
    for name in ["one", "two"] {
        assert!(index.contains(&format!("href=\"{name}.html\"")), "{index}");
        assert!(
            desk.read(&format!("public/{name}.html"))
                .contains("evenhand-data")
        );
    }
    assert!(index.contains("<title>Ours</title>"));
    // Its one script is ours.
    assert_eq!(index.matches("<script").count(), 1);
    let nowhere = desk.run("site nowhere --out public");
    assert_eq!(nowhere.code, Some(2), "{}", nowhere.stderr);
    // Half of a site is none.
    let half = desk.run("site runs nowhere --out half");
    assert_eq!(half.code, Some(2), "{}", half.stderr);
    let written = std::fs::read_dir(desk.path("half")).unwrap().count();
    assert_eq!(written, 0, "{}", half.stderr);
    // A page of before is still served, and that is said.
    let again = desk.done("site runs --out public");
    assert!(!again.stderr.contains("other pages"), "{}", again.stderr);
    desk.done("site runs/one --out public").says(
        "public: other pages stay in this folder, and anyone it is served to can see them: two.html",
    );
    assert!(desk.path("public/two.html").exists());
}

/// Whoever gets a page learns nothing of the folders of the machine that wrote it.
#[test]
fn pages_of_absolute_paths_name_no_folder() {
    let desk = desk();
    let rows = "x,y,model_a\ny,z,model_b\nx,z,tie\n".repeat(4);
    desk.write("battles.csv", format!("model_a,model_b,winner\n{rows}"));
    let place = |name: &str| desk.path(name).display().to_string();
    let folder = desk.path("").display().to_string();
    let folder = folder.trim_end_matches('/');
    let (battles, runs) = (place("battles.csv"), place("runs"));
    desk.done(&format!("site {battles} {runs} --out public"));
    desk.done(&format!("report {runs}/one --out public/report.html"));
    desk.done(&format!(
        "leaderboard {battles} --report public/ranked.html"
    ));
    desk.done(&format!(
        "compare {runs}/one {runs}/two --report public/compared.html --format json"
    ));
    for (file, title) in [
        ("battles.csv", "battles.csv"),
        ("one", "one"),
        ("report", "one"),
        ("ranked", "battles.csv"),
        ("compared", "one, two"),
    ] {
        let page = desk.read(&format!("public/{file}.html"));
        let data = embedded(&page);
        assert_eq!(data["overview"]["title"], title);
        assert!(
            !page.contains(folder) && !data.to_string().contains(folder),
            "{file}: {data}"
        );
    }
    assert!(!desk.read("public/index.html").contains(folder));
}

/// Three weeks of battles in a board: it is ranked, shown with its history, put on a site beside a
/// run and battles, and published, and nothing changes it.
#[test]
fn boards_and_battles_are_shown_as_runs_are() {
    let desk = desk();
    let mut all = String::from("model_a,model_b,winner\n");
    for week in 1..=3 {
        let mut rows = String::from("model_a,model_b,winner\n");
        for battle in 0..40 {
            let winner = ["model_a", "model_b", "tie"][(battle * 7 + week) % 3];
            let pair = [["x", "y"], ["y", "z"], ["x", "z"]][battle % 3].join(",");
            rows += &format!("{pair},{winner}\n");
        }
        desk.write(&format!("week{week}.csv"), &rows);
        all += rows.split_once('\n').unwrap().1;
        let date = format!("2026-11-{:02}", 7 * week);
        desk.done(&format!(
            "leaderboard week{week}.csv --update board.json --date {date} --anchor x=1000 \
             --allow-duplicates --format json"
        ));
    }
    desk.write("all.csv", &all);
    let board = desk.read("board.json");
    let shown = desk.json("leaderboard board.json");
    let whole = desk.json("leaderboard all.csv --anchor x=1000 --cluster none");
    assert_eq!(shown["ranking"], whole["ranking"]);
    let days = shown["history"].as_array().unwrap().iter();
    let days: Vec<&Value> = days.map(|edition| &edition["date"]).collect();
    assert_eq!(days, ["2026-11-07", "2026-11-14", "2026-11-21"]);
    desk.refused("leaderboard board.json all.csv", "ranked alone");
    // A ranking that was printed is none either: it holds no battles.
    desk.write("ranking.json", shown.to_string());
    desk.refused(
        "leaderboard ranking.json",
        "it is a ranking that was printed",
    );
    let refused = desk.run("leaderboard board.json --update other.json --date 2026-11-28");
    refused.says("it is a board");
    assert!(!desk.path("other.json").exists());

    desk.done("report board.json --out board.html");
    assert!(desk.read("board.html").contains("evenhand-data"));
    let by = desk.done("leaderboard all.csv --format json").stdout;
    desk.write("result.json", &by);
    desk.done("site runs/one board.json all.csv result.json --out public");
    let index = desk.read("public/index.html");
    for (page, text) in [
        ("one.html", "careful"),
        ("board.json.html", "2026-11-21"),
        ("board.json.html", "3 editions"),
        ("board.json.html", ">120 battles<"),
        ("board.json.html", ">board</a>"),
        ("all.csv.html", "data-label=\"systems\">3</td>"),
        ("result.json.html", "3"),
    ] {
        let row = index
            .split("<tr>")
            .find(|row| row.contains(&format!("href=\"{page}\"")));
        assert!(row.is_some_and(|row| row.contains(text)), "{page}: {index}");
        assert!(
            desk.read(&format!("public/{page}"))
                .contains("evenhand-data")
        );
    }
    let told = desk.done("publish board.json --as every-eval-ever --out eee");
    told.says("3 records");
    let record: Value = serde_json::from_str(&desk.read("eee/y.json")).unwrap();
    let result = &record["evaluation_results"][0];
    assert!(
        result["metric_config"].get("llm_scoring").is_none(),
        "{record}"
    );
    assert_eq!(desk.read("board.json"), board);
    // A board is called what its user calls it.
    desk.done("leaderboard all.csv --update named.json --date 2026-11-21 --name Arena");
    desk.done("publish named.json --as every-eval-ever --out named");
    let record: Value = serde_json::from_str(&desk.read("named/y.json")).unwrap();
    assert_eq!(record["evaluation_results"][0]["evaluation_name"], "Arena");
}

/// A run without a verdict is no result to show, whether it keeps one or broke off before.
#[test]
fn failed_runs_are_left_out_whether_they_keep_a_result_or_not() {
    let desk = desk();
    for (run, more) in [("broke", ""), ("ended", "--keep-going")] {
        let ran = desk.run(&format!(
            "rank --data data --judge simulated:invalid=1 --run runs/{run} {more}"
        ));
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    }
    let shown = desk.json("show runs/ended");
    assert_eq!(
        (&shown["state"], shown["report"].is_null()),
        (&json!("failed"), false)
    );
    let told = desk.done("site runs --out public");
    told.says("runs/broke: left out (");
    told.says("runs/ended: left out (24 of 24 judgments, 0 verdicts; failed)");
    told.says("2 pages");
    desk.done("site runs --out all --all").says("4 pages");
    let refused = desk.run("site runs/ended --out alone");
    refused.ends(
        2,
        "the only run is not finished, failed, or keeps no result",
    );
}

/// Where a judge stands within a private network is in no page and no record, unless asked for.
#[test]
fn addresses_of_private_machines_are_not_published() {
    let desk = Desk::new(6, &["careful", "brief"]);
    let server = evenhand_testing::server::Server::start(Default::default()).unwrap();
    let address = server.url();
    desk.done(&format!(
        "rank --data data --judge openai:m@{address} --protocol pairwise --run runs/one --quiet"
    ));
    let holds = |arguments: &str, file: &str| {
        desk.done(arguments);
        let path = desk.path(file);
        let files: Vec<_> = match path.is_dir() {
            true => path
                .read_dir()
                .unwrap()
                .map(|one| one.unwrap().path())
                .collect(),
            false => vec![path],
        };
        let texts = files
            .iter()
            .map(|file| std::fs::read_to_string(file).unwrap());
        // A page's data are packed.
        let unpack = |text: String| match text.contains("evenhand-data") {
            true => embedded(&text).to_string(),
            false => text,
        };
        let texts: Vec<String> = texts.map(unpack).collect();
        assert!(
            texts.iter().any(|text| text.contains("openai:m")),
            "{texts:?}"
        );
        texts.iter().any(|text| text.contains(&address))
    };
    assert!(!holds("site runs --out public", "public"));
    assert!(holds("site runs --out shown --addresses", "shown"));
    assert!(!holds(
        "publish runs/one --as every-eval-ever --out eee",
        "eee"
    ));
}

/// A comma may be a part of a name: it is in quotes then, in every option that takes names.
#[test]
fn a_pair_may_have_a_comma_in_its_names() {
    let desk = Desk::new(12, &["v1, alt", "v2"]);
    desk.done("rank --data data --judge simulated:accuracy=0.8 --run runs/one --quiet");
    let run = |arguments: &str, last: &[&str]| {
        let ran = Ran::of(desk.command(arguments).args(last).output().unwrap());
        assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
        ran.stdout
    };
    let pair = "\"v1, alt\",v2";
    run(
        "publish runs/one --as llm-comparator --out pair.json --pair",
        &[pair],
    );
    assert!(desk.read("pair.json").contains("v1, alt"));
    run("plan runs/one --difference 5 --pair", &[pair]);
    let condition = format!("pair={pair}");
    let found = run(
        "judgments runs/one --format csv --where",
        &[condition.as_str()],
    );
    assert_eq!(found.lines().count(), 25);
    assert!(desk.done("runs").stdout.contains("12 items, 2 systems"));
}
