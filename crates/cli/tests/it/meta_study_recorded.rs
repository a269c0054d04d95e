//! `meta study` with judges whose verdicts are recorded in settings 2 and 3, and figure 3 made of
//! them.

use crate::common::{Desk, json_line, systems};
use evenhand_stats::{kendall_tau_b, spearman};
use evenhand_testing::shared_data;
use serde_json::{Value, json};

const ACCURACIES: [f64; 7] = [0.95, 0.85, 0.75, 0.65, 0.55, 0.45, 0.35];

/// Seven recorded judges of 20 items and 5 systems, people's votes on the same pairs, and ratings;
/// nobody is asked any more.
fn desk() -> Desk {
    let desk = Desk::new(20, &["a", "b", "c", "d", "e"]);
    let judge = |spec: &str, to: &str| {
        let judged = desk.done(&format!(
            "judge --data data --judge simulated:{spec} --run made/{to} --quiet --format json"
        ));
        desk.write(to, judged.stdout);
    };
    ACCURACIES.iter().zip(0..).for_each(|(accuracy, n)| {
        judge(
            &format!("accuracy={accuracy},seed={n}"),
            &format!("verdicts/j{n}.jsonl"),
        )
    });
    judge("accuracy=0.9,seed=9", "people.jsonl");
    let report =
        desk.json("rank --data data --judge simulated:accuracy=1 --run made/faultless --quiet");
    let ratings: String = systems(&report)
        .iter()
        .zip(0..)
        .map(|(system, place)| format!("{system},{}\n", 1100 - 40 * place))
        .collect();
    desk.write("ratings.csv", format!("system,rating\n{ratings}"));
    desk
}

const LABELLED: &str = "rounds = 100\nshare-rounds = 10\n[labelled.people]\nlabels = \
                        ['people.jsonl']\n\
     [[recorded]]\ninput = 'people'\ntype = 'pairwise'\nfiles = ['verdicts']\n";

fn study() -> String {
    let rated = |n: usize| {
        format!(
            "[[recorded]]\njudge = 'j{n}'\ninput = 'all'\ntype = 'pairwise'\nfiles = \
             ['verdicts/j{n}.jsonl']\ncost-usd = 1.0\n"
        )
    };
    format!(
        "{LABELLED}[ratings]\nfile = 'ratings.csv'\n{}",
        (0..7).map(rated).collect::<String>()
    )
}

/// Each judge's figure in a measure, in the order of their names.
fn figures(measure: &Value) -> Vec<f64> {
    measure["judges"]
        .as_object()
        .unwrap()
        .values()
        .map(|figure| figure.as_f64().unwrap())
        .collect()
}

#[test]
fn recorded_judges_enter_all_three_settings() {
    let desk = desk();
    desk.write("study.toml", study());
    let report = desk.json("meta study study.toml --quiet");
    let measures = report["measures"].as_array().unwrap();
    let named: Vec<(u64, &str)> = measures
        .iter()
        .map(|m| (m["setting"].as_u64().unwrap(), m["input"].as_str().unwrap()))
        .collect();
    assert_eq!(named, [(1, "all"), (2, "people"), (3, "people")]);
    assert!(
        !desk.path("runs/study-study").exists(),
        "nobody is asked, so no calls are kept"
    );
    let all: Vec<Vec<f64>> = measures.iter().map(figures).collect();
    assert!(all.iter().all(|figures| figures.len() == 7), "{measures:?}");
    // The same figures as `meta judge` gives of the same files.
    let alone = desk.json("meta judge --recorded verdicts --labels people.jsonl --rounds 100");
    let judges = alone["judges"].as_array().unwrap();
    let of = |figure: fn(&Value) -> &Value| {
        judges
            .iter()
            .map(|judge| figure(judge).as_f64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(all[1], of(|judge| &judge["accuracy"]));
    assert_eq!(all[2], of(|judge| &judge["systems"]["spearman"]));
    assert!(
        all[1][0] > all[1][6],
        "the better judge agrees more with people: {:?}",
        all[1]
    );
    let concordances = report["concordances"].as_array().unwrap();
    for (found, [x, y]) in concordances.iter().zip([[0, 1], [0, 2], [1, 2]]) {
        assert_eq!(found["judges"], 7);
        for (figure, expected) in [
            ("rho", spearman(&all[x], &all[y])),
            ("tau_b", kendall_tau_b(&all[x], &all[y])),
        ] {
            let Ok(expected) = expected else { continue };
            assert!(
                (found[figure]["value"].as_f64().unwrap() - expected).abs() < 1e-12,
                "{found}"
            );
        }
    }
    assert_eq!(concordances.len(), 3);
    let two = &concordances[1];
    assert!(
        two["a"] == json!([1, "all"]) && two["b"] == json!([3, "people"]),
        "{two}"
    );
}

#[test]
fn a_study_of_labels_alone_needs_neither_ratings_nor_judges() {
    let desk = desk();
    desk.write("study.toml", LABELLED);
    let csv = desk
        .done("meta study study.toml --quiet --format csv")
        .stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "setting_a,input_a,setting_b,input_b,judges,rho,rho_low,rho_high,tau_b,tau_b_low,tau_b_high,note"
    );
    assert!(
        lines.len() == 2 && lines[1].starts_with("2,people,3,people,7,"),
        "{csv}"
    );
    let cells: Vec<f64> = lines[1]
        .split(',')
        .skip(5)
        .take(6)
        .zip([0.0, f64::NEG_INFINITY, f64::INFINITY].into_iter().cycle())
        // With so few judges some resampled orders are undefined, and an end may be open.
        .map(|(cell, open)| {
            if cell.is_empty() {
                open
            } else {
                cell.parse().unwrap()
            }
        })
        .collect();
    assert!(
        cells[1] <= cells[0]
            && cells[0] <= cells[2]
            && cells[4] <= cells[3]
            && cells[3] <= cells[5],
        "{csv}"
    );
    let table = desk
        .done("meta study study.toml --quiet --figures plots")
        .stdout;
    let row = table
        .lines()
        .find(|line| line.contains("setting 2, people"))
        .unwrap();
    assert!(
        row.contains("setting 3, people") && row.contains(&format!(" {:.2} ", cells[0])),
        "{table}"
    );
    assert_eq!(desk.read("plots/concordance.csv"), csv);
    let drawn = desk.read("plots/concordance.svg");
    for shown in [
        ">people, setting 2<",
        ">people, setting 3<",
        &format!("{:.2}", cells[3]),
    ] {
        assert!(drawn.contains(shown), "{shown}: {drawn}");
    }
    let drawn = desk.read("plots/concordance-intervals.svg");
    assert!(drawn.contains("7 judges"), "{drawn}");
}

#[test]
fn live_and_recorded_judges_are_held_against_the_same_labels() {
    let desk = desk();
    let label = |at: usize| {
        json_line(json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "a"}))
    };
    desk.write("labelled/items.jsonl", desk.read("data/items.jsonl"));
    desk.write(
        "labelled/responses.jsonl",
        desk.read("data/responses.jsonl"),
    );
    desk.write(
        "labelled/labels.jsonl",
        (0..20).map(label).collect::<String>(),
    );
    let both = "types = ['pairwise']\nrun = 'run'\nrounds = 50\n[judges.live]\nspec = \
                'simulated:accuracy=0.8'\n\
         [labelled.pairs]\ndata = ['labelled']\n\
         [[recorded]]\ninput = 'pairs'\ntype = 'pairwise'\nfiles = ['verdicts/j0.jsonl', \
         'verdicts/j4.jsonl']\n\
         [[recorded]]\njudge = 'one'\ninput = 'pairs'\ntype = 'pairwise'\nfiles = \
         ['verdicts/j1.jsonl']\n";
    desk.write("study.toml", both);
    let report = desk.json("meta study study.toml --quiet");
    let labelled = report["labelled"].as_array().unwrap();
    let judges: Vec<&str> = labelled
        .iter()
        .map(|judge| judge["judge"].as_str().unwrap())
        .collect();
    assert_eq!(judges, ["live", "j0", "j4", "one"]);
    assert!(
        labelled.iter().all(|judge| judge["n"] == 20),
        "{labelled:?}"
    );
}

#[test]
fn what_is_wrong_with_recorded_judges_is_said() {
    let desk = desk();
    let refused = |study: &str, message: &str| {
        desk.write("study.toml", study);
        let ran = desk.run("meta study study.toml --quiet");
        ran.prints_nothing(2);
        assert!(
            ran.stderr.starts_with(&format!("error: {message}")),
            "{study}: {}",
            ran.stderr
        );
    };
    let recorded = "[[recorded]]\ninput = 'people'\ntype = 'pairwise'\nfiles = ['verdicts']\n";
    let more = |key: &str| LABELLED.to_string() + key;
    refused(
        &more("cost-usd = 1.0\n"),
        "study.toml: [[recorded]] on people: cost-usd: it is for the cost of rankings",
    );
    refused(
        &more("systems = ['a']\n"),
        "study.toml: [[recorded]] on people: systems: a labelled input set is compared with",
    );
    refused(
        &LABELLED.replace("labels = ['people.jsonl']\n", "items = 3\n"),
        "study.toml: [labelled.people] items, systems, map and where",
    );
    refused(
        "[labelled.people]\nlabels = ['people.jsonl']\n",
        "study.toml: input sets are judged live: expected [judges.NAME]",
    );
    let unrated = recorded.replace("'people'", "'all'");
    refused(
        &format!("{unrated}[ratings]\nfile = 'ratings.csv'\n"),
        "study.toml: [[recorded]] on all: expected judge = \"...\", who judged",
    );
    refused(
        &more(&format!("{recorded}judge = 'j1'\n").replace("'verdicts'", "'verdicts/j1.jsonl'")),
        "[[recorded]] j1 on people, pairwise: it is there twice",
    );
    refused(
        &LABELLED.replace("labels = ['people.jsonl']\n", ""),
        "[[recorded]] on [labelled.people]: verdicts/j0.jsonl: the file names no labels; give \
         people's labels with labels = [\"FILE\"], or data with labels.jsonl",
    );
}

/// Share of right verdicts of each recorded judge of an LLMBar set as published, in the order of
/// their names.
fn published(expected: &Value, set: &str) -> Vec<f64> {
    let of = |run: &&Value| {
        run["file"]
            .as_str()
            .unwrap()
            .contains(&format!("llmbar/{set}/"))
    };
    let mut runs: Vec<&Value> = expected["evaluators"]
        .as_array()
        .unwrap()
        .iter()
        .filter(of)
        .collect();
    runs.sort_by_key(|run| run["file"].as_str().unwrap());
    let number = |run: &Value, key: &str| run[key].as_f64().unwrap();
    runs.iter()
        .map(|run| {
            (number(run, "correct_unswapped") + number(run, "correct_swapped")) / number(run, "n")
        })
        .collect()
}

/// The 65 recorded judges of LLMBar: how alike two of its sets order them by our figures, and by
/// the published accuracies.
#[test]
fn llmbars_recorded_judges_are_ordered_as_published() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let set = |name: &&str| {
        let files = data.join(format!("llmbar/{name}/evaluators"));
        format!(
            "[labelled.{name}]\n[[recorded]]\ninput = '{name}'\ntype = 'as recorded'\nfiles = \
             ['{}']\n",
            files.display()
        )
    };
    let sets = ["natural", "manual", "gptinst"];
    let sets = if std::env::var_os("EVENHAND_SLOW").is_some() {
        &sets[..]
    } else {
        &sets[..2]
    };
    desk.write(
        "study.toml",
        format!("rounds = 20\n{}", sets.iter().map(set).collect::<String>()),
    );
    let report = desk.json("meta study study.toml --quiet");
    let expected: Value =
        serde_json::from_slice(&std::fs::read(data.join("expected/llmbar.json")).unwrap()).unwrap();
    let concordances = report["concordances"].as_array().unwrap();
    assert_eq!(concordances.len(), sets.len() * (sets.len() - 1) / 2);
    for found in concordances {
        let [x, y] = ["a", "b"].map(|side| published(&expected, found[side][1].as_str().unwrap()));
        assert_eq!(
            (&found["a"][0], &found["b"][0], &found["judges"]),
            (&json!(2), &json!(2), &json!(65)),
            "{found}"
        );
        // A few replies are read otherwise than their source read them.
        for (figure, expected) in [("rho", spearman(&x, &y)), ("tau_b", kendall_tau_b(&x, &y))] {
            let (found, expected) = (found[figure]["value"].as_f64().unwrap(), expected.unwrap());
            eprintln!("{figure} {found:.3}, by the published accuracies {expected:.3}");
            assert!(
                (found - expected).abs() < 0.03,
                "{figure}: {found}, not {expected}"
            );
        }
    }
}
