//! `plan` with the real binary, on pilots whose judge's chance is known; `rank --repeats`.

use crate::common::Desk;

/// A judge that says who is better by drawing, whatever the item: all variance is of repeats.
const RANK: &str = "rank --data data --judge simulated:accuracy=0.75,seed=1 --run";

fn desk() -> Desk {
    Desk::new(40, &["good", "bad"])
}

#[test]
fn a_pilot_with_repeats_is_planned_from() {
    let desk = desk();
    let report = desk.json(&format!("{RANK} pilot --repeats 3"));
    assert_eq!(
        report["coverage"]["trials"], 240,
        "40 items, both orders, three times"
    );
    let plan = desk.json("plan pilot --difference 5 --power 0.9");
    let variance = &plan["variance"];
    let of = |name: &str| variance[name].as_f64().unwrap();
    assert_eq!(
        (&variance["items"], &variance["pairs"]),
        (&40.into(), &1.into())
    );
    // A lead of 1 or -1, whose mean is 0.1 where 5 points are planned for, and not the pilot's 0.5:
    // 1 - 0.01.
    let total = of("item") + of("order") + of("item_order") + of("repeat");
    assert!(
        (total - 0.99).abs() < 0.15 && of("repeat") > 0.5,
        "{variance}"
    );
    let best = &plan["designs"][0];
    let number = |name: &str| best[name].as_u64().unwrap();
    assert_eq!(number("calls"), number("judgments"));
    assert_eq!(
        number("judgments"),
        number("items") * number("orders") * number("repeats")
    );
    assert!((500..1200).contains(&number("judgments")), "{best}");
    let text = desk.done("plan pilot --difference 5 --power 0.9").stdout;
    assert!(
        text.starts_with("To see a difference of 5 points with power 90 %, judge "),
        "{text}"
    );
    let share = desk.done("plan pilot --difference 0.05").stdout;
    assert!(
        share.contains("Points are hundredths: a share of 0.05 is 5.0 points."),
        "{share}"
    );
    let noise = "two identical systems would seem to differ by up to";
    assert!(text.contains(noise) && desk.done("show pilot").stdout.contains(noise));
}

/// A judge that draws its scores: a pilot that asked once cannot know, one that repeats does.
#[test]
fn a_pilot_that_asked_once_does_not_tell_chance_from_anything() {
    let desk = desk();
    let form = "--protocol pointwise:1-10";
    let single = "--protocol pairwise/direct/single";
    desk.done(&format!("{RANK} scores {form}"));
    desk.done(&format!("{RANK} repeated {form} --repeats 3"));
    desk.done(&format!("{RANK} single {single}"));
    desk.done(&format!("{RANK} both"));
    for (pilot, part, name) in [
        ("scores", "item", "item and chance 100 %, of"),
        ("single", "item", "item and chance 100 %, of"),
        ("both", "item_order", "item with order and chance"),
    ] {
        let command = format!("plan {pilot} --difference 1");
        let plan = desk.json(&command);
        let variance = &plan["variance"];
        assert_eq!(variance["with_chance"]["part"], part, "{variance}");
        assert!(
            variance[part].is_null() && variance["repeat"].is_null(),
            "{variance}"
        );
        let is_of_orders = pilot == "both";
        assert_eq!(variance["order"].is_number(), is_of_orders, "{variance}");
        let designs = plan["designs"].as_array().unwrap();
        assert!(designs.iter().all(|design| design["repeats"] == 1));
        let text = desk.done(&command).stdout;
        assert!(
            text.contains(name) && text.contains("run it with --repeats 2"),
            "{text}"
        );
        let in_one = text.contains("each item was judged in one order");
        assert_eq!(in_one, pilot == "single", "{text}");
    }
    let plan = desk.json("plan repeated --difference 1");
    let variance = &plan["variance"];
    let of = |name: &str| variance[name].as_f64().unwrap();
    assert!(of("repeat") > 4.0 * of("item"), "{variance}");
    assert!(
        variance["with_chance"].is_null() && variance["order"].is_null(),
        "{variance}"
    );
    let text = desk.done("plan repeated --difference 1").stdout;
    assert!(
        !text.contains("order 0 %") && !text.contains("asked once"),
        "{text}"
    );
}

/// Each score is a judgment, as `rank` counts; no plan has fewer than 20 items, and says so.
#[test]
fn a_plan_of_scores_counts_as_rank_does_and_keeps_to_the_scale() {
    let desk = desk();
    desk.done(&format!(
        "{RANK} scores --protocol pointwise:1-10 --repeats 2"
    ));
    let plan = desk.json("plan scores --difference 8");
    let best = &plan["designs"][0];
    assert_eq!(
        (&best["items"], &best["is_fewest"]),
        (&20.into(), &true.into())
    );
    assert_eq!(
        (&best["judgments"], &best["calls"]),
        (&40.into(), &40.into())
    );
    let sentence = plan["answer"]["text"].as_str().unwrap();
    assert!(sentence.contains("No plan has fewer items"), "{sentence}");
    let says = "the pilot's scores are from 1.00 to 10.00, so no two differ by more than 9.00";
    desk.refused("plan scores --difference 9", says);
}

#[test]
fn a_budget_finds_the_more_the_larger_it_is() {
    let desk = desk();
    desk.done(&format!("{RANK} pilot"));
    let found = |calls: u64| {
        let plan = desk.json(&format!("plan pilot --max-calls {calls}"));
        assert!(plan["difference"].is_null());
        plan["designs"][0]["detectable"].as_f64().unwrap()
    };
    // The power of a sign test has steps.
    assert!((found(400) / found(1600) - 2.0).abs() < 0.2);
    // Without repeats none are planned.
    let plan = desk.json("plan pilot");
    let designs = plan["designs"].as_array().unwrap();
    assert!(designs.iter().all(|design| design["repeats"] == 1));
}

/// A budget is that of the whole run, as in `rank`, and a row is the part of one pair.
#[test]
fn a_budget_is_for_all_pairs_together() {
    let desk = Desk::new(40, &["a", "b", "c", "d"]);
    desk.done(&format!("{RANK} pilot"));
    desk.done(&format!("{RANK} scores --protocol pointwise"));
    for (pilot, shares, why) in [
        ("pilot", 6, ""),
        ("scores", 2, ", as a score serves every pair of its system"),
    ] {
        let command = format!("plan {pilot} --max-calls 1200");
        let plan = desk.json(&command);
        for design in plan["designs"].as_array().unwrap() {
            let calls = design["calls"].as_u64().unwrap();
            assert!(calls * shares <= 1200 && calls * shares > 1100, "{plan}");
        }
        let sentence = plan["answer"]["text"].as_str().unwrap();
        let end = format!(" calls for all 6 pairs{why}");
        assert!(sentence.ends_with(&end), "{sentence}");
        assert_eq!(plan["power_at"], 5.0);
        assert!(desk.done(&command).stdout.contains("power (5 points)"));
    }
    let one = desk.json("plan pilot --max-calls 1200 --pair a,b");
    assert_eq!(one["designs"][0]["calls"], 1200);
}

#[test]
fn what_is_no_plan_is_refused() {
    let desk = desk();
    desk.done(&format!("{RANK} pilot"));
    desk.done(&format!("{RANK} alone --protocol pointwise"));
    for (arguments, why) in [
        (
            "plan pilot --power 1",
            "--power: expected a number strictly between",
        ),
        (
            "plan pilot --difference 0",
            "--difference: expected points above 0",
        ),
        ("plan pilot --max-calls 2", "too few items"),
        (
            "plan pilot --max-cost 1",
            "the price of the pilot's calls is not known",
        ),
        (
            "plan pilot --pair good,best",
            "expected two systems of the run",
        ),
        ("plan alone", "the pilot has scores; give the difference"),
        ("plan pilot alone", "give runs of one kind"),
        ("plan pilot --other-judges", "the pilot has only one judge"),
        ("plan --variance 1,2", "expected four numbers"),
        (
            "plan --variance 0.1,0,0,0,0.5,0 --other-judges",
            "no number of items and up to 20 judges",
        ),
        ("plan", "required"),
        (
            "rank --data data --judge simulated --repeats 2 --design adaptive",
            "not for --design adaptive",
        ),
    ] {
        desk.refused(arguments, why);
    }
    let assumed = desk.json("plan --variance 1,0,0,0 --difference 10");
    assert_eq!(assumed["designs"][0]["items"], 210);
}

/// A judge that is right on 90 % beside one that is right on 60 %: what they find differs by 30
/// points, which no number of items changes.
#[test]
fn judges_who_differ_are_told_apart_in_a_panel_and_in_runs_of_their_own() {
    let desk = Desk::new(200, &["good", "bad"]);
    let judge = |accuracy: f64| format!("--judge simulated:accuracy={accuracy},seed=1");
    let [sharp, dull] = [judge(0.9), judge(0.6)];
    desk.done(&format!("rank --data data {sharp} {dull} --run panel"));
    for (run, judge) in [("sharp", &sharp), ("dull", &dull)] {
        desk.done(&format!("rank --data data {judge} --run {run}"));
    }
    let plans = ["plan panel", "plan sharp dull"].map(|command| desk.json(command));
    assert_eq!(plans[0]["judges"], plans[1]["judges"]);
    for plan in &plans {
        assert_eq!(plan["judges"]["judges"], 2);
        // Of two values 30 points apart: 30 / sqrt(2).
        let deviation = plan["judges"]["deviation"].as_f64().unwrap();
        assert!((deviation - 21.2).abs() < 5.0, "{plan}");
        let design = &plan["designs"][0];
        let number = |name: &str| design[name].as_u64().unwrap();
        let product = number("items") * number("orders") * number("repeats") * number("judges");
        assert_eq!((number("judges"), number("judgments")), (2, product));
        assert_eq!(number("calls"), product);
    }
    // 20 judges of that spread are uncertain by 5 points; 40 are found, 5 are not.
    let far = desk.json("plan panel --other-judges --difference 40");
    assert!(far["designs"][0]["judges"].as_u64().unwrap() >= 5, "{far}");
    desk.refused(
        "plan panel --other-judges --difference 5",
        "no number of items and up to 20 judges",
    );
}

/// Where a judge is asked only of what another is not sure of, members are no two judges of the
/// same items.
#[test]
fn a_panel_that_escalates_is_one_judge() {
    let desk = desk();
    desk.done(
        "rank --data data --judge simulated:accuracy=0.7,seed=1 --judge \
         simulated:accuracy=0.95,seed=2 --panel escalate:0.6 --protocol pairwise/cot/mec+bpc:1 \
         --run cascade",
    );
    let plan = desk.json("plan cascade");
    assert!(
        plan["judges"].is_null() && plan["variance"]["judge"].is_null(),
        "{plan}"
    );
}

#[test]
fn scores_are_planned_in_their_own_points() {
    let desk = desk();
    desk.done(&format!("{RANK} scores --protocol pointwise --repeats 2"));
    let plan = desk.json("plan scores --difference 0.5");
    assert_eq!(plan["unit"], "points of the scores");
    let designs = plan["designs"].as_array().unwrap();
    assert!(designs.iter().all(|design| design["orders"] == 1));
    let number = |name: &str| designs[0][name].as_u64().unwrap();
    assert_eq!(
        number("calls"),
        number("judgments"),
        "as in `rank`, a score is a judgment"
    );
    let found = |design: &serde_json::Value| design["detectable"].as_f64().unwrap();
    assert!(
        designs
            .iter()
            .all(|design| found(design) <= 0.5 && found(design) > 0.4),
        "{plan}"
    );
    let text = desk.done("plan scores --difference 0.5").stdout;
    assert!(
        text.starts_with("To see a difference of 0.5 points of the scores"),
        "{text}"
    );
    // A ranking by the comparisons that scores imply has its noise in their unit.
    let points = "rank --data data --judge simulated:gap=0.2 --protocol pointwise --ci none \
                  --no-reuse --format json";
    for (aggregate, unit) in [
        ("mean", "points of the scores"),
        ("elo", "points of win rate"),
        ("bradley-terry", "points of win rate"),
    ] {
        let report = desk.json(&format!(
            "{points} --run {aggregate} --aggregate {aggregate}"
        ));
        assert_eq!(report["noise"]["unit"], unit, "{aggregate}");
        let shown = desk.done(&format!("show {aggregate}")).stdout;
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(unit), "{aggregate}: {shown}");
    }
    // What a ranking says of noise is what its plan says.
    let ranking = desk.json(&format!("{RANK} scores --protocol pointwise --repeats 2"));
    let [mine, plans] = [&ranking["noise"], &plan["noise"]].map(|noise| noise["points"].as_f64());
    assert!(
        (mine.unwrap() - plans.unwrap()).abs() < 1e-9,
        "{mine:?} {plans:?}"
    );
}

/// A pair of systems in both orders, by the same judge twice: a ranking and its plan agree.
#[test]
fn a_ranking_says_its_noise_floor() {
    let desk = desk();
    let ranking = desk.json(&format!("{RANK} pilot --repeats 2"));
    let plan = desk.json("plan pilot");
    assert_eq!(ranking["noise"]["unit"], "points of win rate");
    let [mine, plans] = [&ranking["noise"], &plan["noise"]].map(|noise| noise["points"].as_f64());
    assert!(
        (mine.unwrap() - plans.unwrap()).abs() < 1e-9,
        "{mine:?} {plans:?}"
    );
    let few = Desk::new(9, &["good", "bad"]).json(&format!("{RANK} few"));
    assert!(few["noise"].is_null());
}
