//! Readers of bytes in memory.

use evenhand_align::{Segmentation, align_by_length, find_cuts};
use evenhand_core::{AnswerOptions, Decoding, Message, Request, Task};
use evenhand_formats::records::{self, Input};
use evenhand_formats::{battles, judgments};
use evenhand_models::gguf::Header;
use evenhand_models::served::BatchLine;
use evenhand_models::served::codec::{Dialect, decode};
use evenhand_protocols::{Notation, Pack, Protocol, ProtocolOptions, extract};
use std::io::Cursor;

/// Answers that are cut: the pieces are the answer.
pub fn align(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for segmentation in [Segmentation::Full, Segmentation::Plain] {
        let cuts = find_cuts(&text, segmentation);
        assert!(cuts.places().is_sorted_by(|a, b| a.byte < b.byte));
        assert!(
            cuts.places()
                .iter()
                .all(|cut| text.is_char_boundary(cut.byte))
        );
        if let Some(found) = align_by_length(&cuts, &cuts, 3) {
            let whole: String = found
                .segments(&text, &text)
                .into_iter()
                .map(|(part, _)| part)
                .collect();
            assert_eq!(whole, text);
        }
    }
}

/// Lines of batch results.
pub fn batch(bytes: &[u8]) {
    bytes
        .split(|byte| *byte == b'\n')
        .for_each(|line| _ = BatchLine::read(line).map(|line| line.key()));
}

/// Battles and counts: CSV, JSON lines and Parquet, plain or gzip. One thread reads what two read.
pub fn battles(bytes: &[u8]) {
    let read = |threads: usize| {
        let mut source = battles::BattleSource::new("file.csv", Cursor::new(bytes.to_vec()));
        _ = battles::detect_table(&mut source);
        let options = battles::Options {
            threads,
            chunk_bytes: 64 * threads,
            ..battles::Options::default()
        };
        battles::read_counts(&mut [source], &options)
            .map(|counts| (counts.names, counts.pairs.len()))
            .ok()
    };
    assert_eq!(read(1), read(2));
}

/// Items, responses, labels and ratings, of all formats.
pub fn data(bytes: &[u8]) {
    for name in ["file", "file.tsv"] {
        let found = records::read_records(bytes, &Input::new(name), &mut |_, _| Ok(()));
        _ = found.map_err(|error| error.to_string());
        _ = records::inspect_file(bytes, &Input::new(name));
        _ = records::read_objects(bytes, &Input::new(name), |_, _| {
            Ok::<(), records::DataError>(())
        });
    }
}

/// Headers of model files.
pub fn gguf(bytes: &[u8]) {
    let length = bytes.len() as u64;
    if let Ok(header) = Header::read(bytes, length) {
        _ = header.check_length(length);
        _ = (
            header.parameters(),
            header.of_architecture("context_length"),
        );
    }
}

/// Recorded judgments and scores.
pub fn judgments(bytes: &[u8]) {
    let options = judgments::Options::default();
    _ = judgments::detect_format(bytes, &options);
    _ = judgments::read_judgments([("file", bytes)], &options).map_err(|error| error.to_string());
    _ = judgments::games::read_lines(bytes, "file", &options, &mut |_, _| Ok(()));
}

/// A prompt file in the place of a built-in one, with what is loaded of it.
pub fn prompts(bytes: &[u8]) {
    let Some((which, text)) = bytes.split_first() else {
        return;
    };
    let names: Vec<String> = Pack::default().names().map(str::to_owned).collect();
    let name = &names[usize::from(*which) % names.len()];
    let mut pack = Pack::default();
    if pack
        .replace(
            name,
            String::from_utf8_lossy(text).into_owned(),
            "file.toml",
        )
        .is_ok()
    {
        for protocol in [
            "pairwise/direct",
            "pairwise/cot",
            "pointwise/direct",
            "listwise/direct",
            "swap-cot",
        ] {
            let options = ProtocolOptions {
                pack: pack.clone(),
                ..ProtocolOptions::default()
            };
            _ = Protocol::with(protocol, &options);
        }
    }
}

/// What servers send: a status, and a body.
pub fn replies(bytes: &[u8]) {
    let Some((status, body)) = bytes.split_first() else {
        return;
    };
    let status = if *status < 128 {
        200
    } else {
        272 + u16::from(*status)
    };
    let request = request();
    for dialect in [Dialect::openai("judge"), Dialect::anthropic("judge")] {
        if let Ok(reply) = decode(&dialect, &request, status, None, body) {
            let answers = reply.answers.unwrap_or_default();
            assert!(
                answers
                    .iter()
                    .all(|share| (0.0..=1.0 + 1e-9).contains(share)),
                "{answers:?}"
            );
        }
    }
}

fn request() -> Request {
    let answers = AnswerOptions {
        options: vec!["A".into(), "B".into()],
        after: String::new(),
    };
    let decoding = Decoding::greedy(8);
    Request::new(
        "judge".into(),
        vec![Message::user("A or B?")],
        Task::Generate {
            decoding,
            answers: Some(answers),
        },
    )
}

/// Judges' texts, in all notations.
pub fn verdicts(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    NAMED
        .iter()
        .filter_map(|name| name.parse::<Notation>().ok())
        .for_each(|notation| _ = extract(notation, &text));
}

const NAMED: [&str; 12] = [
    "output-letter",
    "bracketed-letter",
    "bracketed-strength",
    "five-point",
    "result-letter",
    "final-decision",
    "first-line",
    "case-of-m",
    "bracketed-number",
    "score-pair",
    "result-number",
    "number",
];
