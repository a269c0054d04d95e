//! The 25 types of IFEval (Zhou et al. 2023, arXiv 2311.07911, table 1) by their ids.

use std::fmt;

/// The type of a constraint. In the order of their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Id {
    /// `change_case:capital_word_frequency`
    CapitalWords,
    /// `change_case:english_capital`
    EnglishCapital,
    /// `change_case:english_lowercase`
    EnglishLowercase,
    /// `combination:repeat_prompt`
    RepeatPrompt,
    /// `combination:two_responses`
    TwoResponses,
    /// `detectable_content:number_placeholders`
    Placeholders,
    /// `detectable_content:postscript`
    Postscript,
    /// `detectable_format:constrained_response`
    ConstrainedResponse,
    /// `detectable_format:json_format`
    JsonFormat,
    /// `detectable_format:multiple_sections`
    Sections,
    /// `detectable_format:number_bullet_lists`
    Bullets,
    /// `detectable_format:number_highlighted_sections`
    Highlights,
    /// `detectable_format:title`
    Title,
    /// `keywords:existence`
    Keywords,
    /// `keywords:forbidden_words`
    ForbiddenWords,
    /// `keywords:frequency`
    KeywordFrequency,
    /// `keywords:letter_frequency`
    LetterFrequency,
    /// `language:response_language`
    Language,
    /// `length_constraints:nth_paragraph_first_word`
    FirstWord,
    /// `length_constraints:number_paragraphs`
    Paragraphs,
    /// `length_constraints:number_sentences`
    Sentences,
    /// `length_constraints:number_words`
    Words,
    /// `punctuation:no_comma`
    NoComma,
    /// `startend:end_checker`
    EndPhrase,
    /// `startend:quotation`
    Quotation,
}

/// Every type with its id, in the order of the declaration.
const NAMES: [(Id, &str); 25] = [
    (Id::CapitalWords, "change_case:capital_word_frequency"),
    (Id::EnglishCapital, "change_case:english_capital"),
    (Id::EnglishLowercase, "change_case:english_lowercase"),
    (Id::RepeatPrompt, "combination:repeat_prompt"),
    (Id::TwoResponses, "combination:two_responses"),
    (Id::Placeholders, "detectable_content:number_placeholders"),
    (Id::Postscript, "detectable_content:postscript"),
    (
        Id::ConstrainedResponse,
        "detectable_format:constrained_response",
    ),
    (Id::JsonFormat, "detectable_format:json_format"),
    (Id::Sections, "detectable_format:multiple_sections"),
    (Id::Bullets, "detectable_format:number_bullet_lists"),
    (
        Id::Highlights,
        "detectable_format:number_highlighted_sections",
    ),
    (Id::Title, "detectable_format:title"),
    (Id::Keywords, "keywords:existence"),
    (Id::ForbiddenWords, "keywords:forbidden_words"),
    (Id::KeywordFrequency, "keywords:frequency"),
    (Id::LetterFrequency, "keywords:letter_frequency"),
    (Id::Language, "language:response_language"),
    (Id::FirstWord, "length_constraints:nth_paragraph_first_word"),
    (Id::Paragraphs, "length_constraints:number_paragraphs"),
    (Id::Sentences, "length_constraints:number_sentences"),
    (Id::Words, "length_constraints:number_words"),
    (Id::NoComma, "punctuation:no_comma"),
    (Id::EndPhrase, "startend:end_checker"),
    (Id::Quotation, "startend:quotation"),
];

impl Id {
    /// All of them, in order.
    pub const ALL: [Id; 25] = {
        let mut all = [Id::CapitalWords; 25];
        let mut at = 0;
        while at < all.len() {
            all[at] = NAMES[at].0;
            at += 1;
        }
        all
    };

    /// Returns the type of this id as IFEval writes it, if there is one.
    pub fn from_name(name: &str) -> Option<Id> {
        Id::ALL.into_iter().find(|id| id.name() == name)
    }

    /// Returns the id as IFEval writes it.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Lists all ids, for an error.
    pub(crate) fn list_names() -> String {
        Id::ALL.map(Id::name).join(", ")
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_declaration() {
        for (place, id) in Id::ALL.into_iter().enumerate() {
            assert_eq!(id as usize, place, "{id}");
        }
    }
}
