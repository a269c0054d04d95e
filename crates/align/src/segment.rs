//! Where an answer may be cut.

use crate::full::full;
use crate::plain::plain;

/// Which places of an answer are sentence ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Segmentation {
    /// Sentences by the rules of Unicode, lists and tables by line, code blocks by their syntax
    /// (docs/design/alignment.md).
    #[default]
    Full,
    /// A fixed rule for checks. A cut may follow a run of `.` `!` `?` with closing quotes or
    /// brackets and the white space after it, or a run of white space that holds a newline, but not
    /// the number of a list item.
    Plain,
}

/// A place between two characters of an answer, strictly inside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    /// Offset in bytes of UTF-8; always at a character boundary of the answer that was split.
    pub byte: usize,
    /// Offset in Unicode characters (scalar values).
    pub char: usize,
}

/// The places where one answer may be cut, in increasing order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts {
    places: Vec<Cut>,
    end: Cut,
}

impl Cuts {
    /// The places, each strictly inside the answer, in strictly increasing order.
    pub fn places(&self) -> &[Cut] {
        &self.places
    }

    /// The length of the answer, as the place after its last character.
    pub fn end(&self) -> Cut {
        self.end
    }

    /// Adds the characters that lie before each of these bytes, which increase.
    fn of(text: &str, bytes: Vec<usize>) -> Cuts {
        let (mut at, mut char) = (0, 0);
        let mut place = |byte: usize| {
            char += text
                .get(at..byte)
                .map_or(0, |passed| passed.chars().count());
            at = byte;
            Cut { byte, char }
        };
        let places = bytes.into_iter().map(&mut place).collect();
        Cuts {
            places,
            end: place(text.len()),
        }
    }

    /// The same answer with the given places only.
    pub(crate) fn only(&self, kept: Vec<Cut>) -> Cuts {
        Cuts {
            places: kept,
            end: self.end,
        }
    }

    /// The pieces of the answer between neighbouring places: one more than there are places.
    ///
    /// With places of another text, pieces may be empty; that is no panic.
    pub(crate) fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        segments(text, &self.places)
    }
}

/// The text between neighbouring cuts, which increase: one more than there are cuts.
pub(crate) fn segments<'t>(text: &'t str, cuts: &[Cut]) -> Vec<&'t str> {
    let starts = std::iter::once(0).chain(cuts.iter().map(|cut| cut.byte));
    let ends = cuts.iter().map(|cut| cut.byte).chain([text.len()]);
    starts
        .zip(ends)
        .map(|(start, end)| text.get(start..end).unwrap_or_default())
        .collect()
}

/// Finds the places where an answer may be cut. White space belongs to the sentence before it.
pub fn split(text: &str, segmentation: Segmentation) -> Cuts {
    let bytes = match segmentation {
        Segmentation::Full => full(text),
        Segmentation::Plain => plain(text),
    };
    Cuts::of(text, bytes)
}
