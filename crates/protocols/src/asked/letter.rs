//! `A`, `B`, and `C` for a tie, where the prompt asks for a letter.

use super::token::{CORES, LABELS, Token, tokens};
use super::{Statement, Unread, agree, json, lines, one_line, own_part};
use crate::extraction::{Reply, sentences};

/// The place among `options` (letters) of the one that the reply states.
pub(crate) fn read_letter(text: &str, options: &[String]) -> Result<usize, Unread> {
    if let Some(stated) = json::values(text) {
        let found = stated
            .iter()
            .filter_map(|value| option_of(value, options))
            .map(|stated| Statement {
                at: 0,
                stated,
                labelled: true,
            });
        return agree(&Reply::new(""), found.collect(), |at| options[*at].clone());
    }
    let text = own_part(text);
    let mut statements = Vec::new();
    for line in lines(text) {
        let whole = &one_line(text.get(line.clone()).unwrap_or_default());
        statements.extend(on_line(whole, options).map(|stated| Statement {
            at: line.start,
            stated,
            labelled: false,
        }));
        for sentence in sentences(whole) {
            let at = line.start + sentence.start;
            let said = in_sentence(whole.get(sentence).unwrap_or_default(), options).into_iter();
            statements.extend(said.map(|(stated, labelled)| Statement {
                at,
                stated,
                labelled,
            }));
        }
    }
    agree(&Reply::new(text), statements, |at| options[*at].clone())
}

/// What the beginning of a line states: the option alone, or with a remark (`A: it follows`, `A -
/// clearer`, `**A** because`).
fn on_line(line: &str, options: &[String]) -> Option<usize> {
    let tokens = tokens(line);
    let (stated, rest) = option_at(&tokens, options)?;
    let closed = |token: &Token| {
        token.stop().is_some() || token.raw.ends_with(')') || token.raw.ends_with("**")
    };
    match rest {
        [] => Some(stated),
        [next, ..] if next.opens_remark() || next.is(&REASONS) => Some(stated),
        _ => tokens
            .get(tokens.len() - rest.len() - 1)
            .filter(|token| closed(token))
            .map(|_| stated),
    }
}

/// What a sentence states: `Final verdict: A`, `The better answer is A`, `Answer A is better than
/// answer B`, `I choose A`. Also whether it is behind a label.
fn in_sentence(sentence: &str, options: &[String]) -> Vec<(usize, bool)> {
    let tokens = tokens(sentence);
    if sentence.trim_end().ends_with('?')
        || tokens
            .iter()
            .any(|token| token.is(&DOUBTS) || token.bare.ends_with("n't"))
    {
        return Vec::new();
    }
    let at = |at: usize| {
        let (stated, rest) = option_at(&tokens[at..], options)?;
        let before = &tokens[..at];
        let (labelled, chosen) = (
            is_labelled(before) && ends(rest),
            is_chosen(before) && ends(rest),
        );
        (labelled || chosen || (may_open(before) && is_better(rest))).then_some((stated, labelled))
    };
    (0..tokens.len()).filter_map(at).collect()
}

/// The words before name a verdict, and lead to it: `The better answer is`, `Final verdict:`,
/// `Verdict`.
fn is_labelled(before: &[Token]) -> bool {
    let Some(last) = before
        .iter()
        .rev()
        .find(|token| !token.is_dash() && !token.bare.is_empty())
    else {
        return false;
    };
    let leads = last.stop() == Some(':')
        || last.is(&["is", "be"])
        || before.last().is_some_and(Token::is_dash);
    let label = before
        .iter()
        .rev()
        .take_while(|token| token.bare.is_empty() || token.is_dash() || token.is(&LABELS));
    let label: Vec<&Token> = label.collect();
    let core = label.iter().any(|token| token.is(&CORES));
    let alone = label.len() == before.len()
        && last.is(&["verdict", "decision", "winner", "choice", "preference"]);
    core && (leads || alone)
}

/// `I choose`, `I would prefer`, `we pick`, `I go with`.
fn is_chosen(before: &[Token]) -> bool {
    let [.., who, verb] = before else {
        return false;
    };
    let verb_of = |verb: &Token| {
        verb.is(&[
            "choose", "prefer", "pick", "select", "favor", "favour", "chose",
        ])
    };
    let who_of = |who: &Token| who.is(&["i", "we", "i'd", "would", "i'll", "therefore", "must"]);
    (verb_of(verb) && who_of(who)) || (verb.is(&["with"]) && who.is(&["go", "going"]))
}

/// Nothing stands before the subject that would make it another's or a part: `Therefore,`,
/// `Overall`, `I think`.
fn may_open(before: &[Token]) -> bool {
    before.iter().all(|token| {
        token.bare.is_empty() || token.is_dash() || token.is(&OPENINGS) || token.stop() == Some(':')
    })
}

/// `is better`, `is clearly the better answer`, `wins`: of the whole, not of a part (`is better at
/// rhyming`).
fn is_better(rest: &[Token]) -> bool {
    let after = match rest {
        [verb, rest @ ..] if verb.is(&["wins", "won"]) => rest,
        [verb, rest @ ..] if verb.is(&["is"]) => {
            let skipped = rest.iter().take_while(|token| token.is(&ADVERBS)).count();
            match &rest[skipped..] {
                [quality, rest @ ..] if quality.is(&QUALITIES) => rest,
                _ => return false,
            }
        }
        _ => return false,
    };
    let closed = rest.len() > after.len() && rest[rest.len() - after.len() - 1].stop().is_some();
    closed
        || after
            .first()
            .is_none_or(|next| next.is(&AFTER_BETTER) || next.opens_remark())
}

/// Nothing follows an option that names another or goes on as a part of a phrase.
fn ends(rest: &[Token]) -> bool {
    rest.first().is_none_or(|next| {
        next.opens_remark() || next.is(&REASONS) || is_better(rest) || next.is(&["over", "verdict"])
    })
}

/// The option that the words begin with, `Answer A` or `A`, and what follows it; none where another
/// is offered beside it (`A or B`).
fn option_at<'t, 'a>(
    tokens: &'t [Token<'a>],
    options: &[String],
) -> Option<(usize, &'t [Token<'a>])> {
    let nouns = tokens
        .iter()
        .take(2)
        .take_while(|token| token.bare.is_empty() || token.is(&NOUNS))
        .count();
    let token = tokens.get(nouns)?;
    let stated = option_of(token.bare, options)?;
    let rest = &tokens[nouns + 1..];
    let alternative = rest.first().is_some_and(|next| {
        next.is(&["or", "and", "vs", "versus", "to", "nor"]) || next.raw.starts_with('/')
    });
    (!alternative).then_some((stated, rest))
}

/// The place of a word among the options; a word for a tie stands for the third.
fn option_of(word: &str, options: &[String]) -> Option<usize> {
    let named = options.iter().position(|option| option == word);
    let tie = || {
        TIES.iter()
            .any(|tie| word.eq_ignore_ascii_case(tie))
            .then_some(2)
            .filter(|tie| *tie < options.len())
    };
    named.or_else(tie)
}

const NOUNS: [&str; 7] = [
    "answer",
    "response",
    "output",
    "assistant",
    "option",
    "candidate",
    "model",
];
const TIES: [&str; 5] = ["tie", "tied", "draw", "equal", "both"];
const REASONS: [&str; 4] = ["because", "since", "as", "for"];
/// Words that make of a sentence a question, a condition, a report or a denial.
const DOUBTS: [&str; 30] = [
    "if",
    "unless",
    "whether",
    "not",
    "neither",
    "nor",
    "never",
    "cannot",
    "might",
    "may",
    "could",
    "should",
    "suppose",
    "says",
    "said",
    "claims",
    "claimed",
    "argues",
    "argued",
    "states",
    "stated",
    "writes",
    "wrote",
    "instructs",
    "although",
    "though",
    "while",
    "whereas",
    "initially",
    "hardly",
];
const OPENINGS: [&str; 24] = [
    "therefore",
    "thus",
    "so",
    "hence",
    "overall",
    "in",
    "conclusion",
    "summary",
    "i",
    "think",
    "believe",
    "conclude",
    "find",
    "that",
    "on",
    "balance",
    "the",
    "clearly",
    "verdict",
    "final",
    "my",
    "we",
    "and",
    "finally",
];
const ADVERBS: [&str; 12] = [
    "clearly",
    "slightly",
    "much",
    "overall",
    "the",
    "far",
    "significantly",
    "definitely",
    "a",
    "therefore",
    "marginally",
    "simply",
];
const QUALITIES: [&str; 7] = [
    "better",
    "best",
    "superior",
    "stronger",
    "preferable",
    "preferred",
    "winner",
];
const AFTER_BETTER: [&str; 11] = [
    "than", "overall", "because", "since", "as", "answer", "response", "one", "choice", "output",
    "here",
];
