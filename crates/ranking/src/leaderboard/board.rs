//! A leaderboard that grows: the battles that came in so far as counts, and each edition's ranking.

use super::files::{FileSort, battle_reading, open_battles, sort_of_files};
use super::repeats::{
    FileRows, KnownRows, Repeated, check_given_once, describe_repeats, digest_of,
};
use super::{Anchor, LeaderboardOptions, RecordedFormat, leaderboard};
use crate::{Report, ScoreUnit, WarningKind};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{EngineError, MemoryInput, unreadable_input, write_whole_file};
use evenhand_formats::battles::{Counts, read_counts, read_tallied};
use evenhand_store::{FileLock, open_own_file};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, BufRead};
use std::path::Path;

/// How a board's file begins.
const FORMAT: &str = "evenhand board 1";

/// A leaderboard's battles and its history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    format: String,
    /// The system whose rating stays, from the first edition that had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    anchor: Option<Anchor>,
    /// The files that were added, in their order.
    files: Vec<BoardFile>,
    /// The battles of each pair: a, b, won by a, ties, both bad, won by b; by name.
    counts: Vec<CountRow>,
    /// Each edition's ranking.
    history: Vec<Edition>,
}

/// How many files an error names.
const NAMED: usize = 3;

type CountRow = (String, String, f64, f64, f64, f64);

/// A file whose battles are in a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BoardFile {
    name: String,
    /// BLAKE3 of its bytes.
    digest: String,
    battles: u64,
    date: String,
    /// By what its rows are known again; None in boards of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<KnownRows>,
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
/// An anchor is kept with the board: later editions have it without being told. Whoever updates the
/// board at the same time waits. An edition counts all battles that the board has when it is
/// written, also where a later day's was written first. `say` hears, before anything is added, of
/// the battles of a file that the board has already where they are fewer than half.
///
/// # Errors
/// A board or a file that cannot be read; a file that was added before, or rows that were (unless
/// `allow_duplicates`); another anchor than the board's; a date that is no date; options that
/// counts cannot serve.
pub fn update_board(
    path: &Path,
    date: &str,
    options: &LeaderboardOptions,
    say: &mut dyn FnMut(&str),
) -> Result<Report, EngineError> {
    check_date(date)?;
    let options = &options.with_files()?;
    check_given_once(options)?;
    if let Some(board) = options.paths.iter().find(|path| is_board(path)) {
        return Err(Refusal::of_input(format!(
            "{}: it is a board, which counts battles that came in before; give files of new ones",
            board.display()
        ))
        .into());
    }
    // What another process adds before this one writes must not be lost.
    let _own = FileLock::wait(path).map_err(|error| refuse_unwritten(path, &error))?;
    let mut board = Board::read(path)?;
    let options = &LeaderboardOptions {
        anchor: board.keep_anchor(path, options.anchor.as_ref())?,
        ..options.clone()
    };
    let repeats = board.add_files(date, options, say)?;
    let mut report = board.rank(options)?;
    let repeats = repeats.into_iter();
    report
        .warnings
        .extend(repeats.map(|text| WarningKind::Repeats.says(text)));
    // Whoever waited may be of an earlier day than who went first: editions stand by their days.
    board.history.retain(|edition| edition.date != date);
    let place = board
        .history
        .partition_point(|edition| *edition.date < *date);
    let edition = board.edition(date, &report);
    board.history.insert(place, edition);
    board.write(path)?;
    report.history = board.history;
    Ok(report)
}

/// Ranks what a board counts by these options, with its history; the board stays as it is.
pub(super) fn rank_board(path: &Path, options: &LeaderboardOptions) -> Result<Report, EngineError> {
    let mut board = Board::read(path)?;
    let anchor = board.keep_anchor(path, options.anchor.as_ref())?;
    let mut report = board.rank(&LeaderboardOptions {
        anchor,
        ..options.clone()
    })?;
    report.history = board.history;
    Ok(report)
}

/// Whether a file on this machine is a board, by what it says of itself.
pub fn is_board(path: &Path) -> bool {
    // Of a pipe nothing may be read: it would be gone.
    if !path.is_file() {
        return false;
    }
    let Ok(file) = std::fs::File::open(path) else {
        return false;
    };
    let mut reader = io::BufReader::new(file);
    // Of a file that begins otherwise no more than this is read.
    let begins = reader.fill_buf().is_ok_and(|start| {
        let mut text = start.iter().filter(|byte| !byte.is_ascii_whitespace());
        text.next() == Some(&b'{') && text.next() == Some(&b'"')
    });
    if !begins {
        return false;
    }
    /// Holds what a board says of itself. Of lines of battles the first alone is read.
    #[derive(Deserialize)]
    struct Named {
        format: String,
    }
    let mut values = serde_json::Deserializer::from_reader(reader).into_iter::<Named>();
    matches!(values.next(), Some(Ok(named)) if named.format.starts_with("evenhand board"))
}

fn check_date(date: &str) -> Result<(), Refusal> {
    let is_digit = |at: usize| date.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let digits = [0, 1, 2, 3, 5, 6, 8, 9].into_iter().all(is_digit);
    let dashes = date.len() == 10 && &date[4..5] == "-" && &date[7..8] == "-";
    if digits && dashes {
        return Ok(());
    }
    Err(Refusal::of_value(
        Setting::Date,
        date,
        "expected a day as YEAR-MONTH-DAY, such as 2026-11-25",
    ))
}

impl Board {
    fn read(path: &Path) -> Result<Board, EngineError> {
        let opened = open_own_file(path, OpenOptions::new().read(true));
        let text = match opened.and_then(io::read_to_string) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Board {
                    format: FORMAT.into(),
                    ..Board::default()
                });
            }
            read => read.map_err(|error| unreadable_input(path, &error))?,
        };
        let board: Board =
            serde_json::from_str(&text).map_err(|error| describe_odd(path, &error))?;
        if board.format == FORMAT {
            return Ok(board);
        }
        Err(describe_odd(
            path,
            &format!("it says {:?}, this version reads {FORMAT:?}", board.format),
        )
        .into())
    }

    /// Writes it with a line for each file, pair and edition, so that a commit shows what changed.
    fn write(&self, path: &Path) -> Result<(), EngineError> {
        let text = self.text().map_err(|error| describe_odd(path, &error))?;
        let written = write_whole_file(path, text.as_bytes());
        Ok(written.map_err(|error| refuse_unwritten(path, &error))?)
    }

    fn text(&self) -> serde_json::Result<String> {
        let parts = [
            ("files", lines_of(&self.files)?),
            ("counts", lines_of(&self.counts)?),
            ("history", lines_of(&self.history)?),
        ];
        let parts = parts.map(|(name, lines)| format!("\"{name}\": [{lines}]"));
        let anchor = match &self.anchor {
            Some(anchor) => format!("\"anchor\": {},\n", serde_json::to_string(anchor)?),
            None => String::new(),
        };
        Ok(format!(
            "{{\n\"format\": \"{FORMAT}\",\n{anchor}{}\n}}\n",
            parts.join(",\n")
        ))
    }

    /// Ranks its counts, as a file of counts is.
    fn rank(&self, options: &LeaderboardOptions) -> Result<Report, EngineError> {
        let rows = self.counts.iter();
        let rows = rows.map(|(a, b, wins_a, ties, both_bad, wins_b)| {
            let row = serde_json::json!({
                "model_a": a, "model_b": b, "wins_a": wins_a, "ties": ties,
                "both_bad": both_bad, "wins_b": wins_b,
            });
            format!("{row}\n")
        });
        let input = MemoryInput::of_text(rows.collect::<String>().into_bytes()).named("board");
        leaderboard(&LeaderboardOptions {
            paths: vec![input.path().to_owned()],
            format: Some(RecordedFormat::Counts),
            ..options.clone()
        })
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
            let counts = match sort_of_files(&own)? {
                FileSort::Battles => read_counts(&mut sources, &reading)?,
                FileSort::Counts => read_tallied(&mut sources, &reading)?,
                FileSort::Recorded => {
                    return Err(Refusal::new(
                        Setting::Update,
                        Cause::Data,
                        "a board counts battles; these are judgments or scores",
                    )
                    .into());
                }
            };
            file.battles = counts.rows;
            self.add_counts(&counts);
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
                "{}: its battles are in the board already, since {} as {}; nothing was added",
                path.display(),
                known.date,
                known.name
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
            rows: Some(rows.known()),
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
        let repeated: Vec<(Repeated, &BoardFile)> = repeated.collect();
        if repeated.is_empty() {
            return Ok(None);
        }
        let again: u64 = repeated.iter().map(|(again, _)| again.battles).sum();
        let again = again.min(rows.len() as u64);
        let is_about = repeated.iter().any(|(again, _)| again.is_about);
        let is_most = repeated.iter().any(|(again, _)| again.is_most);
        let named = repeated.iter().take(NAMED);
        let named = named.map(|(_, file)| format!("{} of {}", file.name, file.date));
        let more = match repeated.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let said = describe_repeats(path, (again, is_about), rows.len(), "in the board");
        let said = format!("{said} ({}{more})", named.collect::<Vec<_>>().join(", "));
        if !is_most && 2 * again < rows.len() as u64 {
            return Ok(Some(format!("{said}, and count twice")));
        }
        Err(Refusal::of_input(format!(
            "{said} and would count twice; nothing was added. Give the new rows alone, or say {} to count them again",
            Setting::AllowDuplicates
        )))
    }

    fn add_counts(&mut self, counts: &Counts) {
        let rows = self.counts.drain(..);
        let mut sums: BTreeMap<(String, String), [f64; 4]> = rows
            .map(|(a, b, wins, ties, bad, losses)| ((a, b), [wins, ties, bad, losses]))
            .collect();
        for pair in &counts.pairs {
            let names = [pair.a, pair.b].map(|system| counts.names[usize::from(system)].clone());
            let [mut a, mut b] = names;
            let mut found = [pair.wins_a, pair.ties, pair.both_bad, pair.wins_b];
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
        let battles: f64 = sums.map(|row| row.2 + row.3 + row.4 + row.5).sum();
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
    Refusal::of_input(format!("{}: it is no board: {error}", path.display()))
}

fn refuse_unwritten(path: &Path, error: &io::Error) -> Refusal {
    Refusal::of_input(format!("{}: cannot be written: {error}", path.display()))
}
