//! A text that follows some constraints and breaks others.

use super::words::{FILLERS, TAILS};
use crate::{Constraint, Pattern, Relation};
use std::collections::BTreeSet;

/// The parts that a text is written from.
pub(super) struct Draft<'a> {
    pub(super) question: &'a str,
    /// The plain answer, sentence by sentence.
    pub(super) sentences: Vec<String>,
    pub(super) title: &'a str,
    pub(super) postscript: &'a str,
}

/// A constraint, and whether the text is to follow it.
pub(super) type Asked<'a> = (&'a Constraint, bool);

impl Draft<'_> {
    /// Writes a text that follows these constraints, or breaks them.
    pub(super) fn write_text(&self, asked: &[Asked<'_>]) -> String {
        let mut body = self.sentences.clone();
        // Each step goes through all constraints: the next builds on what the one before wrote.
        for (constraint, follow) in asked {
            // Cut down to a sentence, or filled up, where its length is to be wrong.
            if let (Constraint::Sentences { count } | Constraint::Words { count }, false) =
                (constraint, follow)
            {
                match count.relation {
                    Relation::AtLeast => body.truncate(1),
                    Relation::LessThan => body.extend(FILLERS.iter().copied().map(String::from)),
                }
            }
        }
        for (constraint, follow) in asked {
            add_sentence(&mut body, constraint, *follow);
        }
        for (constraint, follow) in asked {
            mark_words(&mut body, constraint, *follow);
        }
        let mut text = lay_out(body, self.sentences.len(), asked);
        // The text as a whole changes only where it is to follow a constraint.
        let followed = asked.iter().filter(|(_, follow)| *follow);
        let followed: Vec<&Constraint> = followed.map(|(constraint, _)| *constraint).collect();
        for constraint in &followed {
            self.add_ends(&mut text, constraint);
        }
        for constraint in &followed {
            match constraint {
                Constraint::NoComma => text = text.replace(',', ""),
                Constraint::EnglishCapital => text = text.to_uppercase(),
                Constraint::EnglishLowercase => text = text.to_lowercase(),
                _ => {}
            }
        }
        if followed.contains(&&Constraint::Quotation) {
            text = format!("\"{text}\"");
        }
        text
    }

    /// Adds what stands before and after the body. The request is put before the title whichever
    /// comes first.
    fn add_ends(&self, text: &mut String, constraint: &Constraint) {
        match constraint {
            Constraint::Title if text.starts_with(self.question) => {
                let rest = text.split_off(self.question.len());
                text.push_str(&format!("\n\n<<{}>>{rest}", self.title));
            }
            Constraint::Title => text.insert_str(0, &format!("<<{}>>\n\n", self.title)),
            Constraint::RepeatPrompt { prompt } => text.insert_str(0, &format!("{prompt}\n\n")),
            Constraint::Postscript { marker } => {
                text.push_str(&format!("\n\n{} {}", marker.source(), self.postscript))
            }
            Constraint::EndPhrase { phrase } => text.push_str(&format!("\n{phrase}")),
            _ => {}
        }
    }
}

/// Adds a sentence with the words that must be there, or with one that must not.
fn add_sentence(body: &mut Vec<String>, constraint: &Constraint, follow: bool) {
    match constraint {
        Constraint::Keywords { keywords } if follow => {
            let words: Vec<&str> = keywords.iter().map(Pattern::source).collect();
            let words = words.join(" and ");
            body.push(format!("Words that come to mind here are {words}."));
        }
        Constraint::KeywordFrequency { keyword, count } if follow => {
            let words = vec![keyword.source(); count.number].join(" and again ");
            body.push(format!("What matters in the end is {words}."));
        }
        Constraint::Placeholders { number } if follow => {
            let places = ["[name]", "[place]", "[date]", "[address]"];
            let places = places[..places.len().min(*number)].join(" or ");
            body.push(format!("To learn more you can write to {places}."));
        }
        Constraint::ForbiddenWords { words } if !follow => add_forbidden(body, words),
        _ => {}
    }
}

/// Adds two sentences with forbidden words, one near the start and one at the end.
fn add_forbidden(body: &mut Vec<String>, words: &[Pattern]) {
    let places = [1.min(body.len()), body.len() + 1];
    let starts = ["Some people would say", "The word for this is"];
    for ((at, start), word) in places.into_iter().zip(starts).zip(words.iter().cycle()) {
        // One of the two may stand in a line that the loose check takes away.
        body.insert(at.min(body.len()), format!("{start} {}.", word.source()));
    }
}

/// Marks single words: capitals, asterisks, or tails with commas.
fn mark_words(body: &mut [String], constraint: &Constraint, follow: bool) {
    match constraint {
        Constraint::CapitalWords { count } if follow => {
            for at in 0..count.number {
                mark_longest(body, at, str::to_uppercase);
            }
        }
        Constraint::Highlights { number } if follow => {
            for at in 0..*number {
                mark_longest(body, at, |word| format!("*{word}*"));
            }
        }
        Constraint::NoComma if !follow => {
            // At the start, in the middle and at the end.
            let places = BTreeSet::from([0, body.len() / 2, body.len().saturating_sub(1)]);
            for (at, tail) in places.into_iter().zip(TAILS) {
                let sentence = body.get_mut(at).filter(|sentence| sentence.ends_with('.'));
                if let Some(sentence) = sentence {
                    sentence.insert_str(sentence.len() - 1, tail);
                }
            }
        }
        _ => {}
    }
}

/// Marks the longest word of small letters of a sentence (of the first again, where there are
/// fewer).
fn mark_longest(body: &mut [String], at: usize, mark: impl Fn(&str) -> String) {
    let at = at.checked_rem(body.len());
    let Some(sentence) = at.and_then(|at| body.get_mut(at)) else {
        return;
    };
    let words = sentence.split(|c: char| !c.is_alphanumeric() && !"-'*[]".contains(c));
    let small = words.filter(|word| word.chars().all(|c| c.is_ascii_lowercase()));
    let longest = small
        .filter(|word| !word.is_empty())
        .max_by_key(|word| word.len());
    if let Some(longest) = longest {
        *sentence = sentence.replacen(longest, &mark(longest), 1);
    }
}

/// Lays the body out in lines: bullets, and a division into paragraphs or sections.
fn lay_out(mut body: Vec<String>, plain: usize, asked: &[Asked<'_>]) -> String {
    let mut divisions = asked.iter();
    let division = divisions.find_map(|(constraint, follow)| find_division(constraint, *follow));
    let division = division.unwrap_or_else(|| {
        // Two paragraphs where something is to be wrong that the loose check must not remove with a
        // line.
        let needs_lines = asked.iter().any(|(constraint, follow)| match constraint {
            Constraint::ForbiddenWords { .. } | Constraint::NoComma => !follow,
            _ => false,
        });
        Division::plain(if needs_lines { 2 } else { 1 })
    });
    let mut numbers = asked.iter();
    let bullets = numbers.find_map(|(constraint, follow)| match constraint {
        Constraint::Bullets { number } if *follow => Some(*number),
        _ => None,
    });
    let bullets = bullets.unwrap_or(0);
    // Bullets are made of the last sentences of the plain answer.
    let first = plain.min(body.len()).saturating_sub(bullets);
    for sentence in body.iter_mut().skip(first).take(bullets) {
        sentence.insert_str(0, "* ");
    }
    // No part is empty if there are enough lines, and the first ones are larger.
    let (mut parts, mut left) = (Vec::new(), &body[..]);
    for (at, head) in division.heads.iter().enumerate() {
        let (group, rest) = left.split_at(left.len().div_ceil(division.heads.len() - at));
        parts.push(join_group(head, group));
        left = rest;
    }
    parts.join(division.between)
}

/// How a text is divided.
struct Division {
    /// The texts that the parts start with.
    heads: Vec<String>,
    /// The text that stands between the parts.
    between: &'static str,
}

impl Division {
    /// Returns a division into parts without heads.
    fn plain(parts: usize) -> Self {
        Division {
            heads: vec![String::new(); parts],
            between: "\n\n",
        }
    }
}

/// Returns the division that a constraint asks for.
fn find_division(constraint: &Constraint, follow: bool) -> Option<Division> {
    let mut division = match constraint {
        Constraint::Sections { number, .. } | Constraint::Paragraphs { number } => {
            Division::plain(*number)
        }
        Constraint::FirstWord { paragraphs, .. } => Division::plain(*paragraphs),
        _ => return None,
    };
    let heads = division.heads.iter_mut().zip(1..);
    match constraint {
        Constraint::Sections { splitter, .. } if follow => {
            heads.for_each(|(head, at)| *head = format!("{} {at}\n", splitter.source()));
        }
        Constraint::Paragraphs { .. } if follow => division.between = "\n***\n",
        Constraint::FirstWord { nth, word, .. } if follow => {
            for (head, _) in heads.filter(|(_, at)| at == nth) {
                *head = format!("{} there is more to say.", capitalise(word));
            }
        }
        _ => {}
    }
    Some(division)
}

fn capitalise(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().into_iter();
    first
        .flat_map(char::to_uppercase)
        .chain(characters)
        .collect()
}

/// Joins the head, then sentences on one line and bullets on lines of their own.
fn join_group(head: &str, group: &[String]) -> String {
    let mut text = head.to_owned();
    for sentence in group {
        let last_line = text.lines().last().unwrap_or_default();
        let has_bullet = sentence.starts_with("* ") || last_line.starts_with("* ");
        if !text.is_empty() && !text.ends_with('\n') {
            text.push(if has_bullet { '\n' } else { ' ' });
        }
        text.push_str(sentence);
    }
    text
}
