//! Sentences by the rules of Unicode, and lists and tables by their lines.

use super::clauses::{clause_ends, is_abbreviation, lower_case_ends};
use super::sentence_bounds::sentence_bounds;
use super::uncut_spans::find_uncut_spans;
use std::ops::Range;

/// Returns byte offsets of the text where sentences, list items, table rows and paragraphs end,
/// among them the ends of the lines.
pub(super) fn find_prose_cuts(text: &str, lines: &[Range<usize>]) -> Vec<usize> {
    let lines: Vec<Line<'_>> = lines.iter().map(|line| Line::new(text, line)).collect();
    // One item is no list: its sentences may be parted.
    let items = lines.iter().filter(|line| line.kind == LineKind::Item);
    let keep_items = items.count() > 1;
    let paragraphs = lines.chunk_by(|line, next| !line.is_blank() && !next.is_blank());
    paragraphs
        .flat_map(|paragraph| paragraph_cuts(text, paragraph, keep_items))
        .collect()
}

/// A line of prose with its end.
struct Line<'t> {
    content: &'t str,
    start: usize,
    end: usize,
    kind: LineKind,
}

impl<'t> Line<'t> {
    fn new(text: &'t str, range: &Range<usize>) -> Line<'t> {
        let content = text.get(range.clone()).unwrap_or_default();
        Line {
            content,
            start: range.start,
            end: range.end,
            kind: classify_line(content),
        }
    }

    fn is_blank(&self) -> bool {
        self.content.trim().is_empty()
    }
}

/// Returns the cuts of lines that no blank line parts.
fn paragraph_cuts(text: &str, lines: &[Line<'_>], keep_items: bool) -> Vec<usize> {
    let is_table = lines.iter().any(|line| line.kind == LineKind::TableRule);
    let mut places = Vec::new();
    let mut in_item = false;
    for (index, line) in lines.iter().enumerate() {
        let next = lines.get(index + 1).map(|line| line.kind);
        in_item = line.kind.is_in_item(in_item);
        let is_kept = in_item && keep_items;
        if !(is_table || is_kept || line.kind.is_one_sentence()) {
            places.extend(line_cuts(line));
        }
        // The lines of one list item belong together, and the head of a table.
        let goes_on = match next {
            Some(LineKind::TableRule) => true,
            Some(LineKind::Indented) if is_kept => true,
            Some(_) => line.kind == LineKind::TableRule,
            None => false,
        };
        if !goes_on {
            places.push(line.end);
        }
    }
    // The places increase: those are kept that are not inside a span of code or a link.
    let start = lines.first().map_or(0, |line| line.start);
    let end = lines.last().map_or(0, |line| line.end);
    let mut spans = find_uncut_spans(text.get(start..end).unwrap_or_default());
    spans.sort_unstable_by_key(|span| span.start);
    let (mut next, mut uncut_to) = (spans.iter().peekable(), 0);
    places.retain(|&place| {
        while let Some(span) = next.next_if(|span| start + span.start < place) {
            uncut_to = uncut_to.max(start + span.end);
        }
        place >= uncut_to
    });
    places
}

/// Returns where sentences end inside a line, in bytes of the text.
fn line_cuts(line: &Line<'_>) -> Vec<usize> {
    if is_plainly_one_sentence(line.content) {
        return Vec::new();
    }
    let mut ends: Vec<usize> = sentence_ends(line.content).collect();
    if ends.is_empty() {
        ends.extend(lower_case_ends(line.content));
    }
    ends.extend(clause_ends(line.content));
    ends.sort_unstable();
    ends.dedup();
    ends.into_iter().map(|end| line.start + end).collect()
}

/// Iterates over the places where sentences end inside a line, in time linear in its length: at
/// each place only what is new since the place before it is looked at.
fn sentence_ends(line: &str) -> impl Iterator<Item = usize> {
    // Where the first word is.
    let indent = line.len() - line.trim_start().len();
    let word = line.split_whitespace().next().unwrap_or_default();
    let mark = indent..indent + word.len();
    let (mut looked_at, mut solid) = (0, 0);
    sentence_bounds(line).into_iter().filter_map(move |at| {
        let new = line.get(looked_at..at).unwrap_or_default().trim_end();
        if !new.is_empty() {
            solid = looked_at + new.len();
        }
        looked_at = at;
        let end = without_opening(line.get(..at).unwrap_or_default()).len();
        let sentence = line.get(..solid.min(end)).unwrap_or_default();
        let goes_on = quote_goes_on(sentence, line.get(at..).unwrap_or_default());
        (!goes_on && ends_sentence(sentence, &mark, sentence.len() < end)).then_some(end)
    })
}

/// Returns whether it is plain that no sentence ends within the line, which is quicker than the
/// rules.
fn is_plainly_one_sentence(line: &str) -> bool {
    let content = line.trim_end().as_bytes();
    // A mark at the end of the line parts nothing.
    let inner = &content[..content.len().saturating_sub(1)];
    let may_end_sentence = |byte: &u8| matches!(byte, b'.' | b'!' | b'?' | b'\r');
    line.is_ascii() && !inner.iter().any(may_end_sentence)
}

/// Removes quotation marks and brackets at the end that open the next sentence: the rules of
/// Unicode count them to the one before, where no space parts them from its full stop.
fn without_opening(before: &str) -> &str {
    let sentence = before.trim_end_matches(['「', '『', '（', '〈', '《', '【', '〔', '“', '‘']);
    if sentence.ends_with(['。', '！', '？', '｡', '．']) {
        sentence
    } else {
        before
    }
}

/// Whether what follows a quotation takes it up within the same sentence, as Japanese does with its
/// particle: 「はい。」と言った.
fn quote_goes_on(sentence: &str, rest: &str) -> bool {
    sentence.ends_with(['」', '』']) && rest.starts_with(['と', 'っ', 'な', '、'])
}

/// Whether a boundary by the rules of Unicode after this is the end of a sentence: it follows white
/// space (`is_spaced`) or a full stop of a script that is written without spaces, and neither the
/// number of a list item nor an abbreviation.
///
/// `sentence` is the line up to there without that white space, and `mark` where the line's first
/// word is.
fn ends_sentence(sentence: &str, mark: &Range<usize>, is_spaced: bool) -> bool {
    let is_unspaced = sentence.ends_with(|c: char| !c.is_ascii());
    if !is_spaced && !is_unspaced {
        return false;
    }
    // The line may be a heading, or the sentence no more than the number of a list item.
    let end = mark.end.min(sentence.len());
    let first = sentence.get(mark.start..end).unwrap_or_default();
    if is_heading_mark(first) || (sentence.len() <= mark.end && is_item_mark(first)) {
        return false;
    }
    // Only after a full stop is the last word looked for: without white space it may be the whole
    // line.
    if !sentence.ends_with('.') {
        return true;
    }
    let word = sentence.rsplit(char::is_whitespace).next();
    !word.is_some_and(is_abbreviation)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// The first line of a list item.
    Item,
    TableRow,
    /// The line of dashes below the head of a table.
    TableRule,
    /// `# …`
    Heading,
    /// An indented line.
    Indented,
    Other,
}

impl LineKind {
    /// Whether the line belongs to a list item, given whether the line before it does.
    fn is_in_item(self, was_in_item: bool) -> bool {
        self == LineKind::Item || (was_in_item && self == LineKind::Indented)
    }

    /// Whether no sentence ends inside the line, whatever it says.
    fn is_one_sentence(self) -> bool {
        matches!(self, LineKind::TableRow | LineKind::Heading)
    }
}

fn classify_line(line: &str) -> LineKind {
    let content = line.trim();
    let first_word = content.split_whitespace().next().unwrap_or_default();
    if is_item_mark(first_word) {
        LineKind::Item
    } else if content.contains('|')
        && content.contains('-')
        && content.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
    {
        LineKind::TableRule
    } else if content.starts_with('|') {
        LineKind::TableRow
    } else if is_heading_mark(first_word) {
        LineKind::Heading
    } else if line.starts_with([' ', '\t']) {
        LineKind::Indented
    } else {
        LineKind::Other
    }
}

/// Whether a line's first word is the mark or the number of a list item: at most nine digits with a
/// full stop or bracket.
fn is_item_mark(word: &str) -> bool {
    let number = word.trim_end_matches(['.', ')']);
    let is_short = (1..10).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    matches!(word, "-" | "*" | "+" | "•" | "–") || (number.len() < word.len() && is_short)
}

/// Whether a line's first word makes it a heading.
fn is_heading_mark(word: &str) -> bool {
    (1..=6).contains(&word.len()) && word.bytes().all(|b| b == b'#')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    /// [`sentence_ends`] as it is defined: all that is before a place is looked at for each place.
    fn ends_slowly(line: &str) -> Vec<usize> {
        let places = line.split_sentence_bound_indices().skip(1);
        let before = places.map(|(at, _)| (without_opening(&line[..at]), &line[at..]));
        before
            .filter(|(before, rest)| is_end(before) && !quote_goes_on(before.trim_end(), rest))
            .map(|(before, _)| before.len())
            .collect()
    }

    fn is_end(before: &str) -> bool {
        let sentence = before.trim_end();
        let spaced = sentence.len() < before.len();
        let unspaced = sentence.chars().next_back().is_some_and(|c| !c.is_ascii());
        let word = sentence.rsplit(char::is_whitespace).next().unwrap();
        let number = classify_line(sentence) == LineKind::Item
            && sentence.split_whitespace().nth(1).is_none();
        (spaced || unspaced)
            && classify_line(sentence) != LineKind::Heading
            && !number
            && !is_abbreviation(word)
    }

    fn line() -> impl Strategy<Value = String> {
        let parts = [
            "A",
            "b",
            "No",
            "e.g",
            "。",
            "！",
            "「",
            "」",
            "と",
            "“",
            "”",
            ".",
            "!",
            "?",
            ")",
            "(",
            "#",
            "##",
            "|",
            "-",
            "*",
            "•",
            "1",
            "1.",
            "1234567890.",
            "\r",
            "\u{2028}",
            "\u{85}",
            "\u{3000}",
            "\u{a0}",
            " ",
            " ",
            " ",
            ". ",
            "é",
        ];
        proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..24)
            .prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn ends_meet_their_slow_twin(line in line()) {
            prop_assert_eq!(sentence_ends(&line).collect::<Vec<_>>(), ends_slowly(&line));
        }
    }
}
