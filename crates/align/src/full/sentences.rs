//! Sentences by the rules of Unicode, and lists and tables by their lines.

use super::spans::spans;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Byte offsets of the text where sentences, list items, table rows and paragraphs end, among them the ends of the lines.
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
    let number = mark.trim_end_matches(['.', ')']);
    let numbered = number.len() < mark.len() && (1..10).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    match mark {
        "-" | "*" | "+" | "•" | "–" => Kind::Item,
        _ if numbered => Kind::Item,
        _ if content.contains('|') && content.contains('-') && content.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) => {
            Kind::Rule
        }
        _ if content.starts_with('|') => Kind::Row,
        _ if !mark.is_empty() && mark.len() <= 6 && mark.bytes().all(|b| b == b'#') => Kind::Heading,
        _ if line.starts_with([' ', '\t']) => Kind::Indented,
        _ => Kind::Other,
    }
}

/// The cuts of lines that no blank line parts.
fn paragraph_cuts(text: &str, lines: &[Range<usize>], keep_items: bool) -> Vec<usize> {
    let kinds: Vec<Kind> = lines.iter().map(|line| kind(text.get(line.clone()).unwrap_or_default())).collect();
    let table = kinds.contains(&Kind::Rule);
    let start = lines.first().map_or(0, |line| line.start);
    let paragraph = text.get(start..lines.last().map_or(0, |line| line.end)).unwrap_or_default();
    let spans: Vec<Range<usize>> = spans(paragraph).into_iter().map(|span| start + span.start..start + span.end).collect();
    let mut places = Vec::new();
    let mut in_item = false;
    for (index, (line, kind)) in lines.iter().zip(&kinds).enumerate() {
        let next = kinds.get(index + 1);
        in_item = *kind == Kind::Item || (in_item && *kind == Kind::Indented);
        let whole = table || matches!(kind, Kind::Row | Kind::Heading) || (in_item && keep_items);
        if !whole {
            places.extend(line_cuts(text, line.clone()));
        }
        let goes_on =
            (in_item && keep_items && next == Some(&Kind::Indented)) || next == Some(&Kind::Rule) || *kind == Kind::Rule;
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
    let content = text.get(line).filter(|content| !is_one_sentence(content)).unwrap_or_default();
    let ends = content.split_sentence_bound_indices().skip(1).map(|(at, _)| content.get(..at).unwrap_or_default());
    ends.map(without_opening).filter(|before| ends_sentence(before)).map(move |before| start + before.len())
}

/// Whether it is plain to see that no sentence ends within the line, which is quicker than the rules.
fn is_one_sentence(line: &str) -> bool {
    let inner = line.trim_end().as_bytes().split_last().map_or(&[][..], |(_, inner)| inner);
    line.is_ascii() && !inner.iter().any(|byte| matches!(byte, b'.' | b'!' | b'?' | b'\r'))
}

/// Without quotation marks and brackets at the end that open the next sentence: the rules of Unicode count them to the one before,
/// where no space parts them from its full stop.
fn without_opening(before: &str) -> &str {
    let sentence = before.trim_end_matches(['「', '『', '（', '〈', '《', '【', '〔', '“', '‘']);
    if sentence.ends_with(['。', '！', '？', '｡', '．']) { sentence } else { before }
}

/// Whether a boundary by the rules of Unicode after this is the end of a sentence: it follows white space or a full stop of a script that
/// is written without spaces, and neither the number of a list item nor an abbreviation.
fn ends_sentence(before: &str) -> bool {
    let sentence = before.trim_end();
    let spaced = sentence.len() < before.len();
    let unspaced = sentence.chars().next_back().is_some_and(|c| !c.is_ascii());
    let word = sentence.rsplit(char::is_whitespace).next().unwrap_or_default();
    (spaced || unspaced) && kind(sentence) != Kind::Heading && !is_item_number(sentence) && !is_abbreviation(word)
}

fn is_item_number(line: &str) -> bool {
    kind(line) == Kind::Item && line.split_whitespace().nth(1).is_none()
}

/// Words that a full stop follows within a sentence although a capital letter comes next.
const ABBREVIATIONS: [&str; 31] = [
    "approx", "art", "cf", "ch", "dr", "e.g", "eq", "fig", "figs", "gen", "gov", "hon", "i.e", "lt", "mr", "mrs", "ms", "mt",
    "no", "nos", "pp", "prof", "rep", "rev", "sec", "sen", "sgt", "st", "viz", "vol", "vs",
];

fn is_abbreviation(word: &str) -> bool {
    let Some(word) = word.trim_start_matches(|c: char| !c.is_alphanumeric()).strip_suffix('.') else { return false };
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}
