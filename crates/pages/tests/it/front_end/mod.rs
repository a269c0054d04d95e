//! What the front end reads from a file must be what the server answers: a run made up from a seed,
//! as a file embeds it, with the answers to queries. web/tests/twin.test.mjs reads the same.

mod made_up;

use base64::Engine;
use evenhand_core::Side;
use evenhand_engine::PriceTable;
use evenhand_pages::{FileReport, Filter, OpenRun, PersonLabel};
use made_up::{ITEMS, SYSTEMS, judge_all};
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;

const GOLDEN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/front_end/golden.json"
);

/// Names a price for one of the two judges.
const PRICES: &str = "date = \"2026-01-02\"\n[[price]]\nprovider = \"simulated\"\nmodel = \"*\"\n\
                      input = 1000\noutput = 10000\n";

/// Queries that have an answer.
const QUERIES: [&str; 47] = [
    "limit=1000",
    "",
    "system=careful",
    "system=hot~er",
    "pair=careful~warm",
    "pair=warm~careful",
    "pair=hot~er~terse+%E2%9C%93",
    "item=tides",
    "item=sp+ace+%26+more&sort=-confidence",
    "category=sky",
    "category=sky&outcome=tie",
    "outcome=a",
    "outcome=b",
    "outcome=tie",
    "outcome=none",
    "winner=careful",
    "winner=warm&flipped=0",
    "flipped",
    "flipped=1",
    "flipped=0&limit=7",
    "split=1",
    "split=0&outcome=none",
    "people=agree",
    "people=disagree",
    "people=any",
    "failure=any",
    "failure=unparsed",
    "failure=too-long",
    "confidence=0..0.2",
    "confidence=0.5..",
    "confidence=..0.1",
    "cost=..0.06",
    "cost=0.09..0.2",
    "sort=plan&offset=3&limit=4",
    "sort=confidence",
    "sort=-confidence&limit=1000",
    "sort=cost&limit=1000",
    "sort=-cost&offset=10&limit=11",
    "sort=item&limit=1000",
    "sort=item&offset=500",
    "text=MOON",
    "text=stra%C3%9Fe",
    "text=b.t%28",
    "text=verdict+7&failure=any",
    "text=WEIGHING",
    "text=nowhere",
    "system=warm&text=tides&sort=-cost&limit=2",
];

/// Queries that have none.
const BAD_QUERIES: [&str; 18] = [
    "sytem=x",
    "at=3",
    "split=1&split=0",
    "flipped=yes",
    "outcome=c",
    "people=maybe",
    "failure=odd",
    "cost=1",
    "cost=nan..1",
    "confidence=0x1..2",
    "pair=x",
    "pair=~x",
    "pair=careful~nobody",
    "limit=-1",
    "sort=price",
    "system=",
    "system=nobody%20%22at%22%20%5C%20all",
    "category=sea&item=nowhere",
];

#[test]
fn a_file_embeds_what_the_front_end_answers_the_same_from() {
    let dir = tempfile::tempdir().unwrap();
    drop(judge_all(dir.path()));
    let prices = PriceTable::default().with(PRICES, "prices.toml").unwrap();
    let mut run = OpenRun::open(dir.path(), prices).unwrap();
    run.set_people(labels());
    let trials = [0, 1, 5, 60, 90];
    let made = json!({
        "data": embedded(&run),
        "answers": QUERIES.map(|query| answer(&run, query)).to_vec(),
        "details": trials.map(|trial| run.judgment(trial).unwrap()),
        "errors": BAD_QUERIES.map(|query| json!([query, refusal(&run, query)])),
    });
    compare(&made);
}

/// Compares with the file beside this test; writes it where `EVENHAND_WRITE_GOLDEN` is set.
fn compare(made: &Value) {
    if std::env::var_os("EVENHAND_WRITE_GOLDEN").is_some() {
        std::fs::write(Path::new(GOLDEN), format!("{made}\n")).unwrap();
    }
    let golden = std::fs::read_to_string(GOLDEN).unwrap_or_default();
    let golden: Value = serde_json::from_str(&golden).unwrap_or_default();
    for part in ["data", "answers", "details", "errors"] {
        let hint = "run with EVENHAND_WRITE_GOLDEN=1, then node web/tests/twin.test.mjs";
        assert!(made[part] == golden[part], "{part} differs; {hint}");
    }
}

fn labels() -> Vec<PersonLabel> {
    let outcomes = [Side::First, Side::Tie, Side::Second];
    let labels =
        ITEMS
            .iter()
            .zip(outcomes.iter().cycle())
            .enumerate()
            .map(|(at, (item, outcome))| PersonLabel {
                item: (*item).into(),
                a: SYSTEMS[at % 4].into(),
                b: SYSTEMS[(at + 1) % 4].into(),
                outcome: *outcome,
            });
    labels.collect()
}

/// Returns what a file embeds, without what changes from run to run.
fn embedded(run: &OpenRun) -> Value {
    let mut report = FileReport::of_run(run).unwrap();
    let overview = report.overview_mut();
    (overview.title, overview.version) = ("made up".into(), "1".into());
    overview.evenhand = "0".into();
    let mut page = Vec::new();
    report.write(&mut page).unwrap();
    read_data(&String::from_utf8(page).unwrap())
}

fn read_data(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"id="evenhand-data">"#).unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let engine = base64::engine::general_purpose::STANDARD;
    let packed = engine.decode(data).unwrap();
    let mut text = String::new();
    let mut decoder = flate2::read::DeflateDecoder::new(&packed[..]);
    decoder.read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns the rows of the first query in full, of the others their ids.
fn answer(run: &OpenRun, query: &str) -> Value {
    let page = run.rows(&Filter::parse(query).unwrap()).unwrap();
    let ids: Vec<u64> = page.rows.iter().map(|row| row.id).collect();
    let found = json!([query, page.total, page.offset, ids]);
    if query == QUERIES[0] {
        return json!([found, page.rows]);
    }
    json!([found])
}

fn refusal(run: &OpenRun, query: &str) -> String {
    match Filter::parse(query) {
        Err(why) => why.to_string(),
        Ok(filter) => run.rows(&filter).unwrap_err().to_string(),
    }
}
