//! Three constraints that go together, with arguments that suit the answer.

use super::conflicts::{MADE, conflicts};
use super::draw::Draw;
use super::words::{END_PHRASES, FIRST_WORDS, FORBIDDEN, KEYWORDS, REPEATED};
use crate::{Constraint, Id};
use serde_json::{Value, json};

/// Three types in random order, no two of which conflict.
pub(super) fn three_types(draw: &mut Draw) -> Vec<Id> {
    let mut chosen: Vec<Id> = Vec::new();
    for id in draw.some(&MADE, MADE.len()) {
        if chosen.len() < 3 && !chosen.iter().any(|other| conflicts(id, *other)) {
            chosen.push(id);
        }
    }
    chosen
}

/// What arguments depend on: the request, and the size of the text that follows all constraints but
/// those of length.
pub(super) struct Size<'a> {
    pub(super) question: &'a str,
    /// Sentences and words of the plain answer.
    pub(super) plain: usize,
    pub(super) plain_words: usize,
    /// Sentences and words of the whole.
    pub(super) sentences: usize,
    pub(super) words: usize,
}

/// A constraint of this type.
pub(super) fn constraint(id: Id, size: &Size<'_>, draw: &mut Draw) -> Option<Constraint> {
    let kwargs = match id {
        Id::CapitalWords => {
            json!({"capital_relation": "at least", "capital_frequency": draw.between(3, 5)})
        }
        Id::RepeatPrompt => json!({"prompt_to_repeat": size.question}),
        Id::Placeholders => json!({"num_placeholders": draw.between(2, 4)}),
        Id::Postscript => json!({"postscript_marker": draw.some(&["P.S.", "P.P.S"], 1)[0]}),
        Id::Sections => {
            json!({"section_spliter": draw.some(&["Section", "SECTION"], 1)[0], "num_sections": draw.between(2, 3.min(size.plain))})
        }
        Id::Bullets => json!({"num_bullets": draw.between(2, (size.plain - 1).clamp(2, 6))}),
        Id::Highlights => json!({"num_highlights": draw.between(2, 3)}),
        Id::Keywords => json!({"keywords": draw.some(KEYWORDS, 2)}),
        Id::ForbiddenWords => json!({"forbidden_words": draw.some(FORBIDDEN, 2)}),
        Id::KeywordFrequency => {
            json!({"keyword": draw.some(REPEATED, 1)[0], "relation": "at least", "frequency": draw.between(2, 3)})
        }
        Id::FirstWord => first_word(size, draw),
        Id::Paragraphs => json!({"num_paragraphs": draw.between(2, 3.min(size.plain))}),
        Id::Sentences => at_most_or_least(
            "num_sentences",
            size.plain,
            size.sentences + 1 + draw.below(2),
            draw,
        ),
        Id::Words => at_most_or_least(
            "num_words",
            size.plain_words / 5 * 5,
            size.words / 5 * 5 + 10,
            draw,
        ),
        Id::EndPhrase => json!({"end_phrase": draw.some(END_PHRASES, 1)[0]}),
        _ => Value::Null,
    };
    Constraint::parse(id.name(), &kwargs).ok()
}

fn first_word(size: &Size<'_>, draw: &mut Draw) -> Value {
    let paragraphs = draw.between(2, 3.min(size.plain));
    json!({"num_paragraphs": paragraphs, "nth_paragraph": draw.between(1, paragraphs), "first_word": draw.some(FIRST_WORDS, 1)[0]})
}

fn at_most_or_least(name: &str, least: usize, most: usize, draw: &mut Draw) -> Value {
    let (relation, number) = [("at least", least), ("less than", most)][draw.below(2)];
    Value::Object(
        [
            ("relation".to_owned(), json!(relation)),
            (name.to_owned(), json!(number)),
        ]
        .into_iter()
        .collect(),
    )
}
