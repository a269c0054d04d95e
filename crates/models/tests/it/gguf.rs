//! The header reader on files that are right, wrong and hostile.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout)]

use evenhand_models::gguf::{DIGEST_WHOLE, Fault, GgufError, Header, Value, describe, read_header};
use proptest::prelude::*;
use std::io::Write;
use std::path::Path;

/// Writes GGUF headers.
#[derive(Default)]
struct Gguf {
    pairs: Vec<Vec<u8>>,
    tensors: Vec<Vec<u8>>,
}

fn text(value: &str) -> Vec<u8> {
    [&(value.len() as u64).to_le_bytes(), value.as_bytes()].concat()
}

impl Gguf {
    fn text(mut self, key: &str, value: &str) -> Self {
        self.pairs
            .push([text(key), 8_u32.to_le_bytes().to_vec(), text(value)].concat());
        self
    }

    fn number(mut self, key: &str, value: u32) -> Self {
        self.pairs.push(
            [
                text(key),
                4_u32.to_le_bytes().to_vec(),
                value.to_le_bytes().to_vec(),
            ]
            .concat(),
        );
        self
    }

    fn texts(mut self, key: &str, values: &[&str]) -> Self {
        let head = [
            8_u32.to_le_bytes().to_vec(),
            (values.len() as u64).to_le_bytes().to_vec(),
        ]
        .concat();
        let values: Vec<u8> = values.iter().flat_map(|value| text(value)).collect();
        self.pairs
            .push([text(key), 9_u32.to_le_bytes().to_vec(), head, values].concat());
        self
    }

    /// A list of so many values of a kind of four bytes.
    fn zeros(mut self, key: &str, kind: u32, length: u64) -> Self {
        let head = [kind.to_le_bytes().to_vec(), length.to_le_bytes().to_vec()].concat();
        self.pairs.push(
            [
                text(key),
                9_u32.to_le_bytes().to_vec(),
                head,
                vec![0; 4 * length as usize],
            ]
            .concat(),
        );
        self
    }

    fn tensor(mut self, shape: &[u64], kind: u32, offset: u64) -> Self {
        let shape: Vec<u8> = (shape.len() as u32)
            .to_le_bytes()
            .into_iter()
            .chain(shape.iter().flat_map(|size| size.to_le_bytes()))
            .collect();
        self.tensors.push(
            [
                text("t"),
                shape,
                kind.to_le_bytes().to_vec(),
                offset.to_le_bytes().to_vec(),
            ]
            .concat(),
        );
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let counts = [
            (self.tensors.len() as u64).to_le_bytes(),
            (self.pairs.len() as u64).to_le_bytes(),
        ]
        .concat();
        [
            b"GGUF".to_vec(),
            3_u32.to_le_bytes().to_vec(),
            counts,
            self.pairs.concat(),
            self.tensors.concat(),
        ]
        .concat()
    }
}

fn model() -> Gguf {
    let model = Gguf::default()
        .text("general.architecture", "llama")
        .number("llama.context_length", 2048);
    let model = model
        .number("general.file_type", 3)
        .texts("tokenizer.ggml.tokens", &["a", "bc", ""]);
    model
        .text("tokenizer.chat_template", "{{ messages }}")
        .tensor(&[64, 2], 3, 0)
        .tensor(&[5], 0, 96)
}

/// The model with all of its data: 80 bytes of Q4_1 at 0, 20 bytes of F32 at 96.
fn whole() -> Vec<u8> {
    let mut bytes = model().bytes();
    bytes.resize(bytes.len().next_multiple_of(32) + 116, 0);
    bytes
}

fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::with_suffix(".gguf").expect("a file");
    file.write_all(bytes).expect("written");
    file
}

fn fault(bytes: &[u8]) -> Fault {
    match read_header(file(bytes).path()) {
        Err(GgufError::Content { fault, .. }) => fault,
        other => panic!("{other:?}"),
    }
}

fn read(bytes: &[u8]) -> Result<Header, Fault> {
    Header::read(bytes, bytes.len() as u64)
}

#[test]
fn a_model_is_described_from_its_header() {
    let bytes = whole();
    let info = describe(file(&bytes).path()).expect("described");
    assert_eq!(info.architecture.as_str(), "llama");
    assert_eq!(info.parameters, 133);
    assert_eq!(info.quantisation.as_str(), "Q4_1");
    assert_eq!(info.context_length, Some(2048));
    assert!(info.has_chat_template);
    assert_eq!(info.bytes, bytes.len() as u64);
    assert_eq!(info.sha256.len(), 16);
    assert!(info.hint.expect("a hint").contains("Q8_0"));
    assert_eq!(
        read(&bytes).expect("read").metadata["tokenizer.ggml.tokens"],
        Value::List(3)
    );
}

#[test]
fn a_file_that_is_cut_short_is_told_by_its_tensor_table() {
    let bytes = whole();
    assert!(read_header(file(&bytes).path()).is_ok());
    for length in [bytes.len() - 1, bytes.len() - 100, 60, 30, 8] {
        assert!(
            matches!(fault(&bytes[..length]), Fault::Truncated { actual, .. } if actual == length as u64),
            "{length}"
        );
    }
    let Fault::Truncated { expected, .. } = fault(&bytes[..bytes.len() - 1]) else {
        panic!()
    };
    assert_eq!(expected, bytes.len() as u64);
}

#[test]
fn what_is_no_gguf_is_named_for_what_it_is() {
    assert_eq!(fault(b"PK\x03\x04 a zip file"), Fault::NotGguf);
    assert_eq!(fault(b""), Fault::NotGguf);
    assert_eq!(fault(b"GGUF\x00\x00\x00\x03"), Fault::BigEndian);
    assert_eq!(fault(b"GGUF\x01\x00\x00\x00"), Fault::Version(1));
    assert_eq!(
        fault(&model().number("split.count", 3).bytes()),
        Fault::Split(3)
    );
    let missing = read_header(Path::new("/no/such.gguf"))
        .expect_err("missing")
        .to_string();
    assert!(
        missing.contains("/no/such.gguf") && missing.contains("evenhand models get"),
        "{missing}"
    );
    assert!(matches!(
        read_header(&std::env::temp_dir()),
        Err(GgufError::Directory(_))
    ));
}

#[test]
fn absurd_counts_and_sizes_are_refused_at_once() {
    let many = [b"GGUF\x03\x00\x00\x00".to_vec(), [0xff; 16].to_vec()].concat();
    assert!(matches!(read(&many), Err(Fault::Damaged(_))));
    let long = [
        b"GGUF\x03\x00\x00\x00".to_vec(),
        [0; 8].to_vec(),
        1_u64.to_le_bytes().to_vec(),
        [0xff; 8].to_vec(),
    ]
    .concat();
    assert!(matches!(read(&long), Err(Fault::Truncated { .. })));
    assert!(matches!(
        fault(&model().tensor(&[u64::MAX, u64::MAX], 0, u64::MAX).bytes()),
        Fault::Truncated { .. }
    ));
    assert!(matches!(
        read(&model().number("general.alignment", 0).bytes()),
        Err(Fault::Damaged(_))
    ));
}

/// llama.cpp asserts that tokens differ, and ends the program where they do not.
#[test]
fn a_token_that_stands_twice_in_the_vocabulary_is_a_fault() {
    let vocabulary = |tokens: &[&str]| {
        Gguf::default()
            .texts("tokenizer.ggml.tokens", tokens)
            .bytes()
    };
    let told = |tokens: &[&str]| read(&vocabulary(tokens)).expect_err("refused").to_string();
    assert!(
        told(&["a", "bc", "d", "bc"]).contains("token 3 is \"bc\", as token 1 is already"),
        "{}",
        told(&["a", "a"])
    );
    // A token without a name gets one from its number.
    assert!(told(&["a", "", "[EMPTY_1]"]).contains("token 2 is \"[EMPTY_1]\", as token 1"));
    assert!(read(&vocabulary(&["a", "", "", "A"])).is_ok());
    assert!(
        read(
            &Gguf::default()
                .texts("tokenizer.ggml.merges", &["a b", "a b"])
                .bytes()
        )
        .is_ok()
    );
}

#[test]
fn the_digest_of_a_long_file_covers_its_ends_and_its_length() {
    let digest = |length: u64, last: u8| {
        let mut file = file(&whole());
        file.as_file().set_len(length).expect("a sparse file");
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(length - 1)).expect("sought");
        file.write_all(&[last]).expect("written");
        evenhand_models::gguf::file_digest(file.path()).expect("a digest")
    };
    let long = DIGEST_WHOLE + 4096;
    assert_eq!(digest(long, 1), digest(long, 1));
    assert_ne!(digest(long, 1), digest(long, 2));
    assert_ne!(digest(long, 1), digest(long + 1, 1));
}

proptest! {
    #[test]
    fn no_bytes_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
        let _ = read(&[b"GGUF\x03\x00\x00\x00".to_vec(), bytes].concat());
    }

    #[test]
    fn no_damage_to_a_real_header_does_harm(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<prop::sample::Index>()) {
        let mut bytes = whole();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        if let Ok(header) = read(&bytes) {
            let _ = (header.check_length(bytes.len() as u64), header.parameters());
        }
    }
}

/// What llama.cpp would end the program for, by an assertion, a division by zero or an exception
/// that leaves C++.
#[test]
fn what_would_end_the_program_is_refused() {
    let named: Vec<String> = (0..=255).map(|byte| format!("<0x{byte:02X}>")).collect();
    let bytes: Vec<&str> = named.iter().map(String::as_str).collect();
    let vocabulary = |kind: &str, tokens: &[&str]| {
        Gguf::default()
            .text("tokenizer.ggml.model", kind)
            .texts("tokenizer.ggml.tokens", tokens)
    };
    let (scores, types) = ("tokenizer.ggml.scores", "tokenizer.ggml.token_type");
    let sound = [
        vocabulary("llama", &bytes)
            .zeros(scores, 6, 256)
            .zeros(types, 5, 256),
        vocabulary("llama", &[&bytes[..65], &["A"], &bytes[66..]].concat()),
        vocabulary("gpt2", &["a", "b"]).zeros(scores, 5, 2),
        Gguf::default().text("general.architecture", "clip"),
    ];
    sound
        .iter()
        .for_each(|file| assert!(read(&file.bytes()).is_ok(), "{:?}", read(&file.bytes())));
    let layers = Gguf::default()
        .text("general.architecture", "llama")
        .number("llama.block_count", 0);
    let damaged = [
        (layers, "a model of 0 layers"),
        (Gguf::default().number("", 1), "a value without a name"),
        (Gguf::default().tensor(&[64, 0], 0, 0), "a tensor of size 0"),
        (
            vocabulary("llama", &["a", "b"]),
            "its vocabulary has no token for the byte <0x00>",
        ),
        (
            vocabulary("llama", &[&bytes[..10], &["<0x0a>"], &bytes[11..]].concat()),
            "no token for the byte <0x0A>",
        ),
        (
            vocabulary("gpt2", &["a", "b"]).zeros(scores, 6, 1),
            "tokenizer.ggml.scores has 1 values for 2 tokens",
        ),
        (
            vocabulary("gpt2", &["a", "b"]).zeros(types, 5, 1),
            "tokenizer.ggml.token_type has 1 values for 2 tokens",
        ),
        (
            vocabulary("gpt2", &["a"]).zeros(types, 6, 1),
            "tokenizer.ggml.token_type is a list of values of kind 6",
        ),
        (
            vocabulary("gpt2", &["a"]).texts(scores, &["1"]),
            "tokenizer.ggml.scores is a list of values of kind 8",
        ),
        (
            Gguf::default().zeros("tokenizer.ggml.tokens", 5, 2),
            "tokenizer.ggml.tokens is a list of values of kind 5",
        ),
    ];
    for (file, why) in damaged {
        let found = read(&file.bytes()).expect_err(why).to_string();
        assert!(found.contains(why), "{found}");
    }
    for kind in ["none", "no_vocab"] {
        assert_eq!(
            read(&vocabulary(kind, &[]).bytes()),
            Err(Fault::NoVocabulary)
        );
    }
}
