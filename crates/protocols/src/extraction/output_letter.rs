//! "Output (a)", "Therefore, Output (b) is better." (Zeng et al., "Evaluating LLMs at Evaluating
//! Instruction Following").
//!
//! The prompts ask for the label alone, or for an explanation that ends with the sentence. Judges
//! also write the sentence first, say it in other words, and report what others argue. So
//! statements have ranks, and the best rank that a reply has decides alone.

use super::quotations::ReplyText;
use super::statements::{Statement, explain_absence, find_verdict};
use super::words::{Word, sentences, split_words};
use super::{NoVerdict, Reading, Stated};
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

/// A statement and how plainly it is made.
struct Ranked {
    rank: Rank,
    statement: Statement,
}

/// Reads the verdict from the statements of the best rank that is the judge's own.
pub(super) fn read_output_letter(reply: &ReplyText) -> Reading {
    let ranked: Vec<Ranked> = sentences(reply.text)
        .flat_map(|range| rank_statements(reply.text, range))
        .collect();
    match find_best_rank(reply, &ranked) {
        Some(Rank::Label) => read_labels(reply, &keep_rank(ranked, Rank::Label)),
        Some(rank) => find_verdict(reply, keep_rank(ranked, rank)),
        None if is_undecided(reply.text) => Err(NoVerdict::Undecided),
        None => find_verdict(reply, ranked.into_iter().map(|one| one.statement).collect()),
    }
}

/// Returns the best rank of the statements that the judge makes in its own words.
fn find_best_rank(reply: &ReplyText, ranked: &[Ranked]) -> Option<Rank> {
    ranked
        .iter()
        .filter(|one| one.is_own(reply))
        .map(|one| one.rank)
        .min()
}

impl Ranked {
    fn is_own(&self, reply: &ReplyText) -> bool {
        reply.find_quotation(self.statement.at.start).is_none()
    }
}

fn keep_rank(ranked: Vec<Ranked>, rank: Rank) -> Vec<Statement> {
    let of_rank = ranked.into_iter().filter(|one| one.rank == rank);
    of_rank.map(|one| one.statement).collect()
}

/// Reads labels that stand alone. They may be headings: they are the verdict if they agree and one
/// of them begins or ends the reply.
fn read_labels(reply: &ReplyText, statements: &[Statement]) -> Reading {
    if let Some([a, b]) = find_contradiction(statements) {
        return Err(NoVerdict::Contradictory(a.stated, b.stated));
    }
    let at_an_end = statements.iter().find(|one| is_at_an_end(reply.text, one));
    at_an_end.map_or(Err(explain_absence(reply.text)), |one| Ok(one.stated))
}

/// Returns the first two neighbours that differ.
fn find_contradiction(statements: &[Statement]) -> Option<[&Statement; 2]> {
    let mut pairs = statements.iter().zip(statements.iter().skip(1));
    let (a, b) = pairs.find(|(a, b)| a.stated != b.stated)?;
    Some([a, b])
}

/// Whether no word stands before the statement, or none behind it.
fn is_at_an_end(text: &str, statement: &Statement) -> bool {
    let Range { start, end } = statement.at;
    !has_words(text, 0..start) || !has_words(text, end..text.len())
}

fn has_words(text: &str, range: Range<usize>) -> bool {
    text.get(range)
        .is_some_and(|part| part.contains(char::is_alphanumeric))
}

/// Whether the last sentence says that both are as good or as bad.
fn is_undecided(text: &str) -> bool {
    let with_words = sentences(text).filter(|range| has_words(text, range.clone()));
    let last = with_words.last().and_then(|range| text.get(range));
    let words = split_words(last.unwrap_or_default());
    words.iter().any(|word| word.is_any_of(&UNDECIDED))
}

/// Returns the statements of one sentence.
fn rank_statements(text: &str, range: Range<usize>) -> Vec<Ranked> {
    let words = split_words(text.get(range.clone()).unwrap_or_default());
    let labels = (0..words.len()).filter_map(|at| read_label(&words, at));
    labels
        .filter_map(|label| rank_statement(&words, label, &range))
        .collect()
}

/// Returns the statement that a label makes in the sentence at `range`, if it makes one.
fn rank_statement(words: &[Word], label: Label, range: &Range<usize>) -> Option<Ranked> {
    let start = range.start + words.get(label.words.start)?.at;
    let statement = Statement {
        at: start..range.end,
        stated: label.stated,
    };
    let rank = rank_label(words, label.words)?;
    Some(Ranked { rank, statement })
}

/// A label, such as "Output (a)".
struct Label {
    stated: Stated,
    /// Which words of the sentence it is.
    words: Range<usize>,
}

/// Reads the label that begins at a word.
fn read_label(words: &[Word], at: usize) -> Option<Label> {
    let (stated, count) = match (text_at(words, at), text_at(words, at + 1)) {
        ("output", "(a)") => (Stated::First, 2),
        ("output", "(b)") => (Stated::Second, 2),
        ("output(a)", _) => (Stated::First, 1),
        ("output(b)", _) => (Stated::Second, 1),
        _ => return None,
    };
    let words = at..at + count;
    Some(Label { stated, words })
}

fn text_at(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |word| word.text.as_str())
}

/// Returns how plainly a sentence gives the label at `label` as its verdict; None where it does
/// not.
fn rank_label(words: &[Word], label: Range<usize>) -> Option<Rank> {
    let (before, after) = (words.get(..label.start)?, words.get(label.end..)?);
    let near = before.get(before.len().saturating_sub(LONGEST_CLAUSE)..)?;
    let only_label = near.len() == before.len() && is_label_alone(near);
    if only_label && stands_alone(words, label.end) {
        return Some(Rank::Label);
    }
    if !states_choice(near, after) {
        return None;
    }
    if only_label || opens_conclusion(before) || says_i(near) {
        Some(Rank::Concluding)
    } else {
        Some(Rank::Passing)
    }
}

/// Whether the words around a label choose it, in the judge's own voice.
fn states_choice(near: &[Word], after: &[Word]) -> bool {
    (is_called_better(after) || is_chosen(near)) && !is_in_another_voice(near)
}

fn is_label_alone(words: &[Word]) -> bool {
    words.iter().all(|word| word.is_any_of(&VERDICT))
}

/// Whether nothing follows a label that ends before the word at `end`, or a remark in brackets; a
/// colon makes it a heading.
fn stands_alone(words: &[Word], end: usize) -> bool {
    let last = end.checked_sub(1).and_then(|last| words.get(last));
    let is_heading = last.is_some_and(|word| word.colon);
    !is_heading && words.get(end).is_none_or(|next| next.text.starts_with('('))
}

/// Whether what precedes these words is called better: "is clearly the better output".
fn is_called_better(after: &[Word]) -> bool {
    let mut rest = after.iter().map(|word| word.text.as_str());
    if rest.next() != Some("is") {
        return false;
    }
    let mut rest = rest.skip_while(|word| ADVERBS.contains(word));
    rest.next().is_some_and(|word| BETTER.contains(&word))
        && !is_about_one_aspect(rest.next(), rest.next())
}

/// Whether what follows "better" narrows it: "better at rhyming", "better in terms of length",
/// "better organized".
fn is_about_one_aspect(next: Option<&str>, after: Option<&str>) -> bool {
    match next {
        Some("in") => after == Some("terms"),
        Some("at" | "written" | "with" | "on") => true,
        Some(next) => next.ends_with("ed"),
        None => false,
    }
}

/// Whether the words choose what follows: "the better output is", "I choose".
fn is_chosen(before: &[Word]) -> bool {
    match before.split_last() {
        Some((last, before)) if last.text == "is" => before
            .iter()
            .any(|word| word.is_any_of(&BETTER) || word.is_any_of(&VERDICT)),
        Some((verb, _)) => verb.is_any_of(&CHOOSE),
        None => false,
    }
}

/// Whether the words before the label report, suppose, concede or deny. What stands before a
/// "therefore" does not matter.
fn is_in_another_voice(before: &[Word]) -> bool {
    let before = behind_last(before, |word| word.is_any_of(&THEREFORE));
    let clause = behind_last(before, |word| word.comma || word.text == "i");
    before.iter().any(|word| word.is_any_of(&CONDITION))
        || clause.iter().any(|word| word.is_any_of(&ANOTHER))
}

/// Returns the words behind the last that is `sought`; all of them where there is none.
fn behind_last(words: &[Word], sought: impl Fn(&Word) -> bool) -> &[Word] {
    let start = words.iter().rposition(sought).map_or(0, |at| at + 1);
    words.get(start..).unwrap_or_default()
}

/// Whether the sentence begins as a conclusion does.
fn opens_conclusion(before: &[Word]) -> bool {
    match (text_at(before, 0), text_at(before, 1)) {
        ("in", "conclusion" | "summary" | "short") | ("based", "on") => true,
        (first, _) => CONCLUSION.contains(&first),
    }
}

fn says_i(before: &[Word]) -> bool {
    before.iter().any(|word| word.text == "i")
}

/// How many words before a label are looked at (a bound, so that time stays linear in endless
/// sentences).
const LONGEST_CLAUSE: usize = 60;

/// Words of a label before a verdict: "Final verdict:".
const VERDICT: [&str; 10] = [
    "final", "verdict", "decision", "answer", "choice", "judgment", "my", "the", "is", "response",
];
const ADVERBS: [&str; 16] = [
    "the",
    "a",
    "clearly",
    "definitely",
    "slightly",
    "significantly",
    "marginally",
    "much",
    "far",
    "overall",
    "therefore",
    "also",
    "still",
    "indeed",
    "generally",
    "considered",
];
const BETTER: [&str; 6] = [
    "better",
    "best",
    "superior",
    "preferred",
    "preferable",
    "winner",
];
const CHOOSE: [&str; 9] = [
    "choose", "chose", "select", "selected", "prefer", "pick", "picked", "favor", "favour",
];
/// Words that say of both that they are as good or as bad.
const UNDECIDED: [&str; 4] = ["neither", "equally", "tie", "tied"];
const THEREFORE: [&str; 4] = ["therefore", "thus", "hence", "consequently"];
const CONCLUSION: [&str; 11] = [
    "therefore",
    "thus",
    "hence",
    "so",
    "overall",
    "consequently",
    "ultimately",
    "finally",
    "accordingly",
    "conclusion",
    "explanation",
];
/// Words that leave the verdict open wherever in the sentence they stand before it.
const CONDITION: [&str; 3] = ["if", "according", "terms"];
/// Words that, in the label's own clause, make it somebody else's opinion, a concession or a
/// denial.
const ANOTHER: [&str; 30] = [
    "argue",
    "argues",
    "argued",
    "claim",
    "claims",
    "claimed",
    "state",
    "states",
    "stated",
    "says",
    "said",
    "suggest",
    "suggests",
    "suggested",
    "believes",
    "asserts",
    "mentions",
    "points",
    "while",
    "although",
    "though",
    "whereas",
    "whether",
    "neither",
    "nor",
    "not",
    "cannot",
    "either",
    "disagree",
    "both",
];
