//! The criteria of items: their shapes, and the exact words of their errors.

use super::*;
use evenhand_core::Criterion;

fn with_criteria(criteria: &str) -> String {
    format!(r#"{{"id":1,"instruction":"i","criteria":{criteria}}}"#)
}

fn criteria_in(file: &str) -> Vec<Criterion> {
    match records(file).remove(0) {
        Record::Item(item) => item.criteria,
        other => panic!("{other:?}"),
    }
}

fn weighted(text: &str, weight: f64, name: Option<&str>) -> Criterion {
    Criterion {
        text: text.into(),
        weight,
        name: name.map(Into::into),
    }
}

#[test]
fn criteria_are_texts_or_objects() {
    let own = r#"["Is it short?",{"text":"Rude.","weight":-2.5,"name":"tone"},{"criterion":"c","points":7,"tags":["x"]},{"description":"d","name":null}]"#;
    let expected = [
        weighted("Is it short?", 1.0, None),
        weighted("Rude.", -2.5, Some("tone")),
        weighted("c", 7.0, None),
        weighted("d", 1.0, None),
    ];
    assert_eq!(criteria_in(&with_criteria(own)), expected);
    for none in ["[]", "null"] {
        assert_eq!(criteria_in(&with_criteria(none)), []);
    }
}

#[test]
fn criteria_are_written_as_they_are_read() {
    let line =
        with_criteria(r#"[{"text":"a","weight":-1.0,"name":"n"},{"text":"b","weight":3.0}]"#);
    let Record::Item(item) = records(&line).remove(0) else {
        panic!("no item");
    };
    assert_eq!(criteria_in(&item_line(&item)), item.criteria);
}

#[test]
fn benchmarks_with_rubrics_and_checklists_are_known() {
    let health = r#"{"prompt_id":"p","prompt":[{"role":"user","content":"x"}],"rubrics":[{"criterion":"Says when to see a doctor.","points":10,"tags":["level:example"]},{"criterion":"Alarms.","points":-6,"tags":[]}]}"#;
    assert_eq!(
        criteria_in(health),
        [
            weighted("Says when to see a doctor.", 10.0, None),
            weighted("Alarms.", -6.0, None)
        ]
    );
    let wild = r#"{"session_id":"s","conversation_input":[{"role":"user","content":"x"}],"checklist":["Is it right?"],"primary_tag":"Math"}"#;
    assert_eq!(criteria_in(wild), [Criterion::new("Is it right?")]);
    let mapped = mapped(
        "item=n,instruction=q,criteria=rubric",
        r#"{"n":"1","q":"i","rubric":["a"]}"#,
    );
    let Record::Item(item) = mapped.unwrap().remove(0) else {
        panic!("no item");
    };
    assert_eq!(item.criteria, [Criterion::new("a")]);
}

#[test]
fn a_table_holds_criteria_as_json() {
    let csv = "id,instruction,criteria\n1,i,\"[\"\"a\"\"]\"\n2,j,\n";
    let found = records(csv);
    let criteria = found.into_iter().map(|record| match record {
        Record::Item(item) => item.criteria,
        other => panic!("{other:?}"),
    });
    let criteria: Vec<Vec<Criterion>> = criteria.collect();
    assert_eq!(criteria, [vec![Criterion::new("a")], Vec::new()]);
}

#[test]
fn what_is_no_criterion_is_named_with_its_place() {
    let list = "expected a list of texts, or of objects {text, weight, name}, found";
    for (criteria, what) in [
        (r#""short""#, format!(": {list} a string")),
        ("7", format!(": {list} the number 7")),
        (
            r#"["a",7]"#,
            ", criterion 2: expected a text or an object, found the number 7".into(),
        ),
        (r#"[" "]"#, ", criterion 1: its text is empty".into()),
        (
            r#"[{"weight":1}]"#,
            ", criterion 1: it has no text; expected `text` (or `criterion`, `description`)".into(),
        ),
        (
            r#"[{"text":"a","criterion":"b"}]"#,
            ", criterion 1: it has `text` and `criterion`; leave one out".into(),
        ),
        (
            r#"[{"text":"a","weight":0}]"#,
            ", criterion 1: its weight must be a number other than 0 (below 0 for a fault), found \
             the number 0"
                .into(),
        ),
        (
            r#"[{"text":"a","points":"2"}]"#,
            ", criterion 1: its weight must be a number other than 0 (below 0 for a fault), found \
             a string"
                .into(),
        ),
        (
            r#"[{"text":"a","name":3}]"#,
            ", criterion 1: its name must be a text, found the number 3".into(),
        ),
        (
            r#"[{"text":"a","name":"n"},{"text":"b","name":"n"}]"#,
            ", criterion 2: an earlier criterion of the item has the name `n`; give each its own \
             name"
                .into(),
        ),
    ] {
        let file = format!(
            "{}\n{}",
            item_line(&item("0", "i")),
            with_criteria(criteria)
        );
        assert_eq!(
            error("f.jsonl", file.replace("\n\n", "\n").as_bytes()),
            format!("f.jsonl:2: field `criteria`{what}")
        );
    }
}

#[test]
fn a_foreign_field_of_this_name_may_be_something_else() {
    let foreign = mapped(
        "output=o",
        r#"{"item":"1","o":"x","criteria":"helpfulness"}"#,
    );
    assert_eq!(foreign.unwrap(), [response("1", "stem", "x")]);
}
