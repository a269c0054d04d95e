//! Judgments become numbers, and numbers a ranking with its intervals.

pub(crate) mod aggregation;
pub(crate) mod collect;
pub(crate) mod control;
pub(crate) mod counts;
pub(crate) mod covariate;
pub(crate) mod criteria;
pub(crate) mod duels;
pub(crate) mod for_review;
pub(crate) mod limits;
pub(crate) mod method;
pub(crate) mod position;
pub(crate) mod ranking;
pub(crate) mod review_file;
pub(crate) mod reviews;
pub(crate) mod score;
pub(crate) mod scored;
pub(crate) mod style;
pub(crate) mod unit;
