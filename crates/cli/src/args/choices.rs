//! Values that options choose from.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, ValueEnum};
use evenhand_core::split_list;
use evenhand_protocols::Scale as JudgeScale;
use evenhand_ranking::RankScale;
use std::ffi::OsStr;
use std::str::FromStr;

/// Names as one value of an option lists them. One that holds a comma stands in double quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListedNames(Vec<String>);

pub(crate) fn parse_names(text: &str) -> Result<ListedNames, String> {
    Ok(ListedNames(split_list(text)))
}

impl ListedNames {
    /// Returns the names of all values that were given.
    pub(crate) fn join(given: &[ListedNames]) -> Vec<String> {
        given.iter().flat_map(|names| names.0.clone()).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Csv,
    /// A table for GitHub, with the warnings above
    Markdown,
}

/// The meaning of `--scale`: the unit of scores, or the scale on which the judge scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Elo,
    LogOdds,
    Judge(JudgeScale),
}

pub(crate) fn parse_scale(text: &str) -> Result<Scale, String> {
    match text {
        "elo" => Ok(Scale::Elo),
        "log-odds" => Ok(Scale::LogOdds),
        text => JudgeScale::parse(text)
            .map(Scale::Judge)
            .ok_or_else(|| "expected elo, log-odds, or a judge's scale such as 1..5".into()),
    }
}

impl From<Scale> for RankScale {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Elo | Scale::Judge(_) => RankScale::Elo,
            Scale::LogOdds => RankScale::LogOdds,
        }
    }
}

/// A parser of words that stand for a value each.
pub(crate) fn words<T: Copy + Send + Sync + 'static>(
    known: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let parser = PossibleValuesParser::new(known.iter().map(|(word, _)| *word));
    parser.try_map(move |given| {
        let found = known.iter().find(|(word, _)| *word == given);
        found.map(|(_, value)| *value).ok_or("not one of the words")
    })
}

/// A parser of names that says itself what is wrong with others. It tells clap all of them, for the
/// table of settings and for completion.
#[derive(Clone)]
pub(crate) struct Names<T> {
    all: Vec<&'static str>,
    parse: fn(&str) -> Result<T, String>,
}

pub(crate) fn names<T>(
    all: impl IntoIterator<Item = &'static str>,
    parse: fn(&str) -> Result<T, String>,
) -> Names<T> {
    let all = all.into_iter().collect();
    Names { all, parse }
}

/// Takes any text, of which the command itself says what is wrong with it.
pub(crate) fn any_name(text: &str) -> Result<String, String> {
    Ok(text.into())
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Names<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.all.iter().map(PossibleValue::new)))
    }
}

/// Whether a text lists a word, with spaces between its words.
pub(crate) fn lists(text: &str, word: &str) -> bool {
    text.split_whitespace().any(|one| one == word)
}

/// Reads an option's value, if it is one that the option allows; else says what was `expected`.
pub(crate) fn parse_if<T: FromStr>(
    text: &str,
    is_allowed: impl Fn(&T) -> bool,
    expected: String,
) -> Result<T, String> {
    text.parse().ok().filter(is_allowed).ok_or(expected)
}
