//! The atlas of judges: what the repository has is what `scripts/make-atlas` makes of the
//! recordings today, to the byte.

use crate::common::{Desk, assert_holds};
use evenhand_testing::shared_data;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn make_atlas(script: &Path, data: &Path, out: &Path) -> Output {
    let mut command = Command::new("python3");
    command
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_evenhand"))
        .arg(out);
    command.env("EVENHAND_SHARED_DATA", data).output().unwrap()
}

/// The files of a folder by their names.
fn files_in(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for place in [folder.to_path_buf(), folder.join("judges")] {
        for entry in fs::read_dir(place).unwrap().map(Result::unwrap) {
            if entry.path().is_file() && entry.file_name() != "intro.txt" {
                let name = entry
                    .path()
                    .strip_prefix(folder)
                    .unwrap()
                    .display()
                    .to_string();
                files.insert(name, fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    files
}

#[test]
fn the_atlas_is_what_the_recordings_say() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let out = desk.path("atlas");
    let made = make_atlas(&root().join("scripts/make-atlas"), &data, &out);
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let (kept, made) = (files_in(&root().join("docs/atlas")), files_in(&out));
    assert!(
        kept.keys().eq(made.keys()),
        "{:?} {:?}",
        kept.keys(),
        made.keys()
    );
    for (name, text) in &made {
        assert!(
            kept[name] == *text,
            "docs/atlas/{name}: run scripts/make-atlas PROGRAM"
        );
    }

    // Figures alone, of every LLMBar judge and the others.
    let rows: Vec<Value> = made["figures.jsonl"]
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of_set = |set: &str| rows.iter().filter(|row| row["set"] == set).count();
    assert_eq!(
        [of_set("LLMBar"), of_set("JudgeBench"), of_set("PandaLM")],
        [65, 4, 1]
    );
    for row in &rows {
        assert!(
            row["licence"]
                .as_str()
                .is_some_and(|licence| !licence.is_empty()),
            "{row}"
        );
        let [value, low, high] = match row["accuracy"].as_array().map(Vec::as_slice) {
            Some([value, low, high]) => [value, low, high].map(|x| x.as_f64().unwrap()),
            _ => continue,
        };
        assert!(
            0.0 <= low && low <= value && value <= high && high <= 1.0,
            "{row}"
        );
    }
}

/// In the place of what a copy of the script measures: the figures that the repository has, which
/// are those of the recordings (the test above).
const COLLECT: &str = r#"
def collect(program, data):
    cards = list(read_cards())
    kept = (ROOT / "docs/atlas/figures.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in kept.splitlines()] + cards


main()
"#;

/// A copy of the script with cards of its own: it looks for them beside itself.
#[test]
fn a_card_is_shown_beside_the_others_and_one_without_figures_is_refused() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let script = fs::read_to_string(root().join("scripts/make-atlas")).unwrap();
    let script = script.strip_suffix("\nmain()\n").unwrap();
    desk.write("copy/scripts/make-atlas", script.to_owned() + COLLECT);
    for name in ["intro.txt", "figures.jsonl"] {
        let text = fs::read(root().join("docs/atlas").join(name)).unwrap();
        desk.write(&format!("copy/docs/atlas/{name}"), text);
    }
    let gold = data.join("llmbar/natural/dataset.jsonl");
    let judged = format!(
        "meta judge --data {} --judge simulated:accuracy=0.9 --quiet --run run",
        gold.display()
    );
    let report = desk.json(&judged);
    desk.write("copy/docs/atlas/cards/none.txt", "no card");
    desk.done(&format!(
        "{judged} --publish copy/docs/atlas/cards/row.jsonl --set Published --source us \
         --licence MIT"
    ));
    let card = |report: &Value| {
        json!({"judge": "a simulated one", "set": "LLMBar Natural, by a simulated judge",
               "source": "princeton-nlp/LLMBar", "licence": "MIT", "report": report})
    };
    desk.write("copy/docs/atlas/cards/mine.json", card(&report).to_string());
    let mut other = card(&report);
    other["judge"] = json!("裁判");
    other["set"] = json!("LLMBar Natural");
    other["licence"] = json!("CC0");
    desk.write("copy/docs/atlas/cards/other.json", other.to_string());
    let script = desk.path("copy/scripts/make-atlas");
    let made = make_atlas(&script, &data, &desk.path("out"));
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let page = desk.read("out/judges/a-simulated-one.md");
    assert_holds(&page, "100 pairs with labels");
    assert_holds(&page, "card mine.json");
    assert!(
        desk.read("out/README.md")
            .contains("judges/a-simulated-one.md")
    );

    // The row that was published says what the card of the same report says.
    let rows = desk.read("out/figures.jsonl");
    let rows: Vec<Value> = rows
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |set: &str| {
        let row = rows.iter().find(|row| row["set"] == set);
        let mut row = row.unwrap().as_object().unwrap().clone();
        let named = ["judge", "set", "source", "measured"].map(|key| row.remove(key).unwrap());
        (row, named)
    };
    let (published, [judge, _, source, measured]) = of("Published");
    let (of_card, _) = of("LLMBar Natural, by a simulated judge");
    assert_eq!(published, of_card);
    assert_eq!(source, "us");
    assert_eq!(measured, "card row.jsonl");
    assert!(
        judge.as_str().unwrap().contains("pairwise/direct/swap"),
        "{judge}"
    );

    // One on a set that others share has a page and a link too, and its licence is named.
    let page = desk.read("out/judges/裁判.md");
    assert!(page.contains("card other.json"), "{page}");
    let index = desk.read("out/README.md");
    assert!(index.contains("## LLMBar Natural\n"), "{index}");
    assert!(index.contains("judges/%E8%A3%81%E5%88%A4.md"), "{index}");
    assert!(
        index.contains("licence: CC0; MIT") || index.contains("licence: MIT; CC0"),
        "{index}"
    );

    for (report, expected) in [
        (json!({"n": 100}), "accuracy"),
        (json!({"judges": [report, report]}), "a card for each"),
    ] {
        desk.write("copy/docs/atlas/cards/mine.json", card(&report).to_string());
        let refused = make_atlas(&script, &data, &desk.path("out"));
        let why = String::from_utf8_lossy(&refused.stderr);
        assert!(
            !refused.status.success() && why.contains("mine.json") && why.contains(expected),
            "{why}"
        );
    }
    desk.write("copy/docs/atlas/cards/mine.json", card(&report).to_string());
    let row: Value = serde_json::from_str(&desk.read("copy/docs/atlas/cards/row.jsonl")).unwrap();
    let with = |key: &str, value: Value| {
        let mut row = row.clone();
        row[key] = value;
        row.to_string()
    };
    for (row, expected) in [
        (
            with("prompt", json!("a text")),
            "names, counts and figures alone",
        ),
        (with("licence", json!(" ")), "`licence` is missing"),
        (with("accuracy", json!(null)), "`accuracy` is no figure"),
        (
            with("accuracy", json!([0.9, 0.91, 0.95])),
            "outside its interval",
        ),
        (with("verdicts", json!(1e9 as u64)), "not possible"),
        ("{".into(), "row.jsonl"),
    ] {
        desk.write("copy/docs/atlas/cards/row.jsonl", row);
        let refused = make_atlas(&script, &data, &desk.path("out"));
        let why = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && why.contains(expected), "{why}");
    }
    // What was there is left as it is.
    assert_eq!(desk.read("out/judges/裁判.md"), page);
}

/// Labelled pairs of ours: what is published holds no text of them, and another way of counting is
/// no row of the atlas.
#[test]
fn what_is_published_is_figures_alone() {
    let desk = Desk::empty();
    let pair = |at: usize| {
        let label = if at.is_multiple_of(3) { 2 } else { 1 };
        let pair = json!({"index": format!("secret-{at}"), "input": format!("secret {at}"),
            "output_1": format!("secret one {at}"), "output_2": format!("secret two {at}"),
            "label": label});
        format!("{pair}\n")
    };
    desk.write("pairs.jsonl", (0..30).map(pair).collect::<String>());
    let judged = "meta judge --data pairs.jsonl --judge simulated:accuracy=0.9 --quiet --run run \
                  --publish row.jsonl --set Ours --source us --licence CC0";
    for (more, said) in [
        ("--failures exclude", "in one way"),
        ("--level 0.9", "in one way"),
    ] {
        desk.refused(&format!("{judged} {more}"), said);
    }
    let lone = desk.run("meta judge --data pairs.jsonl --judge simulated --publish row.jsonl");
    assert_eq!(lone.code, Some(2), "{}", lone.stderr);
    assert!(!desk.path("row.jsonl").exists());

    desk.done(judged);
    let text = desk.read("row.jsonl");
    assert!(!text.contains("secret"), "{text}");
    let row: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
    let known = fs::read_to_string(root().join("docs/atlas/figures.jsonl")).unwrap();
    let known: Value = serde_json::from_str(known.lines().next().unwrap()).unwrap();
    assert!(known.as_object().unwrap().keys().eq(keys), "{row}");
    assert_eq!((&row["set"], &row["pairs"]), (&json!("Ours"), &json!(30)));
}
