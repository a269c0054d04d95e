//! Sentences by the rules of Unicode, and lists and tables by their lines.

use super::bounds::bounds;
use super::spans::spans;
use std::ops::Range;

/// Byte offsets of the text where sentences, list items, table rows and paragraphs end, among them
/// the ends of the lines.
pub(super) fn cuts(text: &str, lines: &[Range<usize>]) -> Vec<usize> {
    let of = |line: &Range<usize>| text.get(line.clone()).unwrap_or_default();
    let blank = |line: &Range<usize>| of(line).trim().is_empty();
    let kinds: Vec<Kind> = lines.iter().map(|line| kind(of(line))).collect();
    let items = kinds.iter().filter(|kind| **kind == Kind::Item).count();
    let mut places = Vec::new();
    for paragraph in lines.chunk_by(|line, next| !blank(line) && !blank(next)) {
        places.extend(paragraph_cuts(text, paragraph, items > 1));
    }
    places
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The first line of a list item.
    Item,
    /// A row of a table.
    Row,
    /// The line of dashes below the head of a table.
    Rule,
    /// `# …`
    Heading,
    /// An indented line.
    Indented,
    Other,
}

fn kind(line: &str) -> Kind {
    let content = line.trim();
    let mark = content.split_whitespace().next().unwrap_or_default();
    match mark {
        _ if is_item_mark(mark) => Kind::Item,
        _ if content.contains('|')
            && content.contains('-')
            && content.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) =>
        {
            Kind::Rule
        }
        _ if content.starts_with('|') => Kind::Row,
        _ if is_heading_mark(mark) => Kind::Heading,
        _ if line.starts_with([' ', '\t']) => Kind::Indented,
        _ => Kind::Other,
    }
}

/// Whether a line's first word is the mark or the number of a list item.
fn is_item_mark(word: &str) -> bool {
    let number = word.trim_end_matches(['.', ')']);
    let short = number.len() < word.len() && (1..10).contains(&number.len());
    matches!(word, "-" | "*" | "+" | "•" | "–")
        || (short && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a line's first word makes it a heading.
fn is_heading_mark(word: &str) -> bool {
    (1..=6).contains(&word.len()) && word.bytes().all(|b| b == b'#')
}

/// The cuts of lines that no blank line parts.
fn paragraph_cuts(text: &str, lines: &[Range<usize>], keep_items: bool) -> Vec<usize> {
    let kinds: Vec<Kind> = lines
        .iter()
        .map(|line| kind(text.get(line.clone()).unwrap_or_default()))
        .collect();
    let table = kinds.contains(&Kind::Rule);
    let start = lines.first().map_or(0, |line| line.start);
    let paragraph = text
        .get(start..lines.last().map_or(0, |line| line.end))
        .unwrap_or_default();
    let spans: Vec<Range<usize>> = spans(paragraph)
        .into_iter()
        .map(|span| start + span.start..start + span.end)
        .collect();
    let mut places = Vec::new();
    let mut in_item = false;
    for (index, (line, kind)) in lines.iter().zip(&kinds).enumerate() {
        let next = kinds.get(index + 1);
        in_item = *kind == Kind::Item || (in_item && *kind == Kind::Indented);
        let whole = table || matches!(kind, Kind::Row | Kind::Heading) || (in_item && keep_items);
        if !whole {
            places.extend(line_cuts(text, line.clone()));
        }
        let goes_on = (in_item && keep_items && next == Some(&Kind::Indented))
            || next == Some(&Kind::Rule)
            || *kind == Kind::Rule;
        if !goes_on || next.is_none() {
            places.push(line.end);
        }
    }
    outside(places, &spans)
}

/// The places that are not inside a span.
fn outside(mut places: Vec<usize>, spans: &[Range<usize>]) -> Vec<usize> {
    let mut covered: Vec<Range<usize>> = spans.to_vec();
    covered.sort_unstable_by_key(|span| span.start);
    let (mut next, mut end) = (covered.iter().peekable(), 0);
    places.retain(|&place| {
        while let Some(span) = next.next_if(|span| span.start < place) {
            end = end.max(span.end);
        }
        place >= end
    });
    places
}

/// Where sentences end inside a line.
fn line_cuts(text: &str, line: Range<usize>) -> impl Iterator<Item = usize> {
    let start = line.start;
    let content = text
        .get(line)
        .filter(|content| !is_one_sentence(content))
        .unwrap_or_default();
    ends(content).map(move |end| start + end)
}

/// Where sentences end inside a line, in time linear in its length: at each place only what is new
/// since the place before it is looked at.
fn ends(line: &str) -> impl Iterator<Item = usize> {
    let mark = first_word(line);
    let (mut looked_at, mut solid) = (0, 0);
    bounds(line).into_iter().filter_map(move |at| {
        let new = line.get(looked_at..at).unwrap_or_default().trim_end();
        solid = if new.is_empty() {
            solid
        } else {
            looked_at + new.len()
        };
        looked_at = at;
        let before = line.get(..at).unwrap_or_default();
        let end = without_opening(before).len();
        let sentence = before.get(..solid.min(end)).unwrap_or_default();
        ends_sentence(sentence, &mark, sentence.len() < end).then_some(end)
    })
}

/// Where the first word of a line is.
fn first_word(line: &str) -> Range<usize> {
    let rest = line.trim_start();
    let start = line.len() - rest.len();
    start..start + rest.find(char::is_whitespace).unwrap_or(rest.len())
}

/// Whether it is plain to see that no sentence ends within the line, which is quicker than the
/// rules.
fn is_one_sentence(line: &str) -> bool {
    let inner = line
        .trim_end()
        .as_bytes()
        .split_last()
        .map_or(&[][..], |(_, inner)| inner);
    line.is_ascii()
        && !inner
            .iter()
            .any(|byte| matches!(byte, b'.' | b'!' | b'?' | b'\r'))
}

/// Without quotation marks and brackets at the end that open the next sentence: the rules of
/// Unicode count them to the one before, where no space parts them from its full stop.
fn without_opening(before: &str) -> &str {
    let sentence = before.trim_end_matches(['「', '『', '（', '〈', '《', '【', '〔', '“', '‘']);
    if sentence.ends_with(['。', '！', '？', '｡', '．']) {
        sentence
    } else {
        before
    }
}

/// Whether a boundary by the rules of Unicode after this is the end of a sentence: it follows white
/// space (`spaced`) or a full stop of a script that is written without spaces, and neither the
/// number of a list item nor an abbreviation.
///
/// `sentence` is the line up to there without that white space, and `mark` where the line's first
/// word is.
fn ends_sentence(sentence: &str, mark: &Range<usize>, spaced: bool) -> bool {
    let unspaced = sentence.chars().next_back().is_some_and(|c| !c.is_ascii());
    let first = sentence
        .get(mark.start..mark.end.min(sentence.len()))
        .unwrap_or_default();
    let is_number = sentence.len() <= mark.end && is_item_mark(first);
    (spaced || unspaced)
        && !is_heading_mark(first)
        && !is_number
        && !ends_with_abbreviation(sentence)
}

/// Only after a full stop is the last word looked for: without white space it may be the whole
/// line.
fn ends_with_abbreviation(sentence: &str) -> bool {
    let word = || {
        sentence
            .rsplit(char::is_whitespace)
            .next()
            .unwrap_or_default()
    };
    sentence.ends_with('.') && is_abbreviation(word())
}

/// Words that a full stop follows within a sentence although a capital letter comes next.
const ABBREVIATIONS: [&str; 31] = [
    "approx", "art", "cf", "ch", "dr", "e.g", "eq", "fig", "figs", "gen", "gov", "hon", "i.e",
    "lt", "mr", "mrs", "ms", "mt", "no", "nos", "pp", "prof", "rep", "rev", "sec", "sen", "sgt",
    "st", "viz", "vol", "vs",
];

fn is_abbreviation(word: &str) -> bool {
    let Some(word) = word
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .strip_suffix('.')
    else {
        return false;
    };
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    /// [`ends`] as it is said: all that is before a place is looked at for each place.
    fn ends_slowly(line: &str) -> Vec<usize> {
        let places = line.split_sentence_bound_indices().skip(1);
        let before = places.map(|(at, _)| without_opening(&line[..at]));
        before
            .filter(|before| is_end(before))
            .map(str::len)
            .collect()
    }

    fn is_end(before: &str) -> bool {
        let sentence = before.trim_end();
        let spaced = sentence.len() < before.len();
        let unspaced = sentence.chars().next_back().is_some_and(|c| !c.is_ascii());
        let word = sentence.rsplit(char::is_whitespace).next().unwrap();
        let number = kind(sentence) == Kind::Item && sentence.split_whitespace().nth(1).is_none();
        (spaced || unspaced) && kind(sentence) != Kind::Heading && !number && !is_abbreviation(word)
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
            prop_assert_eq!(ends(&line).collect::<Vec<_>>(), ends_slowly(&line));
        }
    }
}
