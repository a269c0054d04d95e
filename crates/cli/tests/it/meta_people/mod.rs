//! `meta people` with the real binary: planted agreement comes back, small cases by hand, recorded
//! votes against a slow twin, and refusals.

mod recorded;

use crate::common::{Desk, assert_holds, json_line};
use serde_json::{Value, json};

fn label(item: usize, systems: [&str; 2], preferred: &str, annotator: &str) -> String {
    let [a, b] = systems;
    let label = json!({
        "item": format!("q{item}"), "a": a, "b": b, "preferred": preferred, "annotator": annotator
    });
    format!("{label}\n")
}

fn measure(desk: &Desk, rest: &str) -> Value {
    desk.json(&format!("meta people --rounds 200 {rest}"))
}

fn number(report: &Value, key: &str) -> f64 {
    report[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} in {report}"))
}

fn assert_within(report: &Value, key: &str, planted: f64) {
    let [low, high] = [0, 1].map(|end| report[format!("{key}_ci")][end].as_f64().unwrap());
    assert!(
        low <= planted && planted <= high,
        "{key}: {planted} not in {low} to {high}"
    );
}

/// Draws numbers from 0 to 1.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Five people of whom three judge each of 600 pairs, and pick the right system with probability
/// 0.8, independently.
fn planted() -> String {
    let mut draws = Draws(7);
    let mut labels = String::new();
    for item in 0..600 {
        let right = draws.next() < 0.5;
        for person in 0..3 {
            let picks_a = (draws.next() < 0.8) == right;
            let name = format!("person {}", (item + person) % 5);
            labels += &label(item, ["x", "y"], if picks_a { "a" } else { "b" }, &name);
        }
    }
    labels
}

/// Two people say the same with probability 0.8^2 + 0.2^2; alpha is 1 - 0.32 / 0.5; of three, most
/// say 3 of 3 with probability 0.52 and 2 of 3 else; two others who are right with probability 0.8
/// each predict as one does.
#[test]
fn planted_agreement_comes_back() {
    let desk = Desk::empty();
    desk.write("labels.jsonl", planted());
    let found = measure(&desk, "--labels labels.jsonl --level 0.99");
    for (key, planted) in [
        ("agreement", 0.68),
        ("agreement_without_ties", 0.68),
        ("alpha_nominal", 0.36),
        ("alpha_ordinal", 0.36),
        ("unanimous", 0.52),
        ("ceiling_in_sample", 0.84),
        ("ceiling_leave_one_out", 0.68),
    ] {
        assert_within(&found, key, planted);
    }
    assert_eq!(
        [&found["units"], &found["units_compared"], &found["items"]],
        [600; 3]
    );
    assert_eq!([&found["agreement_n"], &found["labels"]], [1800; 2]);
    assert_eq!(
        found["units_by_annotators"],
        json!([{"annotators": 3, "units": 600}])
    );
    assert_eq!(number(&found, "ties"), 0.0);
    assert_eq!(found["self_agreement_n"], 0);
    // The others have a majority where they agree: then they are right with probability 0.64 /
    // 0.68.
    let people = found["by_annotator"].as_array().unwrap();
    assert_eq!(people.len(), 5);
    for person in people {
        assert_eq!(person["units"], 360);
        assert_within(person, "agreement", (0.64 * 0.8 + 0.04 * 0.2) / 0.68);
        assert_within(person, "kappa", 0.36);
    }
}

/// Whatever the order of a label's systems, and whether the items are known otherwise.
#[test]
fn labels_alone_and_beside_data_are_the_same() {
    let desk = Desk::new(4, &["a", "b", "c"]);
    let labels = [
        label(0, ["a", "b"], "a", "ann"),
        label(0, ["b", "a"], "b", "bob"),
        label(1, ["a", "c"], "a", "ann"),
        label(1, ["c", "a"], "a", "bob"),
        label(2, ["a", "b"], "tie", "ann"),
        label(2, ["a", "b"], "tie", "bob"),
        label(2, ["a", "b"], "b", "bob"),
        label(3, ["a", "b"], "a", "ann"),
        label(3, ["a", "a"], "tie", "bob"),
    ];
    desk.write("data/labels.jsonl", labels.concat());
    let beside = measure(&desk, "--data data");
    assert_eq!(beside, measure(&desk, "--labels data/labels.jsonl"));
    assert_eq!(beside, measure(&desk, "--data data/labels.jsonl"));
    assert_eq!([&beside["units"], &beside["units_compared"]], [4, 3]);
    assert_eq!(beside["self_comparisons"], 1);
    assert!((number(&beside, "agreement") - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(number(&beside, "agreement_without_ties"), 0.5);
    assert_eq!(number(&beside, "unanimous"), number(&beside, "agreement"));
    assert_eq!(number(&beside, "self_agreement"), 0.0);
    assert_eq!(beside["self_agreement_n"], 1);
    // 6 labels: win 3, tie 2, loss 1, both ways 4 of each; one of three units disagrees:
    // 1 - 4 / ((144 - 48) / 11).
    assert!((number(&beside, "alpha_nominal") - (1.0 - 44.0 / 96.0)).abs() < 1e-12);
    let apart = "--data data/items.jsonl data/responses.jsonl --labels data/labels.jsonl";
    assert_eq!(beside, measure(&desk, apart));
    let one_pair = measure(&desk, "--labels data/labels.jsonl --systems a,b");
    assert_eq!(one_pair["units"], 3);
    assert_eq!(number(&one_pair, "agreement"), 1.0);
    let two_items = measure(&desk, "--labels data/labels.jsonl --items 2");
    assert_eq!(two_items["units"], 2);
    let no_ann = desk.run("meta people --labels data/labels.jsonl --where annotator=bob");
    assert_eq!(no_ann.code, Some(2), "{}", no_ann.stderr);
}

/// The commands of docs/meta-people.md: experts and authors in one table, and both turns, of votes
/// whose conversations are empty.
#[test]
fn figures_by_a_field_of_the_labels_are_of_the_labels_with_each_value() {
    let desk = Desk::empty();
    let vote = |question: usize, turn: usize, judge: &str, winner: &str| {
        let group = judge.split('_').next();
        json_line(json!({
            "question_id": question, "model_a": "x", "model_b": "y", "winner": winner,
            "judge": [judge], "turn": turn, "group": group, "conversation_a": [],
            "conversation_b": [],
        }))
    };
    // Experts agree on the first turn alone, authors never, and nobody votes on both.
    let votes = (0..6).flat_map(|question| {
        [
            vote(question, 1, "expert_1", "model_a"),
            vote(question, 1, "expert_2", "model_a"),
            vote(question, 2, "expert_1", "model_a"),
            vote(question, 2, "expert_2", "tie"),
            vote(10 + question, 1, "author_1", "model_a"),
            vote(10 + question, 1, "author_2", "model_b"),
        ]
    });
    desk.write("votes.jsonl", votes.collect::<String>());
    let shares = |rest: &str| {
        let found = measure(&desk, &format!("--labels votes.jsonl {rest}"));
        let parts = found["subsets"].as_object().unwrap().clone();
        let parts = parts
            .into_iter()
            .map(|(name, part)| (name, number(&part, "agreement")));
        (number(&found, "agreement"), parts.collect::<Vec<_>>())
    };
    let (all, groups) = shares("--by group");
    assert_eq!(groups, [("author".into(), 0.0), ("expert".into(), 1.0)]);
    assert_eq!(all, 0.5);
    let (all, turns) = shares("--by turn");
    assert_eq!(turns, [("1".into(), 0.5), ("2".into(), 0.0)]);
    assert!((all - 1.0 / 3.0).abs() < 1e-12, "{all}");
    assert_eq!(shares("--turn second"), (0.0, Vec::new()));
    let table = desk
        .done("meta people --labels votes.jsonl --by group --rounds 50")
        .stdout;
    assert_holds(&table, "\n expert ");
    desk.refused("meta people --labels votes.jsonl --by nothing", "nothing");
    // A field of items is taken where they have it, and what was printed says what to cite.
    let printed = desk.done("meta people --labels votes.jsonl --rounds 50 --format json");
    desk.write("people.json", printed.stdout);
    let cited = desk.done("cite people.json").stdout;
    assert_holds(&cited, "agreement of people beyond chance");
}

#[test]
fn the_answer_comes_first_and_long_lists_are_cut() {
    let desk = Desk::empty();
    let people: String = (0..40)
        .flat_map(|item| (0..25).map(move |person| (item, person)))
        .map(|(item, person)| {
            let preferred = if (item * 7 + person) % 4 == 0 {
                "tie"
            } else {
                "a"
            };
            label(item, ["x", "y"], preferred, &format!("p{person:02}"))
        })
        .collect();
    desk.write("labels.jsonl", people);
    let table = desk
        .done("meta people --labels labels.jsonl --rounds 50")
        .stdout;
    assert!(table.starts_with("People agree on 6"), "{table}");
    assert!(table.contains("(95 % interval ") && table.contains("Krippendorff's alpha is "));
    assert!(
        table.contains("and 5 more, with fewer pairs") && !table.contains("p20"),
        "{table}"
    );
    assert!(table.contains("human ceiling, leave-one-out"));
    assert!(table.contains("no judge can match more than "), "{table}");
    let all = desk
        .done("meta people --labels labels.jsonl --rounds 50 --verbose")
        .stdout;
    assert!(all.contains("p24") && !all.contains(" more, with"), "{all}");
    let csv = desk
        .done("meta people --labels labels.jsonl --rounds 50 --format csv")
        .stdout;
    assert!(
        csv.starts_with("subset,units,units_compared,alpha_nominal,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 2);
}

#[test]
fn two_people_who_never_agree() {
    let desk = Desk::empty();
    let said = |item: usize| [["a", "b"], ["b", "a"], ["tie", "a"]][item % 3];
    let labels = (0..30).flat_map(|item| {
        let [ann, bob] = said(item);
        [
            label(item, ["x", "y"], ann, "ann"),
            label(item, ["x", "y"], bob, "bob"),
        ]
    });
    desk.write("labels.jsonl", labels.collect::<String>());
    let found = measure(&desk, "--labels labels.jsonl");
    assert_eq!(number(&found, "agreement"), 0.0);
    assert_eq!(number(&found, "unanimous"), 0.0);
    assert_eq!(number(&found, "ceiling_in_sample"), 0.5);
    assert!(number(&found, "alpha_nominal") < 0.0 && number(&found, "alpha_ordinal") < 0.0);
    // No figure is without an interval or a reason, and none is NaN.
    for key in [
        "agreement",
        "unanimous",
        "ceiling_in_sample",
        "alpha_nominal",
    ] {
        let explained = !found["notes"][key].is_null();
        assert!(
            found[format!("{key}_ci")].is_array() || explained,
            "{key}: {found}"
        );
    }
}

#[test]
fn what_is_missing_is_said() {
    let desk = Desk::new(3, &["a", "b"]);
    let refused = |arguments: &str, reason: &str| {
        let ran = desk.refused(&format!("meta people {arguments}"), reason);
        assert!(ran.stdout.is_empty());
    };
    refused("", "--data");
    refused("--data data", "the data hold no labels of pairs");
    let nameless = json!({"item": "q0", "a": "a", "b": "b", "preferred": "a"});
    desk.write("nameless.jsonl", format!("{nameless}\n"));
    refused(
        "--labels nameless.jsonl",
        "none of the 1 labels names its annotator",
    );
    let apart = [
        label(0, ["a", "b"], "a", "ann"),
        label(1, ["a", "b"], "a", "bob"),
    ]
    .concat();
    desk.write("apart.jsonl", &apart);
    refused(
        "--labels apart.jsonl",
        "no unit has labels of two annotators; labels: 2, units: 2, annotators: 2",
    );
    desk.write("one.jsonl", apart + &label(0, ["b", "a"], "a", "bob"));
    refused(
        "--labels one.jsonl",
        "one unit alone has labels of two annotators",
    );
    refused("--labels one.jsonl --by topic", "topic");
    refused("--labels one.jsonl --systems a,nobody", "nobody");
    refused("--labels one.jsonl --level 2", "--level");
    refused("--labels missing.jsonl", "missing.jsonl");
    refused("--data data --labels elsewhere.jsonl", "elsewhere.jsonl");
}

/// MT-Bench's votes: the judge is the annotator, and each turn a pair of its own.
#[test]
fn votes_name_their_judges() {
    let desk = Desk::empty();
    let vote = |question: usize, turn: usize, judge: &str, winner: &str| {
        let vote = json!({
            "question_id": question, "model_a": "x", "model_b": "y", "winner": winner,
            "judge": [judge], "turn": turn
        });
        format!("{vote}\n")
    };
    let votes = (81..85).flat_map(|question| {
        [(1, "model_a"), (2, "tie")].map(|(turn, winner)| {
            vote(question, turn, "author_1", "model_a") + &vote(question, turn, "expert_2", winner)
        })
    });
    desk.write("votes.jsonl", votes.collect::<String>());
    let first = measure(&desk, "--labels votes.jsonl");
    assert_eq!(first["units"], 4);
    assert_eq!(number(&first, "agreement"), 1.0);
    assert_eq!(first["by_annotator"][1]["annotator"], "expert_2");
    assert_eq!(first["labels_on_other_turns"], 8);
    let said = desk.done("meta people --labels votes.jsonl --quiet").stdout;
    assert!(
        said.contains("8 votes are on other turns, and left out"),
        "{said}"
    );
    desk.refused(
        "meta people --labels votes.jsonl --where turn=2",
        "--where turn=2: nothing is left; 8 votes are on other turns than those that are read, \
         which --turn chooses: a number, or each for every turn",
    );
    let second = measure(&desk, "--labels votes.jsonl --turn second --where turn=2");
    assert_eq!(second["units"], 4);
    assert_eq!(number(&second, "agreement"), 0.0);
    let each = measure(&desk, "--labels votes.jsonl --turn each");
    assert_eq!(each["units"], 8);
    assert_eq!(number(&each, "agreement"), 0.5);
    // The turns of a question count once. All questions are alike, so the interval is Clopper and
    // Pearson's of 2 of 4; of 4 of 8 it would begin at 0.157.
    let low = each["agreement_ci"][0].as_f64().unwrap();
    assert!((low - 0.0676).abs() < 0.0005, "{each}");
}

#[test]
fn categories_have_rows() {
    let desk = Desk::new(0, &[]);
    let items = (0..8).map(|item| {
        let topic = ["art", "law"][item % 2];
        let category = if item < 4 { "early" } else { "late" };
        json_line(json!({
            "id": format!("q{item}"), "instruction": format!("Do {item}."),
            "category": category, "topic": topic,
        }))
    });
    desk.write("data/items.jsonl", items.collect::<String>());
    let responses =
        (0..8).flat_map(|item| ["x", "y"].map(|system| crate::common::response(item, system)));
    desk.write("data/responses.jsonl", responses.collect::<String>());
    let labels = (0..8).flat_map(|item| {
        let bob = if item % 2 == 0 { "a" } else { "b" };
        [
            label(item, ["x", "y"], "a", "ann"),
            label(item, ["x", "y"], bob, "bob"),
        ]
    });
    desk.write("data/labels.jsonl", labels.collect::<String>());
    let shares = |rest: &str| {
        let found = measure(&desk, &format!("--data data {rest}"));
        let parts = found["subsets"].as_object().unwrap().clone();
        let parts = parts
            .into_iter()
            .map(|(name, part)| (name, number(&part, "agreement")));
        parts.collect::<Vec<_>>()
    };
    assert_eq!(shares(""), [("early".into(), 0.5), ("late".into(), 0.5)]);
    assert_eq!(
        shares("--by topic"),
        [("art".into(), 1.0), ("law".into(), 0.0)]
    );
    let table = desk
        .done("meta people --data data --rounds 50 --figure people.svg")
        .stdout;
    assert!(desk.read("people.svg").contains("two labels agree"));
    assert_holds(&table, "\n early ");
    assert_holds(&table, "\n all ");
}
