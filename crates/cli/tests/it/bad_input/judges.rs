//! Judges that cannot be named or asked.

use super::*;
#[cfg(feature = "embedded")]
use crate::common::assert_holds;

#[track_caller]
fn assert_judge_refused(judge: &str, message: &str) {
    assert_refused(
        &desk(),
        &format!("rank --data data --judge {judge}"),
        message,
    );
}

#[test]
fn that_are_unknown_are_refused_with_the_kinds() {
    let message = "--judge gpt: expected openai:MODEL[@BASE_URL], anthropic:MODEL, ollama:MODEL, \
                   lmstudio:MODEL, systemone:MODEL@BASE_URL, decisions:MODEL[@BASE_URL], \
                   reward:MODEL@BASE_URL, gguf:PATH, hf:OWNER/REPO[:QUANT], simulated[:SPEC], \
                   recorded:RUN_DIR, exec:PROGRAM, panel:FILE, head:FILE, or a name from the \
                   configuration's [judges]";
    assert_judge_refused("gpt", message);
    // The page on judges tells of each kind.
    let helped = desk().done("help judges").stdout;
    let known: Vec<&str> = helped
        .lines()
        .filter(|line| !line.starts_with(' '))
        .flat_map(|line| line.split(", "))
        .filter_map(|kind| kind.split([':', '[']).next())
        .collect();
    let (_, kinds) = message.split_once("expected ").unwrap();
    let kinds = kinds.split(", ").filter(|kind| kind.contains(':'));
    for kind in kinds {
        let name = kind.split([':', '[']).next().unwrap();
        assert!(known.contains(&name), "{kind}: {helped}");
    }
    for (bare, meant) in [
        ("gpt-4o-mini", "openai:gpt-4o-mini"),
        ("claude-sonnet", "anthropic:claude-sonnet"),
        ("openai/gpt-4o", "openai:gpt-4o"),
        ("models/m.gguf", "gguf:models/m.gguf"),
        ("judge.py", "'exec:python3 judge.py'"),
        ("simulted", "simulated"),
        ("simulted:seed=1", "simulated:seed=1"),
        ("opnai:gpt-4o", "openai:gpt-4o"),
    ] {
        let told = refused(&desk(), &format!("rank --data data --judge {bare}"));
        let hint = format!("[judges]; did you mean {meant}?\n");
        assert!(told.ends_with(&hint), "{told}");
    }
    let desk = desk();
    let mut whole = desk.command("rank --data data --judge");
    let ran = whole.arg("python3 judge.py").output().unwrap();
    let told = String::from_utf8(ran.stderr).unwrap();
    let hint = "[judges]; did you mean 'exec:python3 judge.py'?\n";
    assert!(told.ends_with(hint), "{told}");
    assert_judge_refused("gguf:", "--judge gguf:: expected gguf:PATH");
    assert_judge_refused("exec:", "--judge exec:: expected exec:PROGRAM");
    assert_judge_refused("recorded:", "--judge recorded:: expected recorded:PATH");
}

#[test]
fn that_are_served_have_a_sound_address_without_credentials() {
    let credentials = "--judge openai:m: the base URL holds credentials; give the key by the \
                       environment, and the URL without it";
    assert_judge_refused("openai:m@https://me:sk-secret@h.example/v1", credentials);
    assert_judge_refused("openai:m@https://sk-secret@h.example/v1", credentials);
    let query = "--judge openai:m: the base URL may carry no query but api-version: a key \
                 given so would be written down";
    assert_judge_refused("openai:m@https://h.example/v1?key=sk-secret", query);
    assert_judge_refused(
        "openai:",
        "--judge openai: expected openai:MODEL or openai:MODEL@BASE_URL",
    );
    assert_judge_refused(
        "anthropic:@https://h.example",
        "--judge anthropic: expected anthropic:MODEL or anthropic:MODEL@BASE_URL",
    );
}

#[test]
fn that_are_simulated_take_only_known_defects_in_their_range() {
    let unknown = "simulated judge: `acuracy=1`: unknown key; expected one of accuracy, gap, \
                   first-slot, length, distractor, flattery, markdown, emoji, authority, \
                   injection, self=SYSTEM:SHARE, intransitive, choice-set, wide-scale, tie, \
                   compression, invalid, refuse, misread, greedy, probabilities, decides, \
                   option-flips, off-label, rerun-flips, delay-ms, \
                   seed, log; did you mean `accuracy`?";
    assert_judge_refused("simulated:acuracy=1", unknown);
    assert_judge_refused(
        "simulated:gap=1,accuracy",
        "simulated judge: `accuracy`: expected key=value",
    );
    for bad in ["accuracy=1.1", "invalid=-0.1", "tie=NaN", "length=x"] {
        assert_judge_refused(
            &format!("simulated:{bad}"),
            &format!("simulated judge: `{bad}`: expected a number from 0 to 1"),
        );
    }
    assert_judge_refused(
        "simulated:self=a",
        "simulated judge: `self=a`: expected self=SYSTEM:SHARE",
    );
}

#[test]
fn that_cannot_write_their_log_say_so() {
    let message = "simulated judge: log=nowhere/asked: No such file or directory (os error 2)";
    assert_judge_refused("simulated:log=nowhere/asked", message);
}

#[test]
fn that_were_recorded_need_a_run() {
    let ran = desk().run("rank --data data --judge recorded:data --run run");
    let message = "error: data: there is no run here that can be read (run.sqlite: No such \
                   file or directory (os error 2))\n";
    ran.prints_nothing(2);
    assert_eq!(ran.stderr, message);
}

#[cfg(not(feature = "embedded"))]
#[test]
fn that_are_embedded_need_the_engine() {
    let message = "--judge gguf:m.gguf: this evenhand was built without the embedded engine; \
                   build it with the feature `embedded`";
    assert_judge_refused("gguf:m.gguf", message);
}

#[cfg(feature = "embedded")]
#[test]
fn that_are_embedded_need_a_whole_gguf_file() {
    let desk = desk();
    desk.write(
        "model.bin",
        "This is no model at all, whatever its name may say.\n".repeat(20),
    );
    desk.write("cut.bin", b"GGUF\x03\0\0\0\x09\0\0\0\0\0\0\0\x02\0");
    for file in ["model.bin", "cut.bin", "nowhere.bin"] {
        let message = refused(&desk, &format!("rank --data data --judge gguf:{file}"));
        assert_holds(&message, file);
        assert_holds(&message, "GGUF");
    }
}
