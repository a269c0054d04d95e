//! Recorded judgments line by line, with the judge's own text: for asking how good a judge is.
//!
//! The readers of [`super::read`] make rankings: they trust the verdict that a file records and
//! forget which pair a failure belongs to. Here every line is handed over with the text that it was
//! read from, so that it can be read anew.

mod arena_hard;
mod auto_j;
mod judge_bench;
mod llmbar;
mod mt_bench;
mod other;
mod pandalm;
mod score_pairs;

#[cfg(test)]
mod tests;

use super::row::Row;
use super::{Error, Kind, Options, kind};
use crate::battles::Signs;
use crate::records::{self, FieldsFound, Input, Place, Preference, Values, field_names};
use evenhand_core::Side;
use serde_json::Value;
use std::io::BufRead;

/// A line of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Line<'a> {
    /// What people (or the truth) say of a pair.
    Label(PairLabel),
    /// What a judge said of a pair that it was shown in one order.
    Game(Game<'a>),
    /// What a judge said of a single response.
    Grade(Grade<'a>),
    /// A battle: people's vote or a judge's verdict, which the file does not tell apart. The order
    /// shown is not known.
    Battle(Game<'a>),
}

/// What people say of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairLabel {
    /// The name of the item, or of the pair where a file names pairs.
    pub item: String,
    /// What pairs on the same instruction have in common, where it is not the item's name.
    pub cluster: Option<String>,
    /// The part of the input set that it belongs to, where the file says so.
    pub category: Option<String>,
    /// The systems; None where the file does not name them.
    pub systems: Option<[String; 2]>,
    /// The lengths of the two responses in characters, where the file has them.
    pub lengths: Option<[u32; 2]>,
    /// Which of the two is better: one for each annotator.
    pub preferred: Vec<Preference>,
}

/// What a judge said of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Game<'a> {
    /// The name of the item, or of the pair.
    pub item: String,
    /// Which responses it was shown, and where.
    pub shown: Shown,
    /// What it said.
    pub said: Said<'a>,
    /// What the source made of that, in terms of the slots; the inner None where it found no
    /// verdict. The outer None where the source keeps no verdict beside what was said.
    pub recorded: Option<Option<Side>>,
}

/// Which responses a judge was shown, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// By the names of their systems: the first and the second.
    Systems([String; 2]),
    /// By the names of their systems, in an order that the file does not tell.
    Unordered([String; 2]),
    /// The two of the item's pair, in the order of the label.
    Forward,
    /// The two of the item's pair, in the reverse of that order.
    Swapped,
}

/// What a judge said, in terms of the slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said<'a> {
    /// A text, and the notation that its verdict is in, where the format has one.
    Text(&'a str, Option<&'static str>),
    /// A text with a score for each response, each by itself; equal ones are the second's, by the
    /// rule of the evaluator.
    Ratings([&'a str; 2]),
    /// The probabilities of "the first is better", "a tie", "the second is better".
    Shares([f64; 3]),
    /// Nothing: the kind of failure.
    Nothing(&'static str),
}

/// What a judge said of a single response.
#[derive(Clone, Debug, PartialEq)]
pub struct Grade<'a> {
    /// The name of the item.
    pub item: String,
    /// The system.
    pub system: String,
    /// The text and the notation of its score, where the file has a text.
    pub text: Option<(&'a str, &'static str)>,
    /// The score that the source records; None where it found none.
    pub score: Option<f64>,
}

/// Takes the lines one by one, each with its place; an error ends the reading.
pub type LineSink<'s> = dyn FnMut(Line<'_>, &Place) -> Result<(), Error> + 's;

/// Reads a file of recorded judgments, plain or gzip, line by line. Battles whose items have names
/// are read too.
///
/// Gives which fields of `options.filter` the file has; a file that has one is read as far as its
/// records meet the condition.
///
/// # Errors
/// A file that cannot be read or is empty; a kind that is not known; a record without the fields of
/// its kind, or with other values in them; what the sink returns.
pub fn read_lines(
    file: impl BufRead,
    name: &str,
    options: &Options,
    sink: &mut LineSink<'_>,
) -> Result<FieldsFound, Error> {
    let options = &Options {
        battles: true,
        ..options.clone()
    };
    let mut values = Values::open(Box::new(file), &Input::new(name))?;
    let (mut record, mut place) = values.first()?;
    let kind = settle(&record, &place, options)?;
    let (mut found, mut signs, first) = (FieldsFound::default(), Signs::default(), place.clone());
    found.add(&options.filter, kind.name().to_owned(), name, &record);
    let filter = found.for_last(&options.filter);
    for position in 0.. {
        if filter.keeps(&record, position) {
            line(
                kind,
                Row {
                    record: &record,
                    place: &place,
                },
                position,
                options,
                &mut signs,
                sink,
            )?;
            found.count(u64::from(!filter.is_empty()));
        }
        match values.next()? {
            Some(next) => (record, place) = next,
            None => break,
        }
    }
    if signs.unclear() {
        Err(Error::Signs { place: first })
    } else {
        Ok(found)
    }
}

fn settle(first: &Value, place: &Place, options: &Options) -> Result<Kind, Error> {
    match (kind::recognise(first, options), records::recognise(first)) {
        (Some(kind), _) => Ok(kind),
        (None, Some(format)) => Err(Error::DataSet {
            place: place.clone(),
            format: format.name(),
        }),
        (None, None) => Err(Error::Unrecognised {
            place: place.clone(),
            has: field_names(first),
        }),
    }
}

fn line(
    kind: Kind,
    row: Row<'_>,
    position: u64,
    options: &Options,
    signs: &mut Signs,
    sink: &mut LineSink<'_>,
) -> Result<(), Error> {
    match kind {
        Kind::LlmBar => llmbar::record(row, position, sink),
        Kind::JudgeBench => judge_bench::record(row, sink),
        Kind::MtBenchPairs => mt_bench::pair(row, sink),
        Kind::MtBenchScores => mt_bench::single(row, sink),
        Kind::ArenaHard => arena_hard::record(row, options, sink),
        Kind::PandaLmPairs => pandalm::pair(row, position, sink),
        Kind::PandaLmVerdicts => pandalm::verdict(row, sink),
        Kind::Labels => other::label(row, position, &options.outcomes, sink),
        Kind::Judgments => other::judgment(row, sink),
        Kind::AlpacaEval => other::annotation(row, sink),
        Kind::AlpacaEvalPreferences => other::preference(row, sink),
        Kind::Scores => other::score(row, options, position, sink),
        Kind::ScorePairs => score_pairs::review(row, sink),
        Kind::AutoJPairs => auto_j::pair(row, position, sink),
        Kind::AutoJVerdicts => auto_j::verdicts(row, position, sink),
        Kind::Battles => other::battle(row, options, signs, sink),
    }
}

/// How the source's word for the winner reads in terms of the slots.
fn slot(winner: &str, first: &str, second: &str) -> Option<Side> {
    match winner {
        _ if winner == first => Some(Side::First),
        _ if winner == second => Some(Side::Second),
        "tie" => Some(Side::Tie),
        _ => None,
    }
}
