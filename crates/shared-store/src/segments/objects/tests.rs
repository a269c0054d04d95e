//! Segments as objects, beside the same ones as files, on a bucket that fails as storage does.

use super::super::tests::{entries, found, found_anew};
use super::super::{Segments, compact_segments};
use super::*;
use evenhand_testing::is_slow;
use evenhand_testing::objects::{ObjectFaults, ObjectServer};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// One request in three or four goes wrong in some way.
const FAULTS: ObjectFaults = ObjectFaults {
    unavailable: 11,
    dropped: 13,
    cut: 7,
    silent: 0,
    list_lags: 0,
    refused: false,
    captive: false,
};

/// A server, and the address of an empty folder of a bucket on it.
fn bucket() -> (ObjectServer, PathBuf) {
    let server = ObjectServer::start().unwrap();
    let [(_, endpoint), ..] = server.environment();
    let name = endpoint.rsplit(':').next().unwrap();
    let folder = PathBuf::from(format!("s3://bucket-{name}/team"));
    evenhand_objects::set_environment(&folder, &server.environment()).unwrap();
    (server, folder)
}

/// Writes entries as a process does that ends by itself, in so many goes.
fn write(folder: &Path, numbers: std::ops::Range<usize>, goes: usize) {
    let mut writer = ObjectWriter::new(folder);
    let entries = entries(numbers);
    for part in entries.chunks(entries.len().div_ceil(goes)) {
        writer.put(part).unwrap();
    }
    writer.close().unwrap();
}

fn keys(server: &ObjectServer) -> Vec<String> {
    server.names().0
}

#[test]
fn what_one_puts_another_finds_and_its_small_segments_become_one() {
    let (server, folder) = bucket();
    let mut reader = Segments::open(&folder).unwrap();
    let mut writer = ObjectWriter::new(&folder);
    for step in 0..MOST_SMALL + 3 {
        writer.put(&entries(step * 5..step * 5 + 5)).unwrap();
        reader.refresh().unwrap();
        assert_eq!(found(&mut reader, 200), ((0..step * 5 + 5).collect(), 0));
    }
    assert_eq!(keys(&server).len(), 4, "{:?}", keys(&server));
    writer.close().unwrap();
    assert_eq!(keys(&server).len(), 2, "{:?}", keys(&server));
    assert_eq!(found_anew(&folder, 200), ((0..95).collect(), 0));
    assert_eq!(found(&mut reader, 200), ((0..95).collect(), 0));
}

#[test]
fn objects_of_others_are_left_alone_and_damaged_ones_are_counted() {
    let (server, folder) = bucket();
    write(&folder, 0..3, 1);
    write(&folder, 3..6, 1);
    let bucket = folder.to_string_lossy().replace("s3://", "");
    let name = |stem: &str| format!("{bucket}/{}.seg", stem.repeat(32));
    let mut all = MAGIC.to_vec();
    entries(6..9)
        .iter()
        .for_each(|entry| write_record(&mut all, entry));
    let others = [
        (format!("{bucket}/notes.txt"), b"EVHSEG1\nmine".to_vec()),
        (format!("{bucket}/0123.seg"), b"EVHSEG1\nmine".to_vec()),
        (
            format!("{bucket}/below/{}.seg", "a".repeat(32)),
            all.clone(),
        ),
        // A part of a segment, as storage never shows it, and what is none at all.
        (name("b"), all[..all.len() - 1].to_vec()),
        (name("c"), b"something else".to_vec()),
        (name("d"), Vec::new()),
    ];
    for (name, contents) in &others {
        server.put(name, contents);
    }
    let mut store = Segments::open(&folder).unwrap();
    assert_eq!(found(&mut store, 9), ((0..8).collect(), 0));
    assert_eq!(store.count_damaged(), 3);
    let compacted = compact_segments(&folder).unwrap();
    let counts = (compacted.segments, compacted.made, compacted.damaged);
    assert_eq!(counts, (2, 1, 3));
    for (name, contents) in &others {
        assert_eq!(server.get(name).as_ref(), Some(contents), "{name}");
    }
    assert_eq!(found_anew(&folder, 9), ((0..8).collect(), 0));
}

/// A reader that knew the old segments needs no new ones; one that begins finds all in the new one.
#[test]
fn segments_are_made_one_beside_a_writer_and_a_reader() {
    let (server, folder) = bucket();
    for step in 0..4 {
        write(&folder, step * 5..step * 5 + 6, 1);
    }
    let mut writer = ObjectWriter::new(&folder);
    writer.put(&entries(21..23)).unwrap();
    let mut reader = Segments::open(&folder).unwrap();
    let compacted = compact_segments(&folder).unwrap();
    assert_eq!(
        (compacted.segments, compacted.entries, compacted.doubles),
        (5, 23, 3)
    );
    assert!(compacted.bytes_after < compacted.bytes_before);
    // The writer joins what is gone already.
    writer.put(&entries(23..25)).unwrap();
    writer.close().unwrap();
    assert_eq!(found_anew(&folder, 25), ((0..25).collect(), 0));
    reader.refresh().unwrap();
    assert_eq!(found(&mut reader, 25), ((0..25).collect(), 0));
    assert_eq!(compact_segments(&folder).unwrap().doubles, 2);
    assert_eq!(compact_segments(&folder).unwrap().segments, 0);
    assert_eq!(keys(&server).len(), 1);
    assert_eq!(found_anew(&folder, 25), ((0..25).collect(), 0));
}

#[test]
fn a_list_that_lags_hides_what_was_written_last_and_takes_nothing_back() {
    let (server, folder) = bucket();
    write(&folder, 0..4, 1);
    let mut reader = Segments::open(&folder).unwrap();
    write(&folder, 4..8, 1);
    let lag = |list_lags| {
        server.set_faults(ObjectFaults {
            list_lags,
            ..ObjectFaults::default()
        });
    };
    lag(2);
    reader.refresh().unwrap();
    assert_eq!(found(&mut reader, 8), ((0..4).collect(), 0));
    lag(0);
    reader.refresh().unwrap();
    assert_eq!(found(&mut reader, 8), ((0..8).collect(), 0));
    lag(2);
    reader.refresh().unwrap();
    assert_eq!(found(&mut reader, 8), ((0..8).collect(), 0));
}

/// What happens to a store.
#[derive(Clone, Debug)]
enum Step {
    /// One of three processes gives entries.
    Put(usize, std::ops::Range<usize>),
    /// It ends, and another takes its place.
    End(usize),
    Compact,
    /// A reader looks again.
    Look,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_usize..3, 0_usize..30, 1_usize..6).prop_map(|(who, from, count)| {
            Step::Put(who, from..from + count)
        }),
        1 => (0_usize..3).prop_map(Step::End),
        1 => Just(Step::Compact),
        2 => Just(Step::Look),
    ]
}

/// Does the steps in one store. Returns what its reader found at each look, and what one that
/// begins at the end finds.
fn found_by(dir: &Path, steps: &[Step]) -> Vec<BTreeSet<usize>> {
    let open = || Segments::open(dir).unwrap();
    let mut writers = [open(), open(), open()];
    let mut reader = open();
    let mut all = Vec::new();
    for step in steps {
        match step {
            Step::Put(who, numbers) => writers[*who].put(&entries(numbers.clone())).unwrap(),
            Step::End(who) => {
                writers[*who].close().unwrap();
                writers[*who] = open();
            }
            Step::Compact => drop(compact_segments(dir).unwrap()),
            Step::Look => {
                reader.refresh().unwrap();
                all.push(found(&mut reader, 40).0);
            }
        }
    }
    all.push(found_anew(dir, 40).0);
    all
}

proptest! {
    // Each waits for requests that are sent again.
    #![proptest_config(ProptestConfig::with_cases(if is_slow() { 48 } else { 8 }))]

    /// Whatever writers, readers and compactions do in whatever order, segments in a directory and
    /// in object storage give the same entries, whole, also where requests fail.
    #[test]
    fn a_directory_and_object_storage_give_the_same_entries(
        steps in prop::collection::vec(step(), 1..24),
        fails in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (server, folder) = bucket();
        if fails {
            server.set_faults(FAULTS);
        }
        let of_files = found_by(dir.path(), &steps);
        let given: BTreeSet<usize> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Put(_, numbers) => Some(numbers.clone()),
                _ => None,
            })
            .flatten()
            .collect();
        prop_assert_eq!(of_files.last(), Some(&given));
        prop_assert_eq!(found_by(&folder, &steps), of_files);
    }
}
