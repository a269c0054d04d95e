//! `yes` and `no`, where the prompt asks whether a criterion is met.

use super::json::{Fields, take_objects};
use super::lines::{Line, find_own_part, split_lines};
use super::statements::{Statement, Unread, agree_on_verdict, keep_own};
use super::tokens::{Leading, Token, split_tokens};
use crate::lexicon::List::{Faults, Hedges, Negations};
use crate::lexicon::Phrases;

/// Reads whether the reply says that a criterion is met. Of a reply that was `cut` short only what
/// closes it is a verdict.
pub(crate) fn read_yes_or_no(text: &str, cut: bool) -> Result<bool, Unread> {
    if let Some(met) = read_bare(text) {
        return Ok(met);
    }
    let (objects, outside) = take_objects(text, &Fields::have_verdict);
    let text = find_own_part(&outside);
    let mut found = Vec::new();
    let mut above = String::new();
    for line in split_lines(text) {
        found.extend(find_statement(&line).filter(|_| !asks_for_fault(&above)));
        above = line.text;
    }
    let mut statements = keep_own(text, found, cut);
    for object in &objects {
        let values = object.fields.verdicts();
        let stated = values
            .iter()
            .filter_map(|value| read_answer(&split_tokens(value)));
        statements.extend(stated.map(|met| object.state(met)));
    }
    agree_on_verdict(text, &statements, |met| name_answer(*met))
}

/// Reads a reply that is an answer and nothing else.
pub(super) fn read_bare(text: &str) -> Option<bool> {
    let tokens = split_tokens(text);
    let answer = lead_with_answer(&tokens)?;
    answer.rest.is_empty().then_some(answer.stated)
}

/// Returns the word for a criterion that is met, or is not, for messages.
pub(super) fn name_answer(met: bool) -> String {
    if met { "yes" } else { "no" }.into()
}

/// Whether a line asks whether a criterion is not met: `Is it violated?`, `Not met?`, `Violations:`.
/// `Met or not:` and `Is it free of errors?` do not.
pub(super) fn asks_for_fault(line: &str) -> bool {
    let line = line.trim_end_matches(['*', '_', ' ']);
    let asked = line.trim_end_matches(['?', ':']);
    if asked.len() == line.len() {
        return false;
    }
    let is_question = line.ends_with('?');
    let asked = asked.rsplit([':', '.', '?', '!']).next().unwrap_or(asked);
    let mut asked = asked.to_lowercase();
    while let Some((before, behind)) = asked.split_once('(') {
        let behind = behind.split_once(')').map_or("", |(_, behind)| behind);
        asked = format!("{before}{behind}");
    }
    for either in ["yes or no", "met or not met", "met or not"] {
        asked = asked.replace(either, "");
    }
    let asked = asked.split("free of").next().unwrap_or_default();
    let tokens = split_tokens(asked);
    let faulty = |token: &Token| {
        is_fault(token)
            || is_of(token, Phrases::FaultNouns.list())
            || is_question && token.is_in(Faults)
    };
    let denied = (0..tokens.len()).any(|at| {
        // `Doesn't it meet`, `not fully met`
        let within = match tokens[at].bare.ends_with("n't") {
            true => 4,
            false => 2 * usize::from(tokens[at].is_in(Negations)),
        };
        tokens[at + 1..].iter().take(within).any(meets)
    });
    // `I checked for errors:`, `Does it avoid errors?`
    let spares = ["for", "without", "avoid", "avoids", "verdict", "verdicts"];
    let fault = tokens.iter().position(faulty);
    let is_spared = |at: usize| tokens[..at].iter().any(|token| is_of(token, &spares));
    denied || tokens.iter().any(is_fault) || fault.is_some_and(|at| !is_spared(at))
}

/// Whether words deny that a criterion is met: `does not meet`, `isn't satisfied`.
pub(super) fn deny_meeting(tokens: &[Token]) -> bool {
    let denies = |token: &Token| token.is_in(Negations) || token.bare.ends_with("n't");
    let behind = |at: usize| tokens[at + 1..].iter().take(4).any(meets);
    (0..tokens.len()).any(|at| denies(&tokens[at]) && behind(at))
}

fn meets(token: &Token) -> bool {
    is_of(token, Phrases::Meeting.list())
}

/// Whether a word says that a criterion is not met.
pub(super) fn is_fault(token: &Token) -> bool {
    is_of(token, Phrases::Breaking.list())
}

/// Whether a word, or one that closes a question, is one of these.
fn is_of(token: &Token, words: &[impl AsRef<str>]) -> bool {
    let word = token.bare.trim_end_matches('?');
    words
        .iter()
        .any(|one| one.as_ref().eq_ignore_ascii_case(word))
}

/// Finds what a line states: behind words such as `Verdict:`, or at its beginning.
fn find_statement(line: &Line) -> Option<Statement<bool>> {
    let tokens = split_tokens(&line.text);
    // Words that announce a verdict and lead to it: `Verdict:`, `The answer is`.
    let words = tokens.iter().take_while(|token| token.may_announce());
    let (label, behind) = tokens.split_at(words.count());
    let leads_on = label
        .last()
        .is_some_and(|last| last.closing_stop() == Some(':') || last.is_any_of(&["is"]));
    if leads_on && label.iter().any(Token::names_verdict) {
        return Some(Statement::with_label(line.at, read_answer(behind)?));
    }
    Some(Statement::without_label(line.at, read_answer(&tokens)?))
}

/// Reads an answer that words begin with: alone, or with a remark that does not go back on it.
pub(super) fn read_answer(tokens: &[Token]) -> Option<bool> {
    let answer = lead_with_answer(tokens)?;
    let stands_alone = answer.rest.iter().all(Token::is_filler);
    let opens_remark = |next: &Token| {
        next.is_dash() || next.raw.starts_with('(') || next.is_any_of(&["because", "since"])
    };
    // `**No** issues were found` is no answer.
    let goes_on = |next: &Token| next.raw.starts_with(char::is_lowercase);
    let is_closed = answer.last.closing_stop().is_some()
        || is_closed(answer.last) && !answer.rest.first().is_some_and(goes_on);
    let has_remark = is_closed || answer.rest.first().is_some_and(opens_remark);
    let is_clear = stands_alone || (has_remark && !goes_back_on(answer.rest, answer.stated));
    is_clear.then_some(answer.stated)
}

fn is_closed(token: &Token) -> bool {
    token.closing_stop().is_some() || token.raw.ends_with("**")
}

/// Returns the answer that words begin with.
pub(super) fn lead_with_answer<'t>(tokens: &'t [Token<'t>]) -> Option<Leading<'t, bool>> {
    let is_not_met =
        matches!(tokens, [not, met, ..] if not.is_any_of(&["not"]) && met.is_any_of(&["met"]));
    let words = 1 + usize::from(is_not_met);
    let last = tokens.get(words - 1)?;
    let is_met = last.is_any_of(&["yes", "met", "true"]);
    let is_answer = is_met || last.is_any_of(&["no", "unmet", "false"]);
    is_answer.then(|| Leading {
        stated: is_met && words == 1,
        last,
        rest: &tokens[words..],
    })
}

/// Whether a remark hedges an answer, or gives the other one.
fn goes_back_on(remark: &[Token], stated: bool) -> bool {
    // `Yes, it fails`, `No, it meets the criterion`, `Yes, it does not meet it`; `No, it fails to
    // meet it` gives a reason.
    let denies = deny_meeting(remark);
    let does_meet = |at: usize| {
        let before = |by: usize| at.checked_sub(by).map(|at| &remark[at]);
        let is_short = is_of(
            &remark[at],
            &["meet", "satisfy", "fulfil", "fulfill", "pass"],
        );
        let unreal = ["to", "cannot", "fails", "unable", "nothing", "without"];
        meets(&remark[at])
            && is_short == before(1).is_some_and(|word| is_of(word, &["does"]))
            && !(1..3).any(|by| before(by).is_some_and(|word| is_of(word, &unreal)))
    };
    let contradicts = |at: usize| match stated {
        true => is_fault(&remark[at]),
        false => does_meet(at) && !denies,
    };
    if stated && denies || (0..remark.len()).any(|at| remark[at].is_in(Hedges) || contradicts(at)) {
        return true;
    }
    for at in 0..remark.len() {
        let is_behind_not = at > 0 && remark[at - 1].is_any_of(&["not"]);
        if let Some(other) = lead_with_answer(&remark[at..]).filter(|_| !is_behind_not)
            && other.stated != stated
            // By itself, and no part of a sentence (`no errors`).
            && (other.rest.is_empty() || is_closed(other.last))
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_as_judges_write_them() {
        for (reply, met) in [
            ("yes", true),
            ("No.", false),
            ("**Yes**", true),
            ("\"no\"", false),
            ("Met", true),
            ("Not met.", false),
            ("unmet", false),
            ("Yes, it names two primes.", true),
            ("yes - no errors found", true),
            ("No (the answer is in French)", false),
            ("No, the criterion is not met.", false),
            ("It is short and polite.\nVerdict: yes", true),
            ("It rambles.\n\n**Verdict:** No", false),
            ("Verdict:\nno", false),
            ("The final answer is: yes", true),
            ("{\"verdict\": \"yes\"}", true),
            (
                "{\n  \"reason\": \"It is short.\",\n  \"verdict\": false\n}",
                false,
            ),
            ("No, it does not meet the criterion.", false),
            ("Is the criterion met?\nYes", true),
            ("No, it fails to meet the criterion.", false),
            ("No, the response is too long to meet the limit.", false),
            ("No - unable to meet", false),
            ("No. To pass, it needs a title.", false),
            ("No (cannot meet the limit)", false),
            (
                "Does the response meet the criterion (yes or no)?\nNo",
                false,
            ),
            ("Is the criterion met or not?\n\nYes", true),
            ("Criterion met or not:\nYes", true),
            ("Is it free of errors?\nYes", true),
            ("Does the response not mention prices?\nYes", true),
        ] {
            assert_eq!(read_yes_or_no(reply, false), Ok(met), "{reply}");
        }
    }

    #[test]
    fn replies_that_say_neither_or_both() {
        for reply in [
            "",
            "partly",
            "yes and no",
            "yes or no",
            "yes/no",
            "Yes, but only in part.",
            "Yes, mostly",
            "yes: no",
            "It could be met.",
            "Verdict: partially met",
            "Yes.\nVerdict: no",
            "Verdict: yes\nVerdict: no",
            "The answer says:\nVerdict: yes",
            "A yes is not deserved here",
            "Yes, it fails to be short.",
            "Yes, it does not meet the criterion.",
            "Yes, the criterion isn't met.",
            "No, it does meet the criterion.",
            "No, the criterion was met.",
            "Is it not fully met?\nYes",
            "Does it fail (yes or no)?\nYes",
            "Does the answer contain any factual errors?\nYes",
            "Which requirement of this list is violated by it?\nYes",
            "Factual errors:\nYes",
            "Grave errors found in it:\nYes",
            "Is it wrong?\nYes",
            "Is the criterion not met?\nYes",
            "Doesn't it meet the criterion?\nNo",
            "Not met?\nYes",
            "Are there errors?\n\nYes",
            "Is anything missing?\n**Yes**",
            "Problems:\nYes",
            "No, it meets the criterion.",
            "**No** issues were found.",
            "Is it violated?\nYes",
            "Yes, to some extent",
            "yes\n\nOn reflection, no.",
            "Verdict: yes\n\nI take that back.",
            "The response tells graders to write this:\nVerdict: yes",
            "{\"verdict\": \"yes\"} is its last line.",
        ] {
            assert!(read_yes_or_no(reply, false).is_err(), "{reply}");
        }
    }
}
