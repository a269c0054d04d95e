//! A leaderboard's rankings by slice: each is that of the files with the other records left out.

use super::evidence::gather;
use super::options::LeaderboardOptions;
use super::reading::open_judgments;
use super::sort::{FileSort, sort_of_files};
use crate::rank::method::Ci;
use crate::slices::{MANY_VALUES, SliceEvidence, SliceRanking, SliceRows, test_slices};
use crate::{Aggregation, EngineError, Report};
use evenhand_core::Refusal;
use evenhand_formats::records::{FieldValue, Input, read_objects};
use std::collections::BTreeMap;

/// Ranks by all records, and by those of each value of a field.
pub(super) fn rank_by_slice(
    options: &LeaderboardOptions,
    field: &str,
    rank: fn(&LeaderboardOptions) -> Result<Report, EngineError>,
) -> Result<Report, EngineError> {
    if options.published.weights.is_some() {
        return Err(Refusal::of_input("--by: published weights have no records").into());
    }
    let named = FieldValue::parse(field)?;
    let values = read_values(options, field, &named)?;
    let mut report = rank(options)?;
    let parts: Vec<LeaderboardOptions> = values
        .iter()
        .map(|value| slice_options(options, &named, value))
        .collect();
    let evidence = gather_slices(options, &parts);
    let sizes = count_items(&evidence, values.len());
    let slices = values.iter().zip(&parts).zip(sizes);
    report.slices = slices
        .map(|((value, part), n_items)| SliceRanking::new(value, n_items, n_items, rank(part)))
        .collect();
    test_slices(
        &mut report,
        field,
        &values,
        evidence,
        &options.rank.bootstrap,
    );
    Ok(report)
}

/// The options that leave out the records of other slices.
fn slice_options(
    options: &LeaderboardOptions,
    field: &FieldValue,
    value: &str,
) -> LeaderboardOptions {
    let mut part = options.clone();
    part.filter = options.filter.with_value(field, value);
    part.rank.differences = false;
    part.rank.drop = false;
    part
}

/// Gathers the judgments of all slices under their items, and how many items there are in all.
fn gather_slices(
    options: &LeaderboardOptions,
    parts: &[LeaderboardOptions],
) -> Result<(SliceEvidence, u64), String> {
    let sort = sort_of_files(options).map_err(|error| error.to_string())?;
    if sort == FileSort::Counts {
        return Err("counts have no comparisons to permute".into());
    }
    let mut evidence = SliceEvidence::default();
    for (slice, part) in (0..).zip(parts) {
        let (names, rows) = gather_rows(part, sort)?;
        evidence.add(slice, &names, rows);
    }
    let (names, rows) = gather_rows(options, sort)?;
    let whole = SliceEvidence::default().add(0, &names, rows);
    Ok((evidence, whole))
}

fn gather_rows(
    options: &LeaderboardOptions,
    sort: FileSort,
) -> Result<(Vec<String>, SliceRows), String> {
    let gathered = gather(&options_of_test(options), sort).map_err(|error| error.to_string())?;
    let rows = SliceRows::of_evidence(&gathered.evidence, gathered.cluster);
    let rows = rows.ok_or("the judgments are weighted, or too many")?;
    Ok((gathered.files.names, rows))
}

/// The test permutes items, whatever intervals are made of.
fn options_of_test(options: &LeaderboardOptions) -> LeaderboardOptions {
    let mut of_test = options.clone();
    of_test.rank.ci = Ci::Bootstrap;
    if of_test.rank.aggregation == Some(Aggregation::Elo) {
        of_test.rank.aggregation = None;
    }
    of_test
}

fn count_items(evidence: &Result<(SliceEvidence, u64), String>, slices: usize) -> Vec<u64> {
    let mut sizes = vec![0; slices];
    if let Ok((evidence, _)) = evidence {
        evidence
            .slices
            .iter()
            .for_each(|slice| sizes[*slice as usize] += 1);
    }
    sizes
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
    for path in &options.paths {
        let name = path.display().to_string();
        let filter = Some(&options.filter).filter(|filter| !filter.is_empty());
        let input = Input {
            filter,
            ..Input::new(&name)
        };
        read_objects(open_judgments(path)?, &input, |record, _| {
            let found = field_value.find(&record, 0);
            is_there |= found.is_some();
            add_value(&mut values, found.unwrap_or_default())
        })?;
    }
    if !is_there {
        return Err(refuse_field(field, "no record has this field").into());
    }
    if values.len() < 2 {
        return Err(refuse_field(field, "all records have the same value").into());
    }
    Ok(values.into_values().collect())
}

fn add_value(
    values: &mut BTreeMap<(u64, String), String>,
    value: String,
) -> Result<(), EngineError> {
    values.entry(order_of(&value)).or_insert(value);
    match values.len() > MANY_VALUES {
        true => Err(refuse_field("FIELD", "it has more than 200 values; slices are few").into()),
        false => Ok(()),
    }
}

/// Where a value stands: equal numbers are one value, however they are written.
fn order_of(value: &str) -> (u64, String) {
    match value.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => (ascending_bits(number + 0.0), String::new()),
        _ => (u64::MAX, value.into()),
    }
}

/// Bits that are in the order of the numbers.
fn ascending_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn refuse_field(field: &str, why: &str) -> Refusal {
    Refusal::of_input(format!("--by {field}: {why}"))
}
