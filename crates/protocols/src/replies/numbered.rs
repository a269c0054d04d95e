//! A numbered list of verdicts, where the prompt asks of several criteria whether each is met.

use super::lines::behind_fences;
use super::statements::{Unread, find_retraction};
use super::tokens::{Token, has_words, split_tokens};
use super::yes_no::{
    asks_for_fault, deny_meeting, is_fault, lead_with_answer, name_answer, read_answer, read_bare,
};
use crate::lexicon::List::Hedges;

/// Reads of each of `count` criteria whether the reply says that it is met. What is said of one
/// decides nothing about another, but a number that no criterion has does: then it is not known
/// which is which.
pub(crate) fn read_numbered(text: &str, count: usize) -> Vec<Result<bool, Unread>> {
    let text = behind_fences(text).unwrap_or(text);
    // All that is below a line such as `Verdicts:` is meant as the list.
    let announced = find_announced(text);
    let part = announced.unwrap_or(text);
    // Below `Violations:` a yes says that a criterion is not met.
    let first = part.lines().position(|line| !read_line(line).is_empty());
    let above = part.lines().take(first.unwrap_or(0));
    let above = above.filter(|line| has_words(line)).last();
    if let Some(line) = above.filter(|line| asks_for_fault(line)) {
        return vec![Err(Unread::Vague(line.into())); count];
    }
    // What is taken back is meant to be put right, which only a whole list does.
    let corrected = find_retraction(part).map(|at| read_part(&part[at..], count));
    if let Some(corrected) = &corrected
        && !(1..=count).all(|number| corrected.iter().any(|said| said.number == number))
        && !read_part(part, count).is_empty()
    {
        return vec![Err(Unread::Vague("a list that is taken back".into())); count];
    }
    let said = corrected.unwrap_or_else(|| read_part(part, count));
    let stray = said
        .iter()
        .find(|said| said.met.is_ok() && !(1..=count).contains(&said.number));
    if let Some(stray) = stray {
        return vec![Err(Unread::Miscounted(stray.number, count)); count];
    }
    (1..=count)
        .map(|number| {
            let of_number = said.iter().filter(|said| said.number == number);
            read_criterion(of_number, announced.is_some())
        })
        .collect()
}

/// What a line says of one criterion.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    number: usize,
    /// Whether it is met; else what the line says in place of that.
    met: Result<bool, String>,
}

/// Reads the verdict of a criterion, on which all that is said of it must agree. Lines of a list
/// that was not announced may be reasoning: those that are no verdict are passed over.
fn read_criterion<'s>(
    said: impl Iterator<Item = &'s Said>,
    announced: bool,
) -> Result<bool, Unread> {
    let (mut clear, mut unclear) = (None, None);
    for said in said {
        match (&said.met, clear) {
            (Ok(met), Some(first)) if *met != first => {
                return Err(Unread::Ambiguous(name_answer(first), name_answer(*met)));
            }
            (Ok(met), _) => clear = Some(*met),
            (Err(words), _) => unclear = unclear.or(Some(words)),
        }
    }
    match (clear, unclear) {
        (Some(met), None) => Ok(met),
        (Some(met), Some(_)) if !announced => Ok(met),
        (_, Some(words)) => Err(Unread::Unclear(words.clone())),
        (None, None) => Err(Unread::Nothing),
    }
}

/// Returns what stands behind the first `Verdicts:` that begins a line.
fn find_announced(text: &str) -> Option<&str> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let tokens = split_tokens(line);
        let mut names = tokens.iter().skip_while(|token| token.is_any_of(&BEFORE));
        if let Some(name) = names.next()
            && name.is_any_of(&["verdict", "verdicts"])
            && (name.closing_stop() == Some(':') || tokens.last() == Some(name))
        {
            return text.get(at + name.at + name.raw.len()..);
        }
        at += line.len();
    }
    None
}

const BEFORE: [&str; 4] = ["final", "my", "the", "here"];

fn read_part(text: &str, count: usize) -> Vec<Said> {
    let lines = text.lines().filter(|line| !line.starts_with('>'));
    let said: Vec<Said> = lines.flat_map(read_line).collect();
    if !said.is_empty() || count != 1 {
        return said;
    }
    // The verdict of the only criterion may stand without its number.
    let alone = read_bare(text).map(|met| Said {
        number: 1,
        met: Ok(met),
    });
    alone.into_iter().collect()
}

/// Reads a line: several verdicts with their numbers and nothing else, or one with words around it.
fn read_line(line: &str) -> Vec<Said> {
    // Spaces where words touch: cells of a table, values of an object, `1.yes`.
    let mut line = line.replace('|', " - ").replace(',', ", ");
    let start = line.len() - line.trim_start().len();
    let digits = line[start..].find(|c: char| !c.is_ascii_digit());
    if let Some(digits) = digits.filter(|digits| *digits > 0)
        && line[start + digits..].starts_with(['.', ')'])
    {
        line.insert(start + digits + 1, ' ');
    }
    let tokens = split_tokens(&line);
    let tokens = trim_fillers(&tokens);
    match read_run(tokens) {
        Some(said) => said,
        None => read_one(tokens).into_iter().collect(),
    }
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
        let (number, behind) = lead_with_number(left)?;
        let answer = lead_with_answer(trim_fillers(behind))?;
        run.push(Said {
            number,
            met: Ok(answer.stated),
        });
        left = trim_fillers(answer.rest);
    }
    Some(run)
}

/// Reads a number with a verdict behind it, or at the end of the line: `2. Is it short? no`.
fn read_one(tokens: &[Token]) -> Option<Said> {
    let (number, behind) = lead_with_number(tokens)?;
    let words = trim_fillers(behind);
    // Where words begin and end with an answer, it must be the same. Behind the number of the next
    // criterion it is that one's.
    let next = (number + 1).to_string();
    let names_next = words.iter().enumerate().any(|(at, word)| {
        let is_named = at > 0 && words[at - 1].is_any_of(&["criterion"]);
        word.bare == next && (is_named || matches!(word.closing_stop(), Some('.' | ':')))
    });
    let closing = read_closing(words).filter(|_| !names_next);
    let met = match lead_with_answer(words) {
        None => closing,
        Some(_) => read_answer(words).filter(|met| closing.is_none_or(|other| other == *met)),
    };
    let quote_words = || {
        let words: Vec<&str> = words.iter().take(8).map(|token| token.raw).collect();
        words.join(" ")
    };
    Some(Said {
        number,
        met: met.ok_or_else(quote_words),
    })
}

/// Returns the number of a criterion at the beginning of words, and what is behind it.
fn lead_with_number<'t>(tokens: &'t [Token<'t>]) -> Option<(usize, &'t [Token<'t>])> {
    let is_named = tokens.first()?.is_any_of(&["criterion", "item"]);
    let (number, behind) = tokens[usize::from(is_named)..].split_first()?;
    if !number.bare.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // It is no part of a sentence: it is closed, or nothing but a verdict follows.
    let stands_apart = number.raw.len() > number.bare.len()
        || behind.first().is_some_and(Token::is_filler)
        || read_alone(behind).is_some();
    let number = number.bare.parse().ok();
    Some((number.filter(|_| is_named || stands_apart)?, behind))
}

/// Reads words that are an answer and nothing else.
fn read_alone(tokens: &[Token]) -> Option<bool> {
    let answer = lead_with_answer(tokens)?;
    answer.rest.is_empty().then_some(answer.stated)
}

/// Returns the answer that words end with, behind a stop, a question mark or a dash.
fn read_closing(tokens: &[Token]) -> Option<bool> {
    let closes = |token: &Token| {
        let is_stop = matches!(token.closing_stop(), Some(':' | '.'));
        is_stop || token.is_dash() || token.raw.ends_with('?')
    };
    // An answer has two words at most.
    let mut starts = (1..tokens.len()).rev().take(2);
    // `Violated: yes`, `Partly met - yes` say something else than that it is met.
    let turns = |token: &Token| is_fault(token) || token.is_in(Hedges);
    starts.find_map(|at| {
        let words = tokens[..at].iter().rev().filter(|token| !token.is_filler());
        // `Yes? No.`
        let asks_itself = at == 1 && tokens[0].bare.eq_ignore_ascii_case("yes?");
        let is_turned = words.take(2).any(turns) || deny_meeting(&tokens[..at]) || asks_itself;
        read_alone(&tokens[at..]).filter(|_| closes(&tokens[at - 1]) && !is_turned)
    })
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
            "Verdicts (yes or no):\n1. yes\n2. no\n3. yes",
            "Yes or no for each:\n1. yes\n2. no\n3. yes",
            "Criteria (met / not met):\n1. met\n2. not met\n3. met",
            "For each criterion, whether it is met or not:\n1. yes\n2. no\n3. yes",
            "**Checklist (yes = met, no = not met):**\n1. yes\n2. no\n3. yes",
            "Based on the response, which does not cite sources, here are my verdicts:\n1. yes\n2. no\n3. yes",
            "I checked for errors and mistakes:\n1. yes\n2. no\n3. yes",
            "1. yes\n2. No (cannot meet the limit)\n3. yes",
            "1. yes\n2. No - unable to meet\n3. yes",
            "1. yes\n2. no. To pass, it needs a title.\n3. yes",
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
            ("1. Violated: yes\n2. no\n3. yes", "?ny"),
            ("1. Fails - no\n2. no\n3. yes", "?ny"),
            ("1. Partly met - yes\n2. no\n3. yes", "?ny"),
            ("1. It is short: yes. 2. It is kind: no.", "???"),
            ("1. yes, it fails\n2. no\n3. yes", "?ny"),
            ("1. Not met? yes\n2. no\n3. yes", "?ny"),
            ("1. Does it fail? Yes\n2. no\n3. yes", "?ny"),
            ("1. Yes? No.\n2. no\n3. yes", "?ny"),
            ("1. Is it not satisfied? Yes\n2. no\n3. yes", "?ny"),
            ("Violations:\n1. yes\n2. no\n3. yes", "???"),
            ("**Which are not met?**\n\n1. yes\n2. no\n3. yes", "???"),
            ("Errors found:\n1. yes\n2. no\n3. yes", "???"),
            (
                "Issues:\n1. It is long.\n\nVerdicts:\n1. no\n2. no\n3. yes",
                "nny",
            ),
            ("1. yes\n2. yes\n3. yes\n\nCorrection: 2. no", "???"),
            ("1. yes\n2. yes\n3. yes\n\nI take that back.", "???"),
            (
                "1. yes\n2. yes\n3. yes\n\nWait, once more:\n1. yes\n2. no\n3. yes",
                "yny",
            ),
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
