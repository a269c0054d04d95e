//! What holds of every input: no reader panics, and what our writers write is read back.

use evenhand_core::{Item, Message, Role, Side};
use evenhand_formats::DatasetBuilder;
use evenhand_formats::records::{
    Format, Input, ItemRef, Mapping, Place, Record, Shape, SystemOutput, Vote, inspect_file,
    item_line, read_records, response_line,
};
use proptest::prelude::*;
use serde_json::json;

/// Reads the bytes in every way that there is; only a panic is a fault.
fn read_in_every_way(file: &[u8]) {
    let mapping = Mapping::parse("item=a|#,instruction=b+c,output=d.0|e,label=f").unwrap();
    let known = Format::names()
        .into_iter()
        .map(|name| Shape::Known(Format::from_name(name).unwrap()));
    for shape in known.chain([Shape::Recognise, Shape::Mapped(&mapping)]) {
        for record_limit in [8, Input::RECORD_LIMIT] {
            let input = Input {
                shape,
                record_limit,
                default_system: Some("s"),
                ..Input::new("f")
            };
            let mut builder = DatasetBuilder::default();
            let read = read_records(file, &input, &mut |record, place: &Place| {
                builder.add_record(record, place)
            });
            let _ = (
                read.map_err(|error| error.to_string()),
                inspect_file(file, &input).is_ok(),
            );
            let _ = builder.finish(true).unwrap().fingerprint().unwrap();
        }
    }
}

/// Pieces that files of the formats are made of.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\n",
        " ",
        "null",
        "true",
        "-1.5e3",
        "1",
        "\"item\"",
        "\"id\":1",
        "\"system\":\"s\"",
        "\"output\":\"x\"",
        "\"instruction\":\"i\"",
        "system,rating\n",
        "a,1\n",
        "\u{feff}",
        "\u{1f}\u{8b}",
        "é",
        "{\"item\":\"1\",\"system\":\"s\",\"output\":\"x\"}\n",
        "{\"id\":\"1\",\"messages\":[{\"role\":\"user\",\"content\":\"c\"}]}",
        "{\"input\":\"i\",\"output_1\":\"a\",\"output_2\":\"b\",\"label\":1}",
        "{\"question_id\":1,\"turns\":[\"t\"]}",
    ];
    prop_oneof![
        8 => proptest::sample::select(pieces.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-c\"\\\\\n\r\t\u{0}é\u{2028}]{0,6}"]
}

fn conversation() -> impl Strategy<Value = Vec<Message>> {
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant)];
    let before = proptest::collection::vec(
        (role, text()).prop_map(|(role, content)| Message { role, content }),
        0..3,
    );
    (before, text()).prop_map(|(mut messages, last)| {
        messages.push(Message::user(last));
        messages
    })
}

fn item() -> impl Strategy<Value = Item> {
    let constraints = proptest::option::of(
        text().prop_map(|text| json!({"kwargs": [{}, {"n": 3, "text": text}]})),
    );
    let optional = || proptest::option::of(text());
    let question = proptest::option::of("question [a-z]{0,9}");
    let fields = (
        "[^\u{0}]{1,4}",
        conversation(),
        optional(),
        optional(),
        question,
        constraints,
    );
    fields.prop_map(
        |(id, messages, reference, category, question, constraints)| Item {
            id,
            messages,
            reference,
            category,
            question,
            constraints,
            ..Item::default()
        },
    )
}

fn vote() -> impl Strategy<Value = Vote> {
    let preferred = prop_oneof![Just(Side::First), Just(Side::Second), Just(Side::Tie)];
    (preferred, proptest::option::of(text())).prop_map(|(preferred, annotator)| Vote {
        preferred,
        annotator,
        decides: false,
    })
}

fn read_all(file: &str) -> Vec<Record> {
    let mut records = Vec::new();
    let mut take = |record, _: &Place| {
        records.push(record);
        Ok(())
    };
    read_records(file.as_bytes(), &Input::new("f"), &mut take).unwrap();
    records
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        read_in_every_way(&bytes);
    }

    #[test]
    fn files_of_arbitrary_pieces_never_panic(pieces in proptest::collection::vec(piece(), 0..20)) {
        read_in_every_way(&pieces.concat());
    }

    #[test]
    fn damaged_gzip_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        read_in_every_way(&[&[0x1f, 0x8b, 8, 0][..], &bytes].concat());
    }

    #[test]
    fn mappings_never_panic(text in "[a-z#|+.,:=0-9-]{0,30}") {
        if let Ok(mapping) = Mapping::parse(&text) {
            let _ = mapping.to_string();
        }
    }

    #[test]
    fn items_are_read_back(items in proptest::collection::vec(item(), 1..5)) {
        let file: String = items.iter().map(item_line).collect();
        let read: Vec<_> = items.into_iter().map(Record::Item).collect();
        prop_assert_eq!(read_all(&file), read);
    }

    #[test]
    fn responses_are_read_back(item in "\\PC{1,8}", system in "\\PC{1,8}", output in text()) {
        let read = read_all(&response_line(&item, &system, &output));
        let answer = SystemOutput::new(system, output);
        prop_assert_eq!(read, [Record::Response { item: ItemRef::Id(item), answer }]);
    }

    #[test]
    fn labels_are_read_back(item in "\\PC{1,8}", a in "\\PC{1,8}", b in "\\PC{1,8}", vote in vote()) {
        let mut label = json!({"item": item, "a": a, "b": b, "preferred": vote.preferred.word()});
        if let Some(annotator) = &vote.annotator {
            label["annotator"] = json!(annotator);
        }
        let read = read_all(&format!("{label}\n"));
        prop_assert_eq!(read, [Record::Label { item: ItemRef::Id(item), a, b, votes: vec![vote] }]);
    }

    #[test]
    fn a_file_reads_the_same_however_it_is_laid_out(texts in proptest::collection::vec(text(), 1..6)) {
        let lines: Vec<_> = texts.iter().map(|text| response_line("1", "s", text)).collect();
        prop_assert_eq!(read_all(&lines.concat()), read_all(&format!("[{}]", lines.join(" ,\n"))));
    }
}
