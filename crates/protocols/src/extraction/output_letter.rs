//! "Output (a)", "Therefore, Output (b) is better." (Zeng et al., "Evaluating LLMs at Evaluating
//! Instruction Following").
//!
//! The prompts ask for the label alone, or for an explanation that ends with the sentence. Judges
//! also write the sentence first, say it in other words, and report what others argue. So
//! statements have ranks, and the best rank that a reply has decides alone.

use super::quotations::ReplyText;
use super::statements::{Statement, explain_absence, find_verdict, has_words};
use super::words::{Word, sentences, split_words};
use super::{NoVerdict, Reading, Stated};
use crate::lexicon::List::{
    AnotherVoice, Faults, Ills, Losing, OutputAdverbs, OutputBetter, OutputConclusion, Rejecting,
    Worse,
};
use std::ops::Range;

/// How plainly a sentence gives the verdict, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// "Output (a) is better", alone, at a sentence's beginning, or after "Therefore", "I conclude"
    /// and the like.
    Concluding,
    /// A sentence that begins otherwise and calls the label better.
    Passing,
    /// The label alone.
    Label,
}

/// Reads the verdict from the statements of the best rank that is the judge's own.
pub(super) fn read_output_letter(reply: &ReplyText) -> Reading {
    let mut ranked: Vec<(Rank, Statement)> = Vec::new();
    for range in sentences(reply.text) {
        let sentence = &reply.text[range.clone()];
        if sentence.trim_end().ends_with('?') {
            continue;
        }
        let words = split_words(sentence);
        for (at, first) in words.iter().enumerate() {
            let (stated, count) = match (first.text.as_str(), text_at(&words, at + 1)) {
                ("output", "(a)") => (Stated::First, 2),
                ("output", "(b)") => (Stated::Second, 2),
                ("output(a)", _) => (Stated::First, 1),
                ("output(b)", _) => (Stated::Second, 1),
                _ => continue,
            };
            if let Some(rank) = rank_label(&words, at..at + count) {
                let at = range.start + first.at..range.end;
                ranked.push((rank, Statement { at, stated }));
            }
        }
    }
    let own = ranked
        .iter()
        .filter(|(_, one)| reply.find_quotation(one.at.start).is_none());
    let best = own.map(|(rank, _)| *rank).min();
    if best.is_none() {
        // The last sentence may say that both are as good or as bad.
        let sentences = sentences(reply.text).map(|range| &reply.text[range]);
        let last = sentences.filter(|sentence| has_words(sentence)).last();
        let words = split_words(last.unwrap_or_default());
        if words.iter().any(|word| word.is_any_of(&UNDECIDED)) {
            return Err(NoVerdict::Undecided);
        }
    }
    let of_best = ranked
        .into_iter()
        .filter(|(rank, _)| best.is_none_or(|best| *rank == best));
    let statements: Vec<Statement> = of_best.map(|(_, statement)| statement).collect();
    match best {
        Some(Rank::Label) => read_labels(reply.text, &statements),
        _ => find_verdict(reply, statements),
    }
}

/// Reads labels that stand alone. They may be headings: they are the verdict if they agree and one
/// of them begins or ends the reply.
fn read_labels(text: &str, statements: &[Statement]) -> Reading {
    for pair in statements.windows(2) {
        if pair[0].stated != pair[1].stated {
            return Err(NoVerdict::Contradictory(pair[0].stated, pair[1].stated));
        }
    }
    let mut labels = statements.iter();
    match labels.find(|one| !has_words(&text[..one.at.start]) || !has_words(&text[one.at.end..])) {
        Some(label) => Ok(label.stated),
        None => Err(explain_absence(text)),
    }
}

/// Returns how plainly a sentence gives the label at `label` as its verdict; None where it does
/// not.
fn rank_label(words: &[Word], label: Range<usize>) -> Option<Rank> {
    let (before, after) = (words.get(..label.start)?, words.get(label.end..)?);
    let near = &before[before.len().saturating_sub(LONGEST_CLAUSE)..];
    let only_label = near.len() == before.len() && near.iter().all(|word| word.is_any_of(&VERDICT));
    // Nothing follows a label that stands alone, or a remark in brackets; a colon makes it a
    // heading.
    let is_heading = words[..label.end].last().is_some_and(|word| word.colon);
    let is_last = after.first().is_none_or(|next| next.text.starts_with('('));
    if only_label && is_last && !is_heading {
        return Some(Rank::Label);
    }
    let is_choice = is_called_better(after) || is_chosen(near);
    if !is_choice || is_in_another_voice(near) {
        return None;
    }
    let says_i = near.iter().any(|word| word.text == "i");
    // Whether the sentence begins as a conclusion does.
    let concludes = match (text_at(before, 0), text_at(before, 1)) {
        ("in", "conclusion" | "summary" | "short") | ("based", "on") => true,
        _ => before
            .first()
            .is_some_and(|first| first.is_in(OutputConclusion)),
    };
    if only_label || says_i || concludes {
        Some(Rank::Concluding)
    } else {
        Some(Rank::Passing)
    }
}

/// Whether what precedes these words is called better: "is clearly the better output".
fn is_called_better(after: &[Word]) -> bool {
    let [is, rest @ ..] = after else {
        return false;
    };
    let mut rest = rest.iter().skip_while(|word| word.is_in(OutputAdverbs));
    if is.text != "is" || !rest.next().is_some_and(|word| word.is_in(OutputBetter)) {
        return false;
    }
    let mut rest = rest.map(|word| word.text.as_str());
    // What follows may narrow it: "better at rhyming", "better in terms of length", "better
    // organized".
    match rest.next() {
        Some("in") => rest.next() != Some("terms"),
        // `Better than nothing`.
        Some("than") => rest.any(|word| {
            let others = ["other", "alternative", "competitor", "first", "second"];
            word.starts_with("(") || word.starts_with("output") || others.contains(&word)
        }),
        Some("only") => matches!(rest.next(), Some("because" | "due" | "since")),
        Some("at" | "written" | "with" | "on" | "if") => false,
        Some(next) => !next.ends_with("ed"),
        None => true,
    }
}

/// Whether the words choose what follows: "the better output is", "I choose"; of "the output that
/// fails is" nobody knows which one is better.
fn is_chosen(before: &[Word]) -> bool {
    match before.split_last() {
        Some((last, before)) if last.text == "is" => {
            let clause = behind_last(before, |word| word.comma);
            let ill = [Worse, Faults, Losing, Rejecting];
            let turns =
                |word: &Word| word.is_any_of(&TURNING) || ill.iter().any(|list| word.is_in(*list));
            let fewer = |pair: &[Word]| pair[0].text == "fewer" && pair[1].is_in(Ills);
            let names = |word: &Word| word.is_in(OutputBetter) || word.is_any_of(&NAMING);
            (before.iter().any(names) || before.windows(2).any(fewer)) && !clause.iter().any(turns)
        }
        Some((verb, _)) => verb.is_any_of(&CHOOSE),
        None => false,
    }
}

/// Whether the words before the label report, suppose, concede or deny. What stands before a
/// "therefore" does not matter.
fn is_in_another_voice(before: &[Word]) -> bool {
    let before = behind_last(before, |word| word.is_any_of(&THEREFORE));
    // `For this reason` is a therefore.
    let before = match before {
        [first, it, _, rest @ ..] if first.text == "for" && it.is_any_of(&["this", "that"]) => rest,
        _ => before,
    };
    let clause = behind_last(before, |word| {
        word.comma || word.is_any_of(&["i", "but", "yet"])
    });
    let denies = |word: &Word| word.text.ends_with("n't") || word.is_any_of(&DOUBTING);
    before.iter().any(|word| word.is_any_of(&CONDITION))
        || clause
            .iter()
            .any(|word| word.is_in(AnotherVoice) || denies(word))
}

/// Returns the words behind the last that is `sought`; all of them where there is none.
fn behind_last(words: &[Word], sought: impl Fn(&Word) -> bool) -> &[Word] {
    let start = words.iter().rposition(sought).map_or(0, |at| at + 1);
    words.get(start..).unwrap_or_default()
}

fn text_at(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |word| word.text.as_str())
}

/// How many words before a label are looked at (a bound, so that time stays linear in endless
/// sentences).
const LONGEST_CLAUSE: usize = 60;

/// Words of a label before a verdict: "Final verdict:".
const VERDICT: [&str; 10] = [
    "final", "verdict", "decision", "answer", "choice", "judgment", "my", "the", "is", "response",
];
const CHOOSE: [&str; 9] = [
    "choose", "chose", "select", "selected", "prefer", "pick", "picked", "favor", "favour",
];
/// Words of a label that name a verdict.
const NAMING: [&str; 5] = ["verdict", "decision", "answer", "choice", "judgment"];
/// Words of a label that make it one of another than the better.
const TURNING: [&str; 8] = [
    "opposite",
    "second",
    "second-best",
    "less",
    "least",
    "loser",
    "other",
    "longer",
];
/// Words of a clause that does not choose, though it names a choice.
const DOUBTING: [&str; 13] = [
    "never", "might", "may", "could", "refuse", "hard", "hardly", "mistake", "reason", "false",
    "people", "tempted", "nobody",
];
/// Words that say of both that they are as good or as bad.
const UNDECIDED: [&str; 4] = ["neither", "equally", "tie", "tied"];
const THEREFORE: [&str; 4] = ["therefore", "thus", "hence", "consequently"];
/// Words that leave the verdict open wherever in the sentence they stand before it.
const CONDITION: [&str; 3] = ["if", "according", "terms"];
