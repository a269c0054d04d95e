//! "Output (a)", "Therefore, Output (b) is better." (Zeng et al., "Evaluating LLMs at Evaluating
//! Instruction Following").
//!
//! The prompts ask for the label alone, or for an explanation that ends with the sentence. Judges
//! also write the sentence first, say it in other words, and report what others argue. So
//! statements have ranks, and the best rank that a reply has decides alone.

use super::decide::{Statement, decide, nothing};
use super::own_words::Reply;
use super::words::{Word, placed_words, sentences, words};
use super::{NoVerdict, Stated};
use std::ops::Range;

/// How plainly a sentence gives the verdict, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    /// "Output (a) is better", alone, at a sentence's beginning, or after "Therefore", "I conclude"
    /// and the like.
    Concluding,
    /// The same within a sentence that begins otherwise.
    Passing,
    /// The label alone.
    Label,
}

pub(super) fn read(reply: &Reply) -> Result<Stated, NoVerdict> {
    let ranked: Vec<(Rank, Statement)> = sentences(reply.text)
        .flat_map(|range| stated(reply.text, range))
        .collect();
    let of = |rank: Rank| {
        ranked
            .iter()
            .filter(move |(r, _)| *r == rank)
            .map(|(_, statement)| statement.clone())
    };
    let own =
        |rank: &Rank| of(*rank).any(|statement| reply.quotation(statement.at.start).is_none());
    match [Rank::Concluding, Rank::Passing, Rank::Label]
        .into_iter()
        .find(own)
    {
        Some(Rank::Label) => label_alone(reply, of(Rank::Label).collect()),
        Some(rank) => decide(reply, of(rank).collect()),
        None if is_undecided(reply.text) => Err(NoVerdict::Undecided),
        None => decide(
            reply,
            ranked
                .iter()
                .map(|(_, statement)| statement.clone())
                .collect(),
        ),
    }
}

/// Labels alone may be headings: they are the verdict if they agree and one of them begins or ends
/// the reply.
fn label_alone(reply: &Reply, statements: Vec<Statement>) -> Result<Stated, NoVerdict> {
    let word = |range: Range<usize>| {
        reply
            .text
            .get(range)
            .is_some_and(|text| text.contains(char::is_alphanumeric))
    };
    let at_an_end = |s: &Statement| !word(0..s.at.start) || !word(s.at.end..reply.text.len());
    let other = statements
        .windows(2)
        .find(|pair| pair[0].stated != pair[1].stated);
    match (other, statements.iter().find(|s| at_an_end(s))) {
        (Some(pair), _) => Err(NoVerdict::Contradictory(pair[0].stated, pair[1].stated)),
        (None, Some(statement)) => Ok(statement.stated),
        (None, None) => Err(nothing(reply.text)),
    }
}

/// The last sentence says that both are as good or as bad.
fn is_undecided(text: &str) -> bool {
    let last = sentences(text)
        .filter(|range| {
            text.get(range.clone())
                .is_some_and(|s| s.contains(char::is_alphanumeric))
        })
        .last();
    let last = last.and_then(|range| text.get(range)).unwrap_or_default();
    words(last)
        .iter()
        .any(|word| matches!(word.as_str(), "neither" | "equally" | "tie" | "tied"))
}

/// The statements of one sentence.
fn stated(text: &str, range: Range<usize>) -> Vec<(Rank, Statement)> {
    let words = placed_words(text.get(range.clone()).unwrap_or_default());
    let labels =
        (0..words.len()).filter_map(|at| label(&words, at).map(|(stated, end)| (at, stated, end)));
    let ranked = labels.filter_map(|(at, stated, end)| {
        let rank = rank(&words, at, end)?;
        let start = range.start + words[at].at;
        Some((
            rank,
            Statement {
                at: start..range.end,
                stated,
            },
        ))
    });
    ranked.collect()
}

/// The label at a word, and the word after it.
fn label(words: &[Word], at: usize) -> Option<(Stated, usize)> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    match (word(at), word(at + 1)) {
        ("output", "(a)") => Some((Stated::First, at + 2)),
        ("output", "(b)") => Some((Stated::Second, at + 2)),
        ("output(a)", _) => Some((Stated::First, at + 1)),
        ("output(b)", _) => Some((Stated::Second, at + 1)),
        _ => None,
    }
}

fn rank(words: &[Word], at: usize, end: usize) -> Option<Rank> {
    let (before, after) = (words.get(..at)?, words.get(end..)?);
    let near = before.get(before.len().saturating_sub(LONGEST_CLAUSE)..)?;
    let only_label = near.len() == before.len()
        && near
            .iter()
            .all(|word| VERDICT.contains(&word.text.as_str()));
    if only_label && stands_alone(words, end) {
        return Some(Rank::Label);
    }
    if is_in_another_voice(near) || !(is_called_better(after) || is_chosen(near)) {
        return None;
    }
    Some(if only_label || concludes(before) || says_i(near) {
        Rank::Concluding
    } else {
        Rank::Passing
    })
}

/// Nothing follows, or a remark in brackets; a colon makes it a heading.
fn stands_alone(words: &[Word], end: usize) -> bool {
    let heading = end
        .checked_sub(1)
        .and_then(|last| words.get(last))
        .is_some_and(|word| word.colon);
    !heading && words.get(end).is_none_or(|next| next.text.starts_with('('))
}

/// "is clearly the better output".
fn is_called_better(after: &[Word]) -> bool {
    let mut rest = after.iter().map(|word| word.text.as_str());
    if !matches!(rest.next(), Some("is")) {
        return false;
    }
    let mut rest = rest.skip_while(|word| ADVERBS.contains(word));
    rest.next().is_some_and(|word| BETTER.contains(&word))
        && !is_about_one_aspect(rest.next(), rest.next())
}

/// "better at rhyming", "better in terms of length", "better organized": what follows "better"
/// narrows it.
fn is_about_one_aspect(next: Option<&str>, after: Option<&str>) -> bool {
    match next {
        Some("in") => after == Some("terms"),
        Some("at" | "written" | "with" | "on") => true,
        Some(next) => next.ends_with("ed"),
        None => false,
    }
}

/// "the better output is", "I choose".
fn is_chosen(before: &[Word]) -> bool {
    let Some((last, before)) = before.split_last() else {
        return false;
    };
    match last.text.as_str() {
        "is" => before.iter().any(|word| {
            BETTER.contains(&word.text.as_str()) || VERDICT.contains(&word.text.as_str())
        }),
        verb => CHOOSE.contains(&verb),
    }
}

/// The words before the label report, suppose, concede or deny; what stands before a "therefore"
/// does not matter.
fn is_in_another_voice(before: &[Word]) -> bool {
    let after = |at: Option<usize>| at.map_or(0, |at| at + 1);
    let before = before
        .get(
            after(
                before
                    .iter()
                    .rposition(|word| THEREFORE.contains(&word.text.as_str())),
            )..,
        )
        .unwrap_or_default();
    let clause = after(
        before
            .iter()
            .rposition(|word| word.comma || word.text == "i"),
    );
    let has =
        |words: &[Word], list: &[&str]| words.iter().any(|word| list.contains(&word.text.as_str()));
    has(before, &CONDITION) || has(before.get(clause..).unwrap_or_default(), &ANOTHER)
}

/// The sentence begins as a conclusion does.
fn concludes(before: &[Word]) -> bool {
    let word = |at: usize| before.get(at).map_or("", |word| word.text.as_str());
    CONCLUSION.contains(&word(0))
        || matches!(
            (word(0), word(1)),
            ("in", "conclusion" | "summary" | "short") | ("based", "on")
        )
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
