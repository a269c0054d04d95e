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
    let mut shortened = String::with_capacity(line.len());
    // For the rest of each run that is left out, where the run ends in the shortened line, and how
    // many bytes are left out up to there from the start of the line.
    let mut left_out: Vec<(usize, usize)> = Vec::new();
    // How many characters of its class came before a character in its run.
    let (mut class, mut length) = (None, 0);
    for c in line.chars() {
        let next = classify_in_run(c);
        let goes_on = next.is_some() && next == class;
        length = if goes_on { length + 1 } else { 0 };
        class = next;
        if length < KEPT {
            shortened.push(c);
            continue;
        }
        match left_out.last_mut() {
            Some((place, bytes)) if *place == shortened.len() => *bytes += c.len_utf8(),
            last => {
                let before = last.map_or(0, |(_, bytes)| *bytes);
                left_out.push((shortened.len(), before + c.len_utf8()));
            }
        }
    }
    let places = shortened.split_sentence_bound_indices().skip(1);
    places
        .map(|(at, _)| {
            let passed = left_out.partition_point(|(place, _)| *place <= at);
            at + left_out[..passed].last().map_or(0, |(_, bytes)| *bytes)
        })
        .collect()
}

/// How many characters of a run are kept.
const KEPT: usize = 8;

/// A character that may stand between a full stop and the end of its sentence, again and again:
/// `Sp` and `Close` of the rules.
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
        _ => match c.general_category() {
            GeneralCategory::OpenPunctuation
            | GeneralCategory::ClosePunctuation
            | GeneralCategory::InitialPunctuation
            | GeneralCategory::FinalPunctuation => Some(RunClass::Close),
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
            prop_assert_eq!(sentence_bounds(&line), whole);
        }
    }
}
