//! Rows that were counted before: a file given twice, and an export that brings a board's battles
//! again.

use super::LeaderboardOptions;
use super::files::{FileSort, battle_reading, open_battles, sort_of_files};
use super::options::ClusterBy;
use crate::{Intervals, Report};
use evenhand_core::{Refusal, Setting};
use evenhand_engine::{EngineError, length_of, open_buffered, open_input, unreadable_input};
use evenhand_formats::battles::{
    self, BattleOutcome, Column, Columns, RankedRows, Rows, read_rows,
};
use evenhand_formats::records::{Input, read_objects};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What is kept of a file's rows to know them again: nothing that says what they were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownRows {
    rows: u64,
    /// A hash of all rows in their order. Hashes are kept in 53 bits, which every reader of JSON
    /// writes back as they are.
    sequence: u64,
    /// The smallest hashes of the rows that occur once; none where rows are no names of battles.
    sample: Vec<u64>,
    /// The same of what the battles say; None where the file has none, and in boards of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    battles: Option<KnownBattles>,
}

/// What is kept of a file's battles: who met whom on which item, and how it ended, whatever else
/// stands in the row and whoever stands first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownBattles {
    /// How many there are.
    battles: u64,
    /// A hash of all in their order.
    sequence: u64,
    /// How many of them name an item.
    named: u64,
    /// The smallest hashes of those.
    sample: Vec<u64>,
}

/// Battles that are known already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Repeated {
    /// How many.
    pub(super) battles: u64,
    /// Whether that is an estimate, from a sample.
    pub(super) is_about: bool,
    /// Whether it is half of either file or more: more than chance, or a few corrections, would
    /// bring.
    pub(super) is_most: bool,
}

/// How many hashes of a file's rows are kept.
const SAMPLE: usize = 64;
/// How many hashes of its battles are kept: of a file of fewer, what comes again is counted.
const BATTLES: usize = 256;
/// So many fields are two systems and an outcome.
const BARE: usize = 3;
/// Rows name battles where so many of them occur once.
const UNIQUE: f64 = 0.9;
/// A file of fewer rows is known by its order alone: a few rows are soon like a few others.
const LEAST_ROWS: usize = 10;
/// Fewer rows of a sample than these are found by chance among others: where nine of ten rows of a
/// file occur once in it, about one in ten of another's may be the same as one of its own.
const LEAST_FOUND: usize = 6;
/// By how many bits a run of rows must be unlikely as chance, once for each place that it may stand
/// at.
const BITS: f64 = 14.0;
/// Of more battles than these, in all files, only the beginning of each file is looked through: to
/// look through all takes several times as long as to rank them, and memory for each.
const LOOKED_THROUGH: u64 = 1 << 21;
/// How many battles of each file are looked at then. An export that brings those of before again
/// mostly begins with them.
const BEGINNING: u64 = 1 << 16;
/// The base of the hash of a sequence (Rabin and Karp 1987, modulo 2^64); any large odd number.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hashes of a file's rows, in their order; and whether rows say more than who met whom and how
/// it ended. Rows that say no more are no names, though each occurs once, as in a round robin: the
/// next one brings most of them again.
struct RowHashes(Vec<u64>, bool);

impl RowHashes {
    /// Makes them of rows that may be names.
    fn told_apart(rows: Vec<u64>) -> RowHashes {
        RowHashes(rows, true)
    }

    /// Reads the rows that the options keep.
    fn read(path: &Path, options: &LeaderboardOptions) -> Result<RowHashes, EngineError> {
        let name = path.display().to_string();
        let filter = Some(&options.reading.columns.filter).filter(|filter| !filter.is_empty());
        let input = Input {
            filter,
            ..Input::new(&name)
        };
        let (mut rows, mut say_more) = (Vec::new(), false);
        read_objects(open_buffered(path)?, &input, |record, _| {
            say_more |= record.as_object().is_some_and(|row| row.len() > BARE);
            let hash = blake3::hash(record.to_string().as_bytes());
            rows.push(kept(first_bytes(&hash)));
            Ok::<(), EngineError>(())
        })?;
        Ok(RowHashes(rows, say_more))
    }

    /// What a board keeps of them.
    fn known(&self) -> KnownRows {
        KnownRows {
            rows: self.0.len() as u64,
            sequence: kept(sequence_of(&self.0)),
            sample: smallest(self.unique().unwrap_or_default(), SAMPLE),
            battles: None,
        }
    }

    /// How often each row occurs.
    fn counts(&self) -> HashMap<u64, f64> {
        let mut counts = HashMap::new();
        for row in &self.0 {
            *counts.entry(*row).or_insert(0.0) += 1.0;
        }
        counts
    }

    /// The rows that occur once; None where they are not nearly all, or few.
    fn unique(&self) -> Option<Vec<u64>> {
        let counts = self.counts();
        let once = self.0.iter().filter(|row| counts[row] == 1.0).copied();
        let once: Vec<u64> = once.collect();
        let is_name = once.len() as f64 >= UNIQUE * self.0.len() as f64;
        (self.1 && is_name && self.0.len() >= LEAST_ROWS).then_some(once)
    }

    /// How many rows of a file that is known are among these; 0 where they are not, or where that
    /// may be chance. All, where they stand here one after the other; about the share that is found
    /// of its sample, where at least half is; and about the share of these that it has, where at
    /// least half are its own.
    fn repeated(&self, known: &KnownRows) -> u64 {
        if self.holds_sequence(known.rows, known.sequence) {
            return known.rows;
        }
        let Some(unique) = self.unique().filter(|_| !known.sample.is_empty()) else {
            return 0;
        };
        let unique: HashSet<u64> = unique.into_iter().collect();
        let found = known.sample.iter().filter(|row| unique.contains(row));
        let found = found.count();
        let share = found as f64 / known.sample.len() as f64;
        if share >= 0.5 {
            return (share * known.rows as f64).round() as u64;
        }
        // A sample has the smallest hashes, so it has all up to its largest that the file has.
        let largest = match known.sample.len() < SAMPLE {
            true => u64::MAX,
            false => known.sample.last().copied().unwrap_or_default(),
        };
        let looked_at = unique.iter().filter(|row| **row <= largest).count();
        match found >= LEAST_FOUND && 2 * found >= looked_at {
            true => (found as f64 / looked_at as f64 * self.0.len() as f64).round() as u64,
            false => 0,
        }
    }

    /// Whether so many rows of this hash stand here one after the other, and hardly by chance.
    fn holds_sequence(&self, known: u64, sequence: u64) -> bool {
        let (rows, length) = (&self.0, known as usize);
        if length == 0 || length > rows.len() {
            return false;
        }
        let enough = BITS + ((rows.len() - length + 1) as f64).log2();
        // What the row that leaves the window has become worth in it.
        let oldest = (1..length).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let mut hash = sequence_of(&rows[..length]);
        let mut place = 0;
        loop {
            if kept(hash) == sequence {
                let counts = self.counts();
                let bits = |row: &u64| (rows.len() as f64 / counts[row]).log2();
                let unlikely: f64 = rows[place..place + length].iter().map(bits).sum();
                return unlikely >= enough;
            }
            let Some(row) = rows.get(place + length) else {
                return false;
            };
            hash = next(hash.wrapping_sub(rows[place].wrapping_mul(oldest)), *row);
            place += 1;
        }
    }
}

/// The hashes of a file's battles, by what they say.
struct BattleHashes {
    /// In their order.
    order: RowHashes,
    /// Those that name an item, the second that says the same apart from the first.
    named: HashSet<u64>,
    /// How many pairs of those say the same; None where no two are of the same item, judge and
    /// systems, so that these name a battle.
    twins: Option<u64>,
}

impl BattleHashes {
    /// Reads the battles that the options keep, of those in the beginning of the file where it is
    /// said how many; None where the file has none.
    fn read(
        path: &Path,
        options: &LeaderboardOptions,
        covered: &Covered,
    ) -> Result<Option<BattleHashes>, EngineError> {
        let beginning = covered.beginning;
        let own = LeaderboardOptions {
            paths: vec![path.to_owned()],
            ..options.clone()
        };
        if sort_of_files(&own)? != FileSort::Battles {
            return Ok(None);
        }
        let rows = read_battles(path, options, Column::Auto, beginning)?;
        // Two judges of one battle are two battles.
        let columns = match &options.judge_column {
            Some(column) => vec![column.as_str()],
            None => vec!["judge", "annotator"],
        };
        let named = |column: &&str| Column::Named((*column).into());
        let judges = columns
            .iter()
            .find_map(|column| read_battles(path, options, named(column), beginning).ok())
            // What one reading leaves out the other may have: then nobody knows whose a battle is.
            .filter(|judges| rows.skipped.is_empty() && judges.skipped.is_empty());
        let judge_of = |row: usize| value_of(judges.as_ref()?, row);
        let mut times: HashMap<u64, u64> = HashMap::new();
        let (mut order, mut named) = (Vec::new(), HashSet::new());
        let (mut meetings, mut twins) = (HashSet::new(), 0);
        // Somewhat more may have been read.
        let most = beginning.map_or(usize::MAX, saturating_size);
        for row in 0..rows.a.len().min(most) {
            let item = value_of(&rows, row);
            let systems = [rows.a[row], rows.b[row]].map(|at| rows.names[usize::from(at)].as_str());
            if !covered.ranked.hold(systems, Some(rows.outcome[row])) {
                continue;
            }
            let is_turned = systems[0] > systems[1];
            let ended = match (rows.outcome[row], is_turned) {
                (BattleOutcome::A, false) | (BattleOutcome::B, true) => "first",
                (BattleOutcome::B, false) | (BattleOutcome::A, true) => "second",
                (BattleOutcome::Tie, _) => "tie",
                (BattleOutcome::BothBad, _) => "both bad",
            };
            let [first, second] = match is_turned {
                true => [systems[1], systems[0]],
                false => systems,
            };
            let (item_id, judge) = (item.unwrap_or_default(), judge_of(row).unwrap_or_default());
            let hash = hash_of([first, second, item_id, judge, ended]);
            order.push(kept(hash));
            if item.is_some() {
                meetings.insert(hash_of([first, second, item_id, judge, ""]));
                let time = times.entry(hash).or_default();
                named.insert(kept(hash.wrapping_add(time.wrapping_mul(BASE))));
                twins += *time;
                *time += 1;
            }
        }
        Ok(Some(BattleHashes {
            twins: (meetings.len() < named.len()).then_some(twins),
            order: RowHashes::told_apart(order),
            named,
        }))
    }

    /// How many of the sample of a file that is known say by chance what some of these do: where
    /// systems meet on a question more than once, other battles of the same population say the same
    /// as often as these do among each other.
    fn most_by_chance(&self, known: &KnownBattles) -> u64 {
        let Some(twins) = self.twins else { return 0 };
        // So many twins may be expected where these were found.
        let twins = twins as f64;
        let twins = twins + 2.0 * twins.sqrt() + 1.0;
        let expected = 2.0 * twins * known.sample.len() as f64 / self.named.len() as f64;
        // A Poisson variable is above this once in a thousand times or less.
        (expected + 3.0 * expected.sqrt() + 2.0) as u64
    }

    fn known(&self) -> KnownBattles {
        KnownBattles {
            battles: self.order.0.len() as u64,
            sequence: kept(sequence_of(&self.order.0)),
            named: self.named.len() as u64,
            sample: smallest(self.named.iter().copied().collect(), BATTLES),
        }
    }

    /// How many battles of a file that is known are among these, where they are more than chance
    /// brings.
    fn repeated(&self, known: &KnownBattles) -> Repeated {
        let own = self.order.0.len() as u64;
        let found = known.sample.iter().filter(|row| self.named.contains(row));
        let found = found.count() as u64;
        let share = match known.sample.len() {
            _ if found <= self.most_by_chance(known) => 0.0,
            sample => found as f64 / sample as f64,
        };
        let by_name = (share * known.named as f64).round() as u64;
        // Battles without an item are known by their order alone.
        let battles = match by_name < known.battles
            && self.order.holds_sequence(known.battles, known.sequence)
        {
            true => known.battles,
            false => by_name.min(own),
        };
        Repeated {
            battles,
            is_about: battles == by_name.min(own) && known.named > known.sample.len() as u64,
            is_most: battles > 0 && (2 * battles >= known.battles || 2 * battles >= own),
        }
    }
}

fn saturating_size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Reads a file's battles, or their beginning, with the values of this column.
fn read_battles(
    path: &Path,
    options: &LeaderboardOptions,
    column: Column,
    beginning: Option<u64>,
) -> Result<Rows, EngineError> {
    let reading = battle_reading(options);
    let reading = battles::Options {
        columns: Columns {
            cluster: column,
            keep_clusters: true,
            ..reading.columns
        },
        beginning,
        ..reading
    };
    Ok(read_rows(&mut [open_battles(path)?], &reading)?)
}

/// The value of the column that was kept; None where there is none, or it is empty.
fn value_of(rows: &Rows, row: usize) -> Option<&str> {
    let number = *rows.cluster.as_ref()?.get(row)?;
    let value = rows.cluster_values.get(number as usize)?;
    (!value.is_empty()).then_some(value)
}

/// A file's rows, to be found again.
pub(super) struct FileRows {
    rows: RowHashes,
    battles: Option<BattleHashes>,
}

impl FileRows {
    /// Reads the rows that the options keep.
    pub(super) fn read(path: &Path, options: &LeaderboardOptions) -> Result<FileRows, EngineError> {
        Ok(FileRows {
            rows: RowHashes::read(path, options)?,
            battles: BattleHashes::read(path, options, &Covered::default())?,
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows.0.len()
    }

    /// What a board keeps of them.
    pub(super) fn known(&self) -> KnownRows {
        KnownRows {
            battles: self.battles.as_ref().map(BattleHashes::known),
            ..self.rows.known()
        }
    }

    /// What of a file that is known is among these.
    pub(super) fn repeated(&self, known: &KnownRows) -> Repeated {
        let says = self.battles.as_ref().zip(known.battles.as_ref());
        let says = says.map_or_else(Repeated::default, |(own, known)| own.repeated(known));
        match self.rows.repeated(known) {
            rows if rows > says.battles => Repeated {
                battles: rows,
                is_about: true,
                is_most: true,
            },
            _ => says,
        }
    }
}

/// Which battles of a file are looked at.
#[derive(Default)]
struct Covered {
    /// Of so many from the beginning; None for all.
    beginning: Option<u64>,
    /// Those that are ranked.
    ranked: RankedRows,
}

/// Warns of files of one call that have ranked battles in common; no words where there are none.
pub(super) fn warn_of_repeats(
    options: &LeaderboardOptions,
    report: &Report,
) -> Result<Option<String>, EngineError> {
    let battles = report.coverage.trials + report.left_out;
    let names = report.ranking.iter().map(|row| row.system.clone());
    let covered = Covered {
        beginning: (battles > LOOKED_THROUGH).then_some(BEGINNING),
        ranked: RankedRows {
            systems: (report.left_out > 0).then(|| names.collect()),
            without_both_bad: report.outcomes.is_some_and(|outcomes| outcomes.apart),
        },
    };
    let beginning = covered.beginning;
    let is_file = |path: &PathBuf| length_of(path).is_some();
    if options.allow_duplicates || options.paths.len() < 2 || !options.paths.iter().all(is_file) {
        return Ok(None);
    }
    let mut said: Vec<String> = Vec::new();
    // What is known of the files so far, with their battles where those are few.
    let mut before: Vec<(&PathBuf, KnownBattles, Option<BattleHashes>)> = Vec::new();
    for path in &options.paths {
        let Some(own) = BattleHashes::read(path, options, &covered)? else {
            continue;
        };
        let own_known = own.known();
        for (earlier_path, earlier_known, earlier) in &before {
            // Either may be a part of the other.
            let found = match (own.repeated(earlier_known), earlier) {
                (found, Some(earlier)) if found.battles == 0 => earlier.repeated(&own_known),
                (found, _) => found,
            };
            if found.battles > 0 {
                let somewhere = format!("in {}", earlier_path.display());
                let again = (found.battles, found.is_about);
                let of = match (own.order.0.len(), beginning) {
                    (of, Some(_)) => format!("the first {of}"),
                    (of, None) => of.to_string(),
                };
                let of = (own.order.0.len() as u64, of);
                let said_of = describe_repeats(path, again, of, &somewhere);
                said.push(format!("{said_of}, and count twice"));
            }
        }
        before.push((path, own_known, beginning.is_none().then_some(own)));
    }
    let more = said.len().saturating_sub(SAID);
    said.truncate(SAID);
    let rest = (more > 0).then(|| format!("{more} more files have battles in common"));
    said.extend(rest);
    Ok((!said.is_empty()).then(|| said.join("; ")))
}

/// How many pairs of files a warning names.
const SAID: usize = 3;

/// Columns of battles that say who voted.
const VOTERS: [&str; 9] = [
    "voter",
    "voter_id",
    "user",
    "user_id",
    "judge_id",
    "annotator",
    "annotator_id",
    "worker",
    "worker_id",
];

/// Hints at battles that count each by itself though their voters have many: votes of one person
/// are not independent. Of voters that are few nothing is said, as no intervals could rest on them.
pub(super) fn warn_of_voters(options: &LeaderboardOptions, report: &Report) -> Option<String> {
    let is_single = options.cluster == ClusterBy::Auto && !options.of_board;
    let is_asked = is_single && report.ci.over().is_none() && report.ci.method != Intervals::None;
    let path = options
        .paths
        .first()
        .filter(|path| length_of(path).is_some());
    let path = path.filter(|_| is_asked)?;
    if !matches!(sort_of_files(options), Ok(FileSort::Battles)) {
        return None;
    }
    VOTERS.iter().find_map(|column| {
        let named = Column::Named((*column).into());
        let rows = read_battles(path, options, named, Some(BEGINNING)).ok()?;
        let votes = (0..rows.a.len()).filter_map(|row| value_of(&rows, row));
        let votes: Vec<&str> = votes.collect();
        let voters = votes.iter().collect::<HashSet<_>>().len();
        (voters >= LEAST_VOTERS && votes.len() >= 2 * voters).then(|| {
            format!(
                "{} battles name {voters} values of `{column}`, and each counts by itself: those of \
                 one voter are not independent, and intervals may be too narrow; {} {column} counts \
                 each voter once",
                votes.len(),
                Setting::Cluster
            )
        })
    })
}

/// So many voters at least.
const LEAST_VOTERS: usize = 20;

/// Says how many of a file's battles are `somewhere` already: "30 of 100 battles are in the board
/// already". An estimate that comes near all of them does not say that it is all.
pub(super) fn describe_repeats(
    path: &Path,
    (again, is_about): (u64, bool),
    (all, of): (u64, impl Display),
    somewhere: &str,
) -> String {
    let count = match is_about {
        true if again as f64 >= NEARLY_ALL * all as f64 => format!("most of {of}"),
        true => format!("about {again} of {of}"),
        false => format!("{again} of {of}"),
    };
    format!(
        "{}: {count} battles are {somewhere} already",
        path.display()
    )
}

/// An estimate of this share or more may be all.
const NEARLY_ALL: f64 = 0.8;

fn hash_of(parts: [&str; 5]) -> u64 {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    first_bytes(&hash.finalize())
}

fn first_bytes(hash: &blake3::Hash) -> u64 {
    let first = hash.as_bytes().first_chunk().copied();
    u64::from_le_bytes(first.unwrap_or_default())
}

/// The smallest of these hashes, in their order.
fn smallest(mut hashes: Vec<u64>, most: usize) -> Vec<u64> {
    hashes.sort_unstable();
    hashes.truncate(most);
    hashes
}

/// The hash of rows in their order.
fn sequence_of(rows: &[u64]) -> u64 {
    rows.iter().fold(0, |hash, row| next(hash, *row))
}

fn next(hash: u64, row: u64) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(row)
}

fn kept(hash: u64) -> u64 {
    hash >> 11
}

/// Refuses a file of which another has the same bytes, unless that is asked for.
pub(super) fn check_given_once(options: &LeaderboardOptions) -> Result<(), EngineError> {
    if options.allow_duplicates {
        return Ok(());
    }
    let digest = |path: &Path| digest_of(path).map_err(|e| unreadable_input(path, &e));
    let mut by_length: HashMap<u64, Vec<&Path>> = HashMap::new();
    for path in &options.paths {
        // Only files of one length can be equal, and a pipe can be read once.
        let Some(length) = length_of(path).filter(|length| *length > 0) else {
            continue;
        };
        let alike = by_length.entry(length).or_default();
        if !alike.is_empty() {
            let own = digest(path)?;
            for other in alike.iter() {
                if digest(other)? != own {
                    continue;
                }
                let (path, other) = (path.display(), other.display());
                let what = match path.to_string() == other.to_string() {
                    true => "it is given twice".into(),
                    false => format!("it has the same bytes as {other}"),
                };
                return Err(Refusal::of_input(format!(
                    "{path}: {what}, so all of it would count twice; leave one out, or say {}",
                    Setting::AllowDuplicates
                ))
                .into());
            }
        }
        alike.push(path);
    }
    Ok(())
}

pub(super) fn digest_of(path: &Path) -> io::Result<String> {
    let mut hash = blake3::Hasher::new();
    let mut file = open_input(path)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().to_hex().to_string()),
            read => hash.update(&buffer[..read]),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of so many kinds, without a name of their own.
    fn rows(seed: u64, count: u64, kinds: u64) -> Vec<u64> {
        let row = |at: u64| {
            let drawn = (seed * 1_000_003 + at).wrapping_mul(BASE);
            (drawn ^ (drawn >> 31)).wrapping_mul(BASE) >> 20
        };
        (0..count).map(|at| row(at) % kinds + 1).collect()
    }

    #[test]
    fn of_many_battles_the_beginnings_are_compared() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, first: u64| {
            let row = |item: u64| format!("{item},a,b{},model_a\n", item % 7);
            let rows: String = (first..first + 300).map(row).collect();
            let path = dir.path().join(name);
            std::fs::write(&path, format!("item,model_a,model_b,winner\n{rows}")).unwrap();
            let covered = Covered {
                beginning: Some(100),
                ..Covered::default()
            };
            BattleHashes::read(&path, &LeaderboardOptions::default(), &covered)
                .unwrap()
                .unwrap()
        };
        let [old, same, new] = [("old", 0), ("same", 10), ("new", 150)].map(|(n, f)| write(n, f));
        assert_eq!(old.order.0.len(), 100);
        assert_eq!(same.repeated(&old.known()).battles, 90);
        // Its first hundred are among the others' later ones, which nobody looked at.
        assert_eq!(new.repeated(&old.known()).battles, 0);
    }

    /// Ten systems, two hundred questions, and a new battle each time: some say what others do.
    #[test]
    fn battles_that_say_the_same_by_chance_are_no_repeats() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, seeds: &[(u64, u64)]| {
            let drawn = seeds
                .iter()
                .flat_map(|(seed, count)| rows(*seed, *count, 1 << 40));
            let row = |drawn: u64| {
                let (first, second) = (drawn % 10, drawn / 10 % 9);
                let second = second + u64::from(second >= first);
                let winner = ["model_a", "model_b", "tie"][(drawn / 90 % 3) as usize];
                format!("{},s{first},s{second},{winner}\n", drawn / 270 % 200)
            };
            let rows: String = drawn.map(row).collect();
            let path = dir.path().join(name);
            std::fs::write(&path, format!("question,model_a,model_b,winner\n{rows}")).unwrap();
            BattleHashes::read(&path, &LeaderboardOptions::default(), &Covered::default())
                .unwrap()
                .unwrap()
        };
        for count in [40, 150, 1000, 4000] {
            for seed in 1..40 {
                let old = file("old", &[(seed, count)]);
                let new = file("new", &[(seed + 1000, count), (seed + 2000, count / 3)]);
                let found = [new.repeated(&old.known()), old.repeated(&new.known())];
                assert_eq!(found.map(|one| one.battles), [0, 0], "{count} {seed}");
            }
            let old = file("old", &[(1, count)]);
            let new = file("new", &[(7000, count), (1, count)]);
            let found = new.repeated(&old.known()).battles;
            assert!((count * 9 / 10..=count).contains(&found), "{count} {found}");
        }
    }

    #[test]
    fn rows_that_come_again_in_their_order_are_known_wherever_they_stand() {
        for (count, kinds) in [(10, 36), (50, 36), (2000, 12), (300, 1 << 40)] {
            let old = RowHashes::told_apart(rows(1, count, kinds)).known();
            for before in [0, 1, 77] {
                let mut all = rows(2, before, kinds);
                all.extend(rows(1, count, kinds));
                all.extend(rows(3, 40, kinds));
                assert_eq!(
                    RowHashes::told_apart(all).repeated(&old),
                    count,
                    "{count} {kinds} {before}"
                );
            }
        }
    }

    #[test]
    fn other_rows_of_the_same_kinds_are_new() {
        for seed in 0..200 {
            for (count, kinds) in [(1, 4), (2, 4), (5, 4), (12, 36), (15, 150), (400, 36)] {
                let old = RowHashes::told_apart(rows(seed, count, kinds)).known();
                let new = RowHashes::told_apart(rows(seed + 1000, 3 * count, kinds));
                assert_eq!(new.repeated(&old), 0, "{seed} {count} {kinds}");
            }
        }
        // A hundred equal rows are in any other hundred.
        assert_eq!(
            RowHashes::told_apart(vec![7; 300])
                .repeated(&RowHashes::told_apart(vec![7; 100]).known()),
            0
        );
    }

    #[test]
    fn rows_with_names_are_known_in_any_order_and_by_their_share() {
        let mut old = rows(1, 1000, 1 << 40);
        let known = RowHashes::told_apart(old.clone()).known();
        old.sort_unstable();
        old.extend(rows(2, 500, 1 << 40));
        assert_eq!(RowHashes::told_apart(old.clone()).repeated(&known), 1000);
        // Every third is gone.
        let mut place = 0;
        old.retain(|_| {
            place += 1;
            place % 3 != 0
        });
        let found = RowHashes::told_apart(old).repeated(&known);
        assert!((500..830).contains(&found), "{found}");
        assert_eq!(
            RowHashes::told_apart(rows(5, 1000, 1 << 40)).repeated(&known),
            0
        );
    }

    /// Rows that say who met whom and how it ended, and no more, come again in the next round
    /// robin.
    #[test]
    fn bare_rows_are_known_by_their_order_alone() {
        let rows = rows(3, 45, 1 << 40);
        let known = RowHashes(rows.clone(), false).known();
        let mut other = rows.clone();
        other.swap(3, 30);
        assert_eq!(RowHashes(other, false).repeated(&known), 0);
        assert_eq!(RowHashes(rows, false).repeated(&known), 45);
    }

    #[test]
    fn a_part_of_a_file_that_is_known_is_known() {
        for (count, part) in [(20, 10), (200, 50), (4000, 1400), (4000, 800)] {
            let old = rows(1, count, 1 << 40);
            let known = RowHashes::told_apart(old.clone()).known();
            let mut own: Vec<u64> = old[7..][..part].to_vec();
            own.reverse();
            let found = RowHashes::told_apart(own.clone()).repeated(&known);
            assert_eq!(found, part as u64, "{count} {part}");
            // Half of it is new.
            own.extend(rows(2, part as u64, 1 << 40));
            let found = RowHashes::told_apart(own).repeated(&known);
            let near = (part * 7 / 10) as u64..=(part * 15 / 10) as u64;
            assert!(
                found == 0 || near.contains(&found),
                "{count} {part}: {found}"
            );
        }
        // Rows that are the same now and then, as where few things are in them.
        for seed in 0..200 {
            for (count, kinds) in [(40, 400), (200, 2000), (600, 8000)] {
                let old = RowHashes::told_apart(rows(seed, count, kinds)).known();
                let new = RowHashes::told_apart(rows(seed + 1000, count, kinds));
                assert_eq!(new.repeated(&old), 0, "{seed} {count} {kinds}");
            }
        }
    }
}
