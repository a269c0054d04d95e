//! A run as its store has it: rows, judgments in full, a search, a growing run, and a file.

use base64::Engine;
use evenhand_core::{
    CallResult, Failure, FailureKind, Item, Judgment, Message, Outcome, Reply, Request, Response,
    Side, Task, Trial, Usage, Verdict, VerdictSource,
};
use evenhand_engine::PriceTable;
use evenhand_pages::{FileReport, Filter, OpenRun, Overview, PersonLabel};
use evenhand_store::{Call, KeptLabel, Manifest, Store, keep_report};
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;

const SYSTEMS: [&str; 2] = ["careful", "hasty"];
const QUESTION: &str = "How do the tides come about? Answer for a child of ten.";

fn response_text(system: &str, item: u64) -> String {
    format!("The moon pulls at the water, says {system} of {item} <script>alert(1)</script>")
}

fn item(number: u64) -> Item {
    Item {
        id: format!("q{number}"),
        messages: vec![Message::user(format!("{QUESTION} ({number})"))],
        category: Some(if number == 0 { "earth" } else { "sky" }.into()),
        ..Item::default()
    }
}

fn request(number: u64, systems: [&str; 2]) -> Request {
    let [first, second] = systems.map(|system| response_text(system, number));
    let question = item(number).instruction().to_owned();
    Request::new(
        "openai https://example.org m".into(),
        vec![Message::user(format!(
            "{question}\n[1] {first}\n[2] {second}\nWhich?"
        ))],
        Task::write(1),
    )
}

fn put_call(store: &mut Store, request: &Request, words: &str) {
    let usage = Usage {
        prompt_tokens: 40,
        completion_tokens: 2,
        ..Usage::default()
    };
    let result: CallResult = Ok(Reply {
        text: words.into(),
        usage,
        ..Reply::default()
    });
    let call = Call {
        key: &request.key(),
        judge: &request.judge,
        request: &request.canonical(),
        about: &request.about,
        result: &result,
        raw: None,
        batch: false,
    };
    store.put(&call).unwrap();
}

/// Judges an item in one order: the slots of trial 2n hold the systems in their order.
fn judge(store: &mut Store, trial: u64, first: f64) {
    let verdict = Verdict::pair([first, 0.0, 1.0 - first], 0.0, VerdictSource::Text);
    judge_as(
        store,
        trial,
        Ok(verdict),
        if first > 0.5 { "[1]" } else { "[2]" },
    );
}

fn judge_as(store: &mut Store, trial: u64, outcome: Outcome, words: &str) {
    let mut systems = SYSTEMS;
    if trial % 2 == 1 {
        systems.reverse();
    }
    let number = trial / 2;
    let request = request(number, systems);
    if !words.is_empty() {
        put_call(store, &request, words);
    }
    let judgment = Judgment {
        trial: Trial {
            index: trial,
            item: number as u32,
            systems: vec![0, 1],
            replicate: 0,
        },
        outcome,
        calls: vec![request.key()],
        looks: Vec::new(),
    };
    let responses = systems.map(|system| Response::new(system, ""));
    store
        .put_judgment(&judgment, &item(number).id, &responses)
        .unwrap();
}

/// A run of three items: one is flipped, one is won by careful, one has no verdict in one order.
fn judged_run(dir: &Path) -> Store {
    let mut store = Store::open(dir, &Manifest::default()).unwrap();
    for number in 0..3 {
        let responses = SYSTEMS.map(|system| Response::new(system, response_text(system, number)));
        store.put_texts(&item(number), &responses).unwrap();
    }
    for (trial, first) in [0.9, 0.8, 0.9, 0.2, 0.5].into_iter().enumerate() {
        judge(&mut store, trial as u64, first);
    }
    let failure = Failure::new(FailureKind::Unparsed, "no verdict in 'Well …'");
    judge_as(&mut store, 5, Err(failure), "Well …");
    let label = KeptLabel {
        item: "q1".into(),
        a: "hasty".into(),
        b: "careful".into(),
        preferred: Side::First,
        annotator: None,
    };
    store.put_labels([label]).unwrap();
    store.commit().unwrap();
    store
}

fn open(dir: &Path) -> OpenRun {
    OpenRun::open(dir, PriceTable::default()).unwrap()
}

fn found(run: &OpenRun, query: &str) -> Vec<String> {
    let rows = run.rows(&Filter::parse(query).unwrap()).unwrap();
    rows.rows.into_iter().map(|row| row.item).collect()
}

#[test]
fn rows_hold_both_orders_with_their_texts_tokens_and_labels() {
    let dir = tempfile::tempdir().unwrap();
    drop(judged_run(dir.path()));
    let run = open(dir.path());
    let page = run.rows(&Filter::default()).unwrap();
    assert_eq!((page.total, page.rows.len()), (3, 3));
    let row = serde_json::to_value(&page.rows[1]).unwrap();
    let expected = json!({
        "id": 2, "item": "q1", "category": "sky", "a": "careful", "b": "hasty", "systems": null,
        "replicate": 0,
        "ab": {"trial": 2, "p": [0.9, 0.0, 0.1], "score": null, "places": null, "failure": null},
        "ba": {"trial": 3, "p": [0.2, 0.0, 0.8], "score": null, "places": null, "failure": null},
        "outcome": "a", "p": 0.85, "score": null, "flipped": false, "split": false,
        "people": "b", "confidence": 0.7, "cost": null, "tokens": 84,
        "excerpt": format!("{QUESTION} (1)"),
    });
    for (key, value) in expected.as_object().unwrap() {
        match (value.as_f64(), row[key].as_f64()) {
            (Some(wanted), Some(found)) => assert!((wanted - found).abs() < 1e-9, "{key} {found}"),
            _ if key == "ab" || key == "ba" => assert_eq!(row[key]["trial"], value["trial"]),
            _ => assert_eq!(&row[key], value, "{key}"),
        }
    }
    assert_eq!(
        row.as_object().unwrap().len(),
        expected.as_object().unwrap().len()
    );
}

#[test]
fn filters_and_a_search_find_what_they_name() {
    let dir = tempfile::tempdir().unwrap();
    drop(judged_run(dir.path()));
    let run = open(dir.path());
    for (query, items) in [
        ("flipped=1", vec!["q0"]),
        ("people=disagree", vec!["q1"]),
        ("failure=unparsed", vec!["q2"]),
        ("category=sky&winner=careful", vec!["q1"]),
        ("text=TIDES", vec!["q0", "q1", "q2"]),
        ("text=hasty+of+1", vec!["q1"]),
        ("text=%5B2%5D", vec!["q1", "q2"]),
        ("text=stop", vec![]),
        ("sort=-confidence&limit=1", vec!["q1"]),
    ] {
        assert_eq!(found(&run, query), items, "{query}");
    }
    let error = run.rows(&Filter::parse("system=who").unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "system: the run has no \"who\"; it has careful, hasty"
    );
}

#[test]
fn labels_from_elsewhere_stand_beside_those_of_the_run_and_before_them() {
    let dir = tempfile::tempdir().unwrap();
    drop(judged_run(dir.path()));
    let mut run = open(dir.path());
    let label = |item: &str| PersonLabel {
        item: item.into(),
        a: "careful".into(),
        b: "hasty".into(),
        outcome: Side::First,
    };
    run.set_people(vec![label("q0")]);
    assert_eq!(found(&run, "people=any"), ["q0", "q1"]);
    assert_eq!(found(&run, "people=disagree"), ["q1"]);
    run.set_people(vec![label("q1")]);
    assert_eq!(found(&run, "people=agree"), ["q1"]);
    assert_eq!(found(&run, "people=any"), ["q1"]);
}

#[test]
fn a_judgment_in_full_has_its_texts_its_words_and_its_prompt() {
    let dir = tempfile::tempdir().unwrap();
    drop(judged_run(dir.path()));
    let run = open(dir.path());
    let detail = run.judgment(5).unwrap().unwrap();
    assert_eq!(detail.row.id, 4);
    assert_eq!(detail.item.text, format!("{QUESTION} (2)"));
    let systems: Vec<&str> = detail.responses.iter().map(|one| &*one.system).collect();
    assert_eq!(systems, ["hasty", "careful"], "in slot order");
    assert_eq!(detail.responses[0].text, response_text("hasty", 2));
    assert_eq!(detail.outcome.failure, Some("unparsed"));
    assert_eq!(detail.detail.as_deref(), Some("no verdict in 'Well …'"));
    let [call] = &detail.calls[..] else {
        panic!("one call")
    };
    assert_eq!(call.reply.as_ref().unwrap().text, "Well …");
    assert!(
        call.messages[0]
            .content
            .contains(&response_text("careful", 2))
    );
    assert!(run.judgment(6).unwrap().is_none());
}

#[test]
fn a_run_that_grows_is_read_on_and_one_that_is_judged_again_anew() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = judged_run(dir.path());
    let mut run = open(dir.path());
    assert!(!run.refresh().unwrap());
    let rest = Item {
        category: None,
        ..item(3)
    };
    store.put_texts(&rest, &[]).unwrap();
    judge(&mut store, 6, 0.7);
    store.commit().unwrap();
    assert!(run.refresh().unwrap());
    assert_eq!(found(&run, ""), ["q0", "q1", "q2", "q3"]);
    // The same reply, read otherwise.
    let verdict = Verdict::pair([0.9, 0.0, 0.1], 0.0, VerdictSource::SecondStage);
    judge_as(&mut store, 5, Ok(verdict), "");
    store.commit().unwrap();
    let overview = run.overview();
    assert!(overview.live);
    drop(store);
    keep_report(
        dir.path(),
        "rank",
        r#"{"ranking":[]}"#,
        r#"[{"kind":"dots"}]"#,
    )
    .unwrap();
    // What is said of the run is of the moment at which its rows were read.
    let still = run.overview();
    assert!(still.live && still.report.is_null());
    assert_eq!(still.version, overview.version);
    assert!(run.refresh().unwrap());
    let overview = run.overview();
    assert_eq!((&*overview.command, overview.live), ("rank", false));
    assert_eq!(overview.report, json!({"ranking": []}));
    assert_eq!(overview.figures, [json!({"kind": "dots"})]);
    assert_eq!(run.index().failures(), 0);
}

/// Reads the data that a page embeds.
fn embedded(page: &str) -> Value {
    let (_, rest) = page
        .split_once(r#"<script type="application/octet-stream" id="evenhand-data">"#)
        .unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let packed = base64::engine::general_purpose::STANDARD
        .decode(data)
        .unwrap();
    let mut json = String::new();
    flate2::read::DeflateDecoder::new(&packed[..])
        .read_to_string(&mut json)
        .unwrap();
    serde_json::from_str(&json).unwrap()
}

fn write(report: &FileReport) -> String {
    let mut page = Vec::new();
    report.write(&mut page).unwrap();
    String::from_utf8(page).unwrap()
}

#[test]
fn a_file_holds_each_text_once_and_every_judgment() {
    let dir = tempfile::tempdir().unwrap();
    drop(judged_run(dir.path()));
    let page = write(&FileReport::of_run(&open(dir.path())).unwrap());
    let data = embedded(&page);
    assert_eq!(data["overview"]["counts"]["judgments"], 6);
    assert_eq!(data["overview"]["sample"], Value::Null);
    let judgments = &data["judgments"];
    assert_eq!(judgments["trial"], json!([0, 1, 2, 3, 4, 5]));
    assert_eq!(judgments["first"], json!([0, 1, 0, 1, 0, 1]));
    assert_eq!(
        judgments["people"],
        json!([null, null, "second", "first", null, null])
    );
    assert_eq!(judgments["failure"][5], "unparsed");
    let parts = &data["prompts"][3][0]["parts"];
    let expected = json!([
        ["item", 1],
        "\n[1] ",
        ["response", 3],
        "\n[2] ",
        ["response", 2],
        "\nWhich?"
    ]);
    assert_eq!(parts, &expected);
    assert_eq!(data["responses"][3]["text"], response_text("hasty", 1));
    assert!(!page.contains("alert(1)"), "texts are compressed");
}

#[test]
fn a_report_without_a_run_holds_no_judgment() {
    let overview = Overview {
        title: "</script><script>alert(1)</script>".into(),
        ..Overview::of_file()
    };
    let page = write(&FileReport::of_overview(overview));
    assert!(!page.contains("alert(1)"));
    let data = embedded(&page);
    assert_eq!(
        data["overview"]["title"],
        "</script><script>alert(1)</script>"
    );
    assert_eq!(data["judgments"]["trial"], json!([]));
}
