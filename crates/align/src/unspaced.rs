//! Scripts that are written without spaces between words, and their words.

use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;

/// Returns whether a character is of a script that is written without spaces: Chinese characters,
/// Japanese kana, Thai, Lao, Burmese and Khmer.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        // Thai and Lao, Burmese, Khmer, and the letters that were added to these later.
        '\u{e01}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{a9e0}'..='\u{a9ff}'
            | '\u{aa60}'..='\u{aa7f}'
            // Kana, the characters of Unicode's first planes, and half-width kana.
            | '\u{3005}'..='\u{3007}'
            | '\u{3041}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}'
            | '\u{20000}'..='\u{323af}'
    )
}

/// Returns whether a character is of Thai or Lao, whose sentences end in a space at most.
pub(crate) fn ends_clauses_by_space(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{eff}')
}

/// Returns the words of a text of such scripts, in order; together they are the text.
///
/// Words are looked up in ICU's dictionaries. Its neural models know some more, and their sums of
/// floating-point numbers may differ between processors.
pub(crate) fn unspaced_words(text: &str) -> Vec<&str> {
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let bounds: Vec<usize> = segmenter.segment_str(text).collect();
    let words = bounds
        .windows(2)
        .filter_map(|ends| text.get(ends[0]..ends[1]));
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_concatenate_to_the_text(text in "[ก-๛ぁ-ヿ一-鿿က-႟។ក-ឳ]{0,40}") {
            prop_assert_eq!(unspaced_words(&text).concat(), text);
        }
    }
}
