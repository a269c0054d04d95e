//! What a builder keeps, and the exact words in which it refuses.

use super::*;
use crate::error::Place;
use crate::records::{Filter, Input, read_records};

fn item(id: &str, instruction: &str) -> String {
    format!("{{\"id\":\"{id}\",\"instruction\":\"{instruction}\"}}\n")
}

fn response(item: &str, system: &str) -> String {
    format!("{{\"item\":\"{item}\",\"system\":\"{system}\",\"output\":\"{system} on {item}\"}}\n")
}

fn feed(selection: Selection, files: &[(&str, String)]) -> Result<DatasetBuilder, DataError> {
    let mut builder = DatasetBuilder::new(selection, Box::<InMemory>::default());
    for (name, file) in files {
        read_records(
            file.as_bytes(),
            &Input::new(name),
            &mut |record, place: &Place| builder.add_record(record, place),
        )?;
    }
    Ok(builder)
}

fn build(files: &[(&str, String)]) -> Result<Dataset, String> {
    feed(Selection::default(), files)
        .and_then(|builder| builder.finish(false))
        .map_err(|error| error.to_string())
}

fn error(files: &[(&str, String)]) -> String {
    build(files).unwrap_err()
}

fn two_by_two() -> Vec<(&'static str, String)> {
    let responses = ["1", "2"]
        .map(|item| response(item, "x") + &response(item, "y"))
        .concat();
    vec![
        ("items.jsonl", item("1", "one") + &item("2", "two")),
        ("responses.jsonl", responses),
    ]
}

fn text(dataset: &Dataset, item: usize, system: usize) -> Option<String> {
    dataset
        .response(item, system)
        .unwrap()
        .map(|response| response.text.to_string())
}

#[test]
fn a_data_set_is_put_together() {
    let mut files = two_by_two();
    files.push((
        "labels.jsonl",
        r#"{"item":"2","a":"y","b":"x","preferred":"b"}"#.into(),
    ));
    files.push(("ratings.csv", "system,rating\nx,1\nz,2\n".into()));
    let dataset = build(&files).unwrap();
    assert_eq!(
        dataset
            .items
            .iter()
            .map(Item::instruction)
            .collect::<Vec<_>>(),
        ["one", "two"]
    );
    assert_eq!(dataset.systems, ["x".into(), "y".into()]);
    assert_eq!(text(&dataset, 1, 0).as_deref(), Some("x on 2"));
    assert_eq!(text(&dataset, 2, 0), None);
    assert_eq!(text(&dataset, 0, 2), None);
    assert_eq!(dataset.response_count(), 4);
    assert_eq!(
        dataset.labels,
        [Label {
            item: 1,
            a: 1,
            b: 0,
            preferred: Side::Second,
            annotator: None
        }]
    );
    assert_eq!(dataset.ratings.len(), 2);
    assert!(dataset.missing.is_empty());
    dataset.check_pairwise().unwrap();
}

/// Whatever the order of the lines and of the two systems, a decision is the one label of its pair;
/// who looks at how far people agree has the others.
#[test]
fn a_decision_counts_in_the_place_of_what_it_decides() {
    let label = |a: &str, b: &str, preferred: &str, annotator: &str, more: &str| {
        format!(
            r#"{{"item":"1","a":"{a}","b":"{b}","preferred":"{preferred}","annotator":"{annotator}"{more}}}"#
        ) + "\n"
    };
    let lines = [
        label("x", "y", "a", "ann", ""),
        label("x", "y", "b", "bea", ""),
        label("y", "x", "a", "cho", r#","adjudicated":true"#),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        for agreement in [false, true] {
            let labels = order.map(|at| lines[at].as_str()).concat();
            let mut files = two_by_two();
            files.push(("labels.jsonl", labels));
            let mut builder = feed(Selection::default(), &files).unwrap();
            if agreement {
                builder.leave_out_decisions();
            }
            let found = builder.finish(false).unwrap().labels;
            let mut found: Vec<String> =
                found.into_iter().filter_map(|one| one.annotator).collect();
            found.sort();
            let expected: &[&str] = if agreement { &["ann", "bea"] } else { &["cho"] };
            assert_eq!(found, expected, "{order:?}");
        }
    }
}

#[test]
fn a_response_for_an_unknown_item() {
    let files = [
        ("items.jsonl", item("1", "one")),
        ("responses.jsonl", response("1", "x") + &response("9", "x")),
    ];
    let expected = "responses.jsonl:2: response for the unknown item `9`; give the file with the \
                    items too, before this one; or, if its records hold the instructions, name \
                    their field: `map` instruction=FIELD";
    assert_eq!(error(&files), expected);
    let label = (
        "labels.jsonl",
        r#"{"item":"9","a":"y","b":"x","preferred":"b"}"#.to_owned(),
    );
    let expected = "labels.jsonl:1: label for the unknown item `9`; give the file with the items \
                    too, before this one, or rank what is judged already by `evenhand leaderboard`";
    assert_eq!(error(&[files[0].clone(), label]), expected);
}

#[test]
fn a_duplicate_item() {
    let files = [
        ("a.jsonl", item("1", "one")),
        ("b.jsonl", item("2", "two") + &item("1", "one")),
    ];
    assert_eq!(
        error(&files),
        "b.jsonl:2: duplicate item id `1` (first at a.jsonl:1); give every item its own id"
    );
}

#[test]
fn a_duplicate_response() {
    let mut files = two_by_two();
    files.push(("more.jsonl", response("2", "y")));
    assert_eq!(
        error(&files),
        "more.jsonl:1: duplicate response of `y` for the item `2` (first at responses.jsonl:4); \
         remove one of them, \
         or give the systems different names"
    );
}

#[test]
fn items_that_some_systems_miss() {
    let items: String = (1..=12)
        .map(|n| item(&n.to_string(), &format!("do {n}")))
        .collect();
    let responses = response("1", "x") + &response("1", "y") + &response("2", "y");
    let files = [("items.jsonl", items), ("responses.jsonl", responses)];
    let both = (3..=11)
        .map(|n| format!("`{n}` (no response of `x`, `y`)"))
        .collect::<Vec<_>>()
        .join(", ");
    let expected = format!(
        "11 of 12 items lack a response of some system: `2` (no response of `x`), {both} and 1 \
         more; add the responses, \
         or go on without them with `allow-missing`"
    );
    assert_eq!(error(&files), expected);
    let dataset = feed(Selection::default(), &files)
        .unwrap()
        .finish(true)
        .unwrap();
    assert_eq!(dataset.missing.len(), 11);
    assert_eq!(
        dataset.missing[0],
        Missing {
            item: "2".into(),
            systems: vec!["x".into()]
        }
    );
    assert!(dataset.has_response(1, 1) && !dataset.has_response(1, 0));
}

#[test]
fn where_only_labelled_pairs_are_looked_at_no_other_response_is_missed() {
    let items = item("1", "do 1") + &item("2", "do 2");
    let label = "{\"item\":\"1\",\"a\":\"x\",\"b\":\"y\",\"preferred\":\"a\"}\n";
    let responses = response("1", "x") + &response("1", "y") + &response("2", "z");
    let labelled = |responses: String| {
        let files = [
            ("items.jsonl", items.clone()),
            ("responses.jsonl", responses),
            ("labels.jsonl", label.into()),
        ];
        let mut builder = feed(Selection::default(), &files).unwrap();
        builder.expect_labelled();
        builder.finish(false)
    };
    assert!(labelled(responses).unwrap().missing.is_empty());
    let without = response("1", "x") + &response("2", "y");
    let refused = labelled(without).unwrap_err().to_string();
    assert!(
        refused
            .starts_with("1 of 2 items lack a response of some system: `1` (no response of `y`)"),
        "{refused}"
    );
}

#[test]
fn pairs_alone_expect_no_response_of_every_system() {
    let pair = |id: &str, other: &str| {
        format!(
            "{{\"idx\":{id},\"instruction\":\"do {id}\",\"input\":\"\",\"model_1\":\"x\",\
             \"model_2\":\"{other}\",\"response_1\":\"of x\",\"response_2\":\"of {other}\",\
             \"human\":[1]}}\n"
        )
    };
    let mut files = vec![("pairs.jsonl", pair("1", "y") + &pair("2", "z"))];
    let dataset = build(&files).unwrap();
    let missing: Vec<String> = dataset.missing.iter().map(Missing::to_string).collect();
    assert_eq!(
        missing,
        ["`1` (no response of `z`)", "`2` (no response of `y`)"]
    );
    assert_eq!(dataset.labels.len(), 2);
    files.push(("more.jsonl", response("1", "w")));
    let refused = error(&files);
    assert!(
        refused.starts_with("2 of 2 items lack a response of some system: `1`"),
        "{refused}"
    );
}

#[test]
fn one_system_none_and_no_items() {
    let one = build(&[
        ("items.jsonl", item("1", "one")),
        ("responses.jsonl", response("1", "x")),
    ])
    .unwrap();
    one.check_any().unwrap();
    assert_eq!(
        one.check_pairwise().unwrap_err().to_string(),
        "there is only one system (`x`), and a comparison needs two; add the responses of another, \
         or use a pointwise protocol"
    );
    let none = build(&[("items.jsonl", item("1", "one"))]).unwrap();
    assert_eq!(
        none.check_pairwise().unwrap_err().to_string(),
        "there are no responses; give a file with the systems' responses"
    );
    let empty = build(&[("ratings.csv", "system,rating\nx,1\n".into())]).unwrap();
    assert_eq!(
        empty.check_any().unwrap_err().to_string(),
        "there are no items; give a file with items, or with records that hold their instruction"
    );
}

#[test]
fn what_is_not_selected_is_not_kept() {
    let selection = Selection {
        items: Some(1),
        systems: Some(vec!["y".into()]),
    };
    let mut files = two_by_two();
    files.push((
        "labels.jsonl",
        r#"{"item":"1","a":"y","b":"x","preferred":"b"}"#.into(),
    ));
    let dataset = feed(selection, &files).unwrap().finish(false).unwrap();
    assert_eq!(dataset.items.len(), 1);
    assert_eq!(dataset.response_count(), 1);
    assert_eq!(dataset.labels.len(), 0);
    assert_eq!(dataset.systems, ["y".into()]);
    assert_eq!(text(&dataset, 0, 0).as_deref(), Some("y on 1"));
}

#[test]
fn unknown_systems() {
    let selection = Selection {
        items: None,
        systems: Some(vec!["x".into(), "z".into()]),
    };
    let error = feed(selection, &two_by_two())
        .unwrap()
        .finish(false)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`systems`: `z` not in the data; the systems are `x`, `y`"
    );
    let mut files = two_by_two();
    files.push((
        "labels.jsonl",
        r#"{"item":"1","a":"y","b":"z","preferred":"b"}"#.into(),
    ));
    assert_eq!(
        build(&files).unwrap_err(),
        "labels.jsonl:1: label for the system `z`, which has no response; the systems are `x`, `y`"
    );
}

#[test]
fn a_duplicate_rating() {
    let files = [("ratings.csv", "system,rating\nx,1\nx,2\n".to_owned())];
    assert_eq!(
        error(&files),
        "ratings.csv:3: duplicate rating of `x` (first at ratings.csv:2); remove one of them"
    );
}

fn alpaca(system: &str, instructions: &[&str]) -> String {
    let record = |instruction: &&str| {
        format!(r#"{{"instruction":"{instruction}","output":"o","generator":"{system}"}}"#)
    };
    format!(
        "[{}]",
        instructions
            .iter()
            .map(record)
            .collect::<Vec<_>>()
            .join(",\n")
    )
}

#[test]
fn items_without_an_id_are_found_again_by_their_text() {
    let files = [
        ("a.json", alpaca("x", &["p", "q", "r"])),
        ("b.json", alpaca("y", &["r", "p", "q"])),
    ];
    let dataset = build(&files).unwrap();
    let ids: Vec<_> = dataset
        .items
        .iter()
        .map(|item| (&*item.id, item.instruction()))
        .collect();
    assert_eq!(ids, [("0", "p"), ("1", "q"), ("2", "r")]);
    assert_eq!(dataset.response_count(), 6);
    let first = Selection {
        items: Some(2),
        systems: None,
    };
    let dataset = feed(first, &files).unwrap().finish(false).unwrap();
    assert_eq!((dataset.items.len(), dataset.response_count()), (2, 4));
}

fn pair(id: &str, instruction: &str, outputs: [&str; 2]) -> String {
    let [a, b] = outputs;
    format!(
        r#"{{"index":{id},"input":"{instruction}","output_1":"{a}","output_2":"{b}","label":1}}"#
    ) + "\n"
}

#[test]
fn pairs_bring_their_items_and_may_repeat_a_response() {
    let file =
        pair("0", "p", ["a", "b"]) + &pair("1", "p", ["c", "d"]) + &pair("0", "p", ["a", "b"]);
    let dataset = build(&[("dataset.jsonl", file)]).unwrap();
    assert_eq!(dataset.systems, ["output_1".into(), "output_2".into()]);
    assert_eq!(dataset.items.len(), 2);
    assert_eq!(dataset.response_count(), 4);
    assert_eq!(dataset.labels.len(), 3);
    let changed = pair("0", "p", ["a", "b"]) + &pair("0", "p", ["a", "c"]);
    assert_eq!(
        error(&[("dataset.jsonl", changed)]),
        "dataset.jsonl:2: two pairs have the question of the item `0` (first at dataset.jsonl:1) \
         and other responses of `output_2`; `map` item=# makes every record a separate item"
    );
    let another = pair("0", "p", ["a", "b"]) + &pair("0", "q", ["a", "b"]);
    assert_eq!(
        error(&[("dataset.jsonl", another)]),
        "dataset.jsonl:2: the item `0` has another instruction than at dataset.jsonl:1; if these are \
         turns of one conversation, take each: `turn` each; if not, give every item its own id"
    );
    let same = r#"{"prompt":"p","chosen":"a","rejected":"b","output_1":"a","output_2":"b"}"#;
    let mapping =
        crate::records::Mapping::parse("instruction=prompt,system_1:=m,system_2:=m").unwrap();
    let input = Input {
        shape: crate::records::Shape::Mapped(&mapping),
        ..Input::new("p.jsonl")
    };
    let mut builder = DatasetBuilder::default();
    let result = read_records(same.as_bytes(), &input, &mut |record, place: &Place| {
        builder.add_record(record, place)
    });
    assert_eq!(
        result.unwrap_err().to_string(),
        "p.jsonl:1: both responses of the pair are of the system `m`; say which field names each: \
         system_1=FIELD,system_2=FIELD in `map`"
    );
}

#[test]
fn the_fingerprint_is_of_the_content_alone() {
    let whole = build(&two_by_two()).unwrap().fingerprint().unwrap();
    let split = [
        ("b.jsonl", item("2", "two")),
        ("a.json", format!("[{}]", item("1", "one").trim())),
        ("y.jsonl", response("2", "y") + &response("1", "y")),
        (
            "x.jsonl",
            response("1", "x").replace(':', " : ") + &response("2", "x"),
        ),
    ];
    assert_eq!(build(&split).unwrap().fingerprint().unwrap(), whole);
    assert_eq!(whole.len(), 64);
    let mut changed = two_by_two();
    changed[1].1 = changed[1].1.replace("y on 2", "y on 2.");
    assert_ne!(build(&changed).unwrap().fingerprint().unwrap(), whole);
    let fewer = Selection {
        items: None,
        systems: Some(vec!["x".into()]),
    };
    assert_ne!(
        feed(fewer, &two_by_two())
            .unwrap()
            .finish(false)
            .unwrap()
            .fingerprint()
            .unwrap(),
        whole
    );
    let constraints =
        |text: &str| format!(r#"{{"id":"1","instruction":"i","constraints":{text}}}"#);
    let print = |text: &str| {
        build(&[("items.jsonl", constraints(text))])
            .unwrap()
            .fingerprint()
            .unwrap()
    };
    assert_eq!(
        print(r#"{"a":1,"b":[{"c":2,"d":3}]}"#),
        print(r#"{"b":[{"d":3,"c":2}],"a":1}"#)
    );
    assert_ne!(print(r#"{"a":1}"#), print(r#"{"a":2}"#));
    // An item's criteria are judged by, so they are part of it; none are as if there were no field.
    let criteria = |text: &str| print(&format!(r#"null,"criteria":{text}"#));
    assert_eq!(criteria("[]"), print("null"));
    assert_ne!(criteria(r#"["Is it short?"]"#), criteria("[]"));
    assert_ne!(
        criteria(r#"["Is it short?"]"#),
        criteria(r#"[{"text":"Is it short?","weight":2}]"#)
    );
}

/// The ids of the items and the number of labels, of pairs (id, instruction) of which those marked
/// are kept.
fn kept(pairs: &[(&str, &str, bool)]) -> (Vec<String>, usize) {
    let line = |(id, instruction, kept): &(&str, &str, bool)| {
        pair(&format!("{id:?}"), instruction, ["a", "b"])
            .replace("\"label\"", &format!("\"kept\":{kept},\"label\""))
    };
    let file: String = pairs.iter().map(line).collect();
    let filter = Filter::parse(&["kept=true"]).unwrap();
    let input = Input {
        filter: Some(&filter),
        ..Input::new("dataset.jsonl")
    };
    let mut builder = DatasetBuilder::new(Selection::default(), Box::<InMemory>::default());
    read_records(file.as_bytes(), &input, &mut |record, place: &Place| {
        builder.add_record(record, place)
    })
    .unwrap();
    let dataset = builder.finish(false).unwrap();
    (
        dataset.items.into_iter().map(|item| item.id).collect(),
        dataset.labels.len(),
    )
}

#[test]
fn a_pair_that_is_left_out_leaves_the_other_pairs_of_its_item_and_of_its_question() {
    assert_eq!(
        kept(&[("p", "one", false), ("p", "one", true), ("q", "two", true)]),
        (vec!["p".into(), "q".into()], 2)
    );
    let again = [("q", "one", true), ("p", "one", false), ("q", "one", true)];
    assert_eq!(kept(&again), (vec!["q".into()], 2));
    let later = [
        ("p", "one", false),
        ("q", "one", true),
        ("q", "one", true),
        ("p", "one", true),
    ];
    assert_eq!(kept(&later), (vec!["q".into(), "p".into()], 3));
}
