//! Two scores: the first line "8 9" (Vicuna's reviews; Wang et al., "Large Language Models are not
//! Fair Evaluators"), or what is said of Assistant 1 and Assistant 2.

use super::decide::{Statement, decide};
use super::number::out_of;
use super::own_words::Reply;
use super::words::{Word, number, placed_words, sentences};
use super::{NoVerdict, Stated};
use crate::Scale;
use std::ops::Range;

/// The first line decides if it is two numbers: that is the notation. Else the statements of the
/// text do.
pub(super) fn read(reply: &Reply, scale: Scale) -> Result<Stated, NoVerdict> {
    let first_line = reply.text.trim_start().lines().next().unwrap_or_default();
    let first_line = tokens(first_line);
    let stated = match pair_alone(&first_line) {
        Some((first, second)) => Stated::Scores(first, second),
        None => decide(reply, statements(reply))
            .or_else(|none| leading_pair(&first_line).ok_or(none))?,
    };
    stated.on(scale)
}

/// What a sentence gives.
enum Given {
    First(f64),
    Second(f64),
    Pair(f64, f64),
}

/// The scores that were given so far and await the other one.
#[derive(Default)]
struct Pending {
    first: Option<(usize, f64)>,
    second: Option<(usize, f64)>,
    /// The assistant of the heading that the text stands under.
    heading: Option<u8>,
}

fn statements(reply: &Reply) -> Vec<Statement> {
    let mut pending = Pending::default();
    let mut found = Vec::new();
    for range in sentences(reply.text) {
        let mut tokens = tokens(reply.text.get(range.clone()).unwrap_or_default());
        tokens.retain(|word| reply.quotation(range.start + word.at).is_none());
        for given in given(&tokens, &mut pending.heading) {
            found.extend(pending.take(&given, &range));
        }
    }
    found
}

impl Pending {
    /// The pair, when this completes it.
    fn take(&mut self, given: &Given, range: &Range<usize>) -> Option<Statement> {
        match *given {
            Given::First(score) => self.first = Some((range.start, score)),
            Given::Second(score) => self.second = Some((range.start, score)),
            Given::Pair(first, second) => {
                (self.first, self.second) =
                    (Some((range.start, first)), Some((range.start, second)))
            }
        }
        let ((at, first), (other, second)) = (self.first?, self.second?);
        (self.first, self.second) = (None, None);
        Some(Statement {
            at: at.min(other)..range.end,
            stated: Stated::Scores(first, second),
        })
    }
}

/// The words of a sentence without the brackets around them. A dash after a name is a colon
/// ("Assistant 1 - 8").
fn tokens(sentence: &str) -> Vec<Word> {
    let mut tokens: Vec<Word> = Vec::new();
    for word in placed_words(sentence) {
        match (bare(&word.text), tokens.as_mut_slice()) {
            ("-" | "–" | "—", [.., name, number]) if NAMES.contains(&name.text.as_str()) => {
                number.colon = true
            }
            ("", _) => {}
            (text, _) => tokens.push(Word {
                text: text.to_string(),
                ..word
            }),
        }
    }
    tokens
}

fn bare(text: &str) -> &str {
    let text = text.trim_matches(|c: char| "()[]{},:;.*".contains(c));
    text.strip_suffix("'s")
        .or_else(|| text.strip_suffix("’s"))
        .unwrap_or(text)
}

/// A line that is two numbers, and at most a label before them: "8 9", "(8, 9)", "Output: 8/10,
/// 9/10".
fn pair_alone(tokens: &[Word]) -> Option<(f64, f64)> {
    let texts: Vec<&str> = tokens.iter().map(|word| word.text.as_str()).collect();
    let after_label = texts.iter().position(|word| !LABELS.contains(word))?;
    match texts.get(after_label..)? {
        [first, second] => Some((out_of(first)?, out_of(second)?)),
        [both] => both
            .split_once(',')
            .and_then(|(first, second)| Some((out_of(first)?, out_of(second)?))),
        _ => None,
    }
}

/// "8 9 Both assistants ...": two numbers and then words.
fn leading_pair(tokens: &[Word]) -> Option<Stated> {
    let [first, second, next, ..] = tokens else {
        return None;
    };
    let pair = Stated::Scores(out_of(&first.text)?, out_of(&second.text)?);
    next.text.contains(char::is_alphabetic).then_some(pair)
}

/// The scores that a sentence gives to the assistants it names.
fn given(tokens: &[Word], heading: &mut Option<u8>) -> Vec<Given> {
    if let Some((first, second)) = pair_alone(tokens) {
        return vec![Given::Pair(first, second)];
    }
    let (named, scores) = (named(tokens), scores(tokens));
    let only = |slot: u8| named.iter().all(|(_, named)| *named == slot);
    let to_all = tokens
        .iter()
        .any(|word| matches!(word.text.as_str(), "both" | "each"));
    match (named.as_slice(), scores.as_slice()) {
        ([(_, slot)], []) if tokens.len() <= LONGEST_HEADING => *heading = Some(*slot),
        (_, [(_, score)]) if to_all => return vec![Given::Pair(*score, *score)],
        ([], [(_, score)]) if begins_with_label(tokens) => {
            return heading.map(|slot| to(slot, *score)).into_iter().collect();
        }
        ([], [(_, first), (_, second)]) if begins_with_label(tokens) => {
            return vec![Given::Pair(*first, *second)];
        }
        ([(_, slot), ..], [(_, score)]) if only(*slot) => return vec![to(*slot, *score)],
        ([_, ..], [(at, score)]) => return vec![to(nearest(&named, *at), *score)],
        ([(_, slot), rest @ ..], [(_, first), (_, second)])
            if rest.iter().any(|(_, other)| other != slot) =>
        {
            return vec![to(*slot, *first), to(3 - *slot, *second)];
        }
        _ => {}
    }
    Vec::new()
}

fn to(slot: u8, score: f64) -> Given {
    if slot == 1 {
        Given::First(score)
    } else {
        Given::Second(score)
    }
}

/// The assistant named last before a word, else the first after it.
fn nearest(named: &[(usize, u8)], at: usize) -> u8 {
    let before = named.iter().rev().find(|(place, _)| *place < at);
    before.or(named.first()).map_or(1, |(_, slot)| *slot)
}

/// Where assistants are named, and which: "Assistant 1", "Assistant B", "Response 2".
fn named(tokens: &[Word]) -> Vec<(usize, u8)> {
    let slot = |(at, word): (usize, &Word)| match (
        word.text.as_str(),
        tokens.get(at + 1)?.text.as_str(),
    ) {
        (name, "1") if NAMES.contains(&name) => Some((at, 1)),
        (name, "2") if NAMES.contains(&name) => Some((at, 2)),
        ("assistant" | "assistants", "a") => Some((at, 1)),
        ("assistant" | "assistants", "b") => Some((at, 2)),
        _ => None,
    };
    tokens.iter().enumerate().filter_map(slot).collect()
}

/// Where scores are given, and what they are.
fn scores(tokens: &[Word]) -> Vec<(usize, f64)> {
    let of = |at: usize| {
        out_of(&tokens.get(at)?.text)
            .filter(|_| is_score(tokens, at))
            .map(|score| (at, score))
    };
    (0..tokens.len()).filter_map(of).collect()
}

/// A number is a score by what stands around it: "8/10", "8 out of 10", "Assistant 1: 8", "a score
/// of 8", "receives an 8".
fn is_score(tokens: &[Word], at: usize) -> bool {
    let word = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .map_or("", |word| word.text.as_str())
    };
    let (one_back, two_back) = (at.checked_sub(1), at.checked_sub(2));
    if NAMES.contains(&word(one_back)) || (word(one_back) == "of" && word(two_back) == "out") {
        return false;
    }
    let colon = one_back
        .and_then(|at| tokens.get(at))
        .is_some_and(|word| word.colon);
    let scored = tokens
        .iter()
        .take(at)
        .rev()
        .take(LONGEST_CLAUSE)
        .any(|word| SCORE.contains(&word.text.as_str()));
    let introduced = matches!(
        word(one_back),
        "of" | "is" | "are" | "a" | "an" | "and" | "score"
    ) || number(word(one_back)).is_some();
    word(Some(at)).contains('/')
        || (word(Some(at + 1)), word(Some(at + 2))) == ("out", "of")
        || (colon && (scored || NAMES.contains(&word(two_back))))
        || (introduced && scored)
}

fn begins_with_label(tokens: &[Word]) -> bool {
    let before = tokens
        .iter()
        .take_while(|word| out_of(&word.text).is_none());
    before
        .clone()
        .any(|word| SCORE.contains(&word.text.as_str()))
        && before.count() <= LONGEST_HEADING
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
