//! Three constraints that go together, with arguments that suit the answer.

use super::conflicts::{MADE, conflicts};
use super::draw::Draw;
use super::words::{END_PHRASES, FIRST_WORDS, FORBIDDEN, KEYWORDS, REPEATED};
use crate::{Constraint, Id};
use serde_json::{Value, json};

/// Returns three types in random order, no two of which conflict.
pub(super) fn choose_types(draw: &mut Draw) -> Vec<Id> {
    let mut chosen: Vec<Id> = Vec::new();
    for id in draw.pick_some(&MADE, MADE.len()) {
        if chosen.len() < 3 && !chosen.iter().any(|other| conflicts(id, *other)) {
            chosen.push(id);
        }
    }
    chosen
}

/// The facts that arguments depend on: the request, and the size of the text that follows all
/// constraints but those of length.
pub(super) struct Size<'a> {
    pub(super) question: &'a str,
    /// Sentences and words of the plain answer.
    pub(super) plain: usize,
    pub(super) plain_words: usize,
    /// Sentences and words of the whole.
    pub(super) sentences: usize,
    pub(super) words: usize,
}

/// Makes a constraint of this type.
pub(super) fn make_constraint(id: Id, size: &Size<'_>, draw: &mut Draw) -> Option<Constraint> {
    let kwargs = match id {
        Id::RepeatPrompt => json!({"prompt_to_repeat": size.question}),
        Id::Postscript => json!({"postscript_marker": draw.pick_some(&["P.S.", "P.P.S"], 1)[0]}),
        Id::Keywords => json!({"keywords": draw.pick_some(KEYWORDS, 2)}),
        Id::ForbiddenWords => json!({"forbidden_words": draw.pick_some(FORBIDDEN, 2)}),
        Id::EndPhrase => json!({"end_phrase": draw.pick_some(END_PHRASES, 1)[0]}),
        Id::KeywordFrequency => {
            let keyword = draw.pick_some(REPEATED, 1)[0];
            let number = draw.number_between(2, 3);
            json!({"keyword": keyword, "relation": "at least", "frequency": number})
        }
        Id::Sections => {
            let splitter = draw.pick_some(&["Section", "SECTION"], 1)[0];
            let number = draw.number_between(2, 3.min(size.plain));
            json!({"section_spliter": splitter, "num_sections": number})
        }
        Id::FirstWord => {
            let paragraphs = draw.number_between(2, 3.min(size.plain));
            let nth = draw.number_between(1, paragraphs);
            let word = draw.pick_some(FIRST_WORDS, 1)[0];
            json!({"num_paragraphs": paragraphs, "nth_paragraph": nth, "first_word": word})
        }
        Id::CapitalWords => {
            let number = draw.number_between(3, 5);
            json!({"capital_relation": "at least", "capital_frequency": number})
        }
        Id::Placeholders => json!({"num_placeholders": draw.number_between(2, 4)}),
        Id::Bullets => {
            let most = (size.plain - 1).clamp(2, 6);
            json!({"num_bullets": draw.number_between(2, most)})
        }
        Id::Highlights => json!({"num_highlights": draw.number_between(2, 3)}),
        Id::Paragraphs => {
            json!({"num_paragraphs": draw.number_between(2, 3.min(size.plain))})
        }
        Id::Sentences => {
            let most = size.sentences + 1 + draw.number_below(2);
            bound_kwargs("num_sentences", size.plain, most, draw)
        }
        Id::Words => {
            let (least, most) = (size.plain_words / 5 * 5, size.words / 5 * 5 + 10);
            bound_kwargs("num_words", least, most, draw)
        }
        // The others take none.
        _ => Value::Null,
    };
    Constraint::parse(id.name(), &kwargs).ok()
}

fn bound_kwargs(name: &str, least: usize, most: usize, draw: &mut Draw) -> Value {
    let (relation, number) = [("at least", least), ("less than", most)][draw.number_below(2)];
    json!({"relation": relation, name: number})
}
