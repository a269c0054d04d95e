//! One constraint of each type, for tests.

pub(crate) const ALL: &[(&str, &str)] = &[
    (
        "change_case:capital_word_frequency",
        r#"{"capital_relation": "at least", "capital_frequency": 2}"#,
    ),
    ("change_case:english_capital", "{}"),
    ("change_case:english_lowercase", "{}"),
    (
        "combination:repeat_prompt",
        r#"{"prompt_to_repeat": "Say it."}"#,
    ),
    ("combination:two_responses", "{}"),
    (
        "detectable_content:number_placeholders",
        r#"{"num_placeholders": 2}"#,
    ),
    (
        "detectable_content:postscript",
        r#"{"postscript_marker": "P.S."}"#,
    ),
    ("detectable_format:constrained_response", "{}"),
    ("detectable_format:json_format", "{}"),
    (
        "detectable_format:multiple_sections",
        r#"{"section_spliter": "Section", "num_sections": 2}"#,
    ),
    (
        "detectable_format:number_bullet_lists",
        r#"{"num_bullets": 2}"#,
    ),
    (
        "detectable_format:number_highlighted_sections",
        r#"{"num_highlights": 2}"#,
    ),
    ("detectable_format:title", "{}"),
    ("keywords:existence", r#"{"keywords": ["river", "sea"]}"#),
    (
        "keywords:forbidden_words",
        r#"{"forbidden_words": ["lake"]}"#,
    ),
    (
        "keywords:frequency",
        r#"{"keyword": "river", "relation": "less than", "frequency": 2}"#,
    ),
    (
        "keywords:letter_frequency",
        r#"{"letter": "Q", "let_relation": "at least", "let_frequency": 1}"#,
    ),
    ("language:response_language", r#"{"language": "de"}"#),
    (
        "length_constraints:nth_paragraph_first_word",
        r#"{"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Then"}"#,
    ),
    (
        "length_constraints:number_paragraphs",
        r#"{"num_paragraphs": 2}"#,
    ),
    (
        "length_constraints:number_sentences",
        r#"{"relation": "less than", "num_sentences": 3}"#,
    ),
    (
        "length_constraints:number_words",
        r#"{"relation": "at least", "num_words": 5}"#,
    ),
    ("punctuation:no_comma", "{}"),
    ("startend:end_checker", r#"{"end_phrase": "That is all."}"#),
    ("startend:quotation", "{}"),
];
