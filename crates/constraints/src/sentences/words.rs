//! Word lists of our own: abbreviations, words that start sentences, and ordinary words that are no
//! names.
//!
//! Punkt learns such lists from a newspaper (for English the Wall Street Journal). These are short,
//! were written for answers of language models, and agree with it as far as they go. So `etc.`,
//! `e.g.` and `i.e.` end a sentence here, as they do there.

/// Whether the word (in lower case, without its last point) is an abbreviation; of a word with
/// hyphens the last part is looked at too.
pub(super) fn is_abbreviation(word: &str) -> bool {
    let last = word.rsplit('-').next().unwrap_or(word);
    ABBREVIATIONS.contains(&word) || ABBREVIATIONS.contains(&last)
}

/// Whether the word starts sentences, and is not written with a capital inside one.
pub(super) fn is_starter(word: &str) -> bool {
    STARTERS.contains(&bare_word(word).as_str())
}

/// Whether the word is an ordinary one, and no name.
pub(super) fn is_common(word: &str) -> bool {
    let word = bare_word(word);
    let has_common_ending = word.len() > 6 && ENDINGS.iter().any(|end| word.ends_with(end));
    is_starter(&word) || COMMON.contains(&word.as_str()) || has_common_ending
}

/// Whether a number and a point before the word are part of a name, for that newspaper.
pub(super) fn follows_number(word: &str) -> bool {
    AFTER_NUMBERS.contains(&bare_word(word).as_str())
}

fn bare_word(word: &str) -> String {
    word.trim_end_matches('.').to_lowercase()
}

#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "a.a", "a.d", "a.m", "adm", "aug", "ave", "bros", "c", "calif", "co", "col", "corp", "cos",
    "ct", "d", "d.c", "dec", "dr", "e", "f", "feb", "ft", "g", "gen", "h", "inc", "j.k", "jan",
    "jr", "k", "l", "l.a", "lt", "ltd", "m", "maj", "messrs", "mr", "mrs", "ms", "n", "n.d", "n.y",
    "nov", "oct", "ok", "p", "p.m", "ph.d", "prof", "r", "rep", "reps", "s", "s.a", "sen", "sep",
    "sept", "sr", "st", "t", "u.k", "u.n", "u.s", "u.s.a", "v", "vs", "w", "w.c", "wash", "wed",
];

#[rustfmt::skip]
const STARTERS: &[&str] = &[
    "according", "although", "apply", "ask", "both", "but", "calculate", "check", "choose",
    "consider", "create", "currently", "define", "describe", "despite", "determine", "develop",
    "discuss", "does", "either", "ensure", "enter", "establish", "evaluate", "even", "eventually",
    "explain", "finally", "following", "furthermore", "given", "he", "hence", "her", "here",
    "however", "i", "if", "imagine", "implement", "in", "include", "indeed", "instead", "into",
    "it", "learn", "many", "meanwhile", "moreover", "most", "neither", "nevertheless", "nor",
    "note", "nothing", "okay", "overall", "please", "practice", "provide", "put", "recently",
    "remember", "select", "similarly", "since", "so", "some", "sometimes", "soon", "still", "such",
    "suddenly", "suppose", "the", "them", "there", "therefore", "these", "they", "think", "this",
    "though", "through", "thus", "true", "try", "under", "understand", "unless", "upon", "us",
    "using", "were", "when", "whenever", "whether", "which", "while", "without", "yes", "yet",
    "your",
];

#[rustfmt::skip]
const COMMON: &[&str] = &[
    "a", "all", "also", "an", "and", "another", "any", "are", "as", "at", "avoid", "be", "because",
    "by", "can", "close", "come", "could", "did", "do", "due", "during", "each", "every",
    "everyone", "everything", "few", "find", "first", "for", "from", "get", "give", "go", "have",
    "his", "how", "identify", "is", "its", "just", "keep", "know", "later", "let", "little", "look",
    "make", "may", "maybe", "me", "might", "more", "much", "must", "my", "next", "no", "none",
    "not", "now", "often", "on", "one", "only", "open", "or", "other", "our", "perhaps", "press",
    "read", "research", "run", "say", "see", "set", "several", "she", "should", "something", "take",
    "tell", "that", "their", "then", "those", "to", "today", "use", "was", "we", "well", "what",
    "whatever", "where", "who", "why", "will", "with", "would", "write", "you",
];

/// Long words with these ends are seldom names.
const ENDINGS: &[&str] = &["ed", "ing", "ly", "ment", "tion"];

const AFTER_NUMBERS: &[&str] = &["business", "credit", "international", "pepper", "review"];
