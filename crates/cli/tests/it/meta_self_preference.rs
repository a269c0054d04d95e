//! `meta self-preference` with the real binary.

use crate::common::{Desk, assert_holds};
use serde_json::{Value, json};

const SYSTEMS: [&str; 7] = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu"];

/// A number from 0 to 99 that depends on its arguments alone.
fn luck(seed: u64) -> u64 {
    let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) % 100
}

/// What three judges say of seven systems on 60 items, each an author of one; `own` is how many
/// points of a hundred the first adds to its own chance.
fn write_judges(desk: &Desk, own: i64) {
    for (judge, name) in SYSTEMS[..3].iter().enumerate() {
        let mut rows = String::new();
        for item in 0..60_u64 {
            let pairs = (0..7_usize).flat_map(|a| (a + 1..7).map(move |b| (a, b)));
            for (a, b) in pairs {
                // The ant is the middling one; judges differ in how sharp they are.
                let place = |one: usize| [0, 3, -3, 1, -1, 2, -2][one];
                let sharp = [6, 3, 9][judge];
                let mut chance = 50 + sharp * (place(a) - place(b)) / 2;
                if judge == 0 && a == 0 {
                    chance += own;
                }
                let seed = item * 1000 + (a * 7 + b) as u64 * 10 + judge as u64;
                let won = (luck(seed) as i64) < chance.clamp(2, 98);
                let winner = if won { "model_a" } else { "model_b" };
                let row = json!({
                    "item": item.to_string(), "model_a": SYSTEMS[a], "model_b": SYSTEMS[b],
                    "winner": winner,
                });
                rows += &format!("{row}\n");
            }
        }
        desk.write(&format!("{name}.jsonl"), rows);
    }
}

fn judge<'a>(report: &'a Value, name: &str) -> &'a Value {
    let judges = report["judges"].as_array().unwrap();
    judges.iter().find(|row| row["judge"] == name).unwrap()
}

#[test]
fn a_judge_that_prefers_its_own_is_found_and_fair_ones_are_not_accused() {
    let desk = Desk::empty();
    let command = "meta self-preference --recorded ant.jsonl bee.jsonl cat.jsonl";
    write_judges(&desk, 0);
    let fair = desk.json(command);
    assert_eq!((&fair["systems"], &fair["tested"]), (&7.into(), &3.into()));
    for name in &SYSTEMS[..3] {
        assert_eq!(judge(&fair, name)["finding"], "not-shown", "{fair}");
        assert_eq!(judge(&fair, name)["system"], *name);
    }
    write_judges(&desk, 35);
    let partial = desk.json(command);
    let ant = judge(&partial, "ant");
    assert_eq!(ant["finding"], "prefers-own", "{partial}");
    assert!(ant["ci"][0].as_f64().unwrap() > 0.0 && ant["excess"].as_f64().unwrap() > 1.0);
    assert!(ant["by_itself"].as_f64().unwrap() > ant["by_others"].as_f64().unwrap() + 0.2);
    assert_eq!(judge(&partial, "bee")["finding"], "not-shown");
    let table = desk.done(command).stdout;
    assert!(
        table.starts_with("Of 3 judges that could be tested, prefer their own responses: ant."),
        "{table}"
    );
    let csv = desk.done(&format!("{command} --format csv")).stdout;
    assert_eq!(csv.lines().count(), 4, "{csv}");
}

#[test]
fn what_is_undefined_or_wrong_is_said() {
    let desk = Desk::empty();
    write_judges(&desk, 0);
    let two = desk.json("meta self-preference --recorded ant.jsonl bee.jsonl");
    let note = judge(&two, "ant")["note"].as_str().unwrap().to_owned();
    assert_holds(&note, "needs at least 2 other judges, and has 1");
    let text = desk
        .done("meta self-preference --recorded ant.jsonl bee.jsonl")
        .stdout;
    assert!(
        text.starts_with(
            "Whether a judge prefers its own responses cannot be told from two judges: "
        ) && text.contains("one may prefer it or the other disfavour it")
            && !text.contains("p-values"),
        "{text}"
    );
    let one = desk
        .done("meta self-preference --recorded ant.jsonl")
        .stdout;
    assert!(one.contains("cannot be told from one judge"), "{one}");
    let told =
        desk.json("meta self-preference --recorded ant.jsonl bee.jsonl cat.jsonl --own bee=dog");
    assert_eq!(judge(&told, "bee")["system"], "dog");
    assert!(
        judge(&told, "ant")["note"]
            .as_str()
            .unwrap()
            .contains("no system of its own")
    );
    let command = "meta self-preference --recorded ant.jsonl bee.jsonl cat.jsonl --level 0.995";
    assert!(
        desk.done(command)
            .stdout
            .contains("99.5 % prediction intervals")
    );
    for (arguments, expected) in [
        ("--recorded ant.jsonl --own owl=ant", "no judge `owl`"),
        ("--recorded ant.jsonl --own ant=owl", "no system `owl`"),
        ("--recorded ant.jsonl --own ant", "expected JUDGE=SYSTEM"),
        (
            "--recorded ant.jsonl --own ant=bee --own ant=cat",
            "--own ant=cat: ant has bee for its own too; expected one system a judge",
        ),
        ("--recorded ant.jsonl --level 2", "level"),
        ("--recorded owl.jsonl", "owl.jsonl"),
    ] {
        desk.refused(&format!("meta self-preference {arguments}"), expected);
    }
}
