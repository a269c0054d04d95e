//! A leaderboard's rankings by slice: each is that of the files with the other records left out.

use super::control::controlled_columns;
use super::files::{FileSort, sort_of_files};
use super::options::{ClusterBy, LeaderboardOptions};
use super::{gather, rank_files};
use crate::method::Ci;
use crate::report::data::units_of_column;
use crate::slices::{MANY_VALUES, SliceEvidence, SliceRanking, SliceRows, SliceSize, test_slices};
use crate::{Aggregation, Report};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{EngineError, open_buffered};
use evenhand_formats::records::{FieldValue, Input, part_field_not_found, read_objects};
use std::collections::BTreeMap;

/// Ranks by all records, and by those of each value of a field: of two at least, but for a board.
pub(super) fn rank_by_slice(
    options: &LeaderboardOptions,
    field: &str,
) -> Result<Report, EngineError> {
    if options.published.weights.is_some() {
        return Err(Refusal::new(
            Setting::By,
            Cause::Data,
            "published weights have no records",
        )
        .into());
    }
    let named = FieldValue::parse(field)?;
    let values = read_values(options, field, &named)?;
    let mut report = rank_files(options)?;
    // Who is ranked by all records is ranked by those of a slice, however few it has there.
    let is_chosen = options.systems.is_some() || options.min_battles > 0;
    let ranked = report.ranking.iter().map(|row| row.system.clone());
    let options = &LeaderboardOptions {
        systems: is_chosen.then(|| ranked.collect()),
        min_battles: 0,
        ..options.clone()
    };
    // Each part leaves out the records of the other slices.
    let parts = values.iter().map(|value| {
        let mut part = options.clone();
        part.of_slice = true;
        part.reading.columns.filter = options.reading.columns.filter.with_value(&named, value);
        part.rank.differences = false;
        part.rank.drop = false;
        part
    });
    let parts: Vec<LeaderboardOptions> = parts.collect();
    let sort = sort_of_files(options)?;
    let evidence = gather_slices(options, &parts, sort);
    let units = units_of(options, sort, evidence.as_ref().ok());
    let mut sizes = vec![0; values.len()];
    if let Ok(evidence) = &evidence {
        for slice in &evidence.slices {
            sizes[*slice as usize] += 1;
        }
    }
    for ((number, (value, part)), items) in (0..).zip(values.iter().zip(&parts)).zip(sizes) {
        let ranked = rank_files(part);
        let battles = match (&ranked, &evidence) {
            (Ok(part), _) => Some(part.coverage.verdicts),
            (Err(_), Ok(evidence)) => Some(evidence.comparisons_in(number)),
            (Err(_), Err(_)) => None,
        };
        let size = match sort {
            FileSort::Recorded => SliceSize::of_items(items, items),
            FileSort::Battles | FileSort::Counts => SliceSize {
                battles,
                items,
                questions: items,
                units: units.clone(),
            },
        };
        report.slices.push(SliceRanking::new(value, size, ranked));
    }
    let evidence = match values.as_slice() {
        [_] => Err("all battles so far have the same value".into()),
        _ => evidence,
    };
    let plan = &options.rank.bootstrap;
    test_slices(&mut report, field, &values, evidence, &units[1], plan);
    Ok(report)
}

/// Gathers the judgments of all slices under what counts once.
fn gather_slices(
    options: &LeaderboardOptions,
    parts: &[LeaderboardOptions],
    sort: FileSort,
) -> Result<SliceEvidence, String> {
    if sort == FileSort::Counts {
        return Err("counts have no comparisons to permute".into());
    }
    let gather_rows = |options: &LeaderboardOptions| {
        let mut of_test = options.clone();
        // What is in one slice may be in another: names tell.
        of_test.reading.columns.keep_clusters = true;
        if !options.control.is_empty() {
            let columns = controlled_columns(&of_test, sort).map_err(|error| error.to_string());
            let (files, columns) = columns?;
            return Ok((files, SliceRows::from(columns)));
        }
        // What counts once is tested as such, whatever intervals are made of.
        of_test.rank.ci = Ci::Bootstrap;
        if of_test.rank.aggregation == Some(Aggregation::Elo) {
            of_test.rank.aggregation = None;
        }
        let gathered = gather(&of_test, sort).map_err(|error| error.to_string())?;
        let rows = SliceRows::of_evidence(&gathered.evidence, gathered.cluster);
        let rows = rows.ok_or("the judgments are weighted, or too many")?;
        Ok::<_, String>((gathered.files, rows))
    };
    let mut evidence = SliceEvidence::default();
    for (slice, part) in (0..).zip(parts) {
        let (files, rows) = gather_rows(part)?;
        let clusters: &[String] = match options.cluster {
            ClusterBy::None => &[],
            _ => &files.clusters,
        };
        evidence.add(slice, &files.names, rows, clusters);
    }
    Ok(evidence)
}

/// Returns what one of the things that count once in the test, and several, are called.
fn units_of(
    options: &LeaderboardOptions,
    sort: FileSort,
    evidence: Option<&SliceEvidence>,
) -> [String; 2] {
    let are_items = sort == FileSort::Recorded || evidence.is_some_and(SliceEvidence::is_named);
    let units = match &options.cluster {
        ClusterBy::Column(column) => return units_of_column(column),
        ClusterBy::None if sort != FileSort::Recorded => ["battle", "battles"],
        _ if are_items => ["item", "items"],
        _ => ["battle", "battles"],
    };
    units.map(Into::into)
}

/// Returns the values of a field in the records that are read: numbers first, in their order, then
/// words in theirs.
fn read_values(
    options: &LeaderboardOptions,
    field: &str,
    field_value: &FieldValue,
) -> Result<Vec<String>, EngineError> {
    let mut values = BTreeMap::new();
    let mut is_there = false;
    let mut first_records = Vec::new();
    for path in &options.paths {
        let name = path.display().to_string();
        let filter = Some(&options.reading.columns.filter).filter(|filter| !filter.is_empty());
        let input = Input {
            filter,
            ..Input::new(&name)
        };
        let mut first = None;
        read_objects(open_buffered(path)?, &input, |record, _| {
            first.get_or_insert_with(|| record.clone());
            let found = field_value.find(&record, 0);
            is_there |= found.is_some();
            let value = found.unwrap_or_default();
            values.entry(order_of(&value)).or_insert(value);
            if values.len() > MANY_VALUES {
                let why = "it has more than 200 values; slices are few";
                return Err(EngineError::from(refuse_field("FIELD", why)));
            }
            Ok(())
        })?;
        first_records.push((name.clone(), first.unwrap_or_default()));
    }
    if first_records.iter().all(|(_, record)| record.is_null()) {
        return Err(refuse_field(field, "no record is left to slice").into());
    }
    if !is_there {
        return Err(part_field_not_found(Setting::By, field, &first_records).into());
    }
    // The first files of a board may be all of one kind; others come.
    if values.len() < 2 && !options.of_board {
        return Err(refuse_field(field, "all records have the same value").into());
    }
    Ok(values.into_values().collect())
}

/// Where a value stands: equal numbers are one value, however they are written.
fn order_of(value: &str) -> (u64, String) {
    match value.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => {
            // Bits that are in the order of the numbers; -0 is 0.
            let bits = (number + 0.0).to_bits();
            let is_negative = bits >> 63 == 1;
            let ascending = if is_negative { !bits } else { bits | 1 << 63 };
            (ascending, String::new())
        }
        _ => (u64::MAX, value.into()),
    }
}

fn refuse_field(field: &str, why: &str) -> Refusal {
    Refusal::of_input(format!("{} {field}: {why}", Setting::By))
}
