//! Two scores: the first line "8 9" (Vicuna's reviews; Wang et al., "Large Language Models are not
//! Fair Evaluators"), or what is said of Assistant 1 and Assistant 2.

use super::lone_number::parse_fraction;
use super::quotations::ReplyText;
use super::statements::{Statement, find_verdict};
use super::words::{Word, parse_number, sentences, split_words, texts_of};
use super::{Reading, Stated};
use crate::Scale;

/// Reads two scores. The first line decides if it is two numbers: that is the notation. Else the
/// statements of the text do.
pub(super) fn read_score_pair(reply: &ReplyText, scale: Scale) -> Reading {
    let first_line = reply.text.trim_start().lines().next().unwrap_or_default();
    let first_line = split_tokens(first_line);
    let stated = match parse_pair(&first_line) {
        Some([first, second]) => Stated::Scores(first, second),
        // Two numbers may also open the first line: "8 9 Both assistants ...".
        None => find_verdict(reply, find_statements(reply))
            .or_else(|none| parse_leading_pair(&first_line).ok_or(none))?,
    };
    stated.check_scale(scale)
}

/// One of the two that are judged.
#[derive(Clone, Copy, PartialEq)]
enum Assistant {
    First,
    Second,
}

/// A score, or two, as a sentence gives them.
enum Given {
    One(Assistant, f64),
    Both([f64; 2]),
}

/// Finds every pair of scores, which may be given in two sentences.
fn find_statements(reply: &ReplyText) -> Vec<Statement> {
    let mut found = Vec::new();
    // Scores that await the other one, with the beginnings of their sentences.
    let mut pending: [Option<(usize, f64)>; 2] = [None; 2];
    // The assistant of the heading that the text stands under.
    let mut heading: Option<Assistant> = None;
    for range in sentences(reply.text) {
        let mut tokens = split_tokens(&reply.text[range.clone()]);
        tokens.retain(|word| reply.find_quotation(range.start + word.at).is_none());
        for given in read_given(&tokens, &mut heading) {
            match given {
                Given::One(Assistant::First, score) => pending[0] = Some((range.start, score)),
                Given::One(Assistant::Second, score) => pending[1] = Some((range.start, score)),
                Given::Both(scores) => pending = scores.map(|score| Some((range.start, score))),
            }
            if let [Some((first_at, first)), Some((second_at, second))] = pending {
                pending = [None; 2];
                found.push(Statement {
                    at: first_at.min(second_at)..range.end,
                    stated: Stated::Scores(first, second),
                });
            }
        }
    }
    found
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

/// Reads the scores that a sentence gives to the assistants it names, or to the one of the heading.
/// A sentence that is itself a heading becomes that.
fn read_given(tokens: &[Word], heading: &mut Option<Assistant>) -> Vec<Given> {
    if let Some(pair) = parse_pair(tokens) {
        return vec![Given::Both(pair)];
    }
    let named = find_names(tokens);
    let mut scores = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if let Some(score) = parse_fraction(&token.text).filter(|_| is_score(tokens, at)) {
            scores.push((at, score));
        }
    }
    match scores[..] {
        [] => {
            if let [(_, only)] = named[..]
                && tokens.len() <= LONGEST_HEADING
            {
                *heading = Some(only);
            }
            Vec::new()
        }
        [(at, score)] => {
            if tokens.iter().any(|word| word.is_any_of(&["both", "each"])) {
                return vec![Given::Both([score; 2])];
            }
            // Of the assistant named last before it, else of the first after it, else of the
            // heading's.
            let before = named.iter().rev().find(|(name, _)| *name < at);
            let nearest = before.or(named.first()).map(|(_, assistant)| *assistant);
            let heading = heading.filter(|_| begins_with_label(tokens));
            let whose = nearest.or(heading);
            Vec::from_iter(whose.map(|assistant| Given::One(assistant, score)))
        }
        [(_, first), (_, second)] => match named.first() {
            None if begins_with_label(tokens) => vec![Given::Both([first, second])],
            Some((_, one)) if named.iter().any(|(_, other)| other != one) => {
                let other = match one {
                    Assistant::First => Assistant::Second,
                    Assistant::Second => Assistant::First,
                };
                vec![Given::One(*one, first), Given::One(other, second)]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Finds the words at which assistants are named: "Assistant 1", "Assistant B", "Response 2".
fn find_names(tokens: &[Word]) -> Vec<(usize, Assistant)> {
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        let assistant = match (pair[0].text.as_str(), pair[1].text.as_str()) {
            (noun, "1") if is_name(noun) => Assistant::First,
            (noun, "2") if is_name(noun) => Assistant::Second,
            ("assistant" | "assistants", "a") => Assistant::First,
            ("assistant" | "assistants", "b") => Assistant::Second,
            _ => continue,
        };
        found.push((at, assistant));
    }
    found
}

/// Whether a number is a score by what stands around it: "8/10", "8 out of 10", "Assistant 1: 8",
/// "a score of 8", "receives an 8".
fn is_score(tokens: &[Word], at: usize) -> bool {
    // A word by its distance from the number; empty where there is none.
    let text_at = |distance: isize| {
        let word = at
            .checked_add_signed(distance)
            .and_then(|at| tokens.get(at));
        word.map_or("", |word| word.text.as_str())
    };
    let before = text_at(-1);
    // "Assistant 1", "out of 10"
    if is_name(before) || (text_at(-2), before) == ("out", "of") {
        return false;
    }
    // "8/10", "8 out of 10"
    if text_at(0).contains('/') || (text_at(1), text_at(2)) == ("out", "of") {
        return true;
    }
    let is_about_scores = || {
        let mut near = tokens[..at].iter().rev().take(LONGEST_CLAUSE);
        near.any(|word| word.is_any_of(&SCORE))
    };
    // "Assistant 1: 8", "Score: 8"
    let is_behind_colon = tokens[..at].last().is_some_and(|word| word.colon);
    if is_behind_colon && (is_name(text_at(-2)) || is_about_scores()) {
        return true;
    }
    // "a score of 8", "receives scores of 8 and 9"
    let leads = matches!(before, "of" | "is" | "are" | "a" | "an" | "and" | "score");
    (leads || parse_number(before).is_some()) && is_about_scores()
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
