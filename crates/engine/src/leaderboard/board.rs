//! A leaderboard that grows: the battles that came in so far as counts, and each edition's ranking.

use super::reading::{battle_reading, open_all_battles, refuse_unreadable};
use super::sort::{FileSort, sort_of_files};
use super::{LeaderboardOptions, RecordedFormat, leaderboard};
use crate::{
    EngineError, MemoryInput, NamedInput, RankingRow, Report, open_input, write_whole_file,
};
use evenhand_core::Refusal;
use evenhand_formats::battles::{Counts, read_counts, read_tallied};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

/// How a board's file begins.
const FORMAT: &str = "evenhand board 1";

/// A leaderboard's battles and its history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Board {
    format: String,
    /// The files that were added, in their order.
    files: Vec<BoardFile>,
    /// The battles of each pair: a, b, won by a, ties, both bad, won by b; by name.
    counts: Vec<CountRow>,
    /// Each edition's ranking.
    history: Vec<Edition>,
}

type CountRow = (String, String, f64, f64, f64, f64);

/// A file whose battles are in a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BoardFile {
    name: String,
    /// BLAKE3 of its bytes.
    digest: String,
    battles: u64,
    date: String,
}

/// A ranking as it was on a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
/// edition. Without files, it is ranked again as it is.
///
/// # Errors
/// A board or a file that cannot be read; a file that was added before; a date that is no date, or
/// before that of the last edition; options that counts cannot serve.
pub fn update_board(
    path: &Path,
    date: &str,
    options: &LeaderboardOptions,
) -> Result<(Report, Vec<Edition>), EngineError> {
    check_date(date)?;
    let options = &options.with_files()?;
    let mut board = Board::read(path)?;
    board.check_order(date)?;
    board.add_files(date, options)?;
    let input = board.counts_as_input();
    let report = leaderboard(&LeaderboardOptions {
        paths: vec![input.path().to_owned()],
        format: Some(RecordedFormat::Counts),
        ..options.clone()
    })?;
    board.history.retain(|edition| edition.date != date);
    board.history.push(board.edition(date, &report));
    board.write(path)?;
    Ok((report, board.history))
}

fn check_date(date: &str) -> Result<(), Refusal> {
    let is_digit = |at: usize| date.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let digits = [0, 1, 2, 3, 5, 6, 8, 9].into_iter().all(is_digit);
    let dashes = date.len() == 10 && &date[4..5] == "-" && &date[7..8] == "-";
    if digits && dashes {
        return Ok(());
    }
    Err(Refusal::of_input(format!(
        "--date {date}: expected a day as YEAR-MONTH-DAY, such as 2026-11-25"
    )))
}

impl Board {
    fn read(path: &Path) -> Result<Board, EngineError> {
        if !path.exists() {
            return Ok(Board {
                format: FORMAT.into(),
                ..Board::default()
            });
        }
        let text =
            std::fs::read_to_string(path).map_err(|error| refuse_unreadable(path, &error))?;
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
        Ok(written.map_err(|error| {
            Refusal::of_input(format!("{}: cannot be written: {error}", path.display()))
        })?)
    }

    fn text(&self) -> serde_json::Result<String> {
        let parts = [
            ("files", lines_of(&self.files)?),
            ("counts", lines_of(&self.counts)?),
            ("history", lines_of(&self.history)?),
        ];
        let parts = parts.map(|(name, lines)| format!("\"{name}\": [{lines}]"));
        Ok(format!(
            "{{\n\"format\": \"{FORMAT}\",\n{}\n}}\n",
            parts.join(",\n")
        ))
    }

    fn check_order(&self, date: &str) -> Result<(), Refusal> {
        match self.history.last() {
            Some(last) if *last.date > *date => Err(Refusal::of_input(format!(
                "--date {date}: the board's last edition is of {}",
                last.date
            ))),
            _ => Ok(()),
        }
    }

    fn add_files(&mut self, date: &str, options: &LeaderboardOptions) -> Result<(), EngineError> {
        for path in &options.paths {
            let mut file = self.describe_new(path, date)?;
            let counts = count_file(path, options)?;
            file.battles = counts.rows;
            self.add_counts(&counts);
            self.files.push(file);
        }
        Ok(())
    }

    /// Refuses a file that was added before: its battles would count twice.
    fn describe_new(&self, path: &Path, date: &str) -> Result<BoardFile, EngineError> {
        let digest = digest_of(path).map_err(|error| refuse_unreadable(path, &error))?;
        if let Some(known) = self.files.iter().find(|file| file.digest == digest) {
            return Err(Refusal::of_input(format!(
                "{}: its battles are in the board already, since {} as {}; nothing was added",
                path.display(),
                known.date,
                known.name
            ))
            .into());
        }
        let name = path.file_name().unwrap_or(path.as_os_str());
        Ok(BoardFile {
            name: name.to_string_lossy().into_owned(),
            digest,
            battles: 0,
            date: date.into(),
        })
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

    /// The counts as a file of counts.
    fn counts_as_input(&self) -> NamedInput {
        let rows = self
            .counts
            .iter()
            .map(|(a, b, wins_a, ties, both_bad, wins_b)| {
                let row = serde_json::json!({
                    "model_a": a, "model_b": b, "wins_a": wins_a, "ties": ties,
                    "both_bad": both_bad, "wins_b": wins_b,
                });
                format!("{row}\n")
            });
        MemoryInput::of_text(rows.collect::<String>().into_bytes()).named("board")
    }

    fn edition(&self, date: &str, report: &Report) -> Edition {
        let sums = self.counts.iter();
        let battles: f64 = sums.map(|row| row.2 + row.3 + row.4 + row.5).sum();
        Edition {
            date: date.into(),
            battles: battles.round() as u64,
            unit: report.unit.to_string(),
            ranking: report.ranking.iter().map(edition_row).collect(),
        }
    }
}

fn edition_row(row: &RankingRow) -> EditionRow {
    EditionRow {
        system: row.system.clone(),
        score: row.score,
        ci: row.ci,
        rank: row.rank,
        rank_ci: row.rank_ci,
        battles: row.n,
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

fn count_file(path: &Path, options: &LeaderboardOptions) -> Result<Counts, EngineError> {
    let options = &LeaderboardOptions {
        paths: vec![path.to_owned()],
        ..options.clone()
    };
    let mut sources = open_all_battles(options)?;
    let reading = battle_reading(options);
    match sort_of_files(options)? {
        FileSort::Battles => Ok(read_counts(&mut sources, &reading)?),
        FileSort::Counts => Ok(read_tallied(&mut sources, &reading)?),
        FileSort::Recorded => Err(Refusal::of_input(
            "--update: a board counts battles; these are judgments or scores",
        )
        .into()),
    }
}

fn digest_of(path: &Path) -> io::Result<String> {
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
