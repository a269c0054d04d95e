//! `A`, `B`, and `C` for a tie, where the prompt asks for a letter.

use super::json;
use super::lines::{Line, find_own_part, split_lines};
use super::statements::{Statement, Unread, agree_on_values, agree_on_verdict};
use super::tokens::{CORES, LABELS, Leading, Token, split_tokens};

/// Reads which of the `options` (letters) the reply states: its place among them.
pub(crate) fn read_letter(text: &str, options: &[String]) -> Result<usize, Unread> {
    if let Some(values) = json::read_verdict_fields(text) {
        let stated = values.iter().filter_map(|word| find_option(word, options));
        return agree_on_values(stated, |at| options[*at].clone());
    }
    let text = find_own_part(text);
    let statements = split_lines(text).flat_map(|line| find_statements(&line, options));
    agree_on_verdict(text, statements.collect(), |at| options[*at].clone())
}

/// Finds the statements of a line: at its beginning, and in each of its sentences.
fn find_statements(line: &Line, options: &[String]) -> Vec<Statement<usize>> {
    let opening = read_opening(&line.text, options);
    let opening = opening.map(|stated| Statement::without_label(line.at, stated));
    let sentences = line.sentences();
    let in_sentences = sentences.flat_map(|(at, sentence)| read_sentence(at, sentence, options));
    opening.into_iter().chain(in_sentences).collect()
}

/// Reads the option at the beginning of a line, alone or with a remark (`A: it follows`, `A -
/// clearer`, `**A** because`).
fn read_opening(line: &str, options: &[String]) -> Option<usize> {
    let tokens = split_tokens(line);
    let option = lead_with_option(&tokens, options)?;
    let stands_alone = option.rest.first().is_none_or(opens_reason) || is_closed(option.last);
    stands_alone.then_some(option.stated)
}

fn opens_reason(next: &Token) -> bool {
    next.opens_remark() || next.is_any_of(&REASONS)
}

fn is_closed(token: &Token) -> bool {
    is_stopped(token) || token.raw.ends_with(')') || token.raw.ends_with("**")
}

/// Reads what a sentence states: `Final verdict: A`, `The better answer is A`, `Answer A is better
/// than answer B`, `I choose A`.
fn read_sentence(at: usize, sentence: &str, options: &[String]) -> Vec<Statement<usize>> {
    let tokens = split_tokens(sentence);
    if sentence.trim_end().ends_with('?') || tokens.iter().any(casts_doubt) {
        return Vec::new();
    }
    let places = 0..tokens.len();
    let stated = places.filter_map(|place| read_option(tokens.split_at(place), options));
    stated.map(|stated| Statement { at, ..stated }).collect()
}

fn casts_doubt(token: &Token) -> bool {
    token.is_any_of(&DOUBTS) || token.bare.ends_with("n't")
}

/// Reads the option between the words `before` it and those `after`, where they make it a verdict.
fn read_option(
    (before, after): (&[Token], &[Token]),
    options: &[String],
) -> Option<Statement<usize>> {
    let option = lead_with_option(after, options)?;
    let ends = ends_statement(option.rest);
    if ends && is_behind_label(before) {
        return Some(Statement::with_label(0, option.stated));
    }
    let is_stated =
        (ends && is_chosen(before)) || (may_open(before) && is_called_better(option.rest));
    is_stated.then(|| Statement::without_label(0, option.stated))
}

/// Whether the words before name a verdict, and lead to it: `The better answer is`, `Final
/// verdict:`, `Verdict`.
fn is_behind_label(before: &[Token]) -> bool {
    let words = before.iter().rev();
    let in_label = words.take_while(|token| is_part_of_label(token)).count();
    let label = &before[before.len() - in_label..];
    let names_verdict = label.iter().any(|token| token.is_any_of(&CORES));
    names_verdict && (leads_on(before) || (label.len() == before.len() && is_bare_label(label)))
}

fn is_part_of_label(token: &Token) -> bool {
    token.is_filler() || token.is_any_of(&LABELS)
}

/// Whether words lead to what follows: by a colon, a dash or a verb.
fn leads_on(words: &[Token]) -> bool {
    let by_last_word = find_last_word(words)
        .is_some_and(|last| last.closing_stop() == Some(':') || last.is_any_of(&["is", "be"]));
    by_last_word || words.last().is_some_and(Token::is_dash)
}

/// Whether a label that is all that stands before an option leads to it, as in `Verdict A`.
fn is_bare_label(label: &[Token]) -> bool {
    find_last_word(label).is_some_and(|last| last.is_any_of(&BARE_LABELS))
}

fn find_last_word<'t>(words: &'t [Token<'t>]) -> Option<&'t Token<'t>> {
    words.iter().rfind(|token| !token.is_filler())
}

/// Whether the judge chooses what follows: `I choose`, `I would prefer`, `we pick`, `I go with`.
fn is_chosen(before: &[Token]) -> bool {
    let [.., who, verb] = before else {
        return false;
    };
    let chooses = verb.is_any_of(&CHOOSING) && who.is_any_of(&CHOOSERS);
    chooses || (verb.is_any_of(&["with"]) && who.is_any_of(&["go", "going"]))
}

/// Whether nothing stands before the subject that would make it another's or a part: `Therefore,`,
/// `Overall`, `I think`.
fn may_open(before: &[Token]) -> bool {
    before.iter().all(may_open_with)
}

fn may_open_with(token: &Token) -> bool {
    token.is_filler() || token.is_any_of(&OPENINGS) || token.closing_stop() == Some(':')
}

/// Whether what precedes these words is called better as a whole (`is better`, `is clearly the
/// better answer`, `wins`), not in part (`is better at rhyming`).
fn is_called_better(rest: &[Token]) -> bool {
    let Some((praise, after)) = count_praise(rest).map(|count| rest.split_at(count)) else {
        return false;
    };
    praise.last().is_some_and(is_stopped) || after.first().is_none_or(may_follow_praise)
}

fn is_stopped(token: &Token) -> bool {
    token.closing_stop().is_some()
}

fn may_follow_praise(next: &Token) -> bool {
    next.is_any_of(&AFTER_BETTER) || next.opens_remark()
}

/// Returns how many words at the beginning say that something is better.
fn count_praise(words: &[Token]) -> Option<usize> {
    let verb = words.first()?;
    if verb.is_any_of(&["wins", "won"]) {
        return Some(1);
    }
    let after_verb = words[1..].iter();
    let adverbs = after_verb.take_while(|token| token.is_any_of(&ADVERBS));
    let quality = 1 + adverbs.count();
    let is_better = verb.is_any_of(&["is"]) && words.get(quality)?.is_any_of(&QUALITIES);
    is_better.then_some(quality + 1)
}

/// Whether nothing follows an option that names another or goes on as a part of a phrase.
fn ends_statement(rest: &[Token]) -> bool {
    rest.first().is_none_or(may_follow_option) || is_called_better(rest)
}

fn may_follow_option(next: &Token) -> bool {
    opens_reason(next) || next.is_any_of(&["over", "verdict"])
}

/// Returns the option that the words begin with, `Answer A` or `A`; None where another is offered
/// beside it (`A or B`).
fn lead_with_option<'t>(tokens: &'t [Token<'t>], options: &[String]) -> Option<Leading<'t, usize>> {
    let (last, rest) = tokens[count_nouns(tokens)..].split_first()?;
    let stated = find_option(last.bare, options)?;
    let is_only = !rest.first().is_some_and(offers_another);
    is_only.then_some(Leading { stated, last, rest })
}

/// Returns how many words before an option may name what it is.
fn count_nouns(tokens: &[Token]) -> usize {
    tokens
        .iter()
        .take(2)
        .take_while(|token| token.bare.is_empty() || token.is_any_of(&NOUNS))
        .count()
}

fn offers_another(next: &Token) -> bool {
    next.is_any_of(&["or", "and", "vs", "versus", "to", "nor"]) || next.raw.starts_with('/')
}

/// Returns the place of a word among the options; a word for a tie stands for the third.
fn find_option(word: &str, options: &[String]) -> Option<usize> {
    let named = options.iter().position(|option| option == word);
    let is_tie = || TIES.iter().any(|tie| word.eq_ignore_ascii_case(tie));
    named.or_else(|| (options.len() > 2 && is_tie()).then_some(2))
}

/// Words that by themselves announce the option behind them.
const BARE_LABELS: [&str; 5] = ["verdict", "decision", "winner", "choice", "preference"];
const CHOOSING: [&str; 7] = [
    "choose", "prefer", "pick", "select", "favor", "favour", "chose",
];
const CHOOSERS: [&str; 7] = ["i", "we", "i'd", "would", "i'll", "therefore", "must"];
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
