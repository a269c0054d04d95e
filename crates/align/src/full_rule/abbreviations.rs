//! Words whose full stop ends no sentence.

/// Words that a full stop follows within a sentence although a capital letter comes next.
const ABBREVIATIONS: [&str; 31] = [
    "approx", "art", "cf", "ch", "dr", "e.g", "eq", "fig", "figs", "gen", "gov", "hon", "i.e",
    "lt", "mr", "mrs", "ms", "mt", "no", "nos", "pp", "prof", "rep", "rev", "sec", "sen", "sgt",
    "st", "viz", "vol", "vs",
];

/// Whether a word is an abbreviation with its full stop, or an initial.
pub(super) fn is_abbreviation(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let Some(stem) = word.strip_suffix('.') else {
        return false;
    };
    // One capital letter, as in `J. Doe`; `I` is a word of its own.
    let is_initial =
        stem.chars().count() == 1 && stem.chars().all(char::is_uppercase) && stem != "I";
    is_initial || ABBREVIATIONS.contains(&stem.to_lowercase().as_str())
}
