//! Settings out of range, or that do not go together.

use super::*;

#[test]
fn an_unknown_protocol_lists_the_forms() {
    let message = "--protocol swim: `swim` is not a form; expected pairwise, pairwise-tie, \
                   pairwise-5point, pairwise-score, pairwise-likert, pointwise, listwise, \
                   checklist, reward or likelihood (pointwise and pairwise-score take a scale, as \
                   in pointwise:1-5 or pointwise:0..1:0.1; listwise a group size, as in \
                   listwise:3; checklist whether each criterion is a call of its own, as in \
                   checklist:each; likelihood what it is set against, as in likelihood:inverse; \
                   ,mode behind pointwise, pairwise, pairwise-tie, pairwise-5point, \
                   pairwise-likert or checklist:each takes the most probable answer alone, as in \
                   pairwise,mode), or a preset (`evenhand prompts list`)";
    assert_setting_refused("--protocol swim", message);
    let message = "--protocol prepare: `prepare` is not a form; expected a form such as pairwise \
                   or pointwise, or a preset (`evenhand prompts list`); did you mean `prepair`?";
    assert_setting_refused("--protocol prepare", message);
}

#[test]
fn parts_that_do_not_go_together_are_refused_with_the_reason() {
    let swap = "--protocol pointwise/direct/swap: this calibration needs two responses in one \
                prompt, and this form shows one at a time; use single or mec";
    assert_setting_refused("--protocol pointwise/direct/swap", swap);
    let cot = "--protocol likelihood/cot: likelihood and reward ask for no verdict, so there is \
               nothing to reason or prescribe before it; use likelihood/direct/single or \
               reward/direct/single";
    assert_setting_refused("--protocol likelihood/cot", cot);
}

#[test]
fn a_choice_of_pairs_is_refused_where_no_pairs_are_shown() {
    let message = "--design sample:2: pointwise:1-10 looks at each response alone, so no pairs \
                   are chosen; leave --design out";
    assert_setting_refused("--protocol pointwise --design sample:2", message);
}

#[test]
fn layers_on_a_graphics_device_are_a_number_all_or_none() {
    let refused = refused(&desk(), &format!("{RANK} --gpu-layers most"));
    let message = "invalid value 'most' for '--gpu-layers <N>': expected a number of layers, all \
                   or none";
    assert!(refused.contains(message), "{refused}");
    let desk = desk();
    desk.done("rank --data data --judge simulated --gpu-layers none --run cpu");
}

#[cfg(not(any(feature = "cuda", feature = "metal", feature = "vulkan")))]
#[test]
fn layers_on_a_graphics_device_need_a_program_with_a_back_end() {
    for layers in ["all", "7"] {
        let refused = refused(&desk(), &format!("{RANK} --gpu-layers {layers}"));
        let message = format!(
            "invalid value '{layers}' for '--gpu-layers <N>': this evenhand has no back end for a \
             graphics device; leave the setting out for the CPU, or build with one of the \
             features cuda, metal and vulkan"
        );
        assert!(refused.contains(&message), "{refused}");
    }
}

#[test]
fn an_unknown_design_lists_the_designs() {
    assert_setting_refused(
        "--design round-robin",
        "--design round-robin: expected all-pairs, reference:SYSTEM, sample:K, labelled, \
         adaptive, swiss:ROUNDS or swim",
    );
    let sample = "--design sample:0: K must be a whole number of comparisons per item, 1 or more";
    assert_setting_refused("--design sample:0", sample);
}

#[test]
fn an_unknown_reference_lists_the_systems() {
    let message = "--design reference:z: no such system in the data; it has a, b, c";
    assert_setting_refused("--design reference:z", message);
}

#[test]
fn unknown_systems_are_listed_with_the_known() {
    let message = "--systems: `y`, `z` not in the data; the systems are `a`, `b`, `c`";
    assert_setting_refused("--systems a,y,z", message);
}

#[test]
fn no_items_are_too_few() {
    assert_setting_refused("--items 0", "--items 0: expected at least one item");
}

#[test]
fn levels_and_rounds_have_a_range() {
    for level in ["0", "1", "1.5", "-0.5", "NaN"] {
        let message =
            format!("--level {level}: expected a number strictly between 0 and 1, such as 0.95");
        assert_setting_refused(&format!("--level={level}"), &message);
    }
    for rounds in ["0", "1", "10000001"] {
        let message = format!("--rounds {rounds}: expected 2 to 10000000 resamples");
        assert_setting_refused(&format!("--rounds {rounds}"), &message);
    }
}

#[test]
fn means_of_preferences_are_refused() {
    for (aggregate, form) in [("mean", "pairwise"), ("median", "pairwise-tie")] {
        let message = format!(
            "--aggregate {aggregate}: {form} gives preferences and no scores; use \
             bradley-terry or win-ratio, or a pointwise protocol"
        );
        assert_setting_refused(
            &format!("--aggregate {aggregate} --protocol {form}"),
            &message,
        );
    }
}

#[test]
fn conditions_that_mean_nothing_are_refused_before_anything_is_judged() {
    let figures = "expected FIGURE<NUMBER, with <, <=, > or >= and one of coverage, failures, \
                   consistency, first_slot, outside, warnings, warnings.KIND, score.SYSTEM or \
                   rank.SYSTEM; or expected worse(A,B), worse(A,B,MARGIN), inferior(A,B,MARGIN), \
                   or difference(A,B) or its .low, .high or .p with a number; or p95_latency, \
                   p95_latency(SYSTEM), p95_latency(NEW,OLD), answer_length likewise, or their \
                   .low or .high, with a number";
    for condition in [
        "covrage<1",
        "coverage",
        "coverage<x",
        "coverage<0.9,failures",
    ] {
        let at_fault = condition.split(',').next_back().unwrap();
        let message = format!("--fail-if {at_fault}: {figures}");
        assert_setting_refused(&format!("--fail-if {condition}"), &message);
    }
}

#[test]
fn a_condition_on_an_unknown_system_is_refused_before_anything_is_judged() {
    let desk = Desk::new(2, &["a", "b"]);
    let ran = desk.run("rank --data data --judge simulated:log=asked --run run --fail-if rank.z>1");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    ran.says_first("error: --fail-if rank.z>1: ");
    assert_eq!(
        (desk.lines("asked").len(), ran.stdout.as_str()),
        (0, ""),
        "it was known before the first call"
    );
}

#[test]
fn data_without_their_flag_and_no_judge_are_told_what_to_write() {
    let desk = desk();
    let bare = refused(&desk, "rank data --judge simulated");
    assert!(
        bare.starts_with("error: unexpected argument 'data' found\n")
            && bare.contains("  tip: give data with a flag: --data 'data'\n"),
        "{bare}"
    );
    let labelled = refused(&desk, "rank --data data --judge simulated --labels data");
    assert!(
        labelled.starts_with("error: unexpected argument '--labels' found\n")
            && labelled.contains("  tip: labels correct an existing run: `evenhand judgments ")
            && !labelled.contains("'--level'"),
        "{labelled}"
    );
    let nobody = refused(&desk, "rank --data data");
    assert!(
        nobody.contains("  tip: name a judge: --judge openai:MODEL, "),
        "{nobody}"
    );
}

#[test]
fn misspelt_names_are_told_the_nearest() {
    let desk = desk();
    desk.done("rank --data data --judge simulated --quiet --run run");
    for (line, meant) in [
        (
            "rank --data data --judge simulated --protocol pairwize",
            "pairwise",
        ),
        (
            "rank --data data --judge simulated --protocol pairwise/cott",
            "cot",
        ),
        (
            "audit --data data --judge simulated --probes positon",
            "position",
        ),
        (
            "rank --data data --judge simulated --control lenght",
            "length",
        ),
        ("rank --data data --judge simulated:acuracy=0.8", "accuracy"),
        (
            "leaderboard x.csv --aggregate bradly-terry",
            "bradley-terry",
        ),
        ("judgments run --where flip", "flipped"),
    ] {
        let ran = desk.run(line);
        ran.prints_nothing(2);
        let message = ran.stderr;
        assert!(
            message.contains(&format!("; did you mean `{meant}`?")),
            "{line}: {message}"
        );
    }
}

#[test]
fn words_of_other_tools_are_told_what_they_are_called_here() {
    let desk = desk();
    let said = |line: &str| {
        let ran = desk.run(line);
        ran.prints_nothing(2);
        ran.stderr
    };
    for (line, tip) in [
        ("rank --model gpt-4o", "name a judge: --judge openai:MODEL"),
        (
            "rank --data data --judge simulated --limit 5",
            "--items N takes the first N items",
        ),
        (
            "audit --data data --judge simulated -n 5",
            "--items N takes the first N items",
        ),
        ("rank --model_outputs data", "give data with --data: "),
        (
            "rank --data data --judge simulated -o x",
            "--report FILE.html writes a page",
        ),
        ("report run -o x.html", "name the file to write with --out"),
        ("meta judge --data data --grader x", "name a judge: "),
        (
            "leaderboard --data data",
            "give files without an option: evenhand leaderboard FILE",
        ),
        (
            "compare run a b",
            "it compares two at a time: two runs with `evenhand compare RUN1 RUN2`, or two systems \
             of a run with ",
        ),
        (
            "compare --pair a,b",
            "name a run (`evenhand runs` lists them): ",
        ),
        (
            "meta people data",
            "give labels with a flag: --labels 'data'",
        ),
        (
            "meta judge data --judge simulated",
            "give data with a flag: --data 'data'",
        ),
        (
            "meta judge --data data --labels data --judge simulated",
            "--labels is for --recorded; give the labels with the data: `evenhand meta judge --data ",
        ),
        (
            "eval -c promptfooconfig.yaml",
            "`evenhand rank --data DATA --judge JUDGE` judges",
        ),
        (
            "meta study s.toml --run x",
            "the folder stands in the study's file: run = \"DIR\"",
        ),
        (
            "plan run --config x.toml",
            "plan takes no settings from a file; give its options",
        ),
        (
            "rank --data data --judge simulated --anchor a=1000",
            "`evenhand leaderboard` has --anchor",
        ),
        ("gate run", "--fail-if CONDITION makes a command a gate: "),
        ("list", "`evenhand runs` lists your runs"),
        ("ui", "`evenhand view` shows runs in a browser"),
    ] {
        let message = said(line);
        assert!(
            message.contains(&format!("  tip: {tip}")),
            "{line}: {message}"
        );
        assert_eq!(message.matches("tip:").count(), 1, "{line}: {message}");
    }
    // Where a command has no such option, none is named.
    for line in [
        "runs --model x",
        "show run --limit 3",
        "show run -o x",
        "meta fly",
    ] {
        let message = said(line);
        for ours in [
            "--judge openai",
            "--items N",
            "write with --out",
            "--report FILE",
        ] {
            assert!(!message.contains(ours), "{line}: {message}");
        }
    }
}

#[test]
fn an_unknown_flag_has_claps_code_and_a_tip() {
    let message = refused(&desk(), &format!("{RANK} --level-of-detail 3"));
    assert!(
        message.starts_with("error: unexpected argument '--level-of-detail' found\n"),
        "{message}"
    );
    assert!(message.contains("Usage: "), "{message}");
}
