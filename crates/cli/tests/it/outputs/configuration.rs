//! Settings from a file.

use super::*;

const CONFIG: &str = "data = ['data/items.jsonl', 'data/responses.jsonl']\njudge = 'mine'\nrun \
                      = 'run'\nrounds = 20\nseed = 3\nsystems = ['bee', \
                      'cat']\n[judges.mine]\nspec = 'simulated:gap=2'\n";

#[test]
fn gives_what_the_flags_leave_out() {
    let desk = desk();
    desk.write("my.toml", CONFIG);
    let report = desk.json("rank --config my.toml");
    assert_eq!(
        json!([report["judge"], report["seed"], report["ci"]["rounds"]]),
        json!(["simulated:gap=2,seed=0", 3, 20])
    );
    assert_eq!(report["coverage"]["trials"], 12);
}

#[test]
fn is_beaten_by_a_flag() {
    let desk = desk();
    desk.write("my.toml", CONFIG);
    let report = desk.json(
        "rank --config my.toml --seed 4 --rounds=30 --systems ant,bee,cat \
                            --judge simulated --run other",
    );
    assert_eq!(
        json!([report["judge"], report["seed"], report["ci"]["rounds"]]),
        json!(["simulated:gap=0.5,seed=0", 4, 30])
    );
    assert_eq!(report["coverage"]["trials"], 36);
}

/// From seeing the prompts to the gate: what a command lacks is left out, and said.
#[test]
fn one_file_serves_several_commands() {
    let desk = desk();
    let more = "aggregate = 'win-ratio'\npair = ['bee', 'cat']\nretry = 'unparsed'\n[judges.mine]";
    desk.write("all.toml", CONFIG.replace("[judges.mine]", more));
    let rendered = desk.done("prompts render --config all.toml");
    assert!(
        rendered.stdout.contains("bee then cat"),
        "{}",
        rendered.stdout
    );
    rendered.says(
        "all.toml: prompts render does not use `aggregate`, `pair`, `retry`, `rounds`, `run`: left \
         out, as settings of other commands",
    );
    desk.done("estimate --config all.toml")
        .says("--config: `retry` is not used here: an estimate asks no model");
    let ranked = desk.done("rank --config all.toml");
    ranked.says("all.toml: rank does not use `pair`: left out, as settings of other commands");
    let compared = desk.done("compare run --config all.toml");
    assert!(compared.stdout.contains("cat"), "{}", compared.stdout);
    let quiet = desk.done("compare run --config all.toml --quiet");
    assert!(!quiet.stderr.contains("left out"), "{}", quiet.stderr);
    // A gate that would never stop anything, a misspelt key, a command that takes no file.
    desk.write("gate.toml", "min-coverage = 0.95\npair = 'bee,cat'\n");
    desk.refused(
        "compare run --config gate.toml",
        "gate.toml: key `min-coverage`: compare does not check this condition",
    );
    desk.write("odd.toml", "pairr = 'bee,cat'\n");
    desk.refused(
        "compare run --config odd.toml",
        "odd.toml: unknown key `pairr`; did you mean `pair`? compare takes ",
    );
    desk.refused(
        "plan run --config all.toml",
        "unexpected argument '--config'",
    );
}
