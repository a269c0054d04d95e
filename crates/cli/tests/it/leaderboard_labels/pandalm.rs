//! PandaLM: the estimators themselves, over recorded judgments.

use super::*;

#[test]
fn strengths_are_those_of_the_estimator_on_pandalm() {
    let Some(data) = shared_data() else { return };
    let pandalm = PandaLm::read(&data);
    let found = bradley_terry(5, &pandalm.labelled, &pandalm.judged, Tuning::Tuned, 0.95).unwrap();
    let report = pandalm.json("--scale log-odds");
    let labels = &report["labels"];
    let (matched, unmatched) = (pandalm.labelled.len(), pandalm.lost);
    assert_eq!(labels["matched"], json!(matched));
    assert_eq!(labels["unmatched"], json!(unmatched));
    assert_eq!((matched, unmatched, pandalm.judged.len()), (204, 4, 770));
    close(&labels["lambda"], found.lambda);
    close(&labels["effective_labels"], found.effective_labels.unwrap());
    close(&labels["labelled_share"], found.sampling.labelled_share);
    close(&labels["sampling_p"], found.sampling.test.unwrap().p_value);
    let (labels_only, judge_only) = (found.labels_only.unwrap(), found.judge_only.unwrap());
    let mut narrower = 0.0;
    for (number, system) in SYSTEMS.iter().enumerate() {
        let (estimate, alone) = (found.estimate.systems[number], beside(&report, system));
        let ends = estimate.uncertainty.unwrap();
        close(&row(&report, system)["score"], estimate.value);
        close(&row(&report, system)["ci"][0], ends.low);
        close(&row(&report, system)["ci"][1], ends.high);
        for (shown, expected) in [("labels_only", &labels_only), ("judge_only", &judge_only)] {
            let expected = expected.systems[number];
            close(&alone[shown]["score"], expected.value);
            close(&alone[shown]["ci"][0], expected.uncertainty.unwrap().low);
            close(&alone[shown]["ci"][1], expected.uncertainty.unwrap().high);
        }
        let share = 1.0
            - ends.standard_error
                / labels_only.systems[number]
                    .uncertainty
                    .unwrap()
                    .standard_error;
        close(&alone["narrower"], share);
        narrower += share / 5.0;
        assert!(estimate.value.abs() < 1.5, "{estimate:?}");
    }
    close(&labels["narrower"], narrower);
    assert!(narrower > 0.1, "{narrower}");
    eprintln!(
        "on average {:.1} % narrower, lambda {:.3}, effective labels {}",
        100.0 * narrower,
        found.lambda,
        labels["effective_labels"]
    );
}

#[test]
fn a_fifth_of_the_labels_agrees_with_all_of_them_on_pandalm() {
    let Some(data) = shared_data() else { return };
    let pandalm = PandaLm::read(&data);
    let report = pandalm.json("");
    let all = pandalm.desk.json("leaderboard pairs.jsonl.gz --ci none");
    for system in SYSTEMS {
        let (truth, ci) = (
            row(&all, system)["score"].as_f64().unwrap(),
            &row(&report, system)["ci"],
        );
        assert!(
            ci[0].as_f64().unwrap() < truth && truth < ci[1].as_f64().unwrap(),
            "{system}: {truth} is not in {ci}"
        );
        assert!(row(&report, system)["rank_ci"].is_array());
    }
    // Those in between are not told apart.
    let (found, truth) = (systems(&report), systems(&all));
    assert_eq!([&found[0], &found[4]], [&truth[0], &truth[4]]);
    assert_eq!(
        report["ci"],
        json!({"method": "prediction-powered", "cluster": "item", "rounds": 0, "level": 0.95})
    );
    assert_eq!(
        report["protocol"],
        "recorded (pandalm-pairs, pandalm-verdicts, labels: pandalm-pairs)"
    );
    assert_eq!(
        report["warnings"][0],
        "4 of 208 labelled rows have no verdict of the judge; they are excluded"
    );
    assert_eq!(
        pandalm.json("--differences")["differences"]
            .as_array()
            .unwrap()
            .len(),
        10
    );
}

#[test]
fn win_ratios_are_means_of_points_on_pandalm() {
    let Some(data) = shared_data() else { return };
    let pandalm = PandaLm::read(&data);
    let report = pandalm.json("--aggregate win-ratio");
    for (number, system) in SYSTEMS.iter().enumerate() {
        let own = |a: u16, b: u16, points: f64| {
            [(a, points), (b, 1.0 - points)]
                .into_iter()
                .find(|one| usize::from(one.0) == number)
        };
        let labelled = pandalm.labelled.iter().filter_map(|row| {
            let (human, judge) = (
                own(row.a, row.b, row.human)?.1,
                own(row.a, row.b, row.judge)?.1,
            );
            Some(Labelled {
                cluster: row.cluster,
                human,
                judge,
            })
        });
        let judged = pandalm.judged.iter().filter_map(|row| {
            Some(Judged {
                cluster: row.cluster,
                judge: own(row.a, row.b, row.judge)?.1,
            })
        });
        let found = mean(
            &labelled.collect::<Vec<_>>(),
            &judged.collect::<Vec<_>>(),
            Tuning::Tuned,
            0.95,
        )
        .unwrap();
        close(&row(&report, system)["score"], found.estimate.value);
        close(
            &row(&report, system)["ci"][0],
            found.estimate.uncertainty.unwrap().low,
        );
        close(&beside(&report, system)["lambda"], found.lambda);
        close(
            &beside(&report, system)["judge_only"]["score"],
            found.judge_only.value,
        );
        assert!(row(&report, system)["rank_ci"].is_null());
    }
    assert!(report["labels"]["lambda"].is_null());
}

/// The pairs of the data, the judgments of the program and the labels go by the same names.
#[test]
fn labels_correct_a_judge_that_the_program_asked() {
    let desk = Desk::empty();
    let pair = |idx: usize| {
        let (a, b) = [("x", "y"), ("y", "z"), ("x", "z")][idx % 3];
        let human = if idx.is_multiple_of(4) { 2 } else { 1 };
        json_line(json!({
            "idx": idx, "instruction": format!("question {}", idx / 3), "input": "",
            "model_1": a, "model_2": b, "human": [human],
            "response_1": format!("{a} says {idx}"), "response_2": format!("{b} says {idx}"),
        }))
    };
    desk.write("pairs.jsonl", (0..90).map(pair).collect::<String>());
    desk.write("some.jsonl", (0..45).map(pair).collect::<String>());
    desk.done("rank --data pairs.jsonl --judge simulated:accuracy=0.8 --run run");
    let judged = desk.done("judgments run --format json").stdout;
    desk.write("judged.jsonl", judged);
    let report = desk.json("leaderboard judged.jsonl --labels some.jsonl");
    assert_eq!(report["labels"]["matched"], json!(45));
    // Three pairs of one instruction are one question.
    assert_eq!(report["questions"], json!(30));
}
