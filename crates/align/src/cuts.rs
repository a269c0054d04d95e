//! Where an answer may be cut.

use crate::full_rule::find_full_cuts;
use crate::plain_rule::find_plain_cuts;

/// Which places of an answer are sentence ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
#[must_use]
pub struct Cuts {
    places: Vec<Cut>,
    end: Cut,
    segmentation: Segmentation,
}

impl Cuts {
    /// Returns the places, each strictly inside the answer, in strictly increasing order.
    pub fn places(&self) -> &[Cut] {
        &self.places
    }

    /// Returns the length of the answer, as the place after its last character.
    pub fn end(&self) -> Cut {
        self.end
    }

    /// Returns the rule by which the places were found.
    pub(crate) fn segmentation(&self) -> Segmentation {
        self.segmentation
    }

    /// Returns the place before the piece of this number; the first piece has none.
    pub(crate) fn place_before(&self, piece: usize) -> Option<Cut> {
        self.places.get(piece.checked_sub(1)?).copied()
    }

    pub(crate) fn piece_count(&self) -> usize {
        self.places.len() + 1
    }

    /// Returns the cuts of this answer with the given places only.
    pub(crate) fn with_places(&self, places: Vec<Cut>) -> Cuts {
        Cuts {
            places,
            end: self.end,
            segmentation: self.segmentation,
        }
    }

    /// Returns the pieces of the answer between neighbouring places: one more than there are
    /// places.
    ///
    /// With places of another text, pieces may be empty; it does not panic.
    pub(crate) fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        cut_text(text, &self.places)
    }
}

impl Cut {
    /// Returns the place at `byte`, which is not before this one.
    fn advanced(self, text: &str, byte: usize) -> Cut {
        let passed = text.get(self.byte..byte).unwrap_or_default();
        Cut {
            byte,
            char: self.char + passed.chars().count(),
        }
    }
}

/// Returns the text between neighbouring cuts, which increase: one more than there are cuts.
pub(crate) fn cut_text<'t>(text: &'t str, cuts: &[Cut]) -> Vec<&'t str> {
    let ends = cuts.iter().map(|cut| cut.byte).chain([text.len()]);
    ends.scan(0, |start, end| {
        let piece = text.get(*start..end).unwrap_or_default();
        *start = end;
        Some(piece)
    })
    .collect()
}

/// Finds the places where an answer may be cut. White space belongs to the sentence before it.
pub fn find_cuts(text: &str, segmentation: Segmentation) -> Cuts {
    let bytes = match segmentation {
        Segmentation::Full => find_full_cuts(text),
        Segmentation::Plain => find_plain_cuts(text),
    };
    // Characters are counted from each place to the next.
    let mut at = Cut::default();
    let mut places = Vec::with_capacity(bytes.len());
    for byte in bytes {
        at = at.advanced(text, byte);
        places.push(at);
    }
    Cuts {
        places,
        end: at.advanced(text, text.len()),
        segmentation,
    }
}
