//! One constraint: its type and its arguments.

use crate::Id;
use crate::pattern::Pattern;
use serde_json::{Value, json};

/// How a count is held against a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `less than`
    LessThan,
    /// `at least`
    AtLeast,
}

impl Relation {
    /// Returns the words that IFEval has for it.
    pub fn name(self) -> &'static str {
        match self {
            Relation::LessThan => "less than",
            Relation::AtLeast => "at least",
        }
    }
}

/// A count that must be less than a number, or at least it. The number is 1 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The direction.
    pub relation: Relation,
    /// The number.
    pub number: usize,
}

impl Bound {
    /// Whether this count is within the bound.
    pub fn allows(self, count: usize) -> bool {
        match self.relation {
            Relation::LessThan => count < self.number,
            Relation::AtLeast => count >= self.number,
        }
    }
}

/// A verifiable constraint with its arguments. One variant for each [`Id`]; made by
/// [`Constraint::parse`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Constraint {
    /// So many words in capitals.
    CapitalWords {
        /// Of tokens that are in capitals.
        count: Bound,
    },
    /// English, all in capitals.
    EnglishCapital,
    /// English, all in small letters.
    EnglishLowercase,
    /// The request first, then the answer.
    RepeatPrompt {
        /// The text to repeat.
        prompt: String,
    },
    /// Two different answers with `******` between.
    TwoResponses,
    /// Placeholders in square brackets.
    Placeholders {
        /// At least so many.
        number: usize,
    },
    /// A postscript.
    Postscript {
        /// How it starts.
        marker: Pattern,
    },
    /// One of three fixed answers.
    ConstrainedResponse,
    /// All of it is JSON.
    JsonFormat,
    /// Numbered sections.
    Sections {
        /// The word before each number.
        splitter: Pattern,
        /// At least so many.
        number: usize,
    },
    /// Bullet points.
    Bullets {
        /// Exactly so many.
        number: usize,
    },
    /// Passages between asterisks.
    Highlights {
        /// At least so many.
        number: usize,
    },
    /// A title in double angular brackets.
    Title,
    /// Keywords that must be there.
    Keywords {
        /// All of them, in the order given.
        keywords: Vec<Pattern>,
    },
    /// Words that must not be there.
    ForbiddenWords {
        /// All of them, in the order given.
        words: Vec<Pattern>,
    },
    /// A keyword so many times.
    KeywordFrequency {
        /// The keyword.
        keyword: Pattern,
        /// Of its occurrences, in any case, that do not overlap.
        count: Bound,
    },
    /// A letter so many times.
    LetterFrequency {
        /// In lower case.
        letter: char,
        /// Of its occurrences in the text in lower case.
        count: Bound,
    },
    /// All of it in one language.
    Language {
        /// Its two-letter code (ISO 639-1), one of the thirty of IFEval.
        language: &'static str,
    },
    /// So many paragraphs with blank lines between, and one starts with a word.
    FirstWord {
        /// Exactly so many.
        paragraphs: usize,
        /// Which of them starts with the word: from 1 to `paragraphs`.
        nth: usize,
        /// The word, in lower case.
        word: String,
    },
    /// So many paragraphs with `***` between.
    Paragraphs {
        /// Exactly so many.
        number: usize,
    },
    /// So many sentences.
    Sentences {
        /// Of sentences.
        count: Bound,
    },
    /// So many words.
    Words {
        /// Of words.
        count: Bound,
    },
    /// No comma.
    NoComma,
    /// A phrase at the end.
    EndPhrase {
        /// The phrase, without white space at its ends.
        phrase: String,
    },
    /// Double quotation marks around all of it.
    Quotation,
}

impl Constraint {
    /// Returns its type.
    pub fn id(&self) -> Id {
        match self {
            Constraint::CapitalWords { .. } => Id::CapitalWords,
            Constraint::EnglishCapital => Id::EnglishCapital,
            Constraint::EnglishLowercase => Id::EnglishLowercase,
            Constraint::RepeatPrompt { .. } => Id::RepeatPrompt,
            Constraint::TwoResponses => Id::TwoResponses,
            Constraint::Placeholders { .. } => Id::Placeholders,
            Constraint::Postscript { .. } => Id::Postscript,
            Constraint::ConstrainedResponse => Id::ConstrainedResponse,
            Constraint::JsonFormat => Id::JsonFormat,
            Constraint::Sections { .. } => Id::Sections,
            Constraint::Bullets { .. } => Id::Bullets,
            Constraint::Highlights { .. } => Id::Highlights,
            Constraint::Title => Id::Title,
            Constraint::Keywords { .. } => Id::Keywords,
            Constraint::ForbiddenWords { .. } => Id::ForbiddenWords,
            Constraint::KeywordFrequency { .. } => Id::KeywordFrequency,
            Constraint::LetterFrequency { .. } => Id::LetterFrequency,
            Constraint::Language { .. } => Id::Language,
            Constraint::FirstWord { .. } => Id::FirstWord,
            Constraint::Paragraphs { .. } => Id::Paragraphs,
            Constraint::Sentences { .. } => Id::Sentences,
            Constraint::Words { .. } => Id::Words,
            Constraint::NoComma => Id::NoComma,
            Constraint::EndPhrase { .. } => Id::EndPhrase,
            Constraint::Quotation => Id::Quotation,
        }
    }

    /// Returns its arguments under the names that IFEval has for them, so that
    /// `Constraint::parse(id, &kwargs)` gives it back.
    pub fn kwargs(&self) -> Value {
        match self {
            Constraint::RepeatPrompt { prompt } => json!({"prompt_to_repeat": prompt}),
            Constraint::Postscript { marker } => json!({"postscript_marker": marker.source()}),
            Constraint::Keywords { keywords } => json!({"keywords": sources_of(keywords)}),
            Constraint::ForbiddenWords { words } => json!({"forbidden_words": sources_of(words)}),
            Constraint::Language { language } => json!({"language": language}),
            Constraint::EndPhrase { phrase } => json!({"end_phrase": phrase}),
            Constraint::FirstWord {
                paragraphs,
                nth,
                word,
            } => json!({"num_paragraphs": paragraphs, "nth_paragraph": nth, "first_word": word}),
            Constraint::Placeholders { number } => json!({"num_placeholders": number}),
            Constraint::Sections { splitter, number } => {
                json!({"section_spliter": splitter.source(), "num_sections": number})
            }
            Constraint::Bullets { number } => json!({"num_bullets": number}),
            Constraint::Highlights { number } => json!({"num_highlights": number}),
            Constraint::Paragraphs { number } => json!({"num_paragraphs": number}),
            Constraint::CapitalWords { count } => json!({
                "capital_relation": count.relation.name(),
                "capital_frequency": count.number,
            }),
            Constraint::KeywordFrequency { keyword, count } => json!({
                "keyword": keyword.source(),
                "relation": count.relation.name(),
                "frequency": count.number,
            }),
            Constraint::LetterFrequency { letter, count } => json!({
                "letter": letter,
                "let_relation": count.relation.name(),
                "let_frequency": count.number,
            }),
            Constraint::Sentences { count } => json!({
                "relation": count.relation.name(),
                "num_sentences": count.number,
            }),
            Constraint::Words { count } => json!({
                "relation": count.relation.name(),
                "num_words": count.number,
            }),
            Constraint::EnglishCapital
            | Constraint::EnglishLowercase
            | Constraint::TwoResponses
            | Constraint::ConstrainedResponse
            | Constraint::JsonFormat
            | Constraint::Title
            | Constraint::NoComma
            | Constraint::Quotation => json!({}),
        }
    }
}

fn sources_of(patterns: &[Pattern]) -> Value {
    patterns.iter().map(Pattern::source).collect()
}
