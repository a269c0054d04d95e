//! Values that options choose from.

use clap::ValueEnum;
use evenhand_core::split_list;
use evenhand_engine::{Adjust, BothBad, Ci as Intervals, RankScale};
use evenhand_protocols::Scale as JudgeScale;
use evenhand_stats::Cluster;
use std::str::FromStr;

/// ListedNames as one value of an option lists them. One that holds a comma stands in double
/// quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListedNames(Vec<String>);

pub(super) fn parse_names(text: &str) -> Result<ListedNames, String> {
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

pub(super) fn parse_scale(text: &str) -> Result<Scale, String> {
    match text {
        "elo" => Ok(Scale::Elo),
        "log-odds" => Ok(Scale::LogOdds),
        text => parse_judge_scale(text),
    }
}

fn parse_judge_scale(text: &str) -> Result<Scale, String> {
    let scale = JudgeScale::parse(text).map(Scale::Judge);
    scale.ok_or_else(|| "expected elo, log-odds, or a judge's scale such as 1..5".into())
}

impl From<Scale> for RankScale {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Elo | Scale::Judge(_) => RankScale::Elo,
            Scale::LogOdds => RankScale::LogOdds,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ci {
    Bootstrap,
    Bca,
    Sandwich,
    None,
}

impl From<Ci> for Intervals {
    fn from(ci: Ci) -> Self {
        match ci {
            Ci::Bootstrap => Intervals::Bootstrap,
            Ci::Bca => Intervals::Bca,
            Ci::Sandwich => Intervals::Sandwich,
            Ci::None => Intervals::None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AdjustBy {
    Joint,
    Holm,
    Bh,
    None,
}

impl From<AdjustBy> for Adjust {
    fn from(adjust: AdjustBy) -> Self {
        match adjust {
            AdjustBy::Joint => Adjust::Joint,
            AdjustBy::Holm => Adjust::Holm,
            AdjustBy::Bh => Adjust::BenjaminiHochberg,
            AdjustBy::None => Adjust::None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BothBadAs {
    Tie,
    Apart,
}

impl From<BothBadAs> for BothBad {
    fn from(both_bad: BothBadAs) -> Self {
        match both_bad {
            BothBadAs::Tie => BothBad::Tie,
            BothBadAs::Apart => BothBad::Apart,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClusterBy {
    Item,
    None,
}

impl From<ClusterBy> for Cluster {
    fn from(cluster: ClusterBy) -> Self {
        match cluster {
            ClusterBy::Item => Cluster::Item,
            ClusterBy::None => Cluster::None,
        }
    }
}

/// Reads an option's value, if it is one that the option allows; else says what was `expected`.
pub(super) fn parse_if<T: FromStr>(
    text: &str,
    is_allowed: impl Fn(&T) -> bool,
    expected: String,
) -> Result<T, String> {
    text.parse().ok().filter(is_allowed).ok_or(expected)
}
