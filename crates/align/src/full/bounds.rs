//! Where the rules of Unicode (UAX #29) part sentences, in time linear in the text.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

/// Byte offsets strictly inside a line where the rules part sentences, in increasing order.
///
/// After a full stop the rules look ahead anew from each bracket, quotation mark and space that
/// follows, which takes quadratic time where very many do. No sentence ends inside a run of either,
/// so such runs are shortened before.
pub(super) fn bounds(line: &str) -> Vec<usize> {
    let (short, left_out) = shortened(line);
    let places = short.split_sentence_bound_indices().skip(1);
    let original = |(at, _): (usize, &str)| {
        let passed = left_out
            .partition_point(|(place, _)| *place <= at)
            .checked_sub(1);
        at + passed
            .and_then(|last| left_out.get(last))
            .map_or(0, |(_, bytes)| *bytes)
    };
    places.map(original).collect()
}

/// So many characters of a run are kept.
const KEPT: usize = 8;

/// The line with its runs cut to [`KEPT`] characters, and for each of them where it ends in that,
/// with how many bytes are left out up to there.
fn shortened(line: &str) -> (String, Vec<(usize, usize)>) {
    let (mut short, mut left_out) = (String::with_capacity(line.len()), Vec::new());
    let (mut before, mut length, mut bytes) = (None, 0, 0);
    for c in line.chars() {
        let class = class(c);
        length = if class.is_some() && class == before {
            length + 1
        } else {
            0
        };
        before = class;
        if length < KEPT {
            short.push(c);
        } else {
            bytes += c.len_utf8();
            left_out.push((short.len(), bytes));
        }
    }
    left_out.dedup_by(|next, kept| {
        next.0 == kept.0 && {
            kept.1 = next.1;
            true
        }
    });
    (short, left_out)
}

/// What may stand between a full stop and the end of its sentence, again and again: `Sp` and
/// `Close` of the rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Close,
}

fn class(c: char) -> Option<Class> {
    use GeneralCategory::{
        ClosePunctuation, FinalPunctuation, InitialPunctuation, OpenPunctuation,
    };
    match c {
        '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => None,
        _ if c.is_whitespace() => Some(Class::Space),
        '"' | '\'' => Some(Class::Close),
        _ if c.is_ascii_alphanumeric() => None,
        _ => match c.general_category() {
            OpenPunctuation | ClosePunctuation | InitialPunctuation | FinalPunctuation => {
                Some(Class::Close)
            }
            _ => None,
        },
    }
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
            prop_assert_eq!(bounds(&line), whole);
        }
    }
}
