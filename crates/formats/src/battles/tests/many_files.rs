//! Several Parquet files that are read together, and rows that are counted while they are read.

use super::parquet::{Row, some_rows, write};
use super::*;
use ::parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Rows whose outcome may be spelt with the name of a system, or say nothing that is known.
fn any_row() -> impl Strategy<Value = Row> {
    let known = prop::sample::select(vec!["model_a", "right", "tie", "tie (bothbad)", "m1", "n2"]);
    let word = prop_oneof![60 => known.prop_map(Some), 1 => Just(Some("nobody")), 1 => Just(None)];
    let names = (0..4_u8, 0..5_u8);
    (0..9_i64, names, word).prop_map(|(item, (a, b), word)| {
        let b = if b == 4 {
            "m0".to_owned()
        } else {
            format!("n{b}")
        };
        (item, format!("m{a}"), b, word, 1.0)
    })
}

/// What is read where no weight is, so that rows can be counted.
fn unweighted(threads: usize) -> Options {
    let mut options = options(threads, 1 << 10);
    options.columns.weight = Column::Ignored;
    options.columns.skip_bad = 1;
    options
}

fn sources(files: &[Vec<u8>]) -> Vec<BattleSource> {
    let files = files.iter().enumerate();
    files
        .map(|(at, file)| source(&format!("{at}.parquet"), file))
        .collect()
}

proptest! {
    #[test]
    fn rows_are_counted_as_they_are_kept(
        files in prop::collection::vec(prop::collection::vec(any_row(), 0..60), 1..4),
        group in 1..30_usize, dictionary: bool, threads in 1..5_usize,
    ) {
        let properties = || WriterProperties::builder()
            .set_dictionary_enabled(dictionary)
            .set_data_page_row_count_limit(7)
            .set_write_batch_size(3)
            .build();
        let files = files.iter().map(|rows| write(rows, group, properties()));
        let files: Vec<Vec<u8>> = files.collect();
        let kept = read_rows(&mut sources(&files), &unweighted(1)).map(|rows| rows.counts(|weight| weight));
        let counted = read_counts(&mut sources(&files), &unweighted(threads));
        prop_assert_eq!(
            counted.map_err(|error| error.to_string()),
            kept.map_err(|error| error.to_string())
        );
    }

    #[test]
    fn no_changed_byte_makes_counting_panic(at in any::<prop::sample::Index>(), byte: u8) {
        let mut file = write(&some_rows(30), 10, WriterProperties::default());
        let at = at.index(file.len() - 4) + 4;
        file[at] = byte;
        let counts = read_counts(&mut sources(&[file]), &unweighted(2));
        prop_assert!(counts.is_err() || counts.is_ok_and(|counts| counts.rows > 0));
    }
}

#[test]
fn the_rows_of_many_files_are_those_of_one_at_any_number_of_threads() {
    let rows = some_rows(1000);
    let one = write(&rows, 1000, WriterProperties::default());
    let expected = read_rows(&mut sources(&[one]), &Options::default()).unwrap();
    let parts = rows.chunks(37);
    let parts: Vec<Vec<u8>> = parts
        .map(|rows| write(rows, 20, WriterProperties::default()))
        .collect();
    for threads in [1, 2, 8] {
        let found = read_rows(&mut sources(&parts), &options(threads, 1)).unwrap();
        assert_eq!(found, expected, "{threads}");
    }
}

#[test]
fn of_many_files_the_first_damaged_one_is_named_with_its_row() {
    let mut rows = some_rows(400);
    rows[233].3 = Some("nobody");
    rows[333].3 = Some("nobody");
    let parts = rows.chunks(100);
    let mut parts: Vec<Vec<u8>> = parts
        .map(|rows| write(rows, 20, WriterProperties::default()))
        .collect();
    let read = |parts: &[Vec<u8>], threads| {
        let kept = read_rows(&mut sources(parts), &options(threads, 1)).unwrap_err();
        let counted = Options {
            columns: Columns {
                weight: Column::Ignored,
                ..Columns::default()
            },
            ..options(threads, 1)
        };
        let counted = read_counts(&mut sources(parts), &counted).unwrap_err();
        assert_eq!(kept.to_string(), counted.to_string());
        kept.to_string()
    };
    for threads in [1, 2, 8] {
        let error = read(&parts, threads);
        assert!(
            error.starts_with("2.parquet: row 34: field winner: `nobody`"),
            "{error}"
        );
    }
    parts[1].truncate(700);
    for threads in [1, 2, 8] {
        let error = read(&parts, threads);
        assert!(
            error.starts_with("1.parquet: the Parquet file is damaged or cut short"),
            "{error}"
        );
    }
}

#[test]
fn the_beginning_of_a_file_is_read_alone() {
    let rows = some_rows(1000);
    let whole = read_rows(
        &mut sources(&[write(&rows, 1000, WriterProperties::default())]),
        &Options::default(),
    );
    let whole = whole.unwrap();
    for (group, read) in [(10, 30), (1000, 25), (20, 40)] {
        let file = write(&rows, group, WriterProperties::default());
        let options = Options {
            beginning: Some(25),
            ..Options::default()
        };
        let found = read_rows(&mut sources(&[file]), &options).unwrap();
        assert_eq!((found.a.len(), &found.a[..]), (read, &whole.a[..read]));
    }
    let text: String = (0..100).map(|row| format!("x,y{row},tie\n")).collect();
    let options = Options {
        beginning: Some(2),
        ..options(1, 64)
    };
    let text = format!("model_a,model_b,winner\n{text}");
    let found = read_rows(&mut [source("a.csv", text)], &options).unwrap();
    assert!((2..30).contains(&found.a.len()), "{}", found.a.len());
}

/// Counts by cluster and pair, one row after the other.
fn counts_by_cluster(rows: &Rows) -> Vec<ClusterCount> {
    let clusters = rows.cluster.as_ref().unwrap();
    let mut cells: BTreeMap<(u32, u16, u16), [f64; 4]> = BTreeMap::new();
    for (row, &cluster) in clusters.iter().enumerate() {
        let (a, b) = (rows.a[row], rows.b[row]);
        let at = match (rows.outcome[row], a < b) {
            (BattleOutcome::Tie, _) => 1,
            (BattleOutcome::BothBad, _) => 2,
            (BattleOutcome::A, true) | (BattleOutcome::B, false) => 0,
            _ => 3,
        };
        let cell = cells.entry((cluster, a.min(b), a.max(b)));
        cell.or_default()[at] += 1.0;
    }
    let cells = cells.into_iter().map(|((cluster, a, b), counts)| {
        let [wins_a, ties, both_bad, wins_b] = counts;
        ClusterCount {
            cluster,
            a,
            b,
            wins_a,
            ties,
            both_bad,
            wins_b,
        }
    });
    cells.collect()
}

proptest! {
    #[test]
    fn counts_by_cluster_are_those_of_the_rows_and_of_a_file_of_counts(
        rows in prop::collection::vec(any_row(), 1..80),
        many in 1..100_usize, group in 1..30_usize, threads in 1..5_usize,
    ) {
        let rows = rows.into_iter().filter(|row| row.3.is_some_and(|word| word != "nobody"));
        // A row many times over: counts that do not fit beside their key.
        let rows: Vec<Row> = rows
            .enumerate()
            .flat_map(|(at, row)| vec![row; if at == 0 { many } else { 1 }])
            .filter(|row| row.1 != row.2 && !["m1", "n2"].contains(&row.3.unwrap_or_default()))
            .collect();
        prop_assume!(!rows.is_empty());
        let file = write(&rows, group, WriterProperties::default());
        let files = [file];
        let kept = read_rows(&mut sources(&files), &unweighted(1)).unwrap();
        let found = read_cluster_counts(&mut sources(&files), &unweighted(threads)).unwrap();
        let expected = counts_by_cluster(&kept);
        prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected.clone());
        prop_assert_eq!(&found.counts, &kept.counts(|weight| weight));
        prop_assert_eq!(found.clusters, Some(kept.clusters));
        // The same as a file, the systems of every other row exchanged.
        let line = |(at, cell): (usize, &ClusterCount)| {
            let names = [cell.a, cell.b].map(|system| kept.names[usize::from(system)].as_str());
            let ClusterCount { cluster, wins_a, wins_b, ties, both_bad, .. } = *cell;
            let mut ends = [(names[0], wins_a), (names[1], wins_b)];
            if at % 2 == 1 {
                ends.swap(0, 1);
            }
            let [(a, wins_a), (b, wins_b)] = ends;
            format!("{cluster},{a},{b},{wins_a},{wins_b},{ties},{both_bad}\n")
        };
        let lines: String = expected.iter().enumerate().map(line).collect();
        let text = format!("item,model_a,model_b,wins_a,wins_b,ties,both_bad\n{lines}");
        let file = &mut [source("a.csv", &text)];
        let again = read_tallied_clusters(file, &options(threads, 100)).unwrap();
        prop_assert_eq!(again.clusters, found.clusters);
        let named = |counts: &ClusterCounts| {
            let cell = |cell: ClusterCount| {
                let (a, b) = (usize::from(cell.a), usize::from(cell.b));
                let (a, b) = (counts.counts.names[a].clone(), counts.counts.names[b].clone());
                let ends = [(a.clone(), cell.wins_a), (b.clone(), cell.wins_b)];
                let mut ends = Vec::from(ends);
                ends.sort_by(|x, y| x.0.cmp(&y.0));
                (cell.cluster, format!("{ends:?} {} {}", cell.ties, cell.both_bad))
            };
            let mut cells: Vec<(u32, String)> = counts.iter().map(cell).collect();
            cells.sort();
            cells
        };
        prop_assert_eq!(named(&again), named(&found));
    }
}

#[test]
fn a_part_without_rows_is_noted_and_the_others_are_read() {
    let full = some_rows(5);
    let files: Vec<Vec<u8>> = [&full[..0], &full, &full[..0]]
        .map(|rows| write(rows, 10, WriterProperties::default()))
        .into();
    let none = "there are no rows; expected at least one";
    for threads in [1, 3] {
        let read = read_counts(&mut sources(&files), &unweighted(threads)).unwrap();
        let noted: Vec<String> = read.skipped.iter().map(ToString::to_string).collect();
        assert_eq!(
            noted,
            [format!("0.parquet: {none}"), format!("2.parquet: {none}")]
        );
        assert_eq!(read.rows, 5);
    }
    let empty = read_counts(&mut sources(&files[..1]), &unweighted(1));
    assert_eq!(empty.unwrap_err().to_string(), format!("0.parquet: {none}"));
}
