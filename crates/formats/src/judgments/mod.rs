//! Readers of judgments and scores that exist already: who won which comparison, or how good each
//! response was.
//!
//! A file is recognised by the fields of its first record and read record by record, plain or gzip,
//! JSON lines, one JSON array or CSV ([`crate::records`]): memory grows with the verdicts kept, not
//! with the judges' texts. A judgment without a verdict is counted as a failure by its kind, never
//! read as a tie.
//!
//! ```
//! use evenhand_formats::judgments::{Options, read};
//!
//! let file = r#"[{"instruction": "Name a prime.", "generator_1": "reference", "generator_2": "mine", "preference": 1.75}]"#;
//! let recorded = read([("annotations.json", file.as_bytes())], &Options::default())?;
//! assert_eq!(recorded.systems, ["reference", "mine"]);
//! assert_eq!((recorded.comparisons[0].wins_a, recorded.comparisons[0].wins_b), (0.25, 0.75));
//! # Ok::<(), evenhand_formats::judgments::Error>(())
//! ```

mod alpaca_eval;
mod arena_hard;
mod battles;
mod builder;
mod error;
pub mod games;
mod kind;
mod mt_bench;
mod own;
mod pandalm;
mod recorded;
mod row;
mod score_pairs;
mod scores;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use kind::Kind;
pub use recorded::{Compared, Recorded, Scored, Source, Strength};

use crate::battles::{Signs, Spellings};
use crate::records::{self, DataError, FieldsFound, Filter, Input, Place, Values, field_names};
use builder::{Builder, Sort};
use pandalm::PandaLm;
use row::Row;
use serde_json::Value;
use std::io::BufRead;

/// How files are understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What every file is, where it is not to be recognised.
    pub kind: Option<Kind>,
    /// The baseline of Arena-Hard judgments that do not name theirs; those with `question_id`
    /// (v0.1) have gpt-4-0314.
    pub baseline: Option<String>,
    /// MT-Bench's own reading of a pair's two games (Zheng et al. 2023, section 3.4): one
    /// comparison, won if both games have the same winner, else a tie; a failure if either game has
    /// no verdict. Otherwise two comparisons.
    pub both_games: bool,
    /// The column with the system of [`Kind::Scores`], in place of `system` or `model`. Naming any
    /// of the three columns says that every file is of this kind.
    pub system: Option<String>,
    /// The column with the item, in place of `item`, `question_id` or `id`. Where there is none,
    /// every record is an item of its own.
    pub item: Option<String>,
    /// The column with the score, in place of `score`.
    pub score: Option<String>,
    /// Whether battles whose items have names are judgments too: one comparison a row.
    pub battles: bool,
    /// The columns of battles with the first system, the second and the winner, in place of the
    /// usual ones.
    pub battle_columns: [Option<String>; 3],
    /// Spellings of outcomes in battles and labels, beside those that are known.
    pub outcomes: Spellings,
    /// Which records are read. A verdict on a pair that is left out is left out with it.
    pub filter: Filter,
    /// Whether reviews with two scores are two scores, and not the comparison that they make.
    pub scored: bool,
}

impl Options {
    fn names_columns(&self) -> bool {
        self.system.is_some() || self.item.is_some() || self.score.is_some()
    }
}

/// What a file is, by its first record; None where that is nothing known or cannot be read, which
/// [`Reader::add`] explains.
pub fn detect(file: impl BufRead, options: &Options) -> Option<Kind> {
    let (first, _) = Values::open(Box::new(file), &Input::new(""))
        .and_then(|mut values| values.first())
        .ok()?;
    let kind = kind::recognise(&first, options)?;
    let columns = kind != Kind::Scores || scores::has_columns(&first, options);
    columns.then_some(kind)
}

/// Reads files, each under its name, one after the other.
///
/// # Errors
/// No file; those of [`Reader::add`].
pub fn read<N: AsRef<str>, F: BufRead>(
    files: impl IntoIterator<Item = (N, F)>,
    options: &Options,
) -> Result<Recorded, Error> {
    let mut reader = Reader::new(options);
    for (name, file) in files {
        reader.add(file, name.as_ref())?;
    }
    reader.finish()
}

/// Reads files one by one and puts together what they hold.
pub struct Reader<'o> {
    options: &'o Options,
    builder: Builder,
    pandalm: PandaLm,
    found: FieldsFound,
    signs: Signs,
    signs_at: Option<Place>,
}

impl<'o> Reader<'o> {
    /// With nothing read yet.
    pub fn new(options: &'o Options) -> Self {
        Reader {
            options,
            builder: Builder::default(),
            pandalm: PandaLm::default(),
            found: FieldsFound::default(),
            signs: Signs::default(),
            signs_at: None,
        }
    }

    /// Reads a file, plain or gzip, under this name. After an error the reader is of no more use.
    ///
    /// # Errors
    /// A file that cannot be read or is empty; a kind that is not known or cannot be ranked; a
    /// record without the fields of its kind, or with other values in them; comparisons after
    /// scores, or scores after comparisons.
    pub fn add(&mut self, file: impl BufRead, name: &str) -> Result<Kind, Error> {
        let mut values = Values::open(Box::new(file), &Input::new(name))?;
        let (mut record, mut place) = values.first()?;
        let kind = self.settle(&record, &place)?;
        let named_items = scores::has_item(&record, self.options);
        self.found
            .add(&self.options.filter, kind.name().to_owned(), name, &record);
        let filter = self.found.for_last(&self.options.filter);
        let mut records = 0;
        loop {
            let row = Row {
                record: &record,
                place: &place,
            };
            if filter.keeps(&record, records) {
                self.record(kind, row, named_items, records)?;
                self.found.count(u64::from(!filter.is_empty()));
            } else if kind == Kind::PandaLmPairs {
                self.pandalm.leave_out(row)?;
            }
            records += 1;
            match values.next()? {
                Some(next) => (record, place) = next,
                None => break,
            }
        }
        self.builder.recorded.sources.push(Source {
            name: name.to_owned(),
            kind,
            records,
        });
        Ok(kind)
    }

    /// What was read.
    ///
    /// # Errors
    /// No file was given; a field of the filter is nowhere, or nothing is left; outcomes of which
    /// it is not known what they mean.
    pub fn finish(mut self) -> Result<Recorded, Error> {
        if self.builder.recorded.sources.is_empty() {
            return Err(Error::NoFiles);
        }
        self.found.check(&self.options.filter)?;
        if let Some(place) = self.signs_at.filter(|_| self.signs.unclear()) {
            return Err(Error::Signs { place });
        }
        self.pandalm.finish(&mut self.builder);
        Ok(self.builder.recorded)
    }

    fn settle(&self, first: &Value, place: &Place) -> Result<Kind, Error> {
        match (
            kind::recognise(first, self.options),
            records::recognise(first),
        ) {
            (Some(kind), _) if kind.has_no_systems() => Err(Error::NoSystems {
                place: place.clone(),
                kind,
            }),
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

    fn record(
        &mut self,
        kind: Kind,
        row: Row<'_>,
        named_items: bool,
        position: u64,
    ) -> Result<(), Error> {
        self.builder.expect(self.sort(kind, row), row.place, kind)?;
        let builder = &mut self.builder;
        match kind {
            Kind::Judgments => own::judgment(row, builder),
            Kind::Labels => own::label(row, position, &self.options.outcomes, builder),
            Kind::AlpacaEval => alpaca_eval::annotation(row, builder),
            Kind::AlpacaEvalPreferences => alpaca_eval::preference(row, builder),
            Kind::ArenaHard => arena_hard::judgment(row, self.options, builder),
            Kind::MtBenchPairs => mt_bench::pair(row, self.options.both_games, builder),
            Kind::MtBenchScores => mt_bench::single(row, builder),
            Kind::PandaLmPairs => self.pandalm.pair(row, position, builder),
            Kind::PandaLmVerdicts => self.pandalm.verdict(row, builder),
            Kind::Scores => scores::score(row, self.options, named_items, position, builder),
            Kind::ScorePairs => score_pairs::review(row, self.options.scored, builder),
            Kind::Battles => {
                let sign = battles::battle(row, self.options, builder)?;
                sign.into_iter().for_each(|outcome| self.signs.add(outcome));
                self.signs_at = self
                    .signs_at
                    .take()
                    .or_else(|| sign.map(|_| row.place.clone()));
                Ok(())
            }
            Kind::LlmBar | Kind::JudgeBench | Kind::AutoJPairs | Kind::AutoJVerdicts => {
                Err(Error::NoSystems {
                    place: row.place.clone(),
                    kind,
                })
            }
        }
    }

    /// Our own judgments may be of either sort; a single response has no second system.
    fn sort(&self, kind: Kind, row: Row<'_>) -> Sort {
        match kind {
            Kind::MtBenchScores | Kind::Scores => Sort::Score,
            Kind::ScorePairs if self.options.scored => Sort::Score,
            Kind::Judgments if row.find("second").is_none_or(Value::is_null) => Sort::Score,
            _ => Sort::Comparison,
        }
    }
}

/// The other name of a question's first turn: `81/1` for `81`, and `81` for `81/1`. Files with the
/// first turn alone do not number it.
pub fn first_turn(item: &str) -> String {
    item.strip_suffix("/1")
        .map_or_else(|| format!("{item}/1"), str::to_owned)
}

/// A word that is none of those that the field may have; never read as a tie.
fn unknown(row: Row<'_>, field: &str, found: &Value, expected: &'static str) -> Error {
    let word = match found {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let shown: String = word.chars().take(40).collect();
    let dots = if shown.len() < word.len() { "…" } else { "" };
    row.wrong(field, expected, format!("`{shown}{dots}`"))
        .into()
}

/// The kind of failure of a judgment in whose place the source has nothing.
const UNPARSED: &str = "unparsed";

/// A field of the wrong type, as an error of this module.
fn wrong<T>(row: Row<'_>, field: &str, expected: &'static str, found: &Value) -> Result<T, Error> {
    let error: DataError = row.wrong(field, expected, records::described(found));
    Err(error.into())
}
