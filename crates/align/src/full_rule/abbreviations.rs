//! Words whose full stop ends no sentence.

/// Words that a full stop follows within a sentence although a capital letter comes next.
const ABBREVIATIONS: [&str; 31] = [
    "approx", "art", "cf", "ch", "dr", "e.g", "eq", "fig", "figs", "gen", "gov", "hon", "i.e",
    "lt", "mr", "mrs", "ms", "mt", "no", "nos", "pp", "prof", "rep", "rev", "sec", "sen", "sgt",
    "st", "viz", "vol", "vs",
];

/// Whether a word is an abbreviation with its full stop, or an initial.
pub(super) fn is_abbreviation(word: &str) -> bool {
    let word = word.trim_start_matches(is_mark);
    let stem = word.strip_suffix('.');
    stem.is_some_and(|stem| is_initial(stem) || is_known_abbreviation(stem))
}

fn is_mark(c: char) -> bool {
    !c.is_alphanumeric()
}

fn is_known_abbreviation(stem: &str) -> bool {
    ABBREVIATIONS.contains(&stem.to_lowercase().as_str())
}

/// Whether a word is one capital letter, as in `J. Doe`; `I` is a word of its own.
fn is_initial(word: &str) -> bool {
    word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I"
}
