//! A ranking and what it rests on: the data, how they are built, and what the reader must know.

pub(crate) mod answer;
pub(crate) mod build;
pub(crate) mod data;
pub(crate) mod measured;
pub(crate) mod noise;
pub(crate) mod rows;
pub(crate) mod warn;
pub(crate) mod warning;

pub(crate) use data::{EloEffect, PanelJudge, StyleEffect};
