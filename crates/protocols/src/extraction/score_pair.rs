//! Two scores: the first line "8 9" (Vicuna's reviews; Wang et al., "Large Language Models are not
//! Fair Evaluators"), or what is said of Assistant 1 and Assistant 2.

use super::lone_number::parse_fraction;
use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::words::{Word, parse_number, sentences, split_words, texts_of};
use super::{Reading, Stated};
use crate::Scale;
use std::ops::Range;

/// Reads two scores. The first line decides if it is two numbers: that is the notation. Else the
/// statements of the text do.
pub(super) fn read_score_pair(reply: &ReplyText, scale: Scale) -> Reading {
    let first_line = reply.text.trim_start().lines().next().unwrap_or_default();
    let first_line = split_tokens(first_line);
    let stated = match parse_pair(&first_line) {
        Some([first, second]) => Stated::Scores(first, second),
        None => read_stated_pair(reply, &first_line)?,
    };
    stated.check_scale(scale)
}

/// Reads what the text states, else two numbers that open its first line.
fn read_stated_pair(reply: &ReplyText, first_line: &[Word]) -> Reading {
    let stated = find_verdict(reply, find_statements(reply));
    stated.or_else(|none| parse_leading_pair(first_line).ok_or(none))
}

/// One of the two that are judged.
#[derive(Clone, Copy, PartialEq)]
enum Assistant {
    First,
    Second,
}

impl Assistant {
    fn other(self) -> Assistant {
        match self {
            Assistant::First => Assistant::Second,
            Assistant::Second => Assistant::First,
        }
    }
}

/// A score, or two, as a sentence gives them.
enum Given {
    One(Assistant, f64),
    Both([f64; 2]),
}

/// A score and where its sentence begins.
#[derive(Clone, Copy)]
struct Placed {
    at: usize,
    score: f64,
}

/// The scores that were given so far.
#[derive(Default)]
struct Pending {
    /// A score that awaits the other one.
    first: Option<Placed>,
    second: Option<Placed>,
    /// The assistant of the heading that the text stands under.
    heading: Option<Assistant>,
}

fn find_statements(reply: &ReplyText) -> Vec<Statement> {
    let mut pending = Pending::default();
    let mut found = Vec::new();
    for range in sentences(reply.text) {
        let tokens = split_own_tokens(reply, &range);
        for given in read_given(&tokens, &mut pending.heading) {
            found.extend(pending.add(&given, &range));
        }
    }
    found
}

/// Splits a sentence into the words that are not quoted.
fn split_own_tokens(reply: &ReplyText, range: &Range<usize>) -> Vec<Word> {
    let mut tokens = split_tokens(reply.text.get(range.clone()).unwrap_or_default());
    tokens.retain(|word| reply.find_quotation(range.start + word.at).is_none());
    tokens
}

impl Pending {
    /// Adds what the sentence in `range` gives; returns the pair where this completes it.
    fn add(&mut self, given: &Given, range: &Range<usize>) -> Option<Statement> {
        let at = range.start;
        match *given {
            Given::One(Assistant::First, score) => self.first = Some(Placed { at, score }),
            Given::One(Assistant::Second, score) => self.second = Some(Placed { at, score }),
            Given::Both(scores) => {
                [self.first, self.second] = scores.map(|score| Some(Placed { at, score }));
            }
        }
        self.complete(range.end)
    }

    /// Returns the pair that ends at a byte, where both scores are there.
    fn complete(&mut self, end: usize) -> Option<Statement> {
        let (first, second) = self.first.zip(self.second)?;
        (self.first, self.second) = (None, None);
        Some(Statement {
            at: first.at.min(second.at)..end,
            stated: Stated::Scores(first.score, second.score),
        })
    }
}

/// Splits a sentence into words without the brackets around them. A dash after a name is a colon
/// ("Assistant 1 - 8").
fn split_tokens(sentence: &str) -> Vec<Word> {
    let mut tokens: Vec<Word> = Vec::new();
    for word in split_words(sentence) {
        match (strip_brackets(&word.text), tokens.as_mut_slice()) {
            ("-" | "–" | "—", [.., name, number]) if is_name(&name.text) => number.colon = true,
            ("", _) => {}
            (text, _) => tokens.push(Word {
                text: text.to_string(),
                ..word
            }),
        }
    }
    tokens
}

fn strip_brackets(text: &str) -> &str {
    let text = text.trim_matches(|c: char| "()[]{},:;.*".contains(c));
    text.strip_suffix("'s")
        .or_else(|| text.strip_suffix("’s"))
        .unwrap_or(text)
}

fn is_name(text: &str) -> bool {
    NAMES.contains(&text)
}

/// Parses two numbers, and at most a label before them: "8 9", "(8, 9)", "Output: 8/10, 9/10".
fn parse_pair(tokens: &[Word]) -> Option<[f64; 2]> {
    let label = tokens.iter().position(|word| !word.is_any_of(&LABELS))?;
    let [first, second] = match texts_of(tokens.get(label..)?).as_slice() {
        [first, second] => [*first, *second],
        [both] => both.split_once(',')?.into(),
        _ => return None,
    };
    Some([parse_fraction(first)?, parse_fraction(second)?])
}

/// Parses two numbers and then words: "8 9 Both assistants ...".
fn parse_leading_pair(tokens: &[Word]) -> Option<Stated> {
    let [first, second, next, ..] = tokens else {
        return None;
    };
    let pair = Stated::Scores(parse_fraction(&first.text)?, parse_fraction(&second.text)?);
    next.text.contains(char::is_alphabetic).then_some(pair)
}

/// Where a sentence names an assistant.
struct Named {
    at: usize,
    assistant: Assistant,
}

/// Reads the scores that a sentence gives to the assistants it names, or to the one of the heading.
/// A sentence that is itself a heading becomes that.
fn read_given(tokens: &[Word], heading: &mut Option<Assistant>) -> Vec<Given> {
    if let Some(pair) = parse_pair(tokens) {
        return vec![Given::Both(pair)];
    }
    let named = find_names(tokens);
    match find_scores(tokens).as_slice() {
        [] => {
            *heading = read_heading(tokens, &named).or(*heading);
            Vec::new()
        }
        [only] => Vec::from_iter(attribute_score(tokens, &named, *only, *heading)),
        [first, second] => attribute_scores(tokens, &named, [first.score, second.score]),
        _ => Vec::new(),
    }
}

/// Returns the assistant of a short sentence that names one.
fn read_heading(tokens: &[Word], named: &[Named]) -> Option<Assistant> {
    match named {
        [only] if tokens.len() <= LONGEST_HEADING => Some(only.assistant),
        _ => None,
    }
}

/// Returns whose score the only one of a sentence is.
fn attribute_score(
    tokens: &[Word],
    named: &[Named],
    given: Placed,
    heading: Option<Assistant>,
) -> Option<Given> {
    if tokens.iter().any(|word| word.is_any_of(&["both", "each"])) {
        return Some(Given::Both([given.score; 2]));
    }
    let heading = heading.filter(|_| begins_with_label(tokens));
    let assistant = find_nearest(named, given.at).or(heading)?;
    Some(Given::One(assistant, given.score))
}

/// Returns whose scores the two of a sentence are.
fn attribute_scores(tokens: &[Word], named: &[Named], scores: [f64; 2]) -> Vec<Given> {
    let Some((Named { assistant, .. }, rest)) = named.split_first() else {
        let both = begins_with_label(tokens).then_some(Given::Both(scores));
        return Vec::from_iter(both);
    };
    if rest.iter().all(|other| other.assistant == *assistant) {
        return Vec::new();
    }
    vec![
        Given::One(*assistant, scores[0]),
        Given::One(assistant.other(), scores[1]),
    ]
}

/// Returns the assistant named last before a word, else the first after it.
fn find_nearest(named: &[Named], at: usize) -> Option<Assistant> {
    let before = named.iter().rev().find(|name| name.at < at);
    before.or(named.first()).map(|name| name.assistant)
}

/// Finds where assistants are named: "Assistant 1", "Assistant B", "Response 2".
fn find_names(tokens: &[Word]) -> Vec<Named> {
    let pairs = tokens.windows(2).enumerate();
    let named = pairs.filter_map(|(at, pair)| {
        let assistant = parse_name(&pair[0].text, &pair[1].text)?;
        Some(Named { at, assistant })
    });
    named.collect()
}

fn parse_name(noun: &str, number: &str) -> Option<Assistant> {
    match (noun, number) {
        (noun, "1") if is_name(noun) => Some(Assistant::First),
        (noun, "2") if is_name(noun) => Some(Assistant::Second),
        ("assistant" | "assistants", "a") => Some(Assistant::First),
        ("assistant" | "assistants", "b") => Some(Assistant::Second),
        _ => None,
    }
}

/// Finds where scores are given, by the word.
fn find_scores(tokens: &[Word]) -> Vec<Placed> {
    let scores = (0..tokens.len()).filter_map(|at| {
        let score = parse_fraction(&tokens.get(at)?.text)?;
        let place = NumberPlace { tokens, at };
        place.is_score().then_some(Placed { at, score })
    });
    scores.collect()
}

/// A number among the words of a sentence.
struct NumberPlace<'t> {
    tokens: &'t [Word],
    at: usize,
}

impl NumberPlace<'_> {
    /// Whether the number is a score by what stands around it: "8/10", "8 out of 10", "Assistant 1:
    /// 8", "a score of 8", "receives an 8".
    fn is_score(&self) -> bool {
        if self.is_in_a_name() || self.is_top() {
            return false;
        }
        self.has_top() || self.is_behind_colon() || self.is_introduced()
    }

    /// Returns a word by its distance from the number; empty where there is none.
    fn text_at(&self, distance: isize) -> &str {
        self.word_at(distance).map_or("", |word| word.text.as_str())
    }

    fn word_at(&self, distance: isize) -> Option<&Word> {
        self.tokens.get(self.at.checked_add_signed(distance)?)
    }

    /// "Assistant 1"
    fn is_in_a_name(&self) -> bool {
        is_name(self.text_at(-1))
    }

    /// "out of 10"
    fn is_top(&self) -> bool {
        (self.text_at(-2), self.text_at(-1)) == ("out", "of")
    }

    /// "8/10", "8 out of 10"
    fn has_top(&self) -> bool {
        self.text_at(0).contains('/') || (self.text_at(1), self.text_at(2)) == ("out", "of")
    }

    /// "Assistant 1: 8", "Score: 8"
    fn is_behind_colon(&self) -> bool {
        self.word_at(-1).is_some_and(|word| word.colon)
            && (is_name(self.text_at(-2)) || self.is_about_scores())
    }

    /// "a score of 8", "receives scores of 8 and 9"
    fn is_introduced(&self) -> bool {
        let before = self.text_at(-1);
        let leads = matches!(before, "of" | "is" | "are" | "a" | "an" | "and" | "score");
        (leads || parse_number(before).is_some()) && self.is_about_scores()
    }

    /// Whether the words before it speak of scores.
    fn is_about_scores(&self) -> bool {
        let before = self.tokens.iter().take(self.at).rev();
        let mut near = before.take(LONGEST_CLAUSE);
        near.any(|word| word.is_any_of(&SCORE))
    }
}

/// Whether a few words that speak of a score stand before the first number.
fn begins_with_label(tokens: &[Word]) -> bool {
    let tokens = tokens.iter();
    let label = tokens.take_while(|word| parse_fraction(&word.text).is_none());
    label.clone().any(|word| word.is_any_of(&SCORE)) && label.count() <= LONGEST_HEADING
}

const LABELS: [&str; 8] = [
    "output", "scores", "score", "final", "rating", "ratings", "the", "are",
];
const NAMES: [&str; 4] = ["assistant", "assistants", "response", "answer"];
const SCORE: [&str; 20] = [
    "score", "scores", "scored", "rating", "rate", "rated", "give", "gives", "assign", "assigned",
    "receive", "receives", "deserves", "get", "gets", "earns", "award", "awarded", "deserve",
    "giving",
];
/// The words of a heading: "Evaluation of Assistant 1's code:".
const LONGEST_HEADING: usize = 6;
/// How many words before a number may make it a score (a bound, so that time stays linear in
/// endless sentences).
const LONGEST_CLAUSE: usize = 40;
