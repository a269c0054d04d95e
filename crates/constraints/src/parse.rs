//! Constraints from JSON, in IFEval's names.

use crate::constraint::{Bound, Constraint, Relation};
use crate::language::language;
use crate::pattern::Pattern;
use crate::python::strip;
use crate::{ConstraintError, Id};
use serde_json::Value;

impl Constraint {
    /// The constraint of this id with these arguments: a JSON object (or null where the type has
    /// none) with IFEval's names.
    ///
    /// Names that the type does not have are left unread, and null is the same as missing, since
    /// some copies of the data hold every name everywhere. Numbers are whole and at least 1; texts
    /// and lists are not empty.
    ///
    /// The reference checker treats a missing argument, 0, an empty text, an empty list and a
    /// number out of range as a wish for a random one, so that its verdict says nothing about the
    /// response. Here these are errors. There is one exception: a letter that is not one of a to z
    /// (IFEval has prompts with `#` and `!`) is counted as it is, where the reference draws
    /// another.
    ///
    /// # Errors
    /// The id is unknown; or an argument is missing, of another type, out of range, or not a
    /// regular expression (keywords, markers and splitters are used as patterns; look-around and
    /// back-references, which the reference would take, are refused).
    pub fn parse(id: &str, kwargs: &Value) -> Result<Constraint, ConstraintError> {
        let id = Id::of(id).ok_or_else(|| ConstraintError::UnknownId { id: id.to_owned() })?;
        let args = Args { id, kwargs };
        Ok(match id {
            Id::CapitalWords => Constraint::CapitalWords {
                count: args.bound("capital_relation", "capital_frequency")?,
            },
            Id::EnglishCapital => Constraint::EnglishCapital,
            Id::EnglishLowercase => Constraint::EnglishLowercase,
            Id::RepeatPrompt => Constraint::RepeatPrompt {
                prompt: args.text("prompt_to_repeat")?.to_owned(),
            },
            Id::TwoResponses => Constraint::TwoResponses,
            Id::Placeholders => Constraint::Placeholders {
                number: args.number("num_placeholders")?,
            },
            Id::Postscript => Constraint::Postscript {
                marker: args.pattern("postscript_marker", Pattern::lower_case)?,
            },
            Id::ConstrainedResponse => Constraint::ConstrainedResponse,
            Id::JsonFormat => Constraint::JsonFormat,
            Id::Sections => Constraint::Sections {
                splitter: args.pattern("section_spliter", Pattern::numbered)?,
                number: args.number("num_sections")?,
            },
            Id::Bullets => Constraint::Bullets {
                number: args.number("num_bullets")?,
            },
            Id::Highlights => Constraint::Highlights {
                number: args.number("num_highlights")?,
            },
            Id::Title => Constraint::Title,
            Id::Keywords => Constraint::Keywords {
                keywords: args.patterns("keywords", Pattern::any_case)?,
            },
            Id::ForbiddenWords => Constraint::ForbiddenWords {
                words: args.patterns("forbidden_words", Pattern::word)?,
            },
            Id::KeywordFrequency => Constraint::KeywordFrequency {
                keyword: args.pattern("keyword", Pattern::any_case)?,
                count: args.bound("relation", "frequency")?,
            },
            Id::LetterFrequency => Constraint::LetterFrequency {
                letter: args.letter("letter")?,
                count: args.bound("let_relation", "let_frequency")?,
            },
            Id::Language => Constraint::Language {
                language: args.language("language")?,
            },
            Id::FirstWord => args.first_word()?,
            Id::Paragraphs => Constraint::Paragraphs {
                number: args.number("num_paragraphs")?,
            },
            Id::Sentences => Constraint::Sentences {
                count: args.bound("relation", "num_sentences")?,
            },
            Id::Words => Constraint::Words {
                count: args.bound("relation", "num_words")?,
            },
            Id::NoComma => Constraint::NoComma,
            Id::EndPhrase => Constraint::EndPhrase {
                phrase: strip(args.text("end_phrase")?).to_owned(),
            },
            Id::Quotation => Constraint::Quotation,
        })
    }
}

/// The arguments as they were written.
struct Args<'a> {
    id: Id,
    kwargs: &'a Value,
}

impl<'a> Args<'a> {
    fn get(&self, field: &'static str, expected: &str) -> Result<&'a Value, ConstraintError> {
        let found = self.kwargs.get(field).filter(|value| !value.is_null());
        found.ok_or_else(|| ConstraintError::Missing {
            id: self.id,
            field,
            expected: expected.to_owned(),
        })
    }

    /// What `read` makes of the argument.
    fn read<T>(
        &self,
        field: &'static str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, ConstraintError> {
        let value = self.get(field, expected)?;
        let wrong = || ConstraintError::Wrong {
            id: self.id,
            field,
            found: shortened(value),
            expected: expected.to_owned(),
        };
        read(value).ok_or_else(wrong)
    }

    fn number(&self, field: &'static str) -> Result<usize, ConstraintError> {
        self.read(field, "a whole number of at least 1", whole)
    }

    fn bound(
        &self,
        relation: &'static str,
        number: &'static str,
    ) -> Result<Bound, ConstraintError> {
        let relation = self.read(relation, r#""less than" or "at least""#, |value| {
            [Relation::LessThan, Relation::AtLeast]
                .into_iter()
                .find(|relation| value == relation.name())
        })?;
        Ok(Bound {
            relation,
            number: self.number(number)?,
        })
    }

    fn text(&self, field: &'static str) -> Result<&'a str, ConstraintError> {
        self.read(field, "a text that is not empty", text)
    }

    fn pattern(
        &self,
        field: &'static str,
        make: fn(&str) -> Option<Pattern>,
    ) -> Result<Pattern, ConstraintError> {
        self.read(
            field,
            "a text that is not empty and is a regular expression",
            |value| make(strip(text(value)?)),
        )
    }

    fn patterns(
        &self,
        field: &'static str,
        make: fn(&str) -> Option<Pattern>,
    ) -> Result<Vec<Pattern>, ConstraintError> {
        self.read(
            field,
            "a list of texts that are not empty and are regular expressions",
            |value| {
                let texts = value.as_array().filter(|texts| !texts.is_empty())?;
                texts
                    .iter()
                    .map(|value| make(value.as_str().filter(|text| !text.is_empty())?))
                    .collect()
            },
        )
    }

    fn letter(&self, field: &'static str) -> Result<char, ConstraintError> {
        self.read(field, "a text of one character", |value| {
            let lower = text(value)?.to_lowercase();
            let mut characters = lower.chars();
            characters.next().filter(|_| characters.next().is_none())
        })
    }

    fn language(&self, field: &'static str) -> Result<&'static str, ConstraintError> {
        let expected =
            "the two-letter code of one of the thirty languages of IFEval, such as \"en\"";
        self.read(field, expected, |value| {
            language(value.as_str()?).map(|(code, _)| code)
        })
    }

    fn first_word(&self) -> Result<Constraint, ConstraintError> {
        let paragraphs = self.number("num_paragraphs")?;
        let expected = format!("a whole number from 1 to num_paragraphs, which is {paragraphs}");
        let nth = self.read("nth_paragraph", &expected, |value| {
            whole(value).filter(|n| *n <= paragraphs)
        })?;
        Ok(Constraint::FirstWord {
            paragraphs,
            nth,
            word: self.text("first_word")?.to_lowercase(),
        })
    }
}

/// A whole number of at least 1; 3.0 is one too, as tables with gaps hold it.
fn whole(value: &Value) -> Option<usize> {
    let float = || {
        value
            .as_f64()
            .filter(|x| x.fract() == 0.0 && (1.0..1e9).contains(x))
            .map(|x| x as usize)
    };
    value
        .as_u64()
        .and_then(|x| usize::try_from(x).ok())
        .or_else(float)
        .filter(|x| *x > 0)
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !strip(text).is_empty())
}

pub(crate) fn shortened(value: &Value) -> String {
    let json = value.to_string();
    match json.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &json[..end]),
        None => json,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(id: &str, kwargs: Value) -> String {
        Constraint::parse(id, &kwargs).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_argument_and_what_is_expected() {
        let id = "length_constraints:number_words";
        assert_eq!(
            error(id, json!({"relation": "at least", "num_words": null})),
            r#"length_constraints:number_words: argument "num_words" is missing: expected a whole number of at least 1"#
        );
        let wrong = error(id, json!({"relation": "at most", "num_words": 3}));
        assert!(
            wrong.ends_with(
                r#"argument "relation" is "at most": expected "less than" or "at least""#
            ),
            "{wrong}"
        );
        for zero in [json!(0), json!(-1), json!(1.5), json!("3"), json!([])] {
            assert!(
                error(id, json!({"relation": "less than", "num_words": zero}))
                    .contains("a whole number of at least 1")
            );
        }
        assert!(
            error("keywords:existence", json!({"keywords": ["("]})).contains("regular expressions")
        );
        assert!(error("keywords:existence", json!({"keywords": []})).contains("a list"));
        assert!(
            error("language:response_language", json!({"language": "xx"})).contains("two-letter")
        );
        assert!(
            error("no:such", Value::Null)
                .starts_with(r#"unknown instruction id "no:such": expected one of change_case"#)
        );
        let late = json!({"num_paragraphs": 2, "nth_paragraph": 3, "first_word": "a"});
        assert!(
            error("length_constraints:nth_paragraph_first_word", late)
                .contains("from 1 to num_paragraphs, which is 2")
        );
    }

    #[test]
    fn foreign_arguments_and_nulls_are_left_unread() {
        let kwargs = json!({"num_words": null, "relation": 7, "num_bullets": 3.0});
        let bullets = Constraint::parse("detectable_format:number_bullet_lists", &kwargs).unwrap();
        assert_eq!(bullets, Constraint::Bullets { number: 3 });
        assert_eq!(
            Constraint::parse("punctuation:no_comma", &Value::Null).unwrap(),
            Constraint::NoComma
        );
    }

    #[test]
    fn a_constraint_comes_back_from_its_kwargs() {
        for (id, kwargs) in crate::examples::ALL {
            let constraint = Constraint::parse(id, &serde_json::from_str(kwargs).unwrap()).unwrap();
            assert_eq!(constraint.id().name(), *id);
            assert_eq!(
                Constraint::parse(id, &constraint.kwargs()).unwrap(),
                constraint
            );
        }
    }
}
