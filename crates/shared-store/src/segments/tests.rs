//! Segments: what is cut or changed is refused, and never another reply.

use super::*;
use crate::seal::SharedReply;
use evenhand_core::Reply;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::SystemTime;

fn key(number: usize) -> RequestKey {
    RequestKey::of(&format!("request {number}"))
}

fn reply(number: usize) -> SharedReply {
    SharedReply {
        reply: Reply {
            text: format!("reply {number} {}", "x".repeat(number % 7 * 20)),
            ..Reply::default()
        },
        raw: None,
        batch: false,
    }
}

pub(super) fn entries(numbers: std::ops::Range<usize>) -> Vec<Sealed> {
    let signer = Signer::unsigned();
    numbers
        .filter_map(|number| signer.close(&key(number), &reply(number)))
        .collect()
}

/// Writes entries as a process does that ends by itself.
fn write(dir: &Path, numbers: std::ops::Range<usize>) {
    let mut writer = Writer::new(dir);
    writer.put(&entries(numbers)).unwrap();
    writer.close().unwrap();
}

/// Which of the first so many are found, each with the right reply, and how many did not fit.
pub(super) fn found(store: &mut Segments, count: usize) -> (BTreeSet<usize>, u64) {
    let signer = Signer::unsigned();
    let keys: Vec<RequestKey> = (0..count).map(key).collect();
    let (found, unfit) = store.find(&keys, &signer).unwrap();
    let numbers = found.iter().map(|entry| {
        let number = keys.iter().position(|key| *key == entry.key).unwrap();
        assert_eq!(signer.open(entry), Some(reply(number)));
        number
    });
    (numbers.collect(), unfit)
}

pub(super) fn found_anew(dir: &Path, count: usize) -> (BTreeSet<usize>, u64) {
    found(&mut Segments::open(dir).unwrap(), count)
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn is_open(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == OPEN)
}

#[test]
fn what_one_writes_another_finds_while_it_writes_and_after() {
    let dir = tempfile::tempdir().unwrap();
    let mut reader = Segments::open(dir.path()).unwrap();
    let mut writer = Writer::new(dir.path());
    for step in 0..3 {
        writer.put(&entries(step * 5..step * 5 + 5)).unwrap();
        reader.refresh().unwrap();
        assert_eq!(found(&mut reader, 20), ((0..step * 5 + 5).collect(), 0));
    }
    writer.close().unwrap();
    writer.put(&entries(15..20)).unwrap();
    reader.refresh().unwrap();
    assert_eq!(found(&mut reader, 20), ((0..20).collect(), 0));
    let open = files(dir.path())
        .iter()
        .filter(|path| is_open(path))
        .count();
    assert_eq!((files(dir.path()).len(), open), (2, 1));
}

#[test]
fn files_of_others_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..3);
    let names = [
        "notes.txt",
        "0123.seg",
        "z123456789abcdef0123456789abcdef.seg",
    ];
    for name in names {
        std::fs::write(dir.path().join(name), "EVHSEG1\nmine").unwrap();
    }
    assert_eq!(found_anew(dir.path(), 3).0.len(), 3);
    write(dir.path(), 3..4);
    assert_eq!(compact_segments(dir.path()).unwrap().segments, 2);
    assert!(names.iter().all(|name| dir.path().join(name).exists()));
}

/// A reader that knew the old segments finds their entries in the new one.
#[test]
fn segments_are_made_one_beside_a_writer_and_a_reader() {
    let dir = tempfile::tempdir().unwrap();
    for step in 0..4 {
        write(dir.path(), step * 5..step * 5 + 6);
    }
    let mut writer = Writer::new(dir.path());
    writer.put(&entries(21..25)).unwrap();
    let mut reader = Segments::open(dir.path()).unwrap();
    let compacted = compact_segments(dir.path()).unwrap();
    assert_eq!(
        (compacted.segments, compacted.entries, compacted.doubles),
        (4, 21, 3)
    );
    assert!(compacted.bytes_after < compacted.bytes_before);
    assert_eq!(found(&mut reader, 25), ((0..25).collect(), 0));
    assert_eq!(found_anew(dir.path(), 25), ((0..25).collect(), 0));
    assert_eq!(files(dir.path()).len(), 2, "the writer's, and the new one");
    writer.put(&entries(25..26)).unwrap();
    writer.close().unwrap();
    reader.refresh().unwrap();
    assert_eq!(found(&mut reader, 26), ((0..26).collect(), 0));
    assert_eq!(compact_segments(dir.path()).unwrap().entries, 26);
    assert_eq!(compact_segments(dir.path()).unwrap(), Compacted::default());
    assert_eq!(found(&mut reader, 26), ((0..26).collect(), 0));
}

#[test]
fn a_segment_whose_writer_is_gone_for_a_day_is_made_one_with_others() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..3);
    let mut killed = Writer::new(dir.path());
    killed.put(&entries(3..6)).unwrap();
    assert_eq!(compact_segments(dir.path()).unwrap(), Compacted::default());
    let path = files(dir.path())
        .into_iter()
        .find(|path| is_open(path))
        .unwrap();
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(25 * 3600))
        .unwrap();
    assert_eq!(compact_segments(dir.path()).unwrap().entries, 6);
    // Whoever slept that long closes what is no longer there, and begins another.
    killed.close().unwrap();
    killed.put(&entries(6..8)).unwrap();
    assert_eq!(found_anew(dir.path(), 8), ((0..8).collect(), 0));
}

#[test]
fn an_entry_that_does_not_fit_hides_none_that_does() {
    let dir = tempfile::tempdir().unwrap();
    for wrong in [true, false, true] {
        let mut entry = entries(0..1).remove(0);
        if wrong {
            entry.body = entries(1..2).remove(0).body;
        }
        let mut writer = Writer::new(dir.path());
        writer.put(&[entry]).unwrap();
        writer.close().unwrap();
    }
    let (numbers, _) = found_anew(dir.path(), 1);
    assert_eq!(numbers, BTreeSet::from([0]));
    // The same seal over another body is another entry.
    assert_eq!(compact_segments(dir.path()).unwrap().entries, 2);
    assert_eq!(found_anew(dir.path(), 1).0, BTreeSet::from([0]));
}

#[test]
fn a_segment_that_is_damaged_is_counted_and_left_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..3);
    let path = files(dir.path()).remove(0);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let store = Segments::open(dir.path()).unwrap();
    assert_eq!(store.count_damaged(), 1);
    assert_eq!(compact_segments(dir.path()).unwrap().damaged, 1);
    assert!(path.exists());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever the end is cut to, what stands whole before it is found, and when the rest is there
    /// all is.
    #[test]
    fn of_a_segment_that_is_cut_all_that_is_whole_is_found(cut in 0_usize..10_000) {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::new(dir.path());
        writer.put(&entries(0..8)).unwrap();
        let path = files(dir.path()).remove(0);
        let bytes = std::fs::read(&path).unwrap();
        let cut = cut % (bytes.len() + 1);
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let mut ends = vec![record::MAGIC.len()];
        for entry in entries(0..8) {
            ends.push(ends[ends.len() - 1] + record::HEADER + entry.body.len());
        }
        let whole = ends[1..].iter().filter(|end| **end <= cut).count();
        let mut store = Segments::open(dir.path()).unwrap();
        prop_assert_eq!(found(&mut store, 8), ((0..whole).collect(), 0));
        std::fs::write(&path, &bytes).unwrap();
        store.refresh().unwrap();
        prop_assert_eq!(found(&mut store, 8), ((0..8).collect(), 0));
    }

    /// A byte that is changed takes away entries, at most all from its own on, and makes none.
    #[test]
    fn of_a_segment_with_another_byte_no_entry_is_wrong(at in 0_usize..10_000, bit in 0_u8..8) {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), 0..8);
        let path = files(dir.path()).remove(0);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        std::fs::write(&path, &bytes).unwrap();
        let (numbers, _) = found_anew(dir.path(), 8);
        let all = entries(0..8);
        let before = all.iter().scan(record::MAGIC.len(), |end, entry| {
            *end += record::HEADER + entry.body.len();
            Some(*end)
        });
        let before = before.filter(|end| *end <= at).count();
        prop_assert!(numbers.len() < 8, "the entry with the byte is refused");
        prop_assert!((0..before).all(|number| numbers.contains(&number)));
        prop_assert!(compact_segments(dir.path()).is_ok());
    }

    /// Bytes of somebody else are no segment, and nothing comes of them.
    #[test]
    fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let dir = tempfile::tempdir().unwrap();
        let name = "0".repeat(32);
        std::fs::write(path_of(dir.path(), &name, CLOSED), &bytes).unwrap();
        let with_magic = [&record::MAGIC[..], &bytes[..]].concat();
        std::fs::write(path_of(dir.path(), &"1".repeat(32), CLOSED), with_magic).unwrap();
        prop_assert_eq!(found_anew(dir.path(), 8), (BTreeSet::new(), 0));
    }
}
