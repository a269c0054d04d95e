//! Constraints from JSON, in IFEval's names.

use crate::constraint::{Bound, Constraint, Relation};
use crate::error::Result;
use crate::language::find_language;
use crate::pattern::Pattern;
use crate::python::strip_space;
use crate::{ConstraintError, Id};
use serde_json::Value;

impl Constraint {
    /// Reads the constraint of this id with these arguments: a JSON object (or null where the type
    /// has none) with IFEval's names.
    ///
    /// IFEval's names of other types are left unread, and null is the same as missing, since some
    /// copies of the data hold every name everywhere. A name that no type has is refused: it may be
    /// a misspelt one. Numbers are whole and at least 1; texts and lists are not empty.
    ///
    /// The reference checker treats a missing argument, 0, an empty text, an empty list and a
    /// number out of range as a wish for a random one, so that its verdict says nothing about the
    /// response. Here these are errors. There is one exception: a letter that is not one of a to z
    /// (IFEval has prompts with `#` and `!`) is counted as it is, where the reference draws
    /// another.
    ///
    /// # Errors
    /// The id is unknown; or an argument has a name that no type has, is missing, of another type, out of range, or not a
    /// regular expression (keywords, markers and splitters are used as patterns; look-around and
    /// back-references, which the reference would take, are refused).
    pub fn parse(id: &str, kwargs: &Value) -> Result<Constraint> {
        let id = id
            .parse()
            .map_err(|_| ConstraintError::UnknownId { id: id.to_owned() })?;
        let args = Arguments { id, kwargs };
        args.check_names()?;
        Ok(match id {
            Id::EnglishCapital => Constraint::EnglishCapital,
            Id::EnglishLowercase => Constraint::EnglishLowercase,
            Id::TwoResponses => Constraint::TwoResponses,
            Id::ConstrainedResponse => Constraint::ConstrainedResponse,
            Id::JsonFormat => Constraint::JsonFormat,
            Id::Title => Constraint::Title,
            Id::NoComma => Constraint::NoComma,
            Id::Quotation => Constraint::Quotation,
            // Words.
            Id::RepeatPrompt => Constraint::RepeatPrompt {
                prompt: args.read_text("prompt_to_repeat")?.to_owned(),
            },
            Id::Postscript => Constraint::Postscript {
                marker: args.read_pattern("postscript_marker", Pattern::lower_case)?,
            },
            Id::Keywords => Constraint::Keywords {
                keywords: args.read_patterns("keywords", Pattern::any_case)?,
            },
            Id::ForbiddenWords => Constraint::ForbiddenWords {
                words: args.read_patterns("forbidden_words", Pattern::whole_word)?,
            },
            Id::Language => Constraint::Language {
                language: args.read_language("language")?,
            },
            Id::EndPhrase => Constraint::EndPhrase {
                phrase: strip_space(args.read_text("end_phrase")?).to_owned(),
            },
            Id::FirstWord => args.read_first_word()?,
            // Numbers.
            Id::Placeholders => Constraint::Placeholders {
                number: args.read_number("num_placeholders")?,
            },
            Id::Sections => Constraint::Sections {
                splitter: args.read_pattern("section_spliter", Pattern::before_number)?,
                number: args.read_number("num_sections")?,
            },
            Id::Bullets => Constraint::Bullets {
                number: args.read_number("num_bullets")?,
            },
            Id::Highlights => Constraint::Highlights {
                number: args.read_number("num_highlights")?,
            },
            Id::Paragraphs => Constraint::Paragraphs {
                number: args.read_number("num_paragraphs")?,
            },
            // Bounds.
            Id::CapitalWords => Constraint::CapitalWords {
                count: args.read_bound("capital_relation", "capital_frequency")?,
            },
            Id::KeywordFrequency => Constraint::KeywordFrequency {
                keyword: args.read_pattern("keyword", Pattern::any_case)?,
                count: args.read_bound("relation", "frequency")?,
            },
            Id::LetterFrequency => Constraint::LetterFrequency {
                letter: args.read_letter("letter")?,
                count: args.read_bound("let_relation", "let_frequency")?,
            },
            Id::Sentences => Constraint::Sentences {
                count: args.read_bound("relation", "num_sentences")?,
            },
            Id::Words => Constraint::Words {
                count: args.read_bound("relation", "num_words")?,
            },
        })
    }
}

/// The name of an argument.
type Field = &'static str;

/// Makes a pattern of a text; `None` where it is not one.
type MakePattern = fn(&str) -> Option<Pattern>;

/// The arguments as they were written.
struct Arguments<'a> {
    id: Id,
    kwargs: &'a Value,
}

/// The names of all types' arguments; `id` stands beside them in a list.
const NAMES: [&str; 25] = [
    "capital_frequency",
    "capital_relation",
    "end_phrase",
    "first_word",
    "forbidden_words",
    "frequency",
    "id",
    "keyword",
    "keywords",
    "language",
    "let_frequency",
    "let_relation",
    "letter",
    "nth_paragraph",
    "num_bullets",
    "num_highlights",
    "num_paragraphs",
    "num_placeholders",
    "num_sections",
    "num_sentences",
    "num_words",
    "postscript_marker",
    "prompt_to_repeat",
    "relation",
    "section_spliter",
];

impl<'a> Arguments<'a> {
    /// Refuses an argument that no type has, unless it is null.
    fn check_names(&self) -> Result<()> {
        let given = self.kwargs.as_object().into_iter().flatten();
        let given = given.filter(|(_, value)| !value.is_null());
        for (name, _) in given {
            if NAMES.contains(&name.as_str()) {
                continue;
            }
            let likeness = |known: &str| strsim::jaro_winkler(name, known);
            let nearest = NAMES.into_iter().filter(|known| likeness(known) > 0.75);
            let nearest = nearest.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
            return Err(ConstraintError::UnknownArgument {
                id: self.id,
                name: name.clone(),
                nearest,
            });
        }
        Ok(())
    }

    /// Returns what `read` makes of the argument.
    fn read_with<T>(
        &self,
        field: Field,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T> {
        // Some copies of the data hold every name everywhere, with null where it has no meaning.
        let given = self.kwargs.get(field).filter(|value| !value.is_null());
        let Some(value) = given else {
            return Err(ConstraintError::Missing {
                id: self.id,
                field,
                expected: expected.to_owned(),
            });
        };
        read(value).ok_or_else(|| ConstraintError::Wrong {
            id: self.id,
            field,
            found: shorten_json(value),
            expected: expected.to_owned(),
        })
    }

    fn read_number(&self, field: Field) -> Result<usize> {
        self.read_with(field, "a whole number of at least 1", whole_number)
    }

    fn read_bound(&self, relation: Field, number: Field) -> Result<Bound> {
        let expected = r#""less than" or "at least""#;
        let relation = self.read_with(relation, expected, |value| {
            let mut relations = [Relation::LessThan, Relation::AtLeast].into_iter();
            relations.find(|relation| value == relation.name())
        })?;
        let number = self.read_number(number)?;
        Ok(Bound { relation, number })
    }

    fn read_text(&self, field: Field) -> Result<&'a str> {
        self.read_with(field, "a text that is not empty", full_text)
    }

    fn read_pattern(&self, field: Field, make: MakePattern) -> Result<Pattern> {
        let expected = "a text that is not empty and is a regular expression";
        self.read_with(field, expected, |value| {
            make(strip_space(full_text(value)?))
        })
    }

    fn read_patterns(&self, field: Field, make: MakePattern) -> Result<Vec<Pattern>> {
        let expected = "a list of texts that are not empty and are regular expressions";
        self.read_with(field, expected, |list| {
            let texts = list.as_array().filter(|texts| !texts.is_empty())?;
            let mut patterns = Vec::with_capacity(texts.len());
            for text in texts {
                patterns.push(make(text.as_str().filter(|text| !text.is_empty())?)?);
            }
            Some(patterns)
        })
    }

    fn read_letter(&self, field: Field) -> Result<char> {
        self.read_with(field, "a text of one character", |value| {
            let lower = full_text(value)?.to_lowercase();
            let mut characters = lower.chars();
            characters.next().filter(|_| characters.next().is_none())
        })
    }

    fn read_language(&self, field: Field) -> Result<&'static str> {
        let expected =
            "the two-letter code of one of the thirty languages of IFEval, such as \"en\"";
        self.read_with(field, expected, |value| {
            let (code, _) = find_language(value.as_str()?)?;
            Some(code)
        })
    }

    fn read_first_word(&self) -> Result<Constraint> {
        let paragraphs = self.read_number("num_paragraphs")?;
        let expected = format!("a whole number from 1 to num_paragraphs, which is {paragraphs}");
        let nth = self.read_with("nth_paragraph", &expected, |value| {
            whole_number(value).filter(|n| *n <= paragraphs)
        })?;
        Ok(Constraint::FirstWord {
            paragraphs,
            nth,
            word: self.read_text("first_word")?.to_lowercase(),
        })
    }
}

/// Returns a whole number of at least 1; 3.0 is one too, as tables with gaps hold it.
fn whole_number(value: &Value) -> Option<usize> {
    if let Some(number) = value.as_u64() {
        return usize::try_from(number).ok().filter(|number| *number > 0);
    }
    let number = value.as_f64()?;
    let is_whole = number.fract() == 0.0 && (1.0..1e9).contains(&number);
    is_whole.then_some(number as usize)
}

fn full_text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !strip_space(text).is_empty())
}

pub(crate) fn shorten_json(value: &Value) -> String {
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
    fn arguments_of_other_types_and_nulls_are_left_unread() {
        let kwargs = json!({"foo": null, "num_words": null, "relation": 7, "num_bullets": 3.0});
        let bullets = Constraint::parse("detectable_format:number_bullet_lists", &kwargs).unwrap();
        assert_eq!(bullets, Constraint::Bullets { number: 3 });
        assert_eq!(
            Constraint::parse("punctuation:no_comma", &Value::Null).unwrap(),
            Constraint::NoComma
        );
    }

    #[test]
    fn arguments_that_no_type_has_are_refused_with_the_nearest() {
        let misspelt = json!({"keywords": ["a"], "forbiden_words": ["b"]});
        assert_eq!(
            error("keywords:existence", misspelt),
            "keywords:existence: no constraint has an argument \"forbiden_words\"; did you mean \
             \"forbidden_words\"?"
        );
        assert_eq!(
            error("punctuation:no_comma", json!({"foo": 1})),
            "punctuation:no_comma: no constraint has an argument \"foo\"; leave it out"
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
