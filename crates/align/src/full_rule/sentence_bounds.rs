//! Where the rules of Unicode (UAX #29) part sentences, in time linear in the text.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

/// Returns the byte offsets strictly inside a line where the rules part sentences, in increasing
/// order.
///
/// After a full stop the rules look ahead anew from each bracket, quotation mark and space that
/// follows, which takes quadratic time where very many do. No sentence ends inside a run of either,
/// so such runs are shortened before.
pub(super) fn sentence_bounds(line: &str) -> Vec<usize> {
    let shortened = Shortened::new(line);
    let places = shortened.text.split_sentence_bound_indices().skip(1);
    places.map(|(at, _)| shortened.original(at)).collect()
}

/// How many characters of a run are kept.
const KEPT: usize = 8;

/// A line with its runs cut to [`KEPT`] characters.
struct Shortened {
    text: String,
    left_out: Vec<LeftOut>,
}

/// The rest of a run that is left out.
struct LeftOut {
    /// Where the run ends in the shortened text.
    place: usize,
    /// How many bytes are left out up to there, from the start of the line.
    bytes: usize,
}

impl Shortened {
    fn new(line: &str) -> Shortened {
        let mut shortened = Shortened {
            text: String::with_capacity(line.len()),
            left_out: Vec::new(),
        };
        let mut run = Run::default();
        for c in line.chars() {
            if run.takes(c) {
                shortened.text.push(c);
            } else {
                shortened.leave_out(c.len_utf8());
            }
        }
        shortened
    }

    fn leave_out(&mut self, length: usize) {
        let place = self.text.len();
        let bytes = length + self.bytes_left_out();
        match self.left_out.last_mut() {
            Some(last) if last.place == place => last.bytes = bytes,
            _ => self.left_out.push(LeftOut { place, bytes }),
        }
    }

    fn bytes_left_out(&self) -> usize {
        self.left_out.last().map_or(0, |last| last.bytes)
    }

    /// Returns where a place of the shortened text is in the line.
    fn original(&self, at: usize) -> usize {
        let passed = self.left_out.partition_point(|run| run.place <= at);
        let passed = self.left_out.get(..passed).unwrap_or_default();
        at + passed.last().map_or(0, |run| run.bytes)
    }
}

/// The run of characters of one class that a line is in.
#[derive(Default)]
struct Run {
    class: Option<RunClass>,
    /// How many characters of the class came before.
    length: usize,
}

impl Run {
    /// Adds the next character, and returns whether it is kept.
    fn takes(&mut self, c: char) -> bool {
        let class = classify_in_run(c);
        let goes_on = class.is_some() && class == self.class;
        self.length = if goes_on { self.length + 1 } else { 0 };
        self.class = class;
        self.length < KEPT
    }
}

/// A character that may stand between a full stop and the end of its sentence, again and again: `Sp` and
/// `Close` of the rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunClass {
    Space,
    Close,
}

fn classify_in_run(c: char) -> Option<RunClass> {
    match c {
        '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => None,
        _ if c.is_whitespace() => Some(RunClass::Space),
        '"' | '\'' => Some(RunClass::Close),
        _ if c.is_ascii_alphanumeric() => None,
        _ => is_bracket_or_quote(c).then_some(RunClass::Close),
    }
}

fn is_bracket_or_quote(c: char) -> bool {
    matches!(
        c.general_category(),
        GeneralCategory::OpenPunctuation
            | GeneralCategory::ClosePunctuation
            | GeneralCategory::InitialPunctuation
            | GeneralCategory::FinalPunctuation
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Runs of characters, some of them long.
    fn line() -> impl Strategy<Value = String> {
        let chars: Vec<char> =
            "aA1.!?。 \t\u{a0}\u{3000}\r\u{85}\u{2028}()[\"'“»「」,-\u{301}\u{ad}é"
                .chars()
                .collect();
        let run = (
            proptest::sample::select(chars),
            prop_oneof![1..4usize, 6..24usize],
        );
        proptest::collection::vec(
            run.prop_map(|(c, length)| c.to_string().repeat(length)),
            0..12,
        )
        .prop_map(|runs| runs.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn shortened_runs_move_no_bound(line in line()) {
            let whole: Vec<usize> = line.split_sentence_bound_indices().skip(1).map(|(at, _)| at).collect();
            prop_assert_eq!(sentence_bounds(&line), whole);
        }
    }
}
