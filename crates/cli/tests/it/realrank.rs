//! RealRank's tables by `meta study` with the real binary: simulated judges whose accuracies are
//! planted, and failures as often as is planted.

use crate::common::{Desk, item, row, systems};
use serde_json::{Value, json};
use std::fs;

const SYSTEMS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// A desk with 12 items, labels of the pair a, b on each, and ratings in the order that a faultless
/// judge gives.
fn desk() -> Desk {
    let desk = Desk::new(12, &SYSTEMS);
    let report = desk.json("rank --data data --judge simulated:accuracy=1 --run faultless --quiet");
    let rating = |(place, system): (usize, &str)| {
        let rating = 1100 - 40 * place;
        format!("{system},{rating},{},{}\n", rating - 5, rating + 5)
    };
    let order = systems(&report);
    let ratings: String = order.iter().copied().enumerate().map(rating).collect();
    desk.write(
        "ratings.csv",
        format!("system,rating,ci_low,ci_high\n{ratings}"),
    );
    let plain: String = (0i32..)
        .zip(&order)
        .map(|(place, system)| format!("{system},{}\n", -place))
        .collect();
    desk.write("plain.csv", format!("system,rating\n{plain}"));
    let label = |at: usize| {
        let label = json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "a"});
        format!("{label}\n")
    };
    desk.write(
        "labelled/items.jsonl",
        (0..12).map(item).collect::<String>(),
    );
    desk.write(
        "labelled/responses.jsonl",
        desk.read("data/responses.jsonl"),
    );
    desk.write(
        "labelled/labels.jsonl",
        (0..12).map(label).collect::<String>(),
    );
    desk
}

/// A study with these lines in front of its tables, and these judges.
fn study(lines: &str, judges: &[(&str, &str)]) -> String {
    let judges: String = judges
        .iter()
        .map(|(name, spec)| format!("[judges.{name}]\nspec = \"simulated:{spec}\"\n"))
        .collect();
    format!(
        "types = [\"pairwise\"]\nrounds = 120\nshare-rounds = 5\nshares = [1.0]\nrun = \
         \"run\"\n{lines}\n[ratings]\nfile = \"ratings.csv\"\n[inputs.set]\ndata = \
         [\"data\"]\n{judges}"
    )
}

const JUDGES: [(&str, &str); 3] = [
    ("bad", "accuracy=0.5,first-slot=0.3,seed=3"),
    ("good", "accuracy=0.98,seed=1"),
    ("twin", "accuracy=0.98,seed=1"),
];

fn list<'a>(report: &'a Value, key: &str) -> &'a Vec<Value> {
    report[key]
        .as_array()
        .unwrap_or_else(|| panic!("no list {key} in {report}"))
}

/// Table 2, and tables 1, 4, 5. Judges that say the same share a rank; a coin comes last, by its
/// interval too.
#[test]
fn judges_are_ranked_and_stand_side_by_side() {
    let desk = desk();
    desk.write("study.toml", study("", &JUDGES));
    let report = desk.json("meta study study.toml --quiet");
    let ranks: Vec<Value> = list(&report, "judge_ranks")
        .iter()
        .map(|one| json!([one["judge"], one["rank"], one["rank_low"], one["rank_high"]]))
        .collect();
    // On so few items nobody knows what unlimited ones would say of the bad one's order.
    assert_eq!(
        ranks,
        [
            json!(["bad", 3, 1, 3]),
            json!(["good", 1, 1, 3]),
            json!(["twin", 1, 1, 3])
        ]
    );
    let table = desk.done("meta study study.toml --quiet").stdout;
    for shown in [
        "ranking of judges",
        "set as the input set",
        "good rho",
        "3 (1 to 3)",
    ] {
        assert!(table.contains(shown), "{shown}: {table}");
    }
    assert!(!table.contains("USD for a million tokens"), "{table}");
}

/// With one judge there is nothing to rank, nor to set side by side.
#[test]
fn one_judge_is_not_ranked_in_the_table() {
    let desk = desk();
    desk.write("study.toml", study("", &JUDGES[..1]));
    let table = desk.done("meta study study.toml --quiet").stdout;
    assert!(!table.contains("ranking of judges"), "{table}");
    assert!(!table.contains("as the input set"), "{table}");
}

/// Table 3, from the user's own prices.
#[test]
fn prices_of_judges_are_printed_where_they_are_known() {
    let desk = desk();
    desk.write(
        "prices.toml",
        "date = \"2026-01-02\"\n[[price]]\nprovider = \"simulated\"\nmodel = \"*\"\ninput = \
         1.25\noutput = 5\nsource = \"the page\"\n",
    );
    desk.write(
        "study.toml",
        study("prices = \"prices.toml\"", &JUDGES[..2]),
    );
    let report = desk.json("meta study study.toml --quiet");
    let prices = list(&report, "judge_prices");
    assert_eq!(prices.len(), 2);
    assert_eq!(
        json!([
            prices[1]["judge"],
            prices[1]["input_usd"],
            prices[1]["output_usd"]
        ]),
        json!(["good", 1.25, 5.0])
    );
    let table = desk.done("meta study study.toml --quiet").stdout;
    assert!(table.contains("USD for a million tokens"), "{table}");
    assert!(table.contains("the page, 2026-01-02"), "{table}");
}

/// Figures 4 to 6 and the rows `_ref` in one study.
#[test]
fn every_system_is_a_reference_and_one_has_rows_of_its_own() {
    let desk = desk();
    desk.write(
        "study.toml",
        study("references = [\"all\", \"b\"]", &JUDGES[1..2]),
    );
    let report = desk.json("meta study study.toml --quiet");
    let benchers = list(&report, "benchers");
    assert_eq!(list(&benchers[0]["references"], "points").len(), 5);
    let named: Vec<&Value> = benchers
        .iter()
        .map(|row| &row["reference"])
        .filter(|reference| !reference.is_null())
        .collect();
    assert_eq!(named, ["b", "b"], "a row for each aggregation");
}

/// Figure 14, where the ratings have intervals.
#[test]
fn ratings_are_drawn_with_their_intervals() {
    let desk = desk();
    let with = study("", &JUDGES[1..2]);
    desk.write("with.toml", &with);
    desk.write("without.toml", with.replace("ratings.csv", "plain.csv"));
    desk.done("meta study with.toml --quiet --figures with");
    desk.done("meta study without.toml --quiet --figures without");
    let drawn = fs::read_to_string(desk.path("with/ratings.svg")).unwrap();
    for system in SYSTEMS {
        assert!(
            drawn.contains(&format!(">{system}</text>")),
            "{system}: {drawn}"
        );
    }
    assert!(!desk.path("without/ratings.svg").exists());
}

/// Appendix C: the strict figures stay as they are, the tolerant ones stand beside them and say how
/// many verdicts nobody gave. Without failures both are the same.
#[test]
fn random_verdicts_stand_beside_the_failures() {
    let desk = desk();
    let judges = [("garbled", "accuracy=0.98,invalid=0.4"), JUDGES[1]];
    let labelled = "[labelled.pairs]\ndata = [\"labelled\"]\n";
    desk.write("strict.toml", study("", &judges) + labelled);
    desk.write(
        "both.toml",
        study("random-verdicts = true", &judges) + labelled,
    );
    let strict = desk.json("meta study strict.toml --quiet");
    let both = desk.done("meta study both.toml --quiet --format json");
    let again = desk.done("meta study both.toml --quiet --format json --threads 1");
    assert_eq!(both.stdout, again.stdout, "the seed decides the draws");
    let both = both.json();
    for (row, strict) in list(&both, "benchers")
        .iter()
        .zip(list(&strict, "benchers"))
    {
        assert!(strict.get("random_verdicts").is_none(), "{strict}");
        assert_eq!(row["spearman"], strict["spearman"]);
        let random = &row["random_verdicts"];
        let failed = row["trials"].as_u64().unwrap() - row["verdicts"].as_u64().unwrap();
        assert_eq!(random["drawn"], failed, "{row}");
        assert_eq!(failed > 0, row["judge"] == "garbled");
        if failed == 0 {
            assert_eq!(random["spearman"]["value"], row["spearman"], "{row}");
        }
    }
    let garbled = &list(&both, "random_labelled")[0];
    let labelled = &list(&both, "labelled")[0];
    assert_eq!(garbled["judge"], "garbled");
    assert!(garbled["drawn"].as_u64().unwrap() > 0, "{garbled}");
    assert!(garbled["accuracy"]["value"].is_f64(), "{garbled}");
    assert_eq!(garbled["strict_accuracy"]["value"], labelled["accuracy"]);
    assert!(list(&strict, "random_labelled").is_empty());
    let table = desk.done("meta study both.toml --quiet").stdout;
    for shown in [
        "or with a random verdict",
        "rho, random",
        "accuracy %, random",
    ] {
        assert!(table.contains(shown), "{shown}: {table}");
    }
}

/// The forms whose answers have probabilities, and what a program makes of one that it is asked
/// for.
const READ: [&str; 6] = [
    "pairwise",
    "pairwise-tie",
    "pairwise-5point",
    "pairwise-likert",
    "pointwise:1-5",
    "pointwise:0-9",
];

/// A judge that states `2` of five steps, with 0.5 on it, 0.3 on 4 and 0.2 on 5, and notes that it
/// was asked.
#[cfg(unix)]
fn write_judge_of_steps(desk: &Desk) {
    use std::os::unix::fs::PermissionsExt;
    let program = "#!/usr/bin/env python3\n\
        import json, sys\n\
        for line in sys.stdin:\n    \
            asked = json.loads(line)\n    \
            options = asked['task']['answers']['options']\n    \
            rest = [0.0, 0.5, 0.0, 0.3, 0.2] if len(options) == 5 else [0.6] + [0.4 / (len(options) - 1)] * (len(options) - 1)\n    \
            likely = options[rest.index(max(rest))]\n    \
            open('asked.log', 'a').write('x')\n    \
            print(json.dumps({'id': asked['id'], 'text': likely, 'probabilities': \
            dict(zip(options, rest))}), flush=True)\n";
    desk.write("judge.py", program);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(desk.path("judge.py"), executable).unwrap();
}

/// Appendix A: `2` is two wins of the first. Read softly, half of it speaks for the second, and
/// more strongly. Both readings are of the same replies.
#[cfg(unix)]
#[test]
fn a_judge_that_states_a_step_is_read_as_it_says_where_it_is_read_hard() {
    let desk = Desk::new(6, &["ant", "bee"]);
    write_judge_of_steps(&desk);
    let rank = |form: &str, run: &str| {
        desk.json(&format!(
            "rank --data data --judge exec:./judge.py --aggregate win-ratio --strength 6,2,2 \
             --protocol {form}/direct/single:fixed --run {run} --quiet"
        ))
    };
    let score = |report: &Value, system: &str| row(report, system)["score"].as_f64().unwrap();
    let soft = rank("pairwise-5point", "soft");
    let hard = rank("pairwise-5point,mode", "hard --reuse soft");
    // 0.5 x 2 wins against 0.3 x 2 + 0.2 x 6.
    assert!((score(&soft, "ant") - 1.0 / 2.8).abs() < 1e-6, "{soft}");
    assert_eq!([score(&hard, "ant"), score(&hard, "bee")], [1.0, 0.0]);
    assert_eq!(hard["protocol"], "pairwise-5point,mode/direct/single:fixed");
    assert_eq!(desk.read("asked.log").len(), 6, "asked once, read twice");
}

/// Every command takes the reading, and none asks anything anew for it.
#[cfg(unix)]
#[test]
fn every_form_is_read_hard_in_every_command_without_being_asked_again() {
    let desk = desk();
    write_judge_of_steps(&desk);
    for (number, form) in READ.iter().enumerate() {
        let asked = |command: &str| {
            desk.done(&format!("{command} --judge exec:./judge.py --quiet"));
            fs::read_to_string(desk.path("asked.log")).map_or(0, |log| log.len())
        };
        let run = |rest: &str| asked(&format!("rank --data data --systems a,b,c --run {rest}"));
        let before = run(&format!("rank-{number} --protocol {form}"));
        let hard = format!("{form},mode");
        assert_eq!(
            run(&format!(
                "hard-{number} --reuse rank-{number} --protocol {hard}"
            )),
            before,
            "{hard}"
        );
        let judged = asked(&format!(
            "judge --data data --systems a,b,c --run judge-{number} --reuse rank-{number} --protocol {hard}"
        ));
        assert_eq!(judged, before, "{hard}");
        let soft = asked(&format!(
            "meta judge --data labelled --run m-{number} --protocol {form}"
        ));
        let meta = asked(&format!(
            "meta judge --data labelled --run mh-{number} --reuse m-{number} --protocol {hard}"
        ));
        assert_eq!(meta, soft, "{hard}");
        let estimate = |form: &str| {
            desk.json(&format!(
                "estimate --data data --judge exec:./judge.py --no-reuse --protocol {form}"
            ))["calls"]
                .clone()
        };
        assert_eq!(estimate(&hard), estimate(form), "{hard}");
    }
    for form in ["pairwise-score,mode", "listwise,mode", "checklist,mode"] {
        desk.refused(
            &format!("estimate --data data --judge simulated --protocol {form}"),
            "is not a form",
        );
    }
}

/// Findings 3 and 4 in both readings, by a judge that prefers the longer response in part and the
/// first a little: Bradley-Terry and the win ratio order the systems of base pairs mostly alike
/// (4), and five points are no better than two (3). A study that has both readings asks once.
#[test]
fn findings_3_and_4_are_tested_in_both_readings() {
    let desk = desk();
    let judge = [(
        "one",
        "gap=0.5,length=0.3,first-slot=0.2,probabilities=true,seed=1",
    )];
    let types = |types: &str| {
        study(
            "aggregations = [\"bradley-terry\", \"win-ratio\"]\nstrength = [6, 2, 2]",
            &judge,
        )
        .replacen("[\"pairwise\"]", types, 1)
    };
    desk.write("soft.toml", types("[\"pairwise\", \"pairwise-5point\"]"));
    desk.write(
        "both.toml",
        types("[\"pairwise\", \"pairwise,mode\", \"pairwise-5point\", \"pairwise-5point,mode\"]"),
    );
    desk.json("meta study soft.toml --quiet");
    let calls = |desk: &Desk| {
        let database = crate::common::database(&desk.path("run")).unwrap();
        let count =
            database.query_row("SELECT count(*) FROM calls", [], |row| row.get::<_, i64>(0));
        count.unwrap()
    };
    let asked = calls(&desk);
    let report = desk.json("meta study both.toml --quiet");
    assert_eq!(calls(&desk), asked, "the hard reading asks nothing");
    let rho = |kind: &str, aggregation: &str| {
        let rows = list(&report, "benchers").iter();
        let mut own = rows.filter(|row| row["type"] == kind && row["aggregation"] == aggregation);
        own.next()
            .unwrap_or_else(|| panic!("{kind} {aggregation}: {report}"))["spearman"]
            .as_f64()
            .unwrap_or(f64::NAN)
    };
    for reading in ["", ",mode"] {
        let [base, five] = ["pairwise", "pairwise-5point"].map(|form| format!("{form}{reading}"));
        let (bradley_terry, win_ratio) = (rho(&base, "bradley-terry"), rho(&base, "win-ratio"));
        assert!(
            (bradley_terry - win_ratio).abs() < 0.11,
            "{base}: {bradley_terry} {win_ratio}"
        );
        let five = rho(&five, "win-ratio");
        assert!(five <= win_ratio + 1e-9, "{reading}: {five} {win_ratio}");
    }
}

/// Figures 2, 11 to 13, 15 and 16: one judge on one input set, a line for each evaluation type and
/// for that against a reference.
#[test]
fn types_are_the_lines_of_one_panel() {
    let desk = desk();
    let lines = "aggregations = [\"bradley-terry\", \"win-ratio\", \"mean\"]\nreferences = [\"b\"]";
    let several = study(lines, &JUDGES[1..2]).replacen(
        "[\"pairwise\"]",
        "[\"pointwise:0-9\", \"pairwise\", \"pairwise-5point\"]",
        1,
    );
    desk.write("study.toml", several);
    desk.done("meta study study.toml --quiet --figures plots");
    for curve in ["tau-u", "shares"] {
        let panel = desk.read(&format!("plots/{curve}-set-good.svg"));
        assert!(panel.contains("by bradley-terry</title>"), "{panel}");
        for kind in ["pointwise:0-9", "pairwise", "pairwise-5point", "against b"] {
            assert!(panel.contains(kind), "{curve} {kind}: {panel}");
        }
        assert!(
            desk.path(&format!("plots/{curve}-set-good-pairwise.svg"))
                .exists()
        );
    }
}

/// Two commands do not draw over each other's figures, and what is drawn anew is counted.
#[test]
fn figures_of_another_command_are_never_overwritten() {
    let desk = desk();
    desk.write("one.toml", study("", &JUDGES[1..2]));
    desk.write("two.toml", study("", &JUDGES[..1]));
    let drawn = desk.done("meta study one.toml --figures plots").stderr;
    assert!(drawn.contains(" drawn\n"), "{drawn}");
    let before = crate::common::snapshot(&desk.path("plots"));
    let ran = desk.run("meta study two.toml --figures plots");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let said = "it holds the figures of another command (meta study one), which those of this one \
                (meta study two) would overwrite";
    ran.says(said);
    assert_eq!(crate::common::snapshot(&desk.path("plots")), before);
    let again = desk
        .done("meta study one.toml --figures plots --figure-formats svg,png,pdf")
        .stderr;
    assert!(again.contains("earlier files"), "{again}");
    let bytes = |file: &str| fs::read(desk.path(&format!("plots/{file}"))).unwrap();
    assert!(
        bytes("ratings.png").starts_with(b"\x89PNG") && bytes("ratings.pdf").starts_with(b"%PDF")
    );
}
