//! Constraints in plain English, in our own words.

use crate::constraint::{Bound, Constraint, Relation};
use crate::followed::ANSWERS;
use crate::language::language;
use crate::pattern::Pattern;

impl Constraint {
    /// One sentence that asks for it.
    pub fn describe(&self) -> String {
        match self {
            Constraint::CapitalWords { count } => format!(
                "Write {} entirely in capital letters.",
                times(*count, "word")
            ),
            Constraint::EnglishCapital => "Write in English and use capital letters only.".into(),
            Constraint::EnglishLowercase => "Write in English and use no capital letters.".into(),
            Constraint::RepeatPrompt { prompt } => {
                format!(
                    "Begin by repeating this request word for word and then give your answer: {}",
                    prompt.trim()
                )
            }
            Constraint::TwoResponses => {
                "Give two different answers with a line of six asterisks (******) between them."
                    .into()
            }
            Constraint::Placeholders { number } => {
                format!(
                    "Include at least {} in square brackets, such as [name].",
                    many(*number, "placeholder")
                )
            }
            Constraint::Postscript { marker } => format!(
                "Close with a postscript that begins with {}",
                quoted(marker.source())
            ),
            Constraint::ConstrainedResponse => format!(
                "Answer with one of these sentences: {}",
                ANSWERS.join(" / ")
            ),
            Constraint::JsonFormat => "Give the entire answer as valid JSON.".into(),
            Constraint::Sections { splitter, number } => sections(splitter.source(), *number),
            Constraint::Bullets { number } => {
                format!(
                    "Use exactly {}, each on a line that starts with an asterisk and a space.",
                    many(*number, "bullet point")
                )
            }
            Constraint::Highlights { number } => {
                format!(
                    "Highlight at least {} by putting asterisks around each, *like this*.",
                    many(*number, "passage")
                )
            }
            Constraint::Title => {
                "Give the answer a title in double angle brackets, <<like this>>.".into()
            }
            Constraint::Keywords { keywords } => format!(
                "Use {}.",
                words(keywords, "the word", "all of the words", "and")
            ),
            Constraint::ForbiddenWords { words: list } => {
                format!(
                    "Do not use {}.",
                    words(list, "the word", "any of the words", "or")
                )
            }
            Constraint::KeywordFrequency { keyword, count } => {
                format!(
                    "Use the word {} {}.",
                    quoted(keyword.source()),
                    times(*count, "time")
                )
            }
            Constraint::LetterFrequency { letter, count } => {
                format!("Use the letter {letter} {}.", times(*count, "time"))
            }
            Constraint::Language { language: code } => {
                format!(
                    "Write everything in {} and in no other language.",
                    language(code).map_or(*code, |(_, name)| name)
                )
            }
            Constraint::FirstWord {
                paragraphs,
                nth,
                word,
            } => format!(
                "Write exactly {} with one blank line between paragraphs, and start paragraph \
                 {nth} with the word {}.",
                many(*paragraphs, "paragraph"),
                quoted(word)
            ),
            Constraint::Paragraphs { number } => {
                format!(
                    "Write exactly {} and put a line of three asterisks (***) between paragraphs.",
                    many(*number, "paragraph")
                )
            }
            Constraint::Sentences { count } => format!("Write {}.", times(*count, "sentence")),
            Constraint::Words { count } => format!("Write {}.", times(*count, "word")),
            Constraint::NoComma => "Do not use any commas.".into(),
            Constraint::EndPhrase { phrase } => {
                format!("End with exactly these words and nothing after them: {phrase}")
            }
            Constraint::Quotation => "Put the entire answer in double quotation marks.".into(),
        }
    }
}

fn many(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `at least 2 words`, `fewer than 3 times`.
fn times(count: Bound, what: &str) -> String {
    let relation = match count.relation {
        Relation::LessThan => "fewer than",
        Relation::AtLeast => "at least",
    };
    format!("{relation} {}", many(count.number, what))
}

fn sections(splitter: &str, number: usize) -> String {
    let marks = match number {
        1 => format!("{splitter} 1"),
        2 => format!("{splitter} 1 and {splitter} 2"),
        _ => format!("{splitter} 1 to {splitter} {number}"),
    };
    format!(
        "Divide the answer into {} headed {marks}.",
        many(number, "section")
    )
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn words(list: &[Pattern], one: &str, several: &str, joint: &str) -> String {
    let quoted: Vec<String> = list.iter().map(|word| quoted(word.source())).collect();
    match quoted.as_slice() {
        [only] => format!("{one} {only}"),
        [first @ .., last] => format!("{several} {} {joint} {last}", first.join(", ")),
        [] => several.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_asks_in_one_sentence() {
        for (id, kwargs) in crate::examples::ALL {
            let sentence = Constraint::parse(id, &serde_json::from_str(kwargs).unwrap())
                .unwrap()
                .describe();
            assert!(
                sentence.chars().next().is_some_and(char::is_uppercase) && !sentence.contains('\n'),
                "{id}: {sentence}"
            );
        }
    }

    #[test]
    fn numbers_and_lists_read_well() {
        let said = |id: &str, kwargs| Constraint::parse(id, &kwargs).unwrap().describe();
        let words = serde_json::json!({"keywords": ["a", "b", "c"]});
        assert_eq!(
            said("keywords:existence", words),
            r#"Use all of the words "a", "b" and "c"."#
        );
        let one = serde_json::json!({"relation": "less than", "num_sentences": 1});
        assert_eq!(
            said("length_constraints:number_sentences", one),
            "Write fewer than 1 sentence."
        );
    }
}
