//! `examples/papers/portia`: the study files of PORTIA's tables, with simulated judges of planted
//! properties on the recorded answers and labels.

use crate::common::{Desk, assert_holds};
use crate::papers::papers;
use serde_json::Value;

/// The rows of a list that have these members.
fn rows<'a>(report: &'a Value, list: &str, members: &[(&str, &str)]) -> Vec<&'a Value> {
    let is_so = |row: &&Value| members.iter().all(|(name, value)| row[*name] == *value);
    report[list]
        .as_array()
        .unwrap()
        .iter()
        .filter(is_so)
        .collect()
}

fn row<'a>(report: &'a Value, list: &str, members: &[(&str, &str)]) -> &'a Value {
    let found = rows(report, list, members);
    let [row] = found[..] else {
        panic!("{} rows of {members:?} in {list}", found.len())
    };
    row
}

fn number(row: &Value, name: &str) -> f64 {
    row[name]
        .as_f64()
        .unwrap_or_else(|| panic!("{name} of {row}"))
}

/// Returns a copy of the papers with a table's study of the first items alone.
fn study_of(table: &str, items: usize) -> Option<Desk> {
    let desk = papers(&["vicuna"])?;
    let file = format!("papers/portia/{table}.toml");
    let whole = desk.read(&file);
    let pairs = format!("items = {items}\npairs = [");
    desk.write(&file, whole.replace("pairs = [", &pairs));
    Some(desk)
}

const ORIGINALS: [&str; 3] = [
    "pairwise-tie/cot/swap:none/criteria",
    "pairwise-score/direct/swap:none/criteria",
    "pairwise-likert/direct/swap:none/criteria",
];
const PORTIA: [&str; 3] = [
    "pairwise-tie/cot/portia:3/criteria",
    "pairwise-score/direct/portia:3/criteria",
    "pairwise-likert/direct/portia:3/criteria",
];

/// Table 1 and figure 3 by one command: three judges, three forms, four methods.
#[test]
fn table_1_is_one_study() {
    let Some(desk) = study_of("TABLE-1", 8) else {
        return;
    };
    let study = "meta study papers/portia/TABLE-1.toml --figures figures --quiet";
    let report = desk.json(study);
    assert_eq!(report["methods"].as_array().unwrap().len(), 3 * 12);
    assert!(report["labelled"].as_array().unwrap().is_empty());
    let middle = |kind| row(&report, "methods", &[("judge", "middle"), ("type", kind)]);
    let mut gains = Vec::new();
    for (original, portia) in ORIGINALS.into_iter().zip(PORTIA) {
        let (before, after) = (middle(original), middle(portia));
        assert_eq!(before["pairs"], 32);
        assert_eq!(
            (&before["baseline"], &after["baseline"]),
            (&Value::Null, &original.into())
        );
        let gain = number(after, "consistent") / number(before, "consistent") - 1.0;
        assert!(
            (number(after, "consistent_gain") - gain).abs() < 1e-9,
            "{after}"
        );
        assert!(number(after, "mended") > 0.0, "{after}");
        // Nothing is held against labels here.
        assert!(after["right_in_both"].is_null());
        // Means over the three judges.
        let mean = row(&report, "method_means", &[("method", portia)]);
        let own = rows(&report, "methods", &[("type", portia)]);
        for name in ["consistent", "consistent_gain", "mended"] {
            let expected = own.iter().map(|row| number(row, name)).sum::<f64>() / 3.0;
            assert!(
                (number(mean, name) - expected).abs() < 1e-9,
                "{name}: {mean}"
            );
        }
        gains.extend(own.iter().map(|row| number(row, "consistent_gain")));
    }
    // The means that the paper leads with, over judges and forms.
    let headline = row(&report, "method_means", &[("method", "portia:3")]);
    assert_eq!(
        (&headline["columns"], &headline["forms"]),
        (&9.into(), &3.into())
    );
    let expected = gains.iter().sum::<f64>() / 9.0;
    assert!((number(headline, "consistent_gain") - expected).abs() < 1e-9);
    let [low, high] = [0, 1].map(|end| headline["consistent_gain_ci"][end].as_f64().unwrap());
    assert!(low < expected && expected < high, "{headline}");
    let drawn = desk.read("figures/fixed-coverage-vicuna.svg");
    assert_holds(&drawn, "<rect");
    assert_holds(&drawn, "portia:3,no-semantic");

    // The slow twin: the same judge in `meta consistency`, whose looks at the responses as they are
    // come first, mends the same pairs.
    let twin = desk.json(
        "meta consistency --data papers/data/vicuna --items 8 --rounds 20 --quiet --systems \
         llama-13b,alpaca-13b,vicuna-13b,vicuna-7b --judge \
         simulated:accuracy=0.75,first-slot=0.4,tie=0.1,seed=2 --protocol \
         pairwise-tie/cot/portia:3,original-first/criteria",
    );
    let paired = [
        "llama-13b vicuna-13b",
        "alpaca-13b vicuna-13b",
        "vicuna-13b vicuna-7b",
        "alpaca-13b vicuna-7b",
    ];
    let mut sums = [0.0; 3];
    for one in twin["by_systems"].as_array().unwrap() {
        let mut names: Vec<&str> = one["systems"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        names.sort_unstable();
        if paired.contains(&names.join(" ").as_str()) {
            let counts = ["pairs", "pairs_consistent_at_first", "pairs_mended"];
            for (sum, name) in sums.iter_mut().zip(counts) {
                *sum += number(one, name);
            }
        }
    }
    assert_eq!(sums[0], 32.0);
    let mended = sums[2] / (sums[0] - sums[1]);
    assert!((number(middle(ORIGINALS[0]), "consistent") - sums[1] / 32.0).abs() < 1e-9);
    assert!((number(middle(PORTIA[0]), "mended") - mended).abs() < 1e-9);
    let text = desk.done(study).stdout;
    for expected in [
        "fixed coverage %",
        "mean over judges",
        "portia:3, 3 forms",
        " %)",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let csv = desk.done(&format!("{study} --format csv")).stdout;
    let header = csv.lines().next().unwrap();
    assert!(
        header.starts_with("input,judge,type,pairs,consistent,"),
        "{header}"
    );
    assert!(
        header.contains(",consistent_gain,") && header.ends_with(",relative_usd,relative_seconds"),
        "{header}"
    );
    assert_eq!(csv.lines().count(), 37);
    let markdown = desk.done(&format!("{study} --format markdown")).stdout;
    assert!(markdown.contains("| relative\\_tokens |"), "{markdown}");
}

/// Table 2: the paper's count, of the original and of PORTIA alike, by form.
#[test]
fn table_2_counts_what_is_right_in_both_orders() {
    let Some(desk) = papers(&["vicuna"]) else {
        return;
    };
    let study = "meta study papers/portia/TABLE-2.toml --quiet";
    let report = desk.json(study);
    for labelled in report["labelled"].as_array().unwrap() {
        let [judge, kind] = ["judge", "protocol"].map(|name| labelled[name].as_str().unwrap());
        let own = row(&report, "methods", &[("judge", judge), ("type", kind)]);
        let both = number(labelled, "accuracy_both");
        assert!((number(own, "right_in_both") - both).abs() < 1e-9, "{own}");
        assert!((number(own, "accuracy") - number(labelled, "accuracy")).abs() < 1e-9);
    }
    for kind in PORTIA {
        let own = row(&report, "methods", &[("judge", "middle"), ("type", kind)]);
        assert!(number(own, "right_in_both_gain") > 0.0, "{own}");
    }
    let header = desk.done(&format!("{study} --format csv")).stdout;
    let header = header.lines().next().unwrap();
    assert!(header.starts_with("input,judge,type,n,") && header.contains(",accuracy_both,"));
    assert_holds(header, ",calls,prompt_tokens,completion_tokens,cost_usd,");
}

/// Table 8: the labels are another judge's, which has none of its own.
#[test]
fn table_8_holds_judges_against_the_best_one() {
    let Some(desk) = study_of("TABLE-8", 20) else {
        return;
    };
    let report = desk.json("meta study papers/portia/TABLE-8.toml --quiet");
    for (original, portia) in ORIGINALS.into_iter().zip(PORTIA) {
        let of = |judge, kind| row(&report, "methods", &[("judge", judge), ("type", kind)]);
        let (before, after) = (of("middle", original), of("middle", portia));
        assert!(
            number(after, "right_in_both") > number(before, "right_in_both"),
            "{after}"
        );
        assert!(of("gold", portia)["right_in_both"].is_null());
    }
    // One judge in the place of all has nobody to be held against.
    let alone = desk.json("meta study papers/portia/TABLE-8.toml --quiet --judge simulated");
    let alone = alone["methods"].as_array().unwrap();
    assert!(alone.iter().all(|row| row["right_in_both"].is_null()));
}

/// Table 16: five methods with their costs, relative to VANILLA's.
#[test]
fn table_16_has_costs() {
    let Some(desk) = papers(&["vicuna"]) else {
        return;
    };
    let study =
        "meta study papers/portia/TABLE-16.toml --quiet --device a100 --devices 4 --region us";
    let report = desk.json(study);
    let of = |kind| row(&report, "methods", &[("judge", "middle"), ("type", kind)]);
    let vanilla = of("pairwise-tie/direct/swap:none/criteria");
    assert_eq!(number(&vanilla["spent"], "calls"), 160.0);
    assert_eq!(number(vanilla, "relative_tokens"), 1.0);
    for kind in [
        "pairwise-score/cot/mec:3/criteria",
        "pairwise-score/cot/mec+bpc:3/criteria",
    ] {
        assert_eq!(number(of(kind), "relative_calls"), 3.0, "{kind}");
        assert!(number(of(kind), "relative_tokens") > 2.5);
    }
    let portia = of("pairwise-tie/cot/portia:3/criteria");
    assert!(
        (1.0..2.0).contains(&number(portia, "relative_calls")),
        "{portia}"
    );
    // MEC and MEC+BPC share their samples: asked once, they count in each row.
    let together = row(&report, "together", &[("judge", "middle")]);
    let alone: f64 = rows(&report, "methods", &[("judge", "middle")])
        .iter()
        .map(|row| number(&row["spent"], "calls"))
        .sum();
    assert!(number(&together["spent"], "calls") < alone, "{together}");
    // Time, energy and carbon stand beside the calls, of each row and of all together.
    let methods = rows(&report, "methods", &[("judge", "middle")]);
    let mut seconds = 0.0;
    for spent in methods
        .iter()
        .map(|row| &row["spent"])
        .chain([&together["spent"]])
    {
        let own = number(spent, "seconds");
        assert!(own > 0.0, "{spent}");
        let kwh = number(spent, "kwh");
        assert!((kwh - 4.0 * 400.0 * own / 3.6e6).abs() < 1e-12, "{spent}");
        assert!((number(spent, "grams_co2") - 370.0 * kwh).abs() < 1e-9);
        seconds += own;
    }
    // What rows share is counted once.
    assert!(2.0 * number(&together["spent"], "seconds") < seconds);
    assert_eq!(number(vanilla, "relative_seconds"), 1.0);
    // Asked of the store, nothing says how long it took.
    let again = desk.json(study);
    let stored = &row(&again, "together", &[("judge", "middle")])["spent"];
    assert!(stored["seconds"].is_null() && stored["grams_co2"].is_null());
    assert_eq!(stored["calls"], together["spent"]["calls"]);
    let means = rows(&report, "method_means", &[("input", "people")]);
    assert_eq!(means.len(), 5);
    let whole = desk.read("papers/portia/TABLE-16.toml");
    desk.write(
        "papers/portia/TIMED.toml",
        format!("run = \"runs/timed\"\n{whole}"),
    );
    let text = desk.done(&study.replace("TABLE-16", "TIMED")).stdout;
    for column in [
        "all together, each call once",
        "tokens x",
        "seconds x",
        "g of CO2 equivalent",
    ] {
        assert!(text.contains(column), "{column}: {text}");
    }
}

/// Baselines and sets without labels that cannot be used are refused before anything is asked.
#[test]
fn what_cannot_be_compared_is_refused() {
    let Some(desk) = papers(&["vicuna"]) else {
        return;
    };
    let whole = desk.read("papers/portia/TABLE-8.toml");
    for (from, to, expected) in [
        (
            "gold = \"gold\"",
            "gold = \"nobody\"",
            "nobody is not a judge of this study",
        ),
        (
            "[\"llama-13b\", \"vicuna-13b\"]",
            "[\"llama-13b\", \"nobody\"]",
            "nobody",
        ),
        (
            "    \"pairwise-tie/cot/swap:none/criteria\",\n    \"pairwise-score",
            "    \"pairwise\",\n    \"pairwise-score",
            "baselines: pairwise is not a type",
        ),
        (
            "[unlabelled.vicuna]",
            "[labelled.vicuna]",
            "they are for [unlabelled.NAME]",
        ),
    ] {
        assert!(whole.contains(from), "{from}");
        desk.write("papers/portia/bad.toml", whole.replace(from, to));
        let failed = desk.run("meta study papers/portia/bad.toml --quiet");
        assert_eq!(failed.code, Some(2), "{}", failed.stderr);
        assert!(
            failed.stderr.contains(expected),
            "{expected}: {}",
            failed.stderr
        );
    }
}

/// Consistency, refusals and answers by the eight categories, and the shares of the likert numbers
/// on inconsistent pairs (section 4.2, section 8).
#[test]
fn consistency_is_shown_by_category() {
    let Some(desk) = papers(&["vicuna"]) else {
        return;
    };
    let command = "meta consistency --data papers/data/vicuna --systems alpaca-13b,vicuna-13b \
                   --rounds 100 --quiet --by category --judge \
                   simulated:accuracy=0.7,first-slot=0.7,refuse=0.05 --protocol \
                   pairwise-likert/direct/portia:3,original-first/criteria";
    let report = desk.json(command);
    let values = report["by_field"]["values"].as_array().unwrap();
    assert!(values.len() >= 8, "{values:?}");
    let pairs: u64 = values
        .iter()
        .map(|value| value["pairs"].as_u64().unwrap())
        .sum();
    assert_eq!(pairs, 80);
    // A fair judge is accused of no category.
    let summary = report["by_field"]["test"]["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("No difference by category"),
        "{summary}"
    );
    let answers = &report["answers"];
    assert!(number(answers, "refused") > 0.0 && answers["looks"] == 160);
    let given = answers["given"].as_array().unwrap();
    let shares: f64 = given
        .iter()
        .map(|one| number(one, "share_of_inconsistent"))
        .sum();
    assert!((shares - 1.0).abs() < 1e-9, "{given:?}");
    // It prefers the first slot: low numbers.
    let low: f64 = given
        .iter()
        .filter(|one| ["1", "2", "3"].contains(&one["answer"].as_str().unwrap()))
        .map(|one| number(one, "share_of_inconsistent"))
        .sum();
    assert!(low > 0.6, "{given:?}");
    let text = desk.done(command).stdout;
    assert_holds(&text, "By category");
    assert_holds(&text, "of inconsistent pairs");
    let csv = desk.done(&format!("{command} --format csv")).stdout;
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .ends_with(",value,no_verdict,refused"),
        "{csv}"
    );
}

/// Audits by category: the same probes on each, with one correction over all of them.
#[test]
fn audits_are_shown_by_category() {
    let Some(desk) = papers(&["vicuna"]) else {
        return;
    };
    let audit = |judge: &str, rest: &str| {
        format!(
            "audit --data papers/data/vicuna --systems alpaca-13b,vicuna-13b --by category --quiet \
             --probes position,failures --judge {judge} {rest}"
        )
    };
    let biased = desk.json(&audit("simulated:first-slot=0.9", "--run one"));
    let values = biased["slices"]["values"].as_array().unwrap();
    assert!(values.len() >= 8, "{values:?}");
    let tested: usize = values
        .iter()
        .flat_map(|value| value["findings"].as_array().unwrap())
        .filter(|finding| finding["p"].is_number())
        .count();
    assert_eq!(biased["slices"]["tested"], tested);
    let fair = desk.json(&audit("simulated:gap=1,greedy=true", "--run two"));
    for value in fair["slices"]["values"].as_array().unwrap() {
        for finding in value["findings"].as_array().unwrap() {
            assert_eq!(finding["biased"], false, "{finding}");
        }
    }
    let text = desk
        .done(&audit("simulated:first-slot=0.9", "--run one"))
        .stdout;
    assert!(text.contains("By category: "), "{text}");
    let csv = desk
        .done(&audit("simulated:first-slot=0.9", "--run one --format csv"))
        .stdout;
    assert!(csv.lines().next().unwrap().ends_with(",slice"), "{csv}");
}

/// Figure 2 (a): the mean length of one prompt rises with k, within its least and greatest.
#[test]
fn prompts_grow_with_the_number_of_segments() {
    let Some(desk) = papers(&["vicuna"]) else {
        return;
    };
    let mut last = 0.0;
    for calibration in ["swap", "portia:2", "portia:3", "portia:4"] {
        let estimate = desk.json(&format!(
            "estimate --data papers/data/vicuna --systems vicuna-7b,vicuna-13b --judge simulated \
             --protocol pairwise-tie/cot/{calibration}/criteria"
        ));
        let mean = number(&estimate, "prompt_tokens_mean");
        assert!(mean > last, "{calibration}: {mean}");
        assert!(number(&estimate, "prompt_tokens_shortest") < mean);
        assert!(number(&estimate, "prompt_tokens_longest") > mean);
        last = mean;
    }
}

/// PORTIA, tables 1, 3, 4, 6 and 8, with a planted position bias: splitting mends some of it, and
/// the agreement with a better judge rises.
#[test]
fn portias_tables_come_from_one_command() {
    let Some(desk) = papers(&["vicuna"]) else {
        return;
    };
    let pair = "--data papers/data/vicuna --systems alpaca-13b,vicuna-13b --rounds 200";
    let gold = desk.done(
        "judge --data papers/data/vicuna --systems alpaca-13b,vicuna-13b --judge \
         simulated:accuracy=0.9,first-slot=0.1,seed=7 --protocol \
         pairwise-tie/cot/swap:none/criteria --format json",
    );
    desk.write("gold.jsonl", gold.stdout);
    let report = desk.json(&format!(
        "meta consistency {pair} --judge simulated:accuracy=0.75,first-slot=0.4,tie=0.1 --protocol \
         pairwise-tie/cot/portia:3,original-first/criteria --gold gold.jsonl --device \
         a100 --devices 4"
    ));
    let share = |name: &str| report[name].as_f64().unwrap();
    assert_eq!(report["pairs"], 80);
    assert!(
        share("consistent_in_the_end") > share("consistent_at_first"),
        "{report}"
    );
    assert!(share("fixed_coverage") > 0.3, "{report}");
    let agreement = |name: &str| report["gold"][name].as_f64().unwrap();
    assert!(
        agreement("agreement_in_the_end") > agreement("agreement_at_first"),
        "{report}"
    );
    assert!(
        report["per_1000"]["grams_co2"].as_f64().unwrap() > 0.0,
        "{report}"
    );
}
