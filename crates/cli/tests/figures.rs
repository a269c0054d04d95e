//! The figures of a run are right: what was planted in a simulated judge is found, and what is
//! undefined is said.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{Desk, Ran, response, row, rows, systems};
use serde_json::{Value, json};

const SYSTEMS: [&str; 4] = ["ant", "bee", "cat", "dog"];

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn warnings(report: &Value) -> String {
    report["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| format!("{}\n", warning.as_str().unwrap()))
        .collect()
}

/// That an interval holds a planted value, and the estimate is near it.
#[track_caller]
fn assert_recovered(estimate: f64, ci: &Value, planted: f64, near: f64) {
    assert!(
        (estimate - planted).abs() < near,
        "{estimate} is not near {planted}"
    );
    assert!(
        number(&ci[0]) < planted && planted < number(&ci[1]),
        "{ci} does not hold {planted}"
    );
}

mod failures {
    use super::*;

    const RUN: &str = "--data data --run run --judge simulated:gap=0.3,invalid=0.3,refuse=0.1";

    fn count(judgments: &[Value], failure: &str) -> u64 {
        judgments
            .iter()
            .filter(|row| row["failure"] == failure)
            .count() as u64
    }

    #[test]
    fn are_counted_by_kind_and_make_up_the_trials_with_the_verdicts() {
        let desk = Desk::new(20, &SYSTEMS);
        let judgments = desk.judgments(RUN);
        let report = desk.json(&format!("rank {RUN}"));
        let (unparsed, refused) = (count(&judgments, "unparsed"), count(&judgments, "refused"));
        // 240 trials: refused 0.1 of them, unparsed 0.3 of the rest; both within 3.5 standard
        // deviations.
        assert!(
            (8..=40).contains(&refused) && (41..=88).contains(&unparsed),
            "{refused} refused, {unparsed} unparsed"
        );
        let verdicts = 240 - unparsed - refused;
        let failures = json!({"unparsed": unparsed, "refused": refused});
        assert_eq!(
            report["coverage"],
            json!({"trials": 240, "verdicts": verdicts, "failures": failures})
        );
        assert_eq!(
            judgments
                .iter()
                .filter(|row| row["p_first"].is_number())
                .count() as u64,
            verdicts
        );
    }

    #[test]
    fn count_for_nobody() {
        let desk = Desk::new(20, &SYSTEMS);
        let judgments = desk.judgments(RUN);
        let report = desk.json(&format!("rank {RUN} --aggregate win-ratio"));
        for system in SYSTEMS {
            let (won, n) = won(&judgments, system);
            let row = row(&report, system);
            assert_eq!(row["n"], n as u64, "{system}");
            assert!(
                (number(&row["score"]) - won / n).abs() < 1e-12,
                "{system}: {row}, by hand {won} of {n}"
            );
        }
    }

    /// What a system won of its comparisons with a verdict, and how many there are.
    fn won(judgments: &[Value], system: &str) -> (f64, f64) {
        let shares = judgments
            .iter()
            .filter(|row| row["failure"].is_null())
            .filter_map(|row| match system {
                first if row["first"] == first => {
                    Some(number(&row["p_first"]) + number(&row["p_tie"]) / 2.0)
                }
                second if row["second"] == second => {
                    Some(number(&row["p_second"]) + number(&row["p_tie"]) / 2.0)
                }
                _ => None,
            });
        shares.fold((0.0, 0.0), |(won, n), share| (won + share, n + 1.0))
    }

    #[test]
    fn leave_scores_of_single_responses_alone() {
        let desk = Desk::new(20, &SYSTEMS);
        let judgments = desk.judgments(&format!("{RUN} --protocol pointwise"));
        let report = desk.json(&format!("rank {RUN} --protocol pointwise"));
        assert!(count(&judgments, "unparsed") > 0 && count(&judgments, "refused") > 0);
        for system in SYSTEMS {
            let scores: Vec<f64> = judgments
                .iter()
                .filter(|row| row["first"] == system)
                .filter_map(|row| row["score"].as_f64())
                .collect();
            let (row, mean) = (
                row(&report, system),
                scores.iter().sum::<f64>() / scores.len() as f64,
            );
            assert_eq!(row["n"], scores.len());
            assert!(
                (number(&row["score"]) - mean).abs() < 1e-12,
                "{system}: {row}, by hand {mean}"
            );
        }
    }

    #[test]
    fn in_numbers_are_warned_of() {
        let report = Desk::new(5, &SYSTEMS).json(&format!("rank {RUN}"));
        let failures = &report["coverage"]["failures"];
        let (refused, unparsed) = (
            failures["refused"].as_u64().unwrap(),
            failures["unparsed"].as_u64().unwrap(),
        );
        let failed = refused + unparsed;
        let warning = format!(
            "{failed} of 60 trials have no verdict (refused {refused}, unparsed {unparsed}); they \
             are excluded"
        );
        assert!(
            warnings(&report).contains(&warning),
            "{}",
            warnings(&report)
        );
    }

    #[test]
    fn alone_leave_every_score_undefined() {
        let ran = Desk::new(3, &SYSTEMS).run(
            "rank --data data --run run --judge simulated:invalid=1 --keep-going --format json",
        );
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let report = ran.json();
        for row in rows(&report) {
            assert_eq!(
                json!([row["score"], row["rank"], row["n"], row["note"]]),
                json!([null, null, 0, "no score: there is no data"])
            );
        }
        assert_eq!(
            json!([report["consistency"], report["first_slot"]]),
            json!([null, null])
        );
    }

    /// Two responses were shown together in every trial, so that nothing is consistent by
    /// construction.
    #[test]
    fn alone_measure_no_consistency() {
        let table = Desk::new(3, &SYSTEMS)
            .run("rank --data data --run run --judge simulated:invalid=1 --keep-going")
            .stdout;
        assert!(table.contains("position"), "{table}");
        assert!(!table.contains("by construction"), "{table}");
    }
}

mod planted {
    use super::*;

    #[test]
    fn accuracy_is_recovered() {
        let report = Desk::new(300, &["ant", "bee"]).json(
            "rank --data data --run run --judge simulated:accuracy=0.8 --aggregate win-ratio",
        );
        let ant = row(&report, "ant");
        assert_recovered(number(&ant["score"]), &ant["ci"], 0.8, 0.05);
        // Both orders are judged apart: they agree where both are right or both are wrong.
        let consistency = &report["consistency"];
        assert_recovered(
            number(&consistency["value"]),
            &consistency["ci"],
            0.8 * 0.8 + 0.2 * 0.2,
            0.08,
        );
        let first = &report["first_slot"];
        assert_recovered(number(&first["value"]), &first["ci"], 0.5, 0.05);
        assert_eq!(json!([consistency["n"], first["n"]]), json!([300, 600]));
    }

    #[test]
    fn gaps_in_strength_are_recovered_by_bradley_terry() {
        let report = Desk::new(300, &["ant", "bee", "cat"])
            .json("rank --data data --run run --judge simulated:gap=0.7 --scale log-odds");
        assert_eq!(systems(&report), ["ant", "bee", "cat"]);
        for (system, planted) in [("ant", 0.7), ("bee", 0.0), ("cat", -0.7)] {
            assert_recovered(
                number(&row(&report, system)["score"]),
                &row(&report, system)["ci"],
                planted,
                0.2,
            );
        }
    }

    #[test]
    fn probabilities_are_counted_in_part() {
        let run = "--data data --run run --judge simulated:accuracy=0.75,probabilities=true";
        let desk = Desk::new(4, &["ant", "bee"]);
        assert!(
            desk.judgments(run)
                .iter()
                .all(|row| row["p_first"] == 0.75 || row["p_first"] == 0.25)
        );
        let report = desk.json(&format!("rank {run} --scale log-odds"));
        let gap = number(&row(&report, "ant")["score"]) - number(&row(&report, "bee")["score"]);
        assert!((gap - 3f64.ln()).abs() < 1e-9, "odds of 3 to 1: {gap}");
        assert_eq!(report["outside"], 0.0);
    }

    #[test]
    fn ties_count_half() {
        let report = Desk::new(40, &["ant", "bee"]).json(
            "rank --data data --run run --judge simulated:tie=1 --protocol pairwise-tie \
                   --aggregate win-ratio",
        );
        assert_eq!(
            json!([rows(&report)[0]["score"], rows(&report)[1]["score"]]),
            json!([0.5, 0.5])
        );
        assert_eq!(
            json!([rows(&report)[0]["rank"], rows(&report)[1]["rank"]]),
            json!([1, 1])
        );
    }

    #[test]
    fn a_preference_for_the_first_slot_is_found_and_the_order_not_supported() {
        let report = Desk::new(5, &SYSTEMS)
            .json("rank --data data --run run --judge simulated:first-slot=1");
        assert_eq!(
            json!([
                report["consistency"]["value"],
                report["first_slot"]["value"]
            ]),
            json!([0.0, 1.0])
        );
        let warning = "the judge keeps its verdict on 0 % of pairs when the two responses change \
                       places (a coin: 50 %): the order of this ranking is not supported by it";
        assert!(warnings(&report).contains(warning), "{}", warnings(&report));
        assert!(
            rows(&report).iter().all(|row| row["rank"] == 1),
            "both orders cancel: {}",
            report["ranking"]
        );
    }

    #[test]
    fn a_warning_is_named_by_its_kind() {
        let desk = Desk::new(5, &SYSTEMS);
        let run = "rank --data data --run run --judge simulated:first-slot=1";
        let report = desk.json(run);
        let kinds = report["warning_kinds"].as_array().unwrap();
        assert_eq!(kinds.len(), report["warnings"].as_array().unwrap().len());
        assert!(kinds.contains(&json!("position")), "{report}");
        for (condition, code) in [
            ("warnings.position>0", 3),
            ("warnings.labels>0", 0),
            ("warnings.few-rounds>=1", 0),
        ] {
            assert_eq!(
                desk.run(&format!("{run} --fail-if {condition}")).code,
                Some(code),
                "{condition}"
            );
        }
        let ran = desk.run(&format!("{run} --fail-if warnings.positoin>0"));
        assert_eq!(ran.code, Some(2));
        assert!(
            ran.stderr
                .contains("; KIND is one of position, small-model, "),
            "{}",
            ran.stderr
        );
    }

    #[test]
    fn a_sound_judge_is_not_warned_of() {
        let report = Desk::new(60, &["ant", "bee"])
            .json("rank --data data --run run --judge simulated:accuracy=0.95");
        assert_eq!(warnings(&report), "");
    }

    #[test]
    fn one_order_measures_no_consistency() {
        let report = Desk::new(20, &SYSTEMS)
            .json("rank --data data --run run --judge simulated --protocol pairwise/direct/single");
        assert_eq!(
            json!([report["consistency"], report["first_slot"]["n"]]),
            json!([null, 120])
        );
    }
}

mod likelihood {
    use super::*;

    const RANK: &str = "rank --data data --run run --judge simulated --protocol likelihood";

    #[test]
    fn is_consistent_by_construction() {
        let desk = Desk::new(20, &SYSTEMS);
        let report = desk.json(RANK);
        assert_eq!(
            json!([report["consistency"], report["first_slot"]]),
            json!([null, null])
        );
        let table = desk.done(RANK).stdout;
        assert!(
            table.contains(
                "position  consistent by construction: no two responses are shown together"
            ),
            "{table}"
        );
    }

    #[test]
    fn finds_the_planted_order() {
        let report = Desk::new(100, &["ant", "bee", "cat"])
            .json(&format!("{RANK}:gap=1 --protocol likelihood"));
        assert_eq!(systems(&report), ["ant", "bee", "cat"]);
        assert_eq!(
            json!([report["coverage"]["trials"], report["usage"]["calls"]]),
            json!([300, 600])
        );
    }

    #[test]
    fn of_an_empty_response_is_a_failure() {
        let desk = Desk::new(4, &["ant", "bee"]);
        desk.write(
            "data/responses.jsonl",
            desk.read("data/responses.jsonl")
                .replace("Thing 2, says bee.", ""),
        );
        let report = desk.json(RANK);
        assert_eq!(
            report["coverage"],
            json!({"trials": 8, "verdicts": 7, "failures": {"invalid": 1}})
        );
    }
}

mod undefined {
    use super::*;

    /// A judge that is always right: `ant` wins everything, `dog` nothing.
    const RANK: &str = "rank --data data --run run --judge simulated:accuracy=1";

    #[test]
    fn scores_are_null_with_the_cause_and_ranks_stand() {
        let report = Desk::new(5, &SYSTEMS).json(RANK);
        assert_eq!(systems(&report), SYSTEMS);
        let rank_and_score: Vec<Value> = rows(&report)
            .iter()
            .map(|row| json!([row["rank"], row["score"]]))
            .collect();
        assert_eq!(
            json!(rank_and_score),
            json!([[1, null], [2, null], [3, null], [4, null]])
        );
        assert_eq!(
            row(&report, "ant")["note"],
            "it won every comparison: no finite score exists"
        );
        assert_eq!(
            row(&report, "dog")["note"],
            "it lost every comparison: no finite score exists"
        );
        assert!(
            row(&report, "bee")["note"]
                .as_str()
                .unwrap()
                .starts_with("no score: "),
            "{report}"
        );
    }

    #[test]
    fn scores_are_nowhere_nan() {
        let desk = Desk::new(5, &SYSTEMS);
        for format in ["json", "csv", "table"] {
            let Ran { stdout, .. } = desk.done(&format!("{RANK} --format {format}"));
            assert!(
                !stdout.contains("NaN") && !stdout.contains("nan"),
                "{stdout}"
            );
            assert!(stdout.contains("it won every comparison"), "{stdout}");
        }
    }

    /// The other systems are scored without the one that won everything.
    #[test]
    fn scores_leave_the_others_theirs() {
        let desk = Desk::new(30, &["ant", "bee", "cat"]);
        let report = desk.json("rank --data data --run run --judge simulated:gap=0.2,self=ant:1");
        let [ant, bee, cat] = ["ant", "bee", "cat"].map(|system| row(&report, system));
        assert_eq!(json!([ant["score"], ant["rank"]]), json!([null, 1]));
        assert!(
            (number(&bee["score"]) + number(&cat["score"]) - 2000.0).abs() < 1e-6,
            "{report}"
        );
    }

    /// Whatever its interval is said to be, it is not all numbers.
    #[test]
    fn scores_have_no_interval_from_minus_to_plus_infinity() {
        let table = Desk::new(5, &["ant", "bee"]).done(RANK).stdout;
        let ant = table.lines().find(|line| line.contains("  ant  ")).unwrap();
        assert!(
            ant.contains("+inf") && !ant.contains("-inf"),
            "it won in every resample too: {ant}"
        );
    }

    #[test]
    fn intervals_of_one_item_are_null_with_the_cause() {
        let report = Desk::new(1, &["ant", "bee"])
            .json("rank --data data --run run --judge simulated --protocol pointwise");
        for row in rows(&report) {
            assert_eq!(json!([row["ci"], row["rank_ci"]]), json!([null, null]));
            let note = row["note"].as_str().unwrap();
            assert!(
                note.starts_with("no interval: ") && note.ends_with("an interval needs at least 2"),
                "{note}"
            );
        }
    }

    #[test]
    fn order_between_unlinked_systems_is_said() {
        let desk = Desk::new(4, &SYSTEMS);
        let apart = [
            (0, ["ant", "bee"]),
            (1, ["ant", "bee"]),
            (2, ["cat", "dog"]),
            (3, ["cat", "dog"]),
        ];
        let answers = apart.map(|(item, pair)| pair.map(|system| response(item, system)).concat());
        desk.write("data/responses.jsonl", answers.concat());
        let report = desk.json("rank --data data --run run --judge simulated --allow-missing");
        assert_eq!(
            report["components"],
            json!([["ant", "bee"], ["cat", "dog"]])
        );
        assert!(
            rows(&report).iter().all(|row| row["rank"].is_null()),
            "{}",
            report["ranking"]
        );
        assert!(
            warnings(&report).contains("nothing can be said between them: ant, bee | cat, dog"),
            "{}",
            warnings(&report)
        );
    }
}

mod recorded {
    use super::*;

    const RANK: &str = "rank --data data --format json --judge";

    fn desk() -> Desk {
        let desk = Desk::new(5, &SYSTEMS);
        desk.done(&format!(
            "{RANK} simulated:invalid=0.1,log=asked --run first"
        ));
        desk
    }

    #[test]
    fn replies_give_the_same_ranking() {
        let desk = desk();
        let first = desk.done(&format!("{RANK} simulated:invalid=0.1 --run first"));
        let replay = desk.done(&format!("{RANK} recorded:first --run replay"));
        assert_eq!(replay.timeless(), first.timeless());
        assert_eq!(desk.lines("asked").len(), 60, "nothing was asked anew");
    }

    /// Reading a recording is no call.
    #[test]
    fn replies_are_not_calls_made_now() {
        let replay = desk().done(&format!("{RANK} recorded:first --run replay"));
        assert!(
            replay.stderr.contains(" 0 calls made now"),
            "{}",
            replay.stderr
        );
    }

    #[test]
    fn replies_need_no_run_directory_of_their_own() {
        let desk = desk();
        let replay = desk.done(&format!("{RANK} recorded:first --run first"));
        assert_eq!(
            replay.stderr,
            "run kept in first: 0 calls made now, 60 answered from the store\n"
        );
        assert_eq!(
            replay.timeless(),
            desk.done(&format!("{RANK} simulated:invalid=0.1 --run first"))
                .timeless()
        );
    }

    /// Numbers are kept and read to the last bit, however often they are recorded.
    #[test]
    fn replies_with_numbers_are_the_same_to_the_last_bit() {
        let desk = Desk::new(60, &SYSTEMS);
        let rank = "rank --protocol likelihood --aggregate mean --data data --format json --judge";
        let first = desk.done(&format!("{rank} simulated --run first"));
        let replay = desk.done(&format!("{rank} recorded:first --run replay"));
        assert_eq!(replay.timeless(), first.timeless());
        let [first, replay] = ["first", "replay"].map(|run| replies(&desk, run));
        let changed: Vec<_> = first
            .iter()
            .zip(&replay)
            .filter(|(first, replay)| first != replay)
            .collect();
        assert!(
            changed.is_empty(),
            "{} of {} replies, such as {:?}",
            changed.len(),
            first.len(),
            changed[0]
        );
    }

    fn replies(desk: &Desk, run: &str) -> Vec<String> {
        let db = common::database(&desk.path(run)).unwrap();
        let mut select = db.prepare("SELECT reply FROM calls ORDER BY key").unwrap();
        let rows = select.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    #[test]
    fn replies_to_another_prompt_have_drifted() {
        let desk = desk();
        desk.write(
            "data/items.jsonl",
            desk.read("data/items.jsonl")
                .replace("number 3", "number three"),
        );
        let report = desk.json("rank --data data --judge recorded:first --run replay");
        assert_eq!(report["coverage"]["trials"], 60);
        assert_eq!(report["coverage"]["failures"]["drifted"], 12);
        assert!(
            warnings(&report).contains("drifted 12"),
            "{}",
            warnings(&report)
        );
        let judgments = desk.judgments("--data data --judge recorded:first --run replay");
        let drifted: Vec<&Value> = judgments
            .iter()
            .filter(|row| row["failure"] == "drifted")
            .collect();
        assert_eq!(drifted.len(), 12);
        for row in drifted {
            assert_eq!(row["item"], "q3");
            assert_eq!(
                row["detail"],
                "the recorded run holds no reply to this request: its prompt, data or settings \
                 differ from those recorded"
            );
        }
    }
}
