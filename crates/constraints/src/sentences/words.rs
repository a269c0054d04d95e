//! Word lists of our own: abbreviations, and words that start sentences.  Punkt learns its lists from newspaper text; these are short and
//! were written for answers of language models.

/// Whether the word (in lower case, without its last point) is an abbreviation; of a word with hyphens the last part is looked at too.
pub(super) fn is_abbreviation(word: &str) -> bool {
    let last = word.rsplit('-').next().unwrap_or(word);
    ABBREVIATIONS.contains(&word) || ABBREVIATIONS.contains(&last)
}

/// Whether the word often starts a sentence and is seldom written with a capital inside one.
pub(super) fn is_starter(word: &str) -> bool {
    STARTERS.contains(&bare(word).as_str())
}

/// Whether the word is an ordinary one that is written in small letters inside a sentence.
pub(super) fn is_common(word: &str) -> bool {
    is_starter(word)
}

fn bare(word: &str) -> String {
    word.trim_end_matches('.').to_lowercase()
}

const ABBREVIATIONS: &[&str] = &[
    "a.m", "adm", "apr", "ave", "b.c", "c.e", "capt", "cent", "co", "col", "corp", "ct", "d.c", "dec", "dr", "e.g", "etc", "ft", "gen",
    "gov", "h.m.s", "i.e", "inc", "jan", "jr", "ltd", "maj", "messrs", "mr", "mrs", "ms", "nov", "oct", "p.m", "ph.d", "prof", "rep",
    "rev", "sen", "sep", "sept", "sr", "st", "u.k", "u.n", "u.s", "u.s.a", "vs", "feb", "aug", "cos", "n.y", "l.a",
];

const STARTERS: &[&str] = &[
    "although", "and", "as", "at", "because", "but", "by", "despite", "during", "even", "for", "he", "her", "here", "his", "how", "however",
    "i", "if", "in", "instead", "it", "its", "many", "meanwhile", "most", "my", "nevertheless", "no", "not", "now", "once", "one", "our",
    "she", "since", "so", "some", "still", "such", "that", "the", "their", "then", "there", "these", "they", "this", "those", "thus", "to",
    "we", "what", "when", "where", "while", "who", "why", "with", "yet", "you", "your",
];
