//! One constraint: its type and its arguments.

use crate::Id;
use crate::pattern::Pattern;
use serde_json::{Map, Value, json};

/// How a count is held against a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `less than`
    LessThan,
    /// `at least`
    AtLeast,
}

impl Relation {
    /// The words that IFEval has for it.
    pub fn name(self) -> &'static str {
        match self {
            Relation::LessThan => "less than",
            Relation::AtLeast => "at least",
        }
    }
}

/// A count that must be less than a number, or at least it.  The number is 1 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The direction.
    pub relation: Relation,
    /// The number.
    pub number: usize,
}

impl Bound {
    /// Whether this count is within the bound.
    pub fn holds(self, count: usize) -> bool {
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
    /// Its type.
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

    /// Its arguments under the names that IFEval has for them, so that `Constraint::parse(id,
    /// &kwargs)` gives it back.
    pub fn kwargs(&self) -> Value {
        Value::Object(match self {
            Constraint::CapitalWords { count } => {
                bound(Map::new(), "capital_relation", "capital_frequency", *count)
            }
            Constraint::RepeatPrompt { prompt } => one("prompt_to_repeat", json!(prompt)),
            Constraint::Placeholders { number } => one("num_placeholders", json!(number)),
            Constraint::Postscript { marker } => one("postscript_marker", json!(marker.source())),
            Constraint::Sections { splitter, number } => two(
                ("section_spliter", json!(splitter.source())),
                ("num_sections", json!(number)),
            ),
            Constraint::Bullets { number } => one("num_bullets", json!(number)),
            Constraint::Highlights { number } => one("num_highlights", json!(number)),
            Constraint::Keywords { keywords } => one("keywords", sources(keywords)),
            Constraint::ForbiddenWords { words } => one("forbidden_words", sources(words)),
            Constraint::KeywordFrequency { keyword, count } => bound(
                one("keyword", json!(keyword.source())),
                "relation",
                "frequency",
                *count,
            ),
            Constraint::LetterFrequency { letter, count } => bound(
                one("letter", json!(letter)),
                "let_relation",
                "let_frequency",
                *count,
            ),
            Constraint::Language { language } => one("language", json!(language)),
            Constraint::FirstWord {
                paragraphs,
                nth,
                word,
            } => {
                let mut args = two(
                    ("num_paragraphs", json!(paragraphs)),
                    ("nth_paragraph", json!(nth)),
                );
                args.insert("first_word".into(), json!(word));
                args
            }
            Constraint::Paragraphs { number } => one("num_paragraphs", json!(number)),
            Constraint::Sentences { count } => {
                bound(Map::new(), "relation", "num_sentences", *count)
            }
            Constraint::Words { count } => bound(Map::new(), "relation", "num_words", *count),
            Constraint::EndPhrase { phrase } => one("end_phrase", json!(phrase)),
            _ => Map::new(),
        })
    }
}

fn one(name: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value)])
}

fn two(first: (&str, Value), second: (&str, Value)) -> Map<String, Value> {
    [first, second]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn bound(
    mut args: Map<String, Value>,
    relation: &str,
    number: &str,
    count: Bound,
) -> Map<String, Value> {
    args.insert(relation.to_owned(), json!(count.relation.name()));
    args.insert(number.to_owned(), json!(count.number));
    args
}

fn sources(patterns: &[Pattern]) -> Value {
    patterns.iter().map(Pattern::source).collect()
}
