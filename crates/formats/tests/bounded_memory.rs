//! A stream of any length is read in bounded memory. A test binary of its own, because it counts
//! every allocation.
#![allow(
    unsafe_code,
    reason = "a global allocator that counts cannot be written without it"
)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use evenhand_core::Item;
use evenhand_formats::StyleCovariate;
use evenhand_formats::battles::{BattleSource, Columns, Options, read_rows};
use evenhand_formats::records::{Input, Place, Record, read_records};
use evenhand_formats::{DatasetBuilder, InMemory, Selection};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, BufReader, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Only one stream at a time, so that the peak is its own.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const LENGTH: usize = 200 << 20;
const BOUND: usize = 8 << 20;

/// The same bytes again and again: never in memory more than once.
struct Repeated {
    piece: Vec<u8>,
    at: usize,
    left: usize,
}

impl Repeated {
    fn new(piece: impl Into<Vec<u8>>, times: usize) -> Self {
        Repeated {
            piece: piece.into(),
            at: 0,
            left: times,
        }
    }
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        let n = buffer.len().min(self.piece.len() - self.at);
        buffer[..n].copy_from_slice(&self.piece[self.at..self.at + n]);
        self.at = (self.at + n) % self.piece.len();
        self.left -= usize::from(self.at == 0);
        Ok(n)
    }
}

/// Reads the stream into a data set of another system; checks how many records it held, and how
/// much memory that took at most.
fn check(stream: impl Read, records: usize) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let selection = Selection {
        systems: Some(vec!["another".into()]),
        ..Selection::default()
    };
    let mut builder = DatasetBuilder::new(selection, Box::<InMemory>::default());
    let item = Item {
        id: "1".into(),
        ..Item::default()
    };
    builder
        .add_record(Record::Item(item), &Place::file("items"))
        .unwrap();
    let found = read_records(
        BufReader::new(stream),
        &Input::new("stream"),
        &mut |record, place| builder.add_record(record, place),
    );
    assert_eq!(found.unwrap().records as usize, records);
    let peak = PEAK.load(Relaxed) - before;
    assert!(peak < BOUND, "{peak} bytes were live at once");
}

fn record(length: usize) -> String {
    format!(
        "{{\"item\":\"1\",\"system\":\"s\",\"output\":\"{}\"}}",
        "word \\n \u{e9} ".repeat(length / 11)
    )
}

#[test]
fn lines() {
    for length in [4 << 10, 1 << 20] {
        let line = record(length) + "\n";
        let times = LENGTH / line.len();
        check(Repeated::new(line, times), times);
    }
}

#[test]
fn an_array_on_one_line() {
    for length in [4 << 10, 1 << 20] {
        let first = format!("[{}", record(length));
        let times = LENGTH / first.len();
        let next = format!(", {}", record(length));
        check(
            first
                .as_bytes()
                .chain(Repeated::new(next, times))
                .chain(&b"]"[..]),
            times + 1,
        );
    }
}

#[test]
fn gzip() {
    let lines = (record(4 << 10) + "\n").repeat(64);
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    member.write_all(lines.as_bytes()).unwrap();
    let times = LENGTH / lines.len();
    check(Repeated::new(member.finish().unwrap(), times), times * 64);
}

#[test]
fn a_record_without_an_end_is_refused_in_bounded_memory() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let before = LIVE.load(Relaxed);
    for open in ["{\"item\": \"", "[{\"item\": \"", "system,rating\n\""] {
        PEAK.store(before, Relaxed);
        let stream = open.as_bytes().chain(Repeated::new("endless ", LENGTH / 8));
        let input = Input {
            record_limit: 1 << 20,
            ..Input::new("stream")
        };
        let error = read_records(BufReader::new(stream), &input, &mut |_, _| Ok(()))
            .unwrap_err()
            .to_string();
        assert!(error.contains("is longer than 1048576 bytes"), "{error}");
        let peak = PEAK.load(Relaxed) - before;
        assert!(peak < BOUND, "{peak} bytes were live at once");
    }
}

#[test]
fn judgments_are_kept_without_their_texts() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let games = format!(
        "[{{\"score\":\"A>B\",\"judgment\":\"{}\"}},null]",
        "long ".repeat(20_000)
    );
    let line =
        format!("{{\"question_id\":\"q\",\"model\":\"m\",\"baseline\":\"b\",\"games\":{games}}}\n");
    let times = LENGTH / 4 / line.len();
    let stream = BufReader::new(Repeated::new(line, times));
    let recorded =
        evenhand_formats::judgments::read_judgments([("stream", stream)], &Default::default())
            .unwrap();
    assert_eq!(recorded.comparisons.len(), times);
    assert_eq!(recorded.failures["model-error"], times as u64);
    let peak = PEAK.load(Relaxed) - before;
    assert!(peak < BOUND, "{peak} bytes were live at once");
}

/// Counts the responses' texts of so many battles of equal length; checks the counts, and how much
/// memory that took at most.
fn check_texts(name: &str, file: impl FnOnce() -> Vec<u8>, battles: usize, tokens: f64) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let file = file();
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let texts = vec!["one".into(), "two".into()];
    let columns = Columns {
        texts,
        counted: vec![StyleCovariate::Length],
        ..Columns::default()
    };
    let options = Options {
        columns,
        threads: 2,
        ..Options::default()
    };
    let rows = read_rows(
        &mut [BattleSource::new(name, io::Cursor::new(file))],
        &options,
    )
    .unwrap();
    assert_eq!(rows.covariates, [vec![tokens; battles], vec![1.0; battles]]);
    let peak = PEAK.load(Relaxed) - before;
    assert!(peak < BOUND, "{peak} bytes were live at once");
}

#[test]
fn texts_of_battles_are_counted_and_not_kept() {
    let text = "word ".repeat(2000);
    let line = format!(
        "{{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"tie\",\"one\":\"{text}\",\"two\":\"b\"}}\n"
    );
    let (lines, members) = (64, LENGTH / 4 / (line.len() * 64));
    let file = || {
        let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        member.write_all(line.repeat(lines).as_bytes()).unwrap();
        member.finish().unwrap().repeat(members)
    };
    check_texts("battles.jsonl.gz", file, lines * members, 2000.0);
}

#[cfg(feature = "parquet")]
#[test]
fn texts_of_battles_in_parquet_are_counted_and_not_kept() {
    let text = "word ".repeat(400);
    let battles = LENGTH / 4 / text.len();
    check_texts(
        "battles.parquet",
        || parquet_file(&text, battles),
        battles,
        401.0,
    );
}

/// One row group of so many battles, whose first texts all differ, packed.
#[cfg(feature = "parquet")]
fn parquet_file(text: &str, battles: usize) -> Vec<u8> {
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    let names = ["model_a", "model_b", "winner", "one", "two"];
    let fields: String = names
        .iter()
        .map(|name| format!("required binary {name} (UTF8); "))
        .collect();
    let schema =
        parquet::schema::parser::parse_message_type(&format!("message battles {{ {fields} }}"))
            .unwrap();
    let properties = WriterProperties::builder().set_dictionary_enabled(false);
    let properties = properties
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut writer = parquet::file::writer::SerializedFileWriter::new(
        Vec::new(),
        schema.into(),
        properties.into(),
    )
    .unwrap();
    let mut group = writer.next_row_group().unwrap();
    for cell in ["x", "y", "tie", text, "b"] {
        let mut column = group.next_column().unwrap().unwrap();
        let own = |row: usize| {
            ByteArray::from(
                if cell == text {
                    format!("{row} {text}")
                } else {
                    cell.to_string()
                }
                .as_str(),
            )
        };
        column
            .typed::<ByteArrayType>()
            .write_batch(&(0..battles).map(own).collect::<Vec<_>>(), None, None)
            .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}
