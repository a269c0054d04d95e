//! Prompts, listed, shown and replaced.

use super::*;
use crate::common::assert_holds;
use evenhand_testing::server::{Script, Server};

#[test]
fn all_are_listed_and_shown() {
    let desk = Desk::empty();
    let list = desk.done("prompts list").stdout;
    for name in [
        "pairwise-likert",
        "rubrics/rules",
        "reconsider",
        "portia-score",
        "first_text",
    ] {
        assert!(list.contains(name), "{name} in {list}");
    }
    assert!(
        desk.done("prompts show pairwise")
            .stdout
            .contains("marker = \"Verdict:\"")
    );
    let ran = desk.run("prompts show pairwize");
    assert_eq!(ran.code, Some(2));
    ran.says_first("error: no prompt is called pairwize; there are analyse, ");
}

#[test]
fn what_is_rendered_is_what_is_sent() {
    let desk = desk();
    for protocol in [
        "pairwise/prepair/swap",
        "pairwise-tie/cot+metrics+reference/swap-cot",
        "pairwise/direct/portia",
    ] {
        let run = format!(
            "--judge simulated:first-slot=0.5 --protocol {protocol} --run run-{}",
            protocol.len()
        );
        desk.done(&format!("judge --data data {run} --keep-prompts"));
        let file = desk.path(&format!("run-{}/run.sqlite", protocol.len()));
        let calls = rusqlite::Connection::open(file).unwrap();
        let first = calls
            .query_row("SELECT request FROM calls WHERE id = 1", [], |row| {
                row.get::<_, String>(0)
            })
            .unwrap();
        let sent: Value = serde_json::from_str(&first).unwrap();
        let rendered = desk
            .done(&format!(
                "prompts render --data data --protocol {protocol} --format json"
            ))
            .stdout;
        let rendered: Value = serde_json::from_str(rendered.lines().next().unwrap()).unwrap();
        assert_eq!(rendered["messages"], sent["messages"], "{protocol}");
    }
}

#[test]
fn later_rounds_are_rendered_with_stand_ins() {
    let text = desk()
        .done("prompts render --data data --protocol prepair")
        .stdout;
    assert_eq!(
        text.matches("=== item q0, ant, round 1").count()
            + text.matches("=== item q0, ant then bee, round 1").count(),
        2
    );
    assert_holds(&text, "round 2\n");
    assert_holds(&text, "<<<< ANALYSIS OF ANSWER A\nstand-in");
}

#[test]
fn a_pack_takes_the_place_of_a_prompt() {
    let desk = desk();
    let ours = desk.done("prompts show pairwise").stdout;
    desk.write(
        "pack/pairwise.toml",
        ours.replace("You are an impartial judge.", "You weigh answers."),
    );
    desk.write("pack/rubrics/brief.toml", "text = 'Shorter is better.'\n");
    let rendered = desk
        .done(
            "prompts render --data data --prompt-pack pack --protocol \
                              pairwise/direct/swap/brief",
        )
        .stdout;
    assert_holds(&rendered, "You weigh answers.");
    assert_holds(&rendered, "Shorter is better.");
    assert!(
        desk.done("prompts list --prompt-pack pack")
            .stdout
            .contains("[from the pack]")
    );
    let report = rank(
        &desk,
        "--judge simulated:gap=4 --prior 0.1 --prompt-pack pack --protocol \
         pairwise/direct/swap/brief",
    );
    assert_eq!(report["protocol"], json!("pairwise/direct/swap/brief"));
}

#[test]
fn a_faulty_pack_is_refused_with_file_and_line() {
    let desk = desk();
    let ours = desk.done("prompts show pairwise").stdout;
    let refused = |name: &str, text: &str| {
        desk.write(&format!("{name}/pairwise.toml"), text);
        let ran = desk.run(&format!(
            "rank --data data --judge simulated --prompt-pack {name}"
        ));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        ran.stderr
    };
    let error = refused("unknown", &ours.replace("{{ rubric }}", "{{ rubrik }}"));
    assert_holds(
        &error,
        "unknown/pairwise.toml:6: the template names `rubrik`, which is \
                        unknown; known are rubric, ",
    );
    let error = refused("syntax", &ours.replace("{{ material }}", "{{ material"));
    assert_holds(&error, "syntax/pairwise.toml:11: syntax error");
    let error = refused("missing", &ours.replace("system = ", "sistem = "));
    assert_holds(&error, "missing/pairwise.toml:4: unknown field `sistem`");
    let error = refused(
        "blind",
        &ours.replace("{{ material }}", "{{ instruction }}"),
    );
    assert!(error.contains("the template shows no answer"), "{error}");
    let error = refused(
        "notation",
        &ours.replace("marker = \"Verdict:\"", "notation = \"smiley\""),
    );
    assert_holds(
        &error,
        "notation/pairwise.toml:3: unknown notation `smiley`",
    );
    let error = refused(
        "filter",
        &ours.replace("{{ material }}", "{{ material|trim }}"),
    );
    assert_holds(
        &error,
        "filter/pairwise.toml:9: the template cannot be filled in: unknown filter",
    );
    let error = refused("sum", &ours.replace("{{ material }}", "{{ material + 1 }}"));
    assert_holds(
        &error,
        "sum/pairwise.toml:9: the template cannot be filled in: ",
    );
    let endless = "{% for a in material %}{% for b in material %}x{% endfor %}{% endfor %}";
    let error = refused("endless", &ours.replace("{{ material }}", endless));
    assert_holds(
        &error,
        "endless/pairwise.toml:9: the template takes too many steps",
    );
    desk.write("misspelt/pairwize.toml", "");
    let ran = desk.run("rank --data data --judge simulated --prompt-pack misspelt");
    ran.says("misspelt/pairwize.toml: no prompt has this name");
}

#[test]
fn a_plain_text_in_the_place_of_a_rubric_is_told_what_a_rubric_is() {
    let desk = desk();
    let plain = "Prefer the answer that is kind and short.\n";
    desk.write("plain.txt", plain);
    desk.write("pack/rubrics/kind.toml", plain);
    desk.write("empty/rubrics/kind.txt", plain);
    desk.write(
        "other/rubrics/kind.toml",
        "rubric = \"Prefer the kind one.\"\n",
    );
    let ask = "rank --data data --judge simulated --protocol pairwise/direct/swap/kind";
    let shown = "text = \"Prefer the answer that is warmer in tone.\"";
    for (pack, found) in [
        (
            "plain.txt",
            "plain.txt: expected a folder of prompts, found a file",
        ),
        ("pack", "pack/rubrics/kind.toml:1: "),
        ("empty", "empty: there is no .toml file here"),
        ("other", "other/rubrics/kind.toml:1: unknown field `rubric`"),
    ] {
        let ran = desk.run(&format!("{ask} --prompt-pack {pack}"));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert_holds(&ran.stderr, found);
        assert_holds(&ran.stderr, shown);
    }
    // The one that the message shows is a rubric.
    desk.write("pack/rubrics/kind.toml", shown);
    let ran = desk.run(&format!("{ask} --prompt-pack pack --run run"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

/// PRePair's last step, as it is rendered, sent, kept and shown: four turns, of which the third is
/// the judge's own.
#[test]
fn a_dialogue_is_turns_wherever_it_is_seen() {
    let desk = desk();
    let protocol = "--protocol pairwise/prepair/single:fixed";
    let text = desk
        .done(&format!("prompts render --data data {protocol}"))
        .stdout;
    let turns = text
        .split("--- ")
        .skip(1)
        .map(|turn| turn.lines().next().unwrap());
    let last: Vec<&str> = turns.collect();
    assert!(
        last.ends_with(&["system", "user", "assistant", "user", "wanted"]),
        "{last:?}"
    );
    assert_holds(&text, "--- assistant\n<<<< ANALYSIS OF ANSWER A\n");

    let server = Server::start(Script {
        keep: 1000,
        ..Script::default()
    })
    .unwrap();
    let url = server.url();
    desk.write(
        "judge.toml",
        format!("[judges.open]\nspec = 'openai:m'\nendpoints = ['{url}']\n"),
    );
    desk.done(&format!(
        "judge --data data --systems ant,bee --config judge.toml --judge open {protocol} --run run --quiet"
    ));
    let dialogues: Vec<Vec<String>> = server
        .requests()
        .iter()
        .filter_map(|seen| serde_json::from_str::<Value>(&seen.body).ok())
        .filter_map(|body| {
            let messages = body["messages"].as_array()?.iter();
            let roles = messages.filter_map(|one| one["role"].as_str().map(String::from));
            Some(roles.collect::<Vec<_>>()).filter(|roles| roles.len() > 2)
        })
        .collect();
    assert_eq!(dialogues.len(), 5, "{dialogues:?}");
    for roles in dialogues {
        assert_eq!(roles, ["system", "user", "assistant", "user"]);
    }
    let shown = desk.done("show run 0 --prompt").stdout;
    assert_holds(
        &shown,
        "    prompt, assistant:\n      <<<< ANALYSIS OF ANSWER A",
    );
    // What is estimated is what is asked.
    let estimate = desk.done(&format!(
        "estimate --data data --systems ant,bee {protocol} --judge simulated"
    ));
    estimate.prints("15");
}
