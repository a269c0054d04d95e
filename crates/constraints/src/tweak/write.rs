//! A text that follows some constraints and breaks others.

use super::words::{FILLERS, TAILS};
use crate::{Constraint, Relation};
use std::collections::BTreeSet;

/// What a text is written from.
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
    pub(super) fn write(&self, asked: &[Asked<'_>]) -> String {
        let mut body = self.sentences.clone();
        asked
            .iter()
            .for_each(|(constraint, follow)| change_length(&mut body, constraint, *follow));
        asked
            .iter()
            .for_each(|(constraint, follow)| add_sentence(&mut body, constraint, *follow));
        asked
            .iter()
            .for_each(|(constraint, follow)| mark_words(&mut body, constraint, *follow));
        let mut text = layout(body, self.sentences.len(), asked);
        asked
            .iter()
            .filter(|(_, follow)| *follow)
            .for_each(|(constraint, _)| self.add_ends(&mut text, constraint));
        asked
            .iter()
            .filter(|(_, follow)| *follow)
            .for_each(|(constraint, _)| change_whole(&mut text, constraint));
        if asked
            .iter()
            .any(|(constraint, follow)| *follow && matches!(constraint, Constraint::Quotation))
        {
            return format!("\"{text}\"");
        }
        text
    }

    /// What stands before and after the body. The request is put before the title whichever comes
    /// first.
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

/// Cuts the body down to a sentence, or fills it up, where its length is to be wrong.
fn change_length(body: &mut Vec<String>, constraint: &Constraint, follow: bool) {
    match constraint {
        Constraint::Sentences { count } | Constraint::Words { count } if !follow => match count
            .relation
        {
            Relation::AtLeast => body.truncate(1),
            Relation::LessThan => body.extend(FILLERS.iter().map(|filler| (*filler).to_owned())),
        },
        _ => {}
    }
}

/// Adds a sentence with the words that must be there, or with one that must not.
fn add_sentence(body: &mut Vec<String>, constraint: &Constraint, follow: bool) {
    match constraint {
        Constraint::Keywords { keywords } if follow => {
            let words: Vec<&str> = keywords.iter().map(|keyword| keyword.source()).collect();
            body.push(format!(
                "Words that come to mind here are {}.",
                words.join(" and ")
            ));
        }
        Constraint::KeywordFrequency { keyword, count } if follow => {
            let words = vec![keyword.source(); count.number];
            body.push(format!(
                "What matters in the end is {}.",
                words.join(" and again ")
            ));
        }
        Constraint::Placeholders { number } if follow => {
            let places: Vec<&str> = ["[name]", "[place]", "[date]", "[address]"]
                .into_iter()
                .take(*number)
                .collect();
            body.push(format!(
                "To learn more you can write to {}.",
                places.join(" or ")
            ));
        }
        Constraint::ForbiddenWords { words } if !follow => {
            let places = [1.min(body.len()), body.len() + 1]
                .into_iter()
                .zip(["Some people would say", "The word for this is"]);
            for ((at, start), word) in places.zip(words.iter().cycle()) {
                body.insert(at.min(body.len()), format!("{start} {}.", word.source()));
            }
        }
        _ => {}
    }
}

/// Marks single words: capitals, asterisks, or tails with commas.
fn mark_words(body: &mut [String], constraint: &Constraint, follow: bool) {
    match constraint {
        Constraint::CapitalWords { count } if follow => {
            (0..count.number).for_each(|at| mark_longest(body, at, str::to_uppercase));
        }
        Constraint::Highlights { number } if follow => {
            (0..*number).for_each(|at| mark_longest(body, at, |word| format!("*{word}*")));
        }
        Constraint::NoComma if !follow => {
            let places = BTreeSet::from([0, body.len() / 2, body.len().saturating_sub(1)]);
            places
                .into_iter()
                .zip(TAILS)
                .for_each(|(at, tail)| add_tail(body, at, tail));
        }
        _ => {}
    }
}

/// Marks the longest word of small letters of a sentence (of the first again, where there are
/// fewer).
fn mark_longest(body: &mut [String], at: usize, mark: impl Fn(&str) -> String) {
    let Some(sentence) = at.checked_rem(body.len()).and_then(|at| body.get_mut(at)) else {
        return;
    };
    let words = sentence.split(|c: char| !c.is_alphanumeric() && !"-'*[]".contains(c));
    let small =
        words.filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase()));
    let Some(longest) = small.max_by_key(|word| word.len()).map(str::to_owned) else {
        return;
    };
    *sentence = sentence.replacen(&longest, &mark(&longest), 1);
}

fn add_tail(body: &mut [String], at: usize, tail: &str) {
    if let Some(sentence) = body.get_mut(at).filter(|sentence| sentence.ends_with('.')) {
        sentence.insert_str(sentence.len() - 1, tail);
    }
}

/// The body in lines: bullets, and a division into paragraphs or sections.
fn layout(body: Vec<String>, plain: usize, asked: &[Asked<'_>]) -> String {
    let bullets = asked
        .iter()
        .find_map(|(constraint, follow)| match constraint {
            Constraint::Bullets { number } if *follow => Some(*number),
            _ => None,
        });
    let plain_division = (if needs_lines(asked) { 2 } else { 1 }, no_head(), "\n\n");
    let (parts, head, between) = asked
        .iter()
        .find_map(|(constraint, follow)| division(constraint, *follow))
        .unwrap_or(plain_division);
    let lines = with_bullets(body, plain, bullets.unwrap_or(0));
    let written = groups(&lines, parts)
        .into_iter()
        .enumerate()
        .map(|(at, group)| joined(head(at + 1), group));
    written.collect::<Vec<_>>().join(between)
}

/// Whether something is to be wrong that the loose check must not remove with a line: it then
/// stands in two paragraphs.
fn needs_lines(asked: &[Asked<'_>]) -> bool {
    let shows = |constraint: &Constraint| {
        matches!(
            constraint,
            Constraint::ForbiddenWords { .. } | Constraint::NoComma
        )
    };
    asked
        .iter()
        .any(|(constraint, follow)| !follow && shows(constraint))
}

fn no_head() -> Box<dyn Fn(usize) -> String> {
    Box::new(|_| String::new())
}

/// How many parts, what each starts with, and what stands between them.
type Division = (usize, Box<dyn Fn(usize) -> String>, &'static str);

fn division(constraint: &Constraint, follow: bool) -> Option<Division> {
    match constraint {
        Constraint::Sections { splitter, number } if follow => {
            let mark = splitter.source().to_owned();
            Some((
                *number,
                Box::new(move |at| format!("{mark} {at}\n")),
                "\n\n",
            ))
        }
        Constraint::Sections { number, .. } => Some((*number, no_head(), "\n\n")),
        Constraint::Paragraphs { number } => {
            Some((*number, no_head(), if follow { "\n***\n" } else { "\n\n" }))
        }
        Constraint::FirstWord {
            paragraphs,
            nth,
            word,
        } => {
            let (nth, start) = (*nth, format!("{} there is more to say.", capitalised(word)));
            Some((
                *paragraphs,
                Box::new(move |at| {
                    if follow && at == nth {
                        start.clone()
                    } else {
                        String::new()
                    }
                }),
                "\n\n",
            ))
        }
        _ => None,
    }
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}

/// Of the sentences of the plain answer the last ones as bullets.
fn with_bullets(body: Vec<String>, plain: usize, bullets: usize) -> Vec<String> {
    let first = plain.min(body.len()).saturating_sub(bullets);
    let is_bullet = |at: usize| (first..first + bullets).contains(&at);
    body.into_iter()
        .enumerate()
        .map(|(at, sentence)| {
            if is_bullet(at) {
                format!("* {sentence}")
            } else {
                sentence
            }
        })
        .collect()
}

/// So many groups, none empty if there are enough lines, the first ones larger.
fn groups(lines: &[String], parts: usize) -> Vec<&[String]> {
    let mut left = lines;
    (0..parts)
        .map(|at| {
            let (group, rest) = left.split_at(left.len().div_ceil(parts - at));
            left = rest;
            group
        })
        .collect()
}

/// The head, then sentences on one line and bullets on lines of their own.
fn joined(head: String, group: &[String]) -> String {
    let mut text = head;
    for sentence in group {
        let new_line = sentence.starts_with("* ")
            || text
                .lines()
                .last()
                .is_some_and(|line| line.starts_with("* "));
        let space = if text.is_empty() || text.ends_with('\n') {
            ""
        } else if new_line {
            "\n"
        } else {
            " "
        };
        text = text + space + sentence;
    }
    text
}

/// Removes commas, or changes the case of all of it.
fn change_whole(text: &mut String, constraint: &Constraint) {
    match constraint {
        Constraint::NoComma => *text = text.replace(',', ""),
        Constraint::EnglishCapital => *text = text.to_uppercase(),
        Constraint::EnglishLowercase => *text = text.to_lowercase(),
        _ => {}
    }
}
