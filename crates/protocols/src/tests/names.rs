//! Names of protocols, and prompts that are refused.

use super::*;

#[test]
fn names_go_round_and_defaults_are_filled_in() {
    for (given, full) in [
        ("pairwise", "pairwise/direct/swap"),
        ("pairwise-tie/cot", "pairwise-tie/cot/swap"),
        ("pairwise/direct/single", "pairwise/direct/single"),
        ("pointwise", "pointwise:1-10/direct/single"),
        ("pointwise/cot/mec", "pointwise:1-10/cot/mec:3"),
        ("likelihood", "likelihood/direct/single"),
        ("pairwise/direct/swap/none", "pairwise/direct/swap/none"),
        ("pairwise/direct/swap/rules", "pairwise/direct/swap"),
        (
            "listwise:3/prepair+metrics/swap:none",
            "listwise:3/prepair+metrics/swap:none",
        ),
    ] {
        assert_eq!(Protocol::parse(given).unwrap().to_string(), full);
    }
}

#[test]
fn every_preset_is_a_protocol() {
    for preset in crate::PRESETS {
        let protocol =
            Protocol::parse(preset.name).unwrap_or_else(|e| panic!("{}: {e}", preset.name));
        assert_eq!(
            Protocol::parse(preset.protocol).unwrap().to_string(),
            protocol.to_string()
        );
        let again = Protocol::parse(&protocol.to_string()).unwrap();
        assert_eq!(
            again.fingerprint(),
            protocol.fingerprint(),
            "{}",
            preset.name
        );
    }
}

#[test]
fn names_that_mean_nothing_are_refused_with_the_reason() {
    for (given, message) in [
        (
            "likert",
            "`protocol` likert: `likert` is not a form; expected a form such as pairwise or \
             pointwise, or a preset (`evenhand prompts list`); did you mean `pairwise-likert`?",
        ),
        (
            "prepare",
            "`protocol` prepare: `prepare` is not a form; expected a form such as pairwise or \
             pointwise, or a preset (`evenhand prompts list`); did you mean `prepair`?",
        ),
        (
            "swim",
            "`protocol` swim: `swim` is not a form; expected pairwise, pairwise-tie, ",
        ),
        (
            "pairwise/think",
            "`protocol` pairwise/think: `think` is not a reasoning; expected direct, cot, ",
        ),
        (
            "pairwise/criteria",
            "`protocol` pairwise/criteria: `criteria` is not a reasoning; expected direct, cot, \
             pros-cons, prepair or prepair-star, each also with +metrics, +reference or both; \
             prepair and prepair-star also with +analyses-only; `criteria` is a rubric, the fourth \
             part: form/reasoning/calibration/criteria",
        ),
        (
            "pairwise/cot/",
            "`protocol` pairwise/cot/: an empty part is not a calibration; expected swap, \
             swap:average, ",
        ),
        (
            "pairwise/cot/swap/more",
            "`protocol` pairwise/cot/swap/more: `more` is not a rubric; expected criteria, \
             instruction-following, none, overall, rules",
        ),
        (
            "pairwise/cot/swap/none/x",
            "`protocol` pairwise/cot/swap/none/x: expected at most four parts",
        ),
        (
            "pointwise/direct/swap",
            "`protocol` pointwise/direct/swap: this calibration needs two responses in one prompt",
        ),
        (
            "likelihood/cot",
            "`protocol` likelihood/cot: likelihood and reward ask for no verdict",
        ),
        (
            "likelihood/direct/mec",
            "`protocol` likelihood/direct/mec: likelihood and reward are the same in every order",
        ),
        (
            "pairwise/direct/mec",
            "`protocol` pairwise/direct/mec: mec averages over samples of the evidence",
        ),
        (
            "pairwise/prepair/swap-cot",
            "`protocol` pairwise/prepair/swap-cot: swap-cot shows the judge the explanations",
        ),
        (
            "listwise/direct/portia",
            "`protocol` listwise/direct/portia: this calibration is for two responses",
        ),
    ] {
        let found = Protocol::parse(given).unwrap_err().to_string();
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn a_template_that_would_hold_itself_is_refused() {
    for (file, text) in [
        ("material", "text = '{{ material }}'"),
        ("material", "text = '{{ answers }}{{ question }}'"),
        (
            "material",
            "text = '{{ answers }}'\nfencing = '{{ material }}'",
        ),
        ("rubrics/rules", "text = '{{ fencing }}'"),
        (
            "pairwise",
            "system = ''\nuser = '{{ question }}'\n[question]\ndirect = '{{ answers }} {{ question \
             }}'",
        ),
    ] {
        let mut options = ProtocolOptions::default();
        options
            .pack
            .replace(file, text.into(), "pack.toml")
            .unwrap();
        let refused = Protocol::with("pairwise", &options)
            .unwrap_err()
            .to_string();
        assert!(
            refused.starts_with("pack.toml:") && refused.ends_with("it would hold itself"),
            "{refused}"
        );
    }
}
