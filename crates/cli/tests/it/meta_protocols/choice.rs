//! Which way to judge, chosen without the set that it is tried on.

use super::*;
use crate::common::assert_holds;

#[test]
fn a_protocol_is_chosen_without_the_set_that_it_is_tried_on() {
    let desk = Desk::empty();
    // In each set the better answer is the longer one and the shorter one in turn.
    for set in ["one", "two", "three"] {
        let line = |at: usize| {
            let long = format!("Answer {at} of {set}, at some length and with an example.");
            let short = format!("Answer {at} of {set}.");
            let (chosen, rejected) = if at.is_multiple_of(2) {
                (&long, &short)
            } else {
                (&short, &long)
            };
            json!({"id": at, "prompt": format!("Do {at}."), "chosen": chosen, "rejected": rejected})
                .to_string()
                + "\n"
        };
        desk.write(
            &format!("{set}.jsonl"),
            (0..40).map(line).collect::<String>(),
        );
    }
    let toml = "types = ['pairwise/cot', 'pairwise']\nrounds = 200\n\
                [labelled.one]\ndata = ['one.jsonl']\n[labelled.two]\ndata = ['two.jsonl']\n\
                [labelled.three]\ndata = ['three.jsonl']\n[judges.j]\nspec = 'simulated'\n";
    let report = study(&desk, toml, "--quiet");
    let [choice] = &report["choices"].as_array().unwrap()[..] else {
        panic!("{}", report["choices"])
    };
    assert_eq!(choice["judge"], "j");
    let balanced = |way: usize, set: usize| {
        // Sets stand in the order of the file, types within each.
        let rows = report["labelled"].as_array().unwrap();
        let inputs = ["one", "two", "three"];
        let kind = &choice["ways"][way]["type"];
        let own = rows
            .iter()
            .find(|row| row["input"] == inputs[set] && row["protocol"] == *kind);
        own.unwrap()["accuracy_length_balanced"].as_f64().unwrap()
    };
    let mut mean = 0.0;
    for (set, left_out) in choice["sets"].as_array().unwrap().iter().enumerate() {
        let elsewhere = [0, 1].map(|way| {
            let others = (0..3).filter(|at| *at != set);
            others.map(|at| balanced(way, at)).sum::<f64>()
        });
        let chosen = usize::from(elsewhere[1] > elsewhere[0] + 1e-12);
        assert_eq!(left_out["chosen"], chosen, "{left_out}");
        let accuracy = left_out["accuracy"].as_f64().unwrap();
        assert!((accuracy - balanced(chosen, set)).abs() < 1e-12);
        mean += accuracy / 3.0;
    }
    assert!((choice["accuracy"]["value"].as_f64().unwrap() - mean).abs() < 1e-12);
    let [low, high] = [0, 1].map(|end| choice["accuracy"]["ci"][end].as_f64().unwrap());
    assert!(
        0.0 <= low && low < mean && mean < high && high <= 1.0,
        "{choice}"
    );
    let table = desk.done("meta study STUDY.toml --quiet").stdout;
    assert_holds(&table, "j: left out");
    assert_holds(
        &table,
        "the best of 2 ways, chosen without the set that it is tried on",
    );
    assert_holds(&table, "the interval is for sets of such kinds");
}
