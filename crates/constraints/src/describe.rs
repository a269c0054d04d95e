//! Constraints in plain English, in our own words.

use crate::constraint::{Bound, Constraint, Relation};
use crate::followed::ANSWERS;
use crate::language::find_language;
use crate::pattern::Pattern;

impl Constraint {
    /// Returns one sentence that asks for it.
    // A sentence a type: long, and one level.
    pub fn describe(&self) -> String {
        match self {
            Constraint::EnglishCapital => "Write in English and use capital letters only.".into(),
            Constraint::EnglishLowercase => "Write in English and use no capital letters.".into(),
            Constraint::TwoResponses => {
                "Give two different answers with a line of six asterisks (******) between them."
                    .into()
            }
            Constraint::ConstrainedResponse => {
                format!(
                    "Answer with one of these sentences: {}",
                    ANSWERS.join(" / ")
                )
            }
            Constraint::JsonFormat => "Give the entire answer as valid JSON.".into(),
            Constraint::Title => {
                "Give the answer a title in double angle brackets, <<like this>>.".into()
            }
            Constraint::NoComma => "Do not use any commas.".into(),
            Constraint::Quotation => "Put the entire answer in double quotation marks.".into(),
            // Words.
            Constraint::RepeatPrompt { prompt } => format!(
                "Begin by repeating this request word for word and then give your answer: {}",
                prompt.trim()
            ),
            Constraint::Postscript { marker } => format!(
                "Close with a postscript that begins with {}",
                quote_text(marker.source())
            ),
            Constraint::Keywords { keywords } => {
                let words = list_words(keywords, ["the word", "all of the words"], "and");
                format!("Use {words}.")
            }
            Constraint::ForbiddenWords { words } => {
                let words = list_words(words, ["the word", "any of the words"], "or");
                format!("Do not use {words}.")
            }
            Constraint::Language { language } => {
                let name = find_language(language).map_or(*language, |(_, name)| name);
                format!("Write everything in {name} and in no other language.")
            }
            Constraint::EndPhrase { phrase } => {
                format!("End with exactly these words and nothing after them: {phrase}")
            }
            // Numbers.
            Constraint::Placeholders { number } => format!(
                "Include at least {} in square brackets, such as [name].",
                count_things(*number, "placeholder")
            ),
            Constraint::Sections { splitter, number } => {
                let sections = count_things(*number, "section");
                let splitter = splitter.source();
                let marks = match number {
                    1 => format!("{splitter} 1"),
                    2 => format!("{splitter} 1 and {splitter} 2"),
                    _ => format!("{splitter} 1 to {splitter} {number}"),
                };
                format!("Divide the answer into {sections} headed {marks}.")
            }
            Constraint::Bullets { number } => format!(
                "Use exactly {}, each on a line that starts with an asterisk and a space.",
                count_things(*number, "bullet point")
            ),
            Constraint::Highlights { number } => format!(
                "Highlight at least {} by putting asterisks around each, *like this*.",
                count_things(*number, "passage")
            ),
            Constraint::FirstWord {
                paragraphs,
                nth,
                word,
            } => format!(
                "Write exactly {} with one blank line between paragraphs, and start paragraph \
                 {nth} with the word {}.",
                count_things(*paragraphs, "paragraph"),
                quote_text(word)
            ),
            Constraint::Paragraphs { number } => format!(
                "Write exactly {} and put a line of three asterisks (***) between paragraphs.",
                count_things(*number, "paragraph")
            ),
            // Bounds.
            Constraint::CapitalWords { count } => {
                let words = describe_bound(*count, "word");
                format!("Write {words} entirely in capital letters.")
            }
            Constraint::KeywordFrequency { keyword, count } => format!(
                "Use the word {} {}.",
                quote_text(keyword.source()),
                describe_bound(*count, "time")
            ),
            Constraint::LetterFrequency { letter, count } => {
                format!(
                    "Use the letter {letter} {}.",
                    describe_bound(*count, "time")
                )
            }
            Constraint::Sentences { count } => {
                format!("Write {}.", describe_bound(*count, "sentence"))
            }
            Constraint::Words { count } => format!("Write {}.", describe_bound(*count, "word")),
        }
    }
}

fn count_things(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `at least 2 words`, `fewer than 3 times`.
fn describe_bound(count: Bound, what: &str) -> String {
    let things = count_things(count.number, what);
    let relation = match count.relation {
        Relation::LessThan => "fewer than",
        Relation::AtLeast => "at least",
    };
    format!("{relation} {things}")
}

fn quote_text(text: &str) -> String {
    format!("\"{text}\"")
}

fn list_words(list: &[Pattern], [one, several]: [&str; 2], joint: &str) -> String {
    let quoted: Vec<String> = list.iter().map(|word| quote_text(word.source())).collect();
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
