//! Values that options choose from.

use clap::ValueEnum;
use evenhand_engine::{Adjust, BothBad, RankScale};
use evenhand_protocols::Scale as JudgeScale;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Csv,
}

/// What `--scale` means: the unit of scores, or the scale on which the judge scores.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ci {
    Bootstrap,
    Bca,
    Sandwich,
    None,
}

impl From<Ci> for evenhand_engine::Ci {
    fn from(ci: Ci) -> Self {
        match ci {
            Ci::Bootstrap => evenhand_engine::Ci::Bootstrap,
            Ci::Bca => evenhand_engine::Ci::Bca,
            Ci::Sandwich => evenhand_engine::Ci::Sandwich,
            Ci::None => evenhand_engine::Ci::None,
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
