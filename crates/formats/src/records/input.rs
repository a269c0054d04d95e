//! A file that is to be read, and how its fields are understood.

use super::known_formats::Format;
use super::map::Mapping;
use super::trajectories::TrajectoryOptions;
use super::turn_choice::TurnChoice;
use crate::error::Result;
use crate::filter::Filter;
use crate::outcomes::Spellings;
use crate::source::values::{Placed, RECORD_LIMIT, Values};
use evenhand_core::ShownFields;
use std::io::BufRead;

/// How a file's fields are understood.
#[derive(Clone, Copy, Debug, Default)]
pub enum Shape<'a> {
    /// By its first record.
    #[default]
    Recognise,
    /// As a format that is known by name.
    Known(Format),
    /// As the user's mapping says.
    Mapped(&'a Mapping),
}

/// A file that is to be read.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Its name, for errors.
    pub name: &'a str,
    /// How its fields are understood.
    pub shape: Shape<'a>,
    /// The system of responses that name none, for example the file's stem.
    pub default_system: Option<&'a str>,
    /// The most bytes that one record may have.
    pub record_limit: usize,
    /// Which records are read; None: all.
    pub filter: Option<&'a Filter>,
    /// Spellings of labels beside those that are known.
    pub outcomes: Option<&'a Spellings>,
    /// Which turns of conversations are read.
    pub turn: TurnChoice,
    /// The free fields that are read; None: none.
    pub shown: Option<&'a ShownFields>,
    /// How trajectories are read.
    pub trajectories: TrajectoryOptions,
    /// Whether votes that hold the two conversations are pairs with their responses.
    pub votes_hold_answers: bool,
    /// Whether responses may be missing: where their generation failed.
    pub allow_missing: bool,
    /// How many records that cannot be read are left out, and listed.
    pub skip_bad: u64,
}

impl<'a> Input<'a> {
    /// 64 MiB.
    pub const RECORD_LIMIT: usize = RECORD_LIMIT;

    /// Returns a file of this name, whose format is recognised by its content.
    pub fn new(name: &'a str) -> Self {
        Input {
            name,
            shape: Shape::Recognise,
            default_system: None,
            record_limit: Input::RECORD_LIMIT,
            filter: None,
            outcomes: None,
            turn: TurnChoice::First,
            shown: None,
            trajectories: TrajectoryOptions::default(),
            votes_hold_answers: false,
            allow_missing: false,
            skip_bad: 0,
        }
    }

    /// Opens the file, and returns its first record too.
    pub(super) fn open<'f>(&self, file: impl BufRead + 'f) -> Result<(Values<'f>, Placed)> {
        let may_be_csv = matches!(
            self.shape,
            Shape::Recognise | Shape::Mapped(_) | Shape::Known(Format::Ratings)
        );
        Values::open_as(file, self.name, self.record_limit, may_be_csv)
    }
}
