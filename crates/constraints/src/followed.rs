//! Whether a response follows a constraint, strictly and loosely.
//!
//! The verdicts are those of IFEval's checker as lm-eval 0.4.13 has it, with nltk 3.10.4 and
//! langdetect 1.0.9.

use crate::capital_words::count_capital_words;
use crate::constraint::Constraint;
use crate::format_marks;
use crate::language::is_in_language;
use crate::python::{is_lower, is_upper, strip_space};
use crate::python_json::is_json;
use crate::sentences::split_sentences;

impl Constraint {
    /// Whether the response follows the constraint. A response of white space alone follows none.
    ///
    /// What counts, by type:
    /// - `capital_word_frequency`: tokens of nltk's `word_tokenize` that are in capitals; so `I'm`
    ///   counts once and `DON'T` twice (`DO`, `N'T`), `U.S.` once, and `A-B` once.
    /// - `english_capital`, `english_lowercase`: `str.isupper` (or `islower`) of the whole, and
    ///   langdetect says English. langdetect leaves out what stands inside words in capitals, so
    ///   that capitals in English are sometimes taken for another language.
    /// - `repeat_prompt`: the response starts with the text, in any case; white space at the ends
    ///   of both does not matter.
    /// - `two_responses`: two parts that differ with `******` between them; an empty part is
    ///   allowed first and last only.
    /// - `number_placeholders`: `[...]` on one line, at least so many; they may be empty.
    /// - `postscript`: the marker anywhere, in any case: `P.S.` also as `p. s.`, and `P.P.S` also
    ///   as `p. p. s`, without a last point.
    /// - `constrained_response`: one of `My answer is yes.`, `My answer is no.`, `My answer is
    ///   maybe.` anywhere.
    /// - `json_format`: JSON as Python reads it ([`NaN`
    ///   too](https://docs.python.org/3/library/json.html)), after one code fence is taken off.
    /// - `multiple_sections`: the splitter followed by a number, at least so many times, in the
    ///   case given, anywhere.
    /// - `number_bullet_lists`: lines that start with `-`, or with one `*` that no second `*`
    ///   follows, exactly so many. White space and empty lines before the sign are passed over, and
    ///   so `---` is a bullet.
    /// - `number_highlighted_sections`: `*...*` on one line with something in it, at least so many;
    ///   a `**...**` counts apart, once more.
    /// - `title`: `<<...>>` on one line with something in it.
    /// - `existence`: every keyword is found, in any case, inside words too. `frequency`: so many
    ///   times, likewise.
    /// - `forbidden_words`: none is found as a word, in any case.
    /// - `letter_frequency`: in the text in lower case.
    /// - `response_language`: by langdetect; also followed where there is nothing to tell by.
    /// - `nth_paragraph_first_word`: parts between `\n\n`, less the empty ones, exactly so many;
    ///   the word of the nth part (empty ones counted) without quotation marks before it, up to the
    ///   first of `. , ? ! ' "`, in any case.
    /// - `number_paragraphs`: parts between `***`, exactly so many; an empty part is allowed first
    ///   and last only, and not counted.
    /// - `number_sentences`: by Punkt (see `sentences`). `number_words`: runs of `\w`, where a
    ///   hyphen or an apostrophe parts two words.
    /// - `no_comma`: no `,`; commas of other scripts are allowed.
    /// - `end_checker`: the response ends with the phrase, in any case; quotation marks after it do
    ///   not matter.
    /// - `quotation`: the first and last characters are `"`, and are two.
    pub fn is_followed_by(&self, response: &str) -> bool {
        // The reference gives no credit for an empty response, whatever is asked.
        !strip_space(response).is_empty() && self.holds_for(response)
    }

    /// Whether the response follows the constraint in any of eight forms: as it is, without its
    /// first line, without its last, without both, and each of these without asterisks. What is
    /// left after a line is taken is stripped of white space. A form of white space alone follows
    /// nothing. Whatever is followed strictly is followed loosely.
    pub fn is_followed_loosely_by(&self, response: &str) -> bool {
        loose_forms(response)
            .iter()
            .any(|form| self.is_followed_by(form))
    }

    fn holds_for(&self, text: &str) -> bool {
        match self {
            // Whole texts.
            Constraint::TwoResponses => format_marks::are_two_responses(text),
            Constraint::Postscript { marker } => {
                format_marks::has_postscript(marker, &text.to_lowercase())
            }
            Constraint::ConstrainedResponse => ANSWERS.iter().any(|answer| text.contains(answer)),
            Constraint::JsonFormat => is_json(format_marks::without_fence(text)),
            Constraint::Title => format_marks::has_title(text),
            Constraint::FirstWord {
                paragraphs,
                nth,
                word,
            } => format_marks::has_first_word(text, *paragraphs, *nth, word),
            Constraint::NoComma => !text.contains(','),
            Constraint::Quotation => {
                let text = strip_space(text);
                text.len() > 1 && text.starts_with('"') && text.ends_with('"')
            }
            // Words.
            Constraint::EnglishCapital => is_upper(text) && is_in_language(text, "en"),
            Constraint::EnglishLowercase => is_lower(text) && is_in_language(text, "en"),
            Constraint::Language { language } => is_in_language(text, language),
            Constraint::RepeatPrompt { prompt } => {
                let prompt = strip_space(prompt).to_lowercase();
                strip_space(text).to_lowercase().starts_with(&prompt)
            }
            Constraint::EndPhrase { phrase } => {
                let end = strip_space(text).trim_matches('"');
                end.to_lowercase().ends_with(&phrase.to_lowercase())
            }
            Constraint::Keywords { keywords } => keywords.iter().all(|keyword| keyword.is_in(text)),
            Constraint::ForbiddenWords { words } => {
                !words.iter().any(|word| word.is_in_as_word(text))
            }
            // Counts.
            Constraint::CapitalWords { count } => count.allows(count_capital_words(text)),
            Constraint::Placeholders { number } => {
                format_marks::count_placeholders(text) >= *number
            }
            Constraint::Sections { splitter, number } => splitter.count_matches(text) >= *number,
            Constraint::Bullets { number } => format_marks::count_bullets(text) == *number,
            Constraint::Highlights { number } => format_marks::count_highlights(text) >= *number,
            Constraint::KeywordFrequency { keyword, count } => {
                count.allows(keyword.count_matches(text))
            }
            Constraint::LetterFrequency { letter, count } => {
                let lower = text.to_lowercase();
                count.allows(lower.chars().filter(|c| c == letter).count())
            }
            Constraint::Paragraphs { number } => {
                format_marks::count_paragraphs(text) == Some(*number)
            }
            Constraint::Sentences { count } => count.allows(split_sentences(text).len()),
            Constraint::Words { count } => count.allows(format_marks::count_words(text)),
        }
    }
}

/// The three answers that a constrained response may give.
pub(crate) const ANSWERS: [&str; 3] = [
    "My answer is yes.",
    "My answer is no.",
    "My answer is maybe.",
];

/// Returns the eight forms, the response itself first; those that are equal to an earlier one are
/// left out.
fn loose_forms(response: &str) -> Vec<String> {
    // As it is, without its first line, without its last, and without both.
    let lines: Vec<&str> = response.split('\n').collect();
    let (first, last) = (1.min(lines.len()), lines.len().saturating_sub(1));
    let join_lines = |lines: &[&str]| strip_space(&lines.join("\n")).to_owned();
    let cut = [
        response.to_owned(),
        join_lines(&lines[first..]),
        join_lines(&lines[..last]),
        join_lines(&lines[first..last.max(first)]),
    ];
    let bare = cut.each_ref().map(|form| form.replace('*', ""));
    let mut forms = Vec::with_capacity(cut.len() + bare.len());
    for form in cut.into_iter().chain(bare) {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Strict and loose.
    fn check(id: &str, kwargs: Value, response: &str) -> (bool, bool) {
        let constraint = Constraint::parse(id, &kwargs).unwrap();
        (
            constraint.is_followed_by(response),
            constraint.is_followed_loosely_by(response),
        )
    }

    #[test]
    fn an_empty_response_follows_nothing() {
        for (id, kwargs) in crate::examples::ALL {
            for empty in ["", " ", "\n\t \u{1c}"] {
                assert_eq!(
                    check(id, serde_json::from_str(kwargs).unwrap(), empty),
                    (false, false),
                    "{id}"
                );
            }
        }
    }

    #[test]
    fn loosely_the_first_and_last_lines_may_break_it() {
        let no_comma = |text| check("punctuation:no_comma", json!({}), text);
        assert_eq!(no_comma("Sure, here:\nNone at all."), (false, true));
        assert_eq!(no_comma("None at all.\nWell, done."), (false, true));
        assert_eq!(no_comma("Sure, here:\nNone.\nWell, done."), (false, true));
        assert_eq!(no_comma("One, two"), (false, false));
        let quotation = |text| check("startend:quotation", json!({}), text);
        assert_eq!(quotation("**\"Yes\"**"), (false, true));
        assert_eq!(quotation(" \"\" "), (true, true));
        assert_eq!(quotation("\""), (false, false));
    }

    #[test]
    fn forms_are_eight_at_most() {
        assert_eq!(loose_forms("*a*\n*b*\n*c*").len(), 8);
        assert_eq!(loose_forms("a")[0], "a");
        assert_eq!(loose_forms("a").len(), 2, "the text, and nothing");
        assert_eq!(loose_forms("").len(), 1);
    }

    #[test]
    fn markers_of_postscripts() {
        let marked = |marker: &str, text| {
            check(
                "detectable_content:postscript",
                json!({ "postscript_marker": marker }),
                text,
            )
            .0
        };
        assert!(
            marked("P.S.", "a\np. s. b") && !marked("P.S.", "p.s b") && !marked("P.S.", "p.p.s b")
        );
        assert!(marked("P.P.S", "a P. p. sb") && !marked("P.P.S", "P.S."));
        assert!(
            marked("Note:", "a note: b")
                && marked(
                    "P.S:",
                    "p-s: the point of a marker stands for any character"
                )
        );
    }

    #[test]
    fn keywords_are_found_inside_words() {
        assert_eq!(
            check(
                "keywords:existence",
                json!({"keywords": ["art"]}),
                "A PARTY"
            ),
            (true, true)
        );
        assert_eq!(
            check(
                "keywords:forbidden_words",
                json!({"forbidden_words": ["art"]}),
                "A PARTY"
            ),
            (true, true)
        );
        let frequency = json!({"keyword": "an", "relation": "at least", "frequency": 3});
        assert_eq!(
            check("keywords:frequency", frequency, "banana an"),
            (true, true)
        );
    }

    #[test]
    fn letters_are_counted_in_any_case() {
        let less = |letter: &str, n| json!({"letter": letter, "let_relation": "less than", "let_frequency": n});
        assert!(!check("keywords:letter_frequency", less("a", 2), "Aa").1);
        assert!(check("keywords:letter_frequency", less("#", 2), "# a").0);
    }

    #[test]
    fn the_prompt_is_repeated_in_any_case() {
        let kwargs = json!({"prompt_to_repeat": " Say it. "});
        assert!(check("combination:repeat_prompt", kwargs.clone(), "SAY IT. Done.").0);
        assert_eq!(
            check(
                "combination:repeat_prompt",
                kwargs,
                "Sure!\n*Say it.*\nDone."
            ),
            (false, true)
        );
    }

    #[test]
    fn the_end_may_be_quoted() {
        let kwargs = json!({"end_phrase": "The end."});
        assert!(
            check(
                "startend:end_checker",
                kwargs.clone(),
                "Well. \"the END.\" "
            )
            .0
        );
        assert!(!check("startend:end_checker", kwargs, "Well. 'The end.'").0);
    }
}
