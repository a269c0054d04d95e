//! Ends of sentences that the rules of Unicode do not know: before a small letter, and in scripts
//! whose sentences end in a space; and the words whose full stop ends none.

use crate::unspaced::ends_clauses_by_space;

/// Words besides the abbreviations before capital letters that a full stop follows within a
/// sentence.
const BEFORE_SMALL_LETTERS: [&str; 14] = [
    "al", "ca", "co", "corp", "dept", "ed", "eds", "esp", "est", "etc", "inc", "incl", "ltd",
    "resp",
];

/// Returns where sentences end inside a line whose writer uses no capital letters: one that begins
/// with a small letter, and in which no other sentence end was found.
///
/// Elsewhere a small letter after a full stop means that the sentence goes on ("etc. and").
pub(super) fn lower_case_ends(line: &str) -> Vec<usize> {
    let begins_small = line.trim_start().starts_with(char::is_lowercase);
    if !begins_small {
        return Vec::new();
    }
    let stops = line.match_indices(". ").map(|(at, _)| at + 1);
    stops
        .filter(|stop| ends_before_small_letter(line, *stop))
        .map(|stop| stop + space_length(&line[stop..]))
        .collect()
}

/// Whether a sentence ends at this full stop: after a word in small letters that is no
/// abbreviation, before another.
fn ends_before_small_letter(line: &str, stop: usize) -> bool {
    let (before, rest) = line.split_at(stop);
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let stem = word.trim_end_matches('.');
    let is_word = stem.chars().count() > 1
        && word.len() == stem.len() + 1
        && stem.chars().all(char::is_lowercase);
    is_word
        && !is_abbreviation(word)
        && !BEFORE_SMALL_LETTERS.contains(&stem)
        && rest.trim_start().starts_with(char::is_lowercase)
}

/// Returns where clauses of Thai or Lao end inside a line: at a space between two letters of them,
/// which is all that parts their sentences.
pub(super) fn clause_ends(line: &str) -> Vec<usize> {
    let is_letter = |c| ends_clauses_by_space(c) && !is_sign_or_digit(c);
    let mut ends = Vec::new();
    for (at, _) in line.match_indices(' ') {
        let (before, rest) = line.split_at(at);
        let follows_letter = before.chars().next_back().is_some_and(is_letter);
        if follows_letter && rest.trim_start().starts_with(is_letter) {
            ends.push(at + space_length(rest));
        }
    }
    ends
}

/// Thai's and Lao's signs of repetition and of abbreviation, and their digits: a space stands on
/// both sides of them within a sentence.
fn is_sign_or_digit(c: char) -> bool {
    matches!(c, 'ๆ' | 'ฯ' | 'ໆ' | 'ຯ' | '๐'..='๙' | '໐'..='໙')
}

fn space_length(rest: &str) -> usize {
    rest.len() - rest.trim_start().len()
}

/// Words that a full stop follows within a sentence although a capital letter comes next.
const ABBREVIATIONS: [&str; 31] = [
    "approx", "art", "cf", "ch", "dr", "e.g", "eq", "fig", "figs", "gen", "gov", "hon", "i.e",
    "lt", "mr", "mrs", "ms", "mt", "no", "nos", "pp", "prof", "rep", "rev", "sec", "sen", "sgt",
    "st", "viz", "vol", "vs",
];

/// Whether a word is an abbreviation with its full stop, or an initial.
pub(super) fn is_abbreviation(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let Some(stem) = word.strip_suffix('.') else {
        return false;
    };
    // One capital letter, as in `J. Doe`; `I` is a word of its own.
    let is_initial =
        stem.chars().count() == 1 && stem.chars().all(char::is_uppercase) && stem != "I";
    is_initial || ABBREVIATIONS.contains(&stem.to_lowercase().as_str())
}
