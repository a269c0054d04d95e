//! A numbered list of verdicts, where the prompt asks of several criteria whether each is met.

use super::lines::after_fences;
use super::statements::Unread;
use super::tokens::{Token, split_tokens};
use super::yes_no::{lead_with_answer, name_answer, read_answer, read_bare};

/// Reads of each of `count` criteria whether the reply says that it is met. What is said of one
/// decides nothing about another, but a number that no criterion has does: then it is not known
/// which is which.
pub(crate) fn read_numbered(text: &str, count: usize) -> Vec<Result<bool, Unread>> {
    let list = NumberedList::of_reply(text, count);
    match list.find_stray_number(count) {
        Some(number) => vec![Err(Unread::Miscounted(number, count)); count],
        None => (1..=count).map(|number| list.read(number)).collect(),
    }
}

/// What a reply says of criteria by their numbers.
struct NumberedList {
    said: Vec<Said>,
    /// Whether a line such as `Verdicts:` stands before it, so that all below is meant as the list.
    announced: bool,
}

/// What a line says of one criterion.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    number: usize,
    /// Whether it is met; else what the line says in place of that.
    met: Result<bool, String>,
}

impl NumberedList {
    fn of_reply(text: &str, count: usize) -> NumberedList {
        let text = after_fences(text);
        let announced = find_announced(text);
        NumberedList {
            said: read_part(announced.unwrap_or(text), count),
            announced: announced.is_some(),
        }
    }

    /// Returns a number that has a verdict and stands for no criterion.
    fn find_stray_number(&self, count: usize) -> Option<usize> {
        let clear = self.said.iter().filter(|said| said.met.is_ok());
        let mut numbers = clear.map(|said| said.number);
        numbers.find(|number| !(1..=count).contains(number))
    }

    /// Reads the verdict of a criterion, on which all that is said of it must agree. Lines of a list
    /// that was not announced may be reasoning: those that are no verdict are passed over.
    fn read(&self, number: usize) -> Result<bool, Unread> {
        let clear = agree(&self.list_clear(number))?;
        match (clear, self.find_unclear(number)) {
            (Some(met), None) => Ok(met),
            (Some(met), Some(_)) if !self.announced => Ok(met),
            (_, Some(words)) => Err(Unread::Unclear(words)),
            (None, None) => Err(Unread::Nothing),
        }
    }

    fn list_clear(&self, number: usize) -> Vec<bool> {
        let said = self.said_of(number);
        said.filter_map(|said| said.met.as_ref().ok().copied())
            .collect()
    }

    fn find_unclear(&self, number: usize) -> Option<String> {
        self.said_of(number)
            .find_map(|said| said.met.as_ref().err().cloned())
    }

    fn said_of(&self, number: usize) -> impl Iterator<Item = &Said> {
        self.said.iter().filter(move |said| said.number == number)
    }
}

/// Returns the verdict on which all agree; None where there is none.
fn agree(verdicts: &[bool]) -> Result<Option<bool>, Unread> {
    match verdicts.first() {
        Some(met) if verdicts.contains(&!met) => {
            Err(Unread::Ambiguous(name_answer(*met), name_answer(!met)))
        }
        first => Ok(first.copied()),
    }
}

/// Returns what stands behind the first `Verdicts:` that begins a line.
fn find_announced(text: &str) -> Option<&str> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(end) = find_announcement(line) {
            return text.get(at + end..);
        }
        at += line.len();
    }
    None
}

/// Returns where the words end by which a line announces a list.
fn find_announcement(line: &str) -> Option<usize> {
    let tokens = split_tokens(line);
    let before = tokens.iter().take_while(|token| token.is_any_of(&BEFORE));
    let name = tokens.get(before.count())?;
    let ends = name.closing_stop() == Some(':') || tokens.last() == Some(name);
    let announces = name.is_any_of(&["verdict", "verdicts"]) && ends;
    announces.then_some(name.at + name.raw.len())
}

const BEFORE: [&str; 4] = ["final", "my", "the", "here"];

fn read_part(text: &str, count: usize) -> Vec<Said> {
    let said = read_lines(text);
    if said.is_empty() && count == 1 {
        read_only_one(text)
    } else {
        said
    }
}

fn read_lines(text: &str) -> Vec<Said> {
    let lines = text.lines().filter(|line| !line.starts_with('>'));
    lines.flat_map(read_line).collect()
}

/// Reads a line: several verdicts with their numbers and nothing else, or one with words around it.
fn read_line(line: &str) -> Vec<Said> {
    let line = open_up(line);
    let tokens = split_tokens(&line);
    let tokens = trim_fillers(&tokens);
    match read_run(tokens) {
        Some(said) => said,
        None => read_one(tokens).into_iter().collect(),
    }
}

/// Returns a line with spaces where words touch: cells of a table, values of an object, `1.yes`.
fn open_up(line: &str) -> String {
    let line = line.replace('|', " - ").replace(',', ", ");
    match split_number(&line) {
        Some((number, rest)) => format!("{number} {rest}"),
        None => line,
    }
}

/// Splits a number with its stop from the beginning of a line.
fn split_number(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let is_stopped = line[digits..].starts_with(['.', ')']);
    (digits > 0 && is_stopped).then(|| line.split_at(digits + 1))
}

fn trim_fillers<'t>(tokens: &'t [Token<'t>]) -> &'t [Token<'t>] {
    let words = |token: &Token| !token.is_filler();
    let first = tokens.iter().position(words).unwrap_or(tokens.len());
    let end = tokens
        .iter()
        .rposition(words)
        .map_or(first, |last| last + 1);
    &tokens[first..end]
}

/// Reads words that are nothing but numbers and verdicts: `1. yes, 2. no`.
fn read_run(tokens: &[Token]) -> Option<Vec<Said>> {
    let (mut run, mut left) = (Vec::new(), trim_fillers(tokens));
    while !left.is_empty() {
        let (said, rest) = lead_with_said(left)?;
        run.push(said);
        left = trim_fillers(rest);
    }
    Some(run)
}

/// Reads a number and its verdict at the beginning of words; returns what is behind them too.
fn lead_with_said<'t>(tokens: &'t [Token<'t>]) -> Option<(Said, &'t [Token<'t>])> {
    let (number, behind) = lead_with_number(tokens)?;
    let answer = lead_with_answer(trim_fillers(behind))?;
    let met = Ok(answer.stated);
    Some((Said { number, met }, answer.rest))
}

/// Reads a number with a verdict behind it, or at the end of the line: `2. Is it short? no`.
fn read_one(tokens: &[Token]) -> Option<Said> {
    let (number, behind) = lead_with_number(tokens)?;
    let words = trim_fillers(behind);
    Some(Said {
        number,
        met: read_words(words).ok_or_else(|| quote_words(words)),
    })
}

/// Reads the answer with which words begin, or end; where they do both, it must be the same.
fn read_words(words: &[Token]) -> Option<bool> {
    let closing = read_closing(words);
    if lead_with_answer(words).is_none() {
        return closing;
    }
    read_answer(words).filter(|met| closing.is_none_or(|other| other == *met))
}

/// Returns the number of a criterion at the beginning of words, and what is behind it.
fn lead_with_number<'t>(tokens: &'t [Token<'t>]) -> Option<(usize, &'t [Token<'t>])> {
    let is_named = tokens.first()?.is_any_of(&["criterion", "item"]);
    let (number, behind) = tokens[usize::from(is_named)..].split_first()?;
    let digits = number.bare.bytes().all(|byte| byte.is_ascii_digit());
    let leads = digits && (is_named || stands_apart(number, behind));
    let number = number.bare.parse().ok().filter(|_| leads)?;
    Some((number, behind))
}

/// Whether a number is no part of a sentence: it is closed, or nothing but a verdict follows.
fn stands_apart(number: &Token, behind: &[Token]) -> bool {
    let is_closed = number.raw.len() > number.bare.len();
    is_closed || behind.first().is_some_and(Token::is_filler) || is_answer(behind)
}

fn is_answer(tokens: &[Token]) -> bool {
    read_alone(tokens).is_some()
}

/// Reads words that are an answer and nothing else.
fn read_alone(tokens: &[Token]) -> Option<bool> {
    let answer = lead_with_answer(tokens)?;
    answer.rest.is_empty().then_some(answer.stated)
}

/// Returns the answer that words end with, behind a stop, a question mark or a dash.
fn read_closing(tokens: &[Token]) -> Option<bool> {
    let starts = (1..tokens.len()).rev().take(2);
    let mut closing = starts
        .filter(|at| closes(&tokens[at - 1]))
        .filter_map(|at| {
            let answer = lead_with_answer(&tokens[at..])?;
            answer.rest.is_empty().then_some(answer.stated)
        });
    closing.next()
}

fn closes(token: &Token) -> bool {
    let is_stop = matches!(token.closing_stop(), Some(':' | '.'));
    is_stop || token.is_dash() || token.raw.ends_with('?')
}

/// Reads the verdict of the only criterion, which may stand without its number.
fn read_only_one(text: &str) -> Vec<Said> {
    let said = read_bare(text).map(|met| Said {
        number: 1,
        met: Ok(met),
    });
    said.into_iter().collect()
}

fn quote_words(tokens: &[Token]) -> String {
    let words = tokens.iter().take(8).map(|token| token.raw);
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read, a letter for each criterion: met, not met, or unread.
    fn read(text: &str, count: usize) -> String {
        let read = read_numbered(text, count).into_iter();
        read.map(|one| match one {
            Ok(true) => 'y',
            Ok(false) => 'n',
            Err(_) => '?',
        })
        .collect()
    }

    #[test]
    fn lists_as_judges_write_them() {
        for reply in [
            "1. yes\n2. no\n3. yes",
            "1. Yes\n2. No\n3. Yes.",
            "1) yes\n2) no\n3) yes",
            "1: yes\n2: no\n3: yes",
            "1.yes\n2.no\n3.yes",
            "1 yes\n2 no\n3 yes",
            "- 1. **yes**\n- 2. **no**\n- 3. **yes**",
            "**1.** met\n**2.** not met\n**3.** met",
            "Criterion 1: yes\nCriterion 2: no\nCriterion 3: yes",
            "1. yes, 2. no, 3. yes",
            "1: yes 2: no 3: yes",
            "{\"1\": \"yes\", \"2\": \"no\", \"3\": \"yes\"}",
            "{\n\"1\": true,\n\"2\": false,\n\"3\": true\n}",
            "| 1 | yes |\n| 2 | no |\n| 3 | yes |",
            "| 1 | Is it short? | yes |\n| 2 | Is it kind? | no |\n| 3 | Is it true? | yes |",
            "1. Is it short? Yes\n2. Is it kind? No\n3. Is it true? Yes",
            "1. It is short: yes\n2. It is kind - no\n3. It is true: yes",
            "1. yes - it has ten words\n2. no (it is rude)\n3. yes, because no error is in it",
            "It is short, and rude.\nVerdicts:\n1. yes\n2. no\n3. yes",
            "1. The length is fine.\n2. The tone is not.\n\n**Verdicts:**\n1. yes\n2. no\n3. yes",
            "Verdicts: 1. yes 2. no 3. yes",
            "3. yes\n1. yes\n2. no",
            "<<<< ANSWER\n1. no\n>>>> END OF ANSWER\n1. yes\n2. no\n3. yes",
            "> 1. no\n\n1. yes\n2. no\n3. yes",
        ] {
            assert_eq!(read(reply, 3), "yny", "{reply}");
        }
    }

    #[test]
    fn a_criterion_without_a_clear_verdict_is_unread_alone() {
        for (reply, expected) in [
            ("1. yes\n3. yes", "y?y"),
            ("1. yes\n2. partly\n3. yes", "y?y"),
            ("1. yes\n2. yes and no\n3. yes", "y?y"),
            ("1. yes\n2. yes, but only once\n3. no", "y?n"),
            ("1. yes\n2. yes\n2. no\n3. yes", "y?y"),
            ("1. yes\n2. no: yes\n3. yes", "y?y"),
            ("1. yes\n2.\n3. no", "y?n"),
            ("Verdicts:\n1. yes\n2. unsure\n2. yes\n3. no", "y?n"),
            ("1. no\nVerdicts:\n1. yes\n2. yes\n3. yes", "yyy"),
            (
                "Verdicts:\n1. yes\n2. yes\n3. yes\nVerdicts:\n1. no\n2. yes\n3. yes",
                "?yy",
            ),
            ("yes\nno\nyes", "???"),
            ("All are met.", "???"),
            ("", "???"),
            ("3 errors are in it, so 2 points off", "???"),
        ] {
            assert_eq!(read(reply, 3), expected, "{reply}");
        }
    }

    #[test]
    fn a_list_of_another_length_is_not_read_at_all() {
        for reply in ["1. yes\n2. no\n3. yes\n4. no", "0. yes\n1. no\n2. yes"] {
            assert_eq!(read(reply, 3), "???", "{reply}");
        }
        let read = read_numbered("1. yes\n2. no\n3. no", 2);
        assert_eq!(read[0], Err(Unread::Miscounted(3, 2)));
    }

    #[test]
    fn the_only_criterion_needs_no_number() {
        assert_eq!(read("Yes.", 1), "y");
        assert_eq!(read("Verdicts:\nno", 1), "n");
        assert_eq!(read("1. no", 1), "n");
        assert_eq!(read("Yes, I think", 1), "?");
    }
}
