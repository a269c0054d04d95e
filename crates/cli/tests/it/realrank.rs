//! RealRank's tables by `meta study` with the real binary: simulated judges whose accuracies are
//! planted, and failures as often as is planted.

use crate::common::{Desk, item, systems};
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
        "types = [\"pairwise\"]\nrounds = 100\nshare-rounds = 5\nshares = [1.0]\nrun = \
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
    assert_eq!(
        ranks,
        [
            json!(["bad", 3, 3, 3]),
            json!(["good", 1, 1, 1]),
            json!(["twin", 1, 1, 1])
        ]
    );
    let table = desk.done("meta study study.toml --quiet").stdout;
    for shown in [
        "ranking of judges",
        "set as the input set",
        "good rho",
        "3 (3 to 3)",
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
