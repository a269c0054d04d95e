//! A leaderboard that grows: the battles that came in so far, as counts or one by one, and each
//! edition's ranking.

mod correct;

pub use correct::{Corrected, correct_board};

use super::files::{
    A_RANKING, FileSort, WholeFile, battle_reading, open_battles, sort_of_files, whole_file,
};
use super::is_zero;
use super::kept_rows::{Keeps, KeptRow, name_items, refuse_other};
use super::repeats::{
    FileRows, KnownRows, Repeated, check_given_once, describe_repeats, digest_of,
};
use super::{Anchor, ClusterBy, LeaderboardOptions, RecordedFormat, leaderboard};
use crate::{IntervalMethod, Report, ScoreUnit, WarningKind};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{EngineError, MemoryInput, unreadable_input, write_whole_file};
use evenhand_formats::DataError;
use evenhand_formats::battles::{Counts, read_counts, read_tallied};
use evenhand_formats::judgments;
use evenhand_formats::records::Filter;
use evenhand_store::{FileLock, open_own_file};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// How the format of every board begins.
pub(super) const ANY_BOARD: &str = "evenhand board";
/// How the file of a board of counts begins.
const OF_COUNTS: &str = "evenhand board 1";
/// How that of a board of single battles begins. Who knows the other alone would lose them.
const OF_ROWS: &str = "evenhand board 2";

/// A leaderboard's battles and its history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    format: String,
    /// What its maintainer calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The system whose rating stays, from the first edition that had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    anchor: Option<Anchor>,
    /// What is kept of single battles; None: counts of pairs alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keeps: Option<Keeps>,
    /// Whether each battle counts by itself, though files may name items: where counts of pairs are
    /// kept, as that of single battles is kept with these.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    single: bool,
    /// The conditions by which rows of all files are chosen; None in boards of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chosen: Option<Vec<String>>,
    /// The files that were added, in their order.
    files: Vec<BoardFile>,
    /// The systems in the order of their first battles, as rounds number them; empty in boards of
    /// before, and of single battles.
    #[serde(default)]
    systems: Vec<String>,
    /// The battles of each pair: a, b, won by a, ties, both bad, won by b; by name. None where
    /// single battles are kept.
    counts: Vec<CountRow>,
    /// The single battles, in their order.
    #[serde(default)]
    rows: Vec<KeptRow>,
    /// Each edition's ranking.
    history: Vec<Edition>,
}

/// How many files an error names.
const NAMED: usize = 20;

type CountRow = (String, String, f64, f64, f64, f64);

/// A file whose battles are in a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BoardFile {
    name: String,
    /// BLAKE3 of its bytes.
    digest: String,
    battles: u64,
    date: String,
    /// How many of its rows say that nobody won.
    #[serde(default, skip_serializing_if = "is_zero")]
    missing: u64,
    /// What is wrong with each row that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<String>,
    /// By what its rows are known again; None in boards of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<KnownRows>,
    /// Its battles of each pair; None where a board keeps single battles, and in boards of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    counts: Option<FileCounts>,
}

/// The battles of each pair of systems in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct FileCounts {
    /// The systems, in the order of their first battles.
    systems: Vec<String>,
    /// a, b, won by a, ties, both bad, won by b; by the places of the systems in the list.
    pairs: Vec<(u16, u16, f64, f64, f64, f64)>,
}

impl FileCounts {
    /// Whether its pairs are of systems that it lists.
    fn is_whole(&self) -> bool {
        let places = self.pairs.iter().flat_map(|pair| [pair.0, pair.1]);
        places.max().map_or(0, |last| usize::from(last) + 1) <= self.systems.len()
    }
}

impl From<Counts> for FileCounts {
    fn from(counts: Counts) -> FileCounts {
        let pairs = counts.pairs.iter().map(|pair| {
            let [a, b] = [pair.a, pair.b];
            (a, b, pair.wins_a, pair.ties, pair.both_bad, pair.wins_b)
        });
        FileCounts {
            pairs: pairs.collect(),
            systems: counts.names,
        }
    }
}

/// A ranking as it was on a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Edition {
    /// The day.
    pub date: String,
    /// Battles counted so far.
    pub battles: u64,
    /// The unit of the scores.
    pub unit: String,
    /// How the intervals were made; None in editions of before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<IntervalMethod>,
    /// The systems in rank order.
    pub ranking: Vec<EditionRow>,
}

/// A system in an edition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditionRow {
    /// The system.
    pub system: String,
    /// Its score; None where it has none that is finite.
    pub score: Option<f64>,
    /// Its interval.
    pub ci: Option<[Option<f64>; 2]>,
    /// Its rank.
    pub rank: Option<u32>,
    /// The interval of its rank.
    pub rank_ci: Option<[u32; 2]>,
    /// Its battles.
    pub battles: u64,
}

/// Adds the files' battles to a board, ranks all that it counts, and writes the board with this
/// edition, which is part of the report's history. Without files, it is ranked again as it is.
/// The board keeps an anchor, the field of slices, covariates, which rows of its files count and
/// what counts once in intervals: later editions have them without being told, and no others. A
/// board whose files name items, or whose battles have a field or covariates, keeps them one by
/// one, so that an edition is the ranking of all files at once; others keep counts of pairs.
/// Whoever updates the board at the same time waits. An edition counts the battles up to its day:
/// where a later day's was written first, the later ones are ranked again with the new battles, and
/// their days are returned beside the ranking of all. `say` hears, before anything is added, of the
/// battles of a file that the board has already where they are fewer than half.
///
/// # Errors
/// A board or a file that cannot be read; a file that was added before, or rows that were (unless
/// `allow_duplicates`); another anchor, or other settings, than the board keeps; a date that is no
/// date; options that a board cannot serve; a day before the last edition, of a board that does not
/// say which battles came with which file.
pub fn update_board(
    path: &Path,
    date: &str,
    options: &LeaderboardOptions,
    say: &mut dyn FnMut(&str),
) -> Result<(Report, Vec<String>), EngineError> {
    check_date(Setting::Date, date)?;
    let options = &options.with_files()?;
    check_new_files(options)?;
    // What another process adds before this one writes must not be lost.
    let _own = FileLock::wait(path).map_err(|error| refuse_unwritten(path, &error))?;
    let mut board = Board::read(path)?;
    if board.history.last().is_some_and(|last| *last.date > *date) {
        return correct::rebuild(path, &board, date, false, options, say);
    }
    if board.files.is_empty() && board.counts.is_empty() && !options.paths.is_empty() {
        board.keeps = Keeps::of_new(options)?;
        board.single = board.keeps.is_none() && options.cluster == ClusterBy::None;
        board.chosen = Some(options.reading.columns.filter.arguments());
    }
    let options = &board.settle(path, options)?;
    let repeats = board.add_files(date, options, say)?;
    let mut report = board.rank(options)?;
    let repeats = repeats.into_iter();
    report
        .warnings
        .extend(repeats.map(|text| WarningKind::Repeats.says(text)));
    board.history.retain(|edition| edition.date != date);
    let edition = board.edition(date, &report);
    board.history.push(edition);
    board.write(path)?;
    report.history = board.history;
    Ok((report, Vec::new()))
}

/// Ranks what a board counts by these options, with its history; the board stays as it is.
pub(super) fn rank_board(path: &Path, options: &LeaderboardOptions) -> Result<Report, EngineError> {
    check_read_before(options)?;
    let mut board = Board::read(path)?;
    let options = board.settle(path, options)?;
    let mut report = board.rank(&options)?;
    report.history = board.history;
    Ok(report)
}

/// Refuses files whose battles cannot be added to a board.
fn check_new_files(options: &LeaderboardOptions) -> Result<(), EngineError> {
    if options.paths.is_empty() {
        check_read_before(options)?;
    }
    check_given_once(options)?;
    for path in &options.paths {
        let why = match whole_file(path) {
            None => continue,
            Some(WholeFile::Board) => {
                "it is a board, whose battles are counted already; give files of new ones"
            }
            Some(WholeFile::Ranking) => A_RANKING,
        };
        return Err(Refusal::of_input(format!("{}: {why}", path.display())).into());
    }
    Ok(())
}

/// Refuses to choose among a board's battles when it is ranked: that was decided when their files
/// were added.
fn check_read_before(options: &LeaderboardOptions) -> Result<(), Refusal> {
    if options.reading.columns.filter.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(
        Setting::Where,
        Cause::Data,
        "a board's rows were chosen when their files were added; rank the files themselves",
    ))
}

fn check_date(setting: Setting, date: &str) -> Result<(), Refusal> {
    let number = |part: &str, digits: usize| {
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<u32>().ok()).flatten()
    };
    if let [year, month, day] = date.split('-').collect::<Vec<_>>()[..]
        && let Some(year) = number(year, 4)
        && let Some(month) = number(month, 2)
        && let Some(day) = number(day, 2)
    {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let last = match month {
            2 => 28 + u32::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        };
        if (1..=last).contains(&day) {
            return Ok(());
        }
    }
    Err(Refusal::of_value(
        setting,
        date,
        "expected a day as YEAR-MONTH-DAY, such as 2026-11-25",
    ))
}

impl BoardFile {
    /// Notes the rows that are not counted.
    fn leave_out(&mut self, dropped: u64, skipped: &[DataError]) {
        self.missing = dropped;
        let of_rows = skipped.iter().filter(|error| !error.is_of_file());
        self.unreadable = of_rows.map(ToString::to_string).collect();
    }
}

impl Board {
    fn read(path: &Path) -> Result<Board, EngineError> {
        let opened = open_own_file(path, OpenOptions::new().read(true));
        let text = match opened.and_then(io::read_to_string) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Board::default());
            }
            read => read.map_err(|error| unreadable_input(path, &error))?,
        };
        let board: Board =
            serde_json::from_str(&text).map_err(|error| describe_odd(path, &error))?;
        let is_whole = match &board.keeps {
            Some(_) => board.format == OF_ROWS && board.counts.is_empty(),
            None => board.format != OF_ROWS && board.rows.is_empty(),
        };
        if !is_whole {
            let why = "it keeps single battles and counts of pairs, or not what its format says";
            return Err(describe_odd(path, &why).into());
        }
        let mut of_files = board.files.iter().flat_map(|file| &file.counts);
        if !of_files.all(FileCounts::is_whole) {
            return Err(describe_odd(path, &"a file counts systems that it does not list").into());
        }
        if [OF_COUNTS, OF_ROWS].contains(&board.format.as_str()) {
            return Ok(board);
        }
        let known = format!("this version reads {OF_COUNTS:?} and {OF_ROWS:?}");
        Err(describe_odd(path, &format!("it says {:?}, {known}", board.format)).into())
    }

    /// Writes it with a line for each file, pair or battle, and edition, so that a commit shows
    /// what changed.
    fn write(&self, path: &Path) -> Result<(), EngineError> {
        let text = self.text().map_err(|error| describe_odd(path, &error))?;
        let written = write_whole_file(path, text.as_bytes());
        Ok(written.map_err(|error| refuse_unwritten(path, &error))?)
    }

    fn text(&self) -> serde_json::Result<String> {
        let (format, kept) = match self.keeps {
            Some(_) => (OF_ROWS, ("rows", lines_of(&self.rows)?)),
            None => (OF_COUNTS, ("systems", lines_of(&self.systems)?)),
        };
        let parts = [
            ("files", lines_of(&self.files)?),
            kept,
            ("counts", lines_of(&self.counts)?),
            ("history", lines_of(&self.history)?),
        ];
        let parts = parts.map(|(name, lines)| format!("\"{name}\": [{lines}]"));
        let mut said = String::new();
        if let Some(name) = &self.name {
            said += &format!("\"name\": {},\n", serde_json::to_string(name)?);
        }
        if let Some(anchor) = &self.anchor {
            said += &format!("\"anchor\": {},\n", serde_json::to_string(anchor)?);
        }
        if let Some(keeps) = &self.keeps {
            said += &format!("\"keeps\": {},\n", serde_json::to_string(keeps)?);
        }
        if self.single {
            said += "\"single\": true,\n";
        }
        // Whoever reads none knows that there were none.
        if let Some(chosen) = &self.chosen {
            said += &format!("\"chosen\": {},\n", serde_json::to_string(chosen)?);
        }
        let parts = parts.join(",\n");
        Ok(format!(
            "{{\n\"format\": \"{format}\",\n{said}{parts}\n}}\n"
        ))
    }

    /// Ranks its battles, as a file of them is: those that it keeps, or its counts.
    fn rank(&self, options: &LeaderboardOptions) -> Result<Report, EngineError> {
        let (text, format) = match &self.keeps {
            Some(keeps) => (keeps.records(&self.rows), RecordedFormat::Battles),
            None => (self.records_of_counts(), RecordedFormat::Counts),
        };
        let input = MemoryInput::of_text(text.into_bytes()).named("board");
        let mut report = leaderboard(&LeaderboardOptions {
            paths: vec![input.path().to_owned()],
            format: Some(format),
            // Which rows and columns of the files were read was decided when they were added.
            reading: judgments::Options::default(),
            cluster: match &self.keeps {
                Some(keeps) => keeps.cluster_of_records(&options.cluster),
                None => options.cluster.clone(),
            },
            of_board: true,
            ..options.clone()
        })?;
        self.count_left_out(&mut report);
        report.kept = self.kept_in_words();
        Ok(report)
    }

    /// Returns the settings of every edition, as they would be given, beside the anchor.
    fn kept_in_words(&self) -> Vec<String> {
        let chosen = self.chosen.iter().flatten();
        let mut kept: Vec<String> = chosen
            .map(|condition| format!("{} {condition}", Setting::Where))
            .collect();
        kept.extend(self.keeps.iter().flat_map(Keeps::in_words));
        kept.extend(self.single.then(|| format!("{} none", Setting::Cluster)));
        kept
    }

    /// Writes its counts as the records of a file. Rows without a battle come first, so that
    /// systems have the numbers that they have in the files, and rounds draw what they would draw
    /// of those.
    fn records_of_counts(&self) -> String {
        let none = |pair: &[String]| {
            let first = pair.first().cloned().unwrap_or_default();
            // The last of an odd number meets the first of all.
            let second = pair.get(1).or(self.systems.first()).cloned();
            (first, second.unwrap_or_default(), 0.0, 0.0, 0.0, 0.0)
        };
        let numbered: Vec<CountRow> = self.systems.chunks(2).map(none).collect();
        let rows = numbered.iter().chain(&self.counts);
        let rows = rows.map(|(a, b, wins_a, ties, both_bad, wins_b)| {
            let row = serde_json::json!({
                "model_a": a, "model_b": b, "wins_a": wins_a, "ties": ties,
                "both_bad": both_bad, "wins_b": wins_b,
            });
            format!("{row}\n")
        });
        rows.collect()
    }

    /// Counts in a report the rows of the files that say of nobody who won, or cannot be read.
    fn count_left_out(&self, report: &mut Report) {
        let missing: u64 = self.files.iter().map(|file| file.missing).sum();
        let unreadable = self.files.iter().flat_map(|file| &file.unreadable);
        let unreadable: Vec<&String> = unreadable.collect();
        let coverage = &mut report.coverage;
        for (kind, count) in [
            ("missing", missing),
            ("unreadable", unreadable.len() as u64),
        ] {
            if count > 0 {
                coverage.trials += count;
                *coverage.failures.entry(kind.into()).or_default() += count;
            }
        }
        if let [first, rest @ ..] = unreadable.as_slice() {
            let count = unreadable.len();
            let more = match rest.len() {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            report.warnings.push(WarningKind::BadRecords.says(format!(
                "{count} records of this board's files cannot be read and are left out: \
                 {first}{more}"
            )));
        }
    }

    /// Returns the options of an edition: the user's, and what the board keeps and nobody said
    /// again.
    fn settle(
        &mut self,
        path: &Path,
        given: &LeaderboardOptions,
    ) -> Result<LeaderboardOptions, EngineError> {
        let refuse = |setting: Setting, why: &str| {
            Refusal::new(setting, Cause::Data, format!("{}: {why}", path.display()))
        };
        if given.name.is_some() {
            self.name = given.name.clone();
        }
        let mut options = LeaderboardOptions {
            anchor: self.keep_anchor(path, given.anchor.as_ref())?,
            name: self.name.clone(),
            ..given.clone()
        };
        if let Some(kept) = &self.chosen {
            let filter = &mut options.reading.columns.filter;
            if !filter.is_empty() && filter.arguments() != *kept {
                let kept = kept.join(&format!(" {} ", Setting::Where));
                let kept = Some(kept).filter(|kept| !kept.is_empty());
                return Err(refuse_other(Setting::Where, &path.display(), &kept).into());
            }
            *filter = Filter::parse(kept)?;
        }
        match (&self.keeps, &given.cluster) {
            (Some(keeps), given) => {
                options.cluster = keeps.settle_cluster(path, given, &self.rows)?;
            }
            // Counts of pairs are of single battles, and stay so where the board began with that.
            (None, ClusterBy::Auto) if self.single => options.cluster = ClusterBy::None,
            (None, ClusterBy::Item | ClusterBy::Column(_)) if self.single => {
                let kept = Some("none".into());
                return Err(refuse_other(Setting::Cluster, &path.display(), &kept).into());
            }
            (None, _) => {}
        }
        if let Some(keeps) = &self.keeps {
            if options.judge_column.is_some() {
                let why = "a board does not say who judged; rank the files themselves";
                return Err(refuse(Setting::JudgeColumn, why).into());
            }
            if !options.labels.is_empty() {
                let why = "a board of battles takes no labels; rank the files themselves";
                return Err(refuse(Setting::Labels, why).into());
            }
            keeps.settle(path, &mut options)?;
            return Ok(options);
        }
        let why = "it keeps only counts of pairs since its first edition, which do not say that; \
                   begin another board from all files, or leave it out";
        if options.by.is_some() {
            return Err(refuse(Setting::By, why).into());
        }
        if !options.control.is_empty() {
            return Err(refuse(Setting::Control, why).into());
        }
        Ok(options)
    }

    /// Returns the anchor of this edition: the board's, if it has one. Without it all ratings would
    /// move, and the history say that systems became better or worse.
    fn keep_anchor(
        &mut self,
        path: &Path,
        given: Option<&Anchor>,
    ) -> Result<Option<Anchor>, Refusal> {
        let board = path.display();
        match (&self.anchor, given) {
            (Some(kept), Some(given)) if kept != given => {
                return Err(Refusal::of_input(format!(
                    "{board}: its anchor is {}={}, and {}={} would move every rating of its \
                     history against the next; leave the anchor out to keep it, or begin another \
                     board",
                    kept.system, kept.rating, given.system, given.rating
                )));
            }
            (None, Some(given)) => self.anchor = Some(given.clone()),
            (None, None) => {
                let anchored = ScoreUnit::AnchoredElo.to_string();
                if self
                    .history
                    .last()
                    .is_some_and(|last| last.unit == anchored)
                {
                    return Err(Refusal::of_input(format!(
                        "{board}: its last edition had an anchor, which the file does not name; \
                         give the same again, or every rating moves"
                    )));
                }
            }
            (Some(_), _) => {}
        }
        Ok(self.anchor.clone())
    }

    /// Adds the files' battles; returns what is to be said of those that were there.
    fn add_files(
        &mut self,
        date: &str,
        options: &LeaderboardOptions,
        say: &mut dyn FnMut(&str),
    ) -> Result<Vec<String>, EngineError> {
        let mut repeats = Vec::new();
        for path in &options.paths {
            let (mut file, repeated) = self.describe_new(path, date, options)?;
            if let Some(repeated) = repeated {
                say(&repeated);
                repeats.push(repeated);
            }
            let mut sources = [open_battles(path)?];
            let reading = battle_reading(options);
            let own = LeaderboardOptions {
                paths: vec![path.to_owned()],
                ..options.clone()
            };
            let refuse = |why: &str| Refusal::new(Setting::Update, Cause::Data, why);
            match (sort_of_files(&own)?, &self.keeps) {
                (FileSort::Recorded, _) => {
                    let why = "a board counts battles; these are judgments or scores";
                    return Err(refuse(why).into());
                }
                (FileSort::Counts, Some(_)) => {
                    let why = "the board keeps single battles, and these are counts of pairs; give \
                               the battles themselves";
                    return Err(refuse(why).into());
                }
                (FileSort::Battles, Some(keeps)) => {
                    let (kept, read) = keeps.read(path, options, &self.rows)?;
                    file.battles = kept.len() as u64;
                    file.leave_out(read.dropped, &read.skipped);
                    self.rows.extend(kept);
                }
                (FileSort::Battles, None)
                    if options.cluster != ClusterBy::None && name_items(&own)? =>
                {
                    let why = format!(
                        "{} names items, whose battles count together in intervals, and the board \
                         keeps counts of pairs. `none` adds it anyway, with intervals of single \
                         battles; or begin another board from all files",
                        path.display()
                    );
                    return Err(Refusal::new(Setting::Cluster, Cause::Data, why).into());
                }
                (sort, None) => {
                    let counts = match sort {
                        FileSort::Battles => read_counts(&mut sources, &reading)?,
                        _ => read_tallied(&mut sources, &reading)?,
                    };
                    file.battles = counts.rows;
                    file.leave_out(counts.dropped, &counts.skipped);
                    let counts = FileCounts::from(counts);
                    self.add_counts(&counts);
                    file.counts = Some(counts);
                }
            }
            self.files.push(file);
        }
        Ok(repeats)
    }

    /// Refuses a file that was added before, or rows that were: their battles would count twice.
    /// Says it where they are fewer than half.
    fn describe_new(
        &self,
        path: &Path,
        date: &str,
        options: &LeaderboardOptions,
    ) -> Result<(BoardFile, Option<String>), EngineError> {
        let digest = digest_of(path).map_err(|error| unreadable_input(path, &error))?;
        let same = self.files.iter().find(|file| file.digest == digest);
        if let Some(known) = same.filter(|_| !options.allow_duplicates) {
            return Err(Refusal::of_input(format!(
                "{}: its battles are in the board already, since {} as {}; nothing was added. To \
                 correct that edition, take it back: {} {}",
                path.display(),
                known.date,
                known.name,
                Setting::Remove,
                known.date
            ))
            .into());
        }
        let rows = FileRows::read(path, options)?;
        let repeated = match options.allow_duplicates {
            true => None,
            false => self.check_rows(path, &rows)?,
        };
        let name = path.file_name().unwrap_or(path.as_os_str());
        let file = BoardFile {
            name: name.to_string_lossy().into_owned(),
            digest,
            battles: 0,
            date: date.into(),
            missing: 0,
            unreadable: Vec::new(),
            rows: Some(rows.known()),
            counts: None,
        };
        Ok((file, repeated))
    }

    /// Refuses an export that brings the battles of earlier files again; says it where they are
    /// less than half of those files and of this one.
    fn check_rows(&self, path: &Path, rows: &FileRows) -> Result<Option<String>, Refusal> {
        let repeated = self.files.iter().filter_map(|file| {
            let again = rows.repeated(file.rows.as_ref()?);
            (again.battles > 0).then_some((again, file))
        });
        let mut repeated: Vec<(Repeated, &BoardFile)> = repeated.collect();
        if repeated.is_empty() {
            return Ok(None);
        }
        let again: u64 = repeated.iter().map(|(again, _)| again.battles).sum();
        let all = rows.len() as u64;
        // Rows that are in several files of the board are counted for each of them.
        let is_about = again > all || repeated.iter().any(|(again, _)| again.is_about);
        let again = again.min(all);
        let is_most = repeated.iter().any(|(again, _)| again.is_most);
        repeated.sort_by_key(|(again, _)| std::cmp::Reverse(again.battles));
        let of_several = repeated.len() > 1;
        let named = repeated.iter().take(NAMED).map(|(again, file)| {
            let about = if again.is_about { "about " } else { "" };
            let count = match of_several {
                true => format!("{about}{} in ", again.battles),
                false => String::new(),
            };
            format!("{count}{} of {}", file.name, file.date)
        });
        let more = match repeated.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let said = describe_repeats(path, (again, is_about), (all, all), "in the board");
        let said = format!("{said} ({}{more})", named.collect::<Vec<_>>().join(", "));
        if !is_most && 2 * again < all {
            return Ok(Some(format!("{said}, and count twice")));
        }
        Err(Refusal::of_input(format!(
            "{said} and would count twice; nothing was added. Give the new rows alone, or say {} \
             to count them again; {} corrects an edition",
            Setting::AllowDuplicates,
            Setting::Remove
        )))
    }

    fn add_counts(&mut self, counts: &FileCounts) {
        if self.systems.is_empty() {
            // A board of before: its systems had the numbers of their first rows.
            let names = self.counts.iter().flat_map(|row| [&row.0, &row.1]);
            let mut met = HashSet::new();
            self.systems = names.filter(|name| met.insert(*name)).cloned().collect();
        }
        for name in &counts.systems {
            if !self.systems.contains(name) {
                self.systems.push(name.clone());
            }
        }
        let rows = self.counts.drain(..);
        let mut sums: BTreeMap<(String, String), [f64; 4]> = rows
            .map(|(a, b, wins, ties, bad, losses)| ((a, b), [wins, ties, bad, losses]))
            .collect();
        for (a, b, wins_a, ties, both_bad, wins_b) in counts.pairs.iter().copied() {
            let names = [a, b].map(|system| counts.systems[usize::from(system)].clone());
            let [mut a, mut b] = names;
            let mut found = [wins_a, ties, both_bad, wins_b];
            if a > b {
                std::mem::swap(&mut a, &mut b);
                found.swap(0, 3);
            }
            let sum = sums.entry((a, b)).or_default();
            for (sum, found) in sum.iter_mut().zip(found) {
                *sum += found;
            }
        }
        let rows = sums.into_iter();
        self.counts = rows
            .map(|((a, b), [wins, ties, bad, losses])| (a, b, wins, ties, bad, losses))
            .collect();
    }

    fn edition(&self, date: &str, report: &Report) -> Edition {
        let sums = self.counts.iter();
        let sums = sums.map(|row| row.2 + row.3 + row.4 + row.5);
        let battles: f64 = sums.chain(self.rows.iter().map(KeptRow::weight)).sum();
        let ranking = report.ranking.iter().map(|row| EditionRow {
            system: row.system.clone(),
            score: row.score,
            ci: row.ci,
            rank: row.rank,
            rank_ci: row.rank_ci,
            battles: row.n,
        });
        Edition {
            date: date.into(),
            battles: battles.round() as u64,
            unit: report.unit.to_string(),
            intervals: Some(report.ci.clone()),
            ranking: ranking.collect(),
        }
    }
}

fn lines_of<T: Serialize>(rows: &[T]) -> serde_json::Result<String> {
    let lines = rows.iter().map(serde_json::to_string);
    let lines: Vec<String> = lines.collect::<serde_json::Result<_>>()?;
    Ok(match lines.is_empty() {
        true => String::new(),
        false => format!("\n{}\n", lines.join(",\n")),
    })
}

fn describe_odd(path: &Path, error: &dyn std::fmt::Display) -> Refusal {
    Refusal::of_input(format!("{}: it is not a board: {error}", path.display()))
}

fn refuse_unwritten(path: &Path, error: &io::Error) -> Refusal {
    Refusal::of_input(format!("{}: cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_day_of_the_calendar() {
        for (year, february) in [
            (1896, 29),
            (1900, 28),
            (2000, 29),
            (2023, 28),
            (2024, 29),
            (2100, 28),
        ] {
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for month in 0..=99_usize {
                let length = month
                    .checked_sub(1)
                    .and_then(|at: usize| lengths.get(at).copied())
                    .unwrap_or(0);
                for day in 0..=99 {
                    let date = format!("{year}-{month:02}-{day:02}");
                    let is_day = (1..=length).contains(&day);
                    assert_eq!(check_date(Setting::Date, &date).is_ok(), is_day, "{date}");
                }
            }
        }
        for date in [
            "",
            "2026-11-2",
            "26-11-25",
            "2026/11/25",
            "2026-1１-25",
            "2026-11-25T00",
            "-026-11-25",
            "202é-1-25",
            "2026-11-25-",
        ] {
            assert!(check_date(Setting::Date, date).is_err(), "{date}");
        }
    }
}
