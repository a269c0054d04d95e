//! Word lists of our own: abbreviations, words that start sentences, and words that do not start a paragraph's name.
//!
//! Punkt learns such lists from a newspaper (for English the Wall Street Journal).  These are short, were written for answers of language
//! models, and agree with it as far as they go.  So `etc.`, `e.g.` and `i.e.` end a sentence here, as they do there.

/// Whether the word (in lower case, without its last point) is an abbreviation; of a word with hyphens the last part is looked at too.
pub(super) fn is_abbreviation(word: &str) -> bool {
    let last = word.rsplit('-').next().unwrap_or(word);
    ABBREVIATIONS.contains(&word) || ABBREVIATIONS.contains(&last)
}

/// Whether the word starts sentences, and is not written with a capital inside one.
pub(super) fn is_starter(word: &str) -> bool {
    STARTERS.contains(&bare(word).as_str())
}

/// Whether the word is an ordinary one, and no name.
pub(super) fn is_common(word: &str) -> bool {
    is_starter(word) || COMMON.contains(&bare(word).as_str())
}

/// Whether a number and a point before the word are part of a name, for that newspaper.
pub(super) fn follows_number(word: &str) -> bool {
    AFTER_NUMBERS.contains(&bare(word).as_str())
}

fn bare(word: &str) -> String {
    word.trim_end_matches('.').to_lowercase()
}

const ABBREVIATIONS: &[&str] = &[
    "a.a", "a.d", "a.m", "adm", "aug", "ave", "bros", "c", "calif", "co", "col", "corp", "cos", "ct", "d", "d.c", "dec", "dr", "e", "f", "feb",
    "ft", "g", "gen", "h", "inc", "j.k", "jan", "jr", "k", "l", "l.a", "lt", "ltd", "m", "maj", "messrs", "mr", "mrs", "ms", "n", "n.d", "n.y",
    "nov", "oct", "ok", "p", "p.m", "ph.d", "prof", "r", "rep", "reps", "s", "s.a", "sen", "sep", "sept", "sr", "st", "t", "u.k", "u.n", "u.s",
    "u.s.a", "v", "vs", "w", "w.c", "wash", "wed",
];

const STARTERS: &[&str] = &[
    "although", "both", "but", "check", "consider", "create", "despite", "ensure", "even", "finally", "furthermore", "he", "her", "here",
    "however", "if", "in", "include", "instead", "into", "it", "many", "meanwhile", "moreover", "most", "nevertheless", "overall", "please",
    "provide", "remember", "similarly", "since", "so", "some", "sometimes", "still", "such", "the", "there", "therefore", "these", "they",
    "this", "though", "through", "thus", "try", "under", "unless", "upon", "using", "were", "when", "whether", "which", "while", "without",
    "yet", "your",
];

const COMMON: &[&str] = &[
    "a", "all", "also", "an", "and", "another", "any", "as", "at", "avoid", "because", "by", "during", "each", "find", "first", "for", "from",
    "get", "give", "have", "his", "how", "its", "just", "let", "make", "more", "my", "next", "no", "not", "now", "often", "on", "one", "only",
    "or", "other", "our", "several", "she", "take", "that", "their", "then", "those", "to", "use", "was", "we", "what", "where", "who", "why",
    "with", "write", "you",
];

const AFTER_NUMBERS: &[&str] = &["business", "credit", "international", "pepper", "review"];
