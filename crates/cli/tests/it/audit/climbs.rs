//! Rankings that are climbed, and how scales are used: figure 4 and tables 6 and 7 of distracted
//! evaluation.

use super::*;

#[test]
fn figures_and_a_leaderboard_that_is_climbed() {
    let desk = Desk::new(20, &["a", "b", "c", "d"]);
    let audit = format!(
        "{AUDIT} --judge simulated:gap=0.6,distractor=0.9 --probes leaderboard --rewrites \
         assertive --figures figures"
    );
    let report = desk.json(&audit);
    assert_eq!(report["climbs"].as_array().unwrap().len(), 2);
    assert!(found(&report, "assertive: win rate gained")["biased"] == true);
    let climb = &report["climbs"][0];
    for figure in [&climb["elo_gained"], &climb["elo_gained_beyond_neutral"]] {
        let [low, value] = [&figure["ci"][0], &figure["value"]].map(|end| end.as_f64().unwrap());
        assert!(0.0 < low && low < value, "{figure}");
    }
    for system in climb["systems"].as_array().unwrap() {
        for state in 0..3 {
            let [low, high] = [0, 1].map(|end| system["elo_ci"][state][end].as_f64().unwrap());
            let elo = system["elo"][state].as_f64().unwrap();
            assert!(low < elo && elo < high, "{system}");
        }
        let gained = system["elo_gained"]["value"].as_f64().unwrap();
        assert_eq!(gained > 0.0, system["rewritten"] == true, "{system}");
    }
    for name in ["card", "climb-1-assertive", "climb-2-assertive"] {
        let text = desk.read(&format!("figures/{name}.svg"));
        assert!(
            text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"),
            "{name}"
        );
    }
    let chart = desk.read("figures/climb-1-assertive.svg");
    assert!(chart.contains("(rewritten)") && chart.contains("Elo rating"));
    let card = desk.done(&audit).stdout;
    assert!(card.contains("mean of the rewritten"), "{card}");
}

/// A judge whose systems are equal and that no style moves gains nothing beyond a neutral rewrite.
#[test]
fn a_sound_judge_lets_nobody_climb() {
    let desk = Desk::new(40, &["a", "b", "c", "d"]);
    let report = desk.json(&format!(
        "{AUDIT} --judge simulated:gap=0.6 --probes leaderboard --rewrites assertive"
    ));
    assert_eq!(report["biased"], 0, "{report:#}");
    for climb in report["climbs"].as_array().unwrap() {
        let ci = &climb["elo_gained_beyond_neutral"]["ci"];
        let [low, high] = [0, 1].map(|end| ci[end].as_f64().unwrap());
        assert!(low < 0.0 && 0.0 < high, "{climb:#}");
    }
}

/// Every response of a ranking has a score from 1 to 7, and each score its share of them.
#[test]
fn the_audited_scale_has_a_distribution() {
    let desk = Desk::new(25, &["a", "b", "c", "d"]);
    let audit = format!("{AUDIT} --judge simulated:gap=0.6 --rewrites none --figures figures");
    let report = desk.json(&format!("{audit} --probes scale"));
    let distributions = report["distributions"].as_array().unwrap();
    // The audited scale, and the three of the probe; two responses of each item, or one.
    let counts = distributions
        .iter()
        .map(|scores| count(scores, "responses"));
    assert_eq!(counts.collect::<Vec<_>>(), [50, 25, 25, 25]);
    let audited = &distributions[0];
    assert_eq!(audited["protocol"], "pointwise:1-7/direct/single");
    assert_eq!(count(audited, "questions"), 25);
    let scores = audited["scores"].as_array().unwrap();
    let names: Vec<&str> = scores
        .iter()
        .map(|score| score["score"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["1", "2", "3", "4", "5", "6", "7"]);
    let sum: f64 = scores
        .iter()
        .map(|score| score["value"].as_f64().unwrap())
        .sum();
    assert!((sum - 1.0).abs() < 1e-9, "{audited}");
    for score in scores {
        let [low, value, high] = [&score["ci"][0], &score["value"], &score["ci"][1]]
            .map(|number| number.as_f64().unwrap());
        assert!(low <= value && value <= high && low < high, "{score}");
    }
    let card = desk.done(&format!("{audit} --probes scale")).stdout;
    let heading = "Scores of 50 responses, pointwise:1-7/direct/single: per cent";
    assert!(card.contains(heading), "{card}");
    let chart = desk.read("figures/scores-1-pointwise-1-7.svg");
    assert!(chart.starts_with("<svg ") && chart.contains("50 responses"));
    // With a ranking all responses are scored; rewritten ones do not count.
    let report = desk.json(&format!(
        "{audit} --probes scale,leaderboard --rewrites assertive"
    ));
    assert_eq!(count(&report["distributions"][0], "responses"), 100);
    assert!(desk.json(&format!("{audit} --probes position"))["distributions"] == json!([]));
}
