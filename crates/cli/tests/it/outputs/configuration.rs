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
