//! One constraint: its type and its arguments. The types are the 25 of IFEval (Zhou et al. 2023,
//! arXiv 2311.07911, table 1).

use crate::pattern::Pattern;
use serde_json::{Value, json};
use strum::{Display, EnumDiscriminants, EnumString, IntoStaticStr, VariantArray, VariantNames};

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

/// A verifiable constraint with its arguments; made by [`Constraint::parse`]. Variants are in the
/// order of their ids.
#[derive(Clone, Debug, PartialEq, EnumDiscriminants)]
#[strum_discriminants(
    name(Id),
    doc = "The type of a constraint, by IFEval's id. In the order of the ids.",
    derive(PartialOrd, Ord, Hash),
    derive(Display, EnumString, IntoStaticStr, VariantArray, VariantNames)
)]
#[non_exhaustive]
pub enum Constraint {
    /// So many words in capitals.
    #[strum_discriminants(strum(serialize = "change_case:capital_word_frequency"))]
    CapitalWords {
        /// Of tokens that are in capitals.
        count: Bound,
    },
    /// English, all in capitals.
    #[strum_discriminants(strum(serialize = "change_case:english_capital"))]
    EnglishCapital,
    /// English, all in small letters.
    #[strum_discriminants(strum(serialize = "change_case:english_lowercase"))]
    EnglishLowercase,
    /// The request first, then the answer.
    #[strum_discriminants(strum(serialize = "combination:repeat_prompt"))]
    RepeatPrompt {
        /// The text to repeat.
        prompt: String,
    },
    /// Two different answers with `******` between.
    #[strum_discriminants(strum(serialize = "combination:two_responses"))]
    TwoResponses,
    /// Placeholders in square brackets.
    #[strum_discriminants(strum(serialize = "detectable_content:number_placeholders"))]
    Placeholders {
        /// At least so many.
        number: usize,
    },
    /// A postscript.
    #[strum_discriminants(strum(serialize = "detectable_content:postscript"))]
    Postscript {
        /// How it starts.
        marker: Pattern,
    },
    /// One of three fixed answers.
    #[strum_discriminants(strum(serialize = "detectable_format:constrained_response"))]
    ConstrainedResponse,
    /// All of it is JSON.
    #[strum_discriminants(strum(serialize = "detectable_format:json_format"))]
    JsonFormat,
    /// Numbered sections.
    #[strum_discriminants(strum(serialize = "detectable_format:multiple_sections"))]
    Sections {
        /// The word before each number.
        splitter: Pattern,
        /// At least so many.
        number: usize,
    },
    /// Bullet points.
    #[strum_discriminants(strum(serialize = "detectable_format:number_bullet_lists"))]
    Bullets {
        /// Exactly so many.
        number: usize,
    },
    /// Passages between asterisks.
    #[strum_discriminants(strum(serialize = "detectable_format:number_highlighted_sections"))]
    Highlights {
        /// At least so many.
        number: usize,
    },
    /// A title in double angular brackets.
    #[strum_discriminants(strum(serialize = "detectable_format:title"))]
    Title,
    /// Keywords that must be there.
    #[strum_discriminants(strum(serialize = "keywords:existence"))]
    Keywords {
        /// All of them, in the order given.
        keywords: Vec<Pattern>,
    },
    /// Words that must not be there.
    #[strum_discriminants(strum(serialize = "keywords:forbidden_words"))]
    ForbiddenWords {
        /// All of them, in the order given.
        words: Vec<Pattern>,
    },
    /// A keyword so many times.
    #[strum_discriminants(strum(serialize = "keywords:frequency"))]
    KeywordFrequency {
        /// The keyword.
        keyword: Pattern,
        /// Of its occurrences, in any case, that do not overlap.
        count: Bound,
    },
    /// A letter so many times.
    #[strum_discriminants(strum(serialize = "keywords:letter_frequency"))]
    LetterFrequency {
        /// In lower case.
        letter: char,
        /// Of its occurrences in the text in lower case.
        count: Bound,
    },
    /// All of it in one language.
    #[strum_discriminants(strum(serialize = "language:response_language"))]
    Language {
        /// Its two-letter code (ISO 639-1), one of the thirty of IFEval.
        language: &'static str,
    },
    /// So many paragraphs with blank lines between, and one starts with a word.
    #[strum_discriminants(strum(serialize = "length_constraints:nth_paragraph_first_word"))]
    FirstWord {
        /// Exactly so many.
        paragraphs: usize,
        /// Which of them starts with the word: from 1 to `paragraphs`.
        nth: usize,
        /// The word, in lower case.
        word: String,
    },
    /// So many paragraphs with `***` between.
    #[strum_discriminants(strum(serialize = "length_constraints:number_paragraphs"))]
    Paragraphs {
        /// Exactly so many.
        number: usize,
    },
    /// So many sentences.
    #[strum_discriminants(strum(serialize = "length_constraints:number_sentences"))]
    Sentences {
        /// Of sentences.
        count: Bound,
    },
    /// So many words.
    #[strum_discriminants(strum(serialize = "length_constraints:number_words"))]
    Words {
        /// Of words.
        count: Bound,
    },
    /// No comma.
    #[strum_discriminants(strum(serialize = "punctuation:no_comma"))]
    NoComma,
    /// A phrase at the end.
    #[strum_discriminants(strum(serialize = "startend:end_checker"))]
    EndPhrase {
        /// The phrase, without white space at its ends.
        phrase: String,
    },
    /// Double quotation marks around all of it.
    #[strum_discriminants(strum(serialize = "startend:quotation"))]
    Quotation,
}

impl Id {
    /// Returns the id as IFEval writes it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Constraint {
    /// Returns its type.
    pub fn id(&self) -> Id {
        self.into()
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
