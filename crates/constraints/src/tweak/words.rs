//! The words that constraints ask for and that answers are completed with. None holds a comma, and
//! no list shares a word with another.

pub(super) const KEYWORDS: &[&str] = &[
    "patience", "notebook", "harbour", "lantern", "compass", "orchard", "workshop", "blanket",
    "bridge", "festival", "library", "puzzle",
];

pub(super) const REPEATED: &[&str] = &[
    "practice",
    "curiosity",
    "balance",
    "detail",
    "rhythm",
    "contrast",
];

pub(super) const FORBIDDEN: &[&str] = &[
    "obviously",
    "basically",
    "amazing",
    "literally",
    "awesome",
    "incredible",
    "synergy",
    "leverage",
    "delve",
    "tapestry",
];

pub(super) const FIRST_WORDS: &[&str] = &["indeed", "besides", "certainly", "naturally", "clearly"];

pub(super) const END_PHRASES: &[&str] = &[
    "That is the whole story.",
    "Ask me again at any time.",
    "I hope this clears it up.",
    "This is all for now.",
];

pub(super) const TITLES: &[&str] = &[
    "In Brief",
    "A Short Answer",
    "What to Know",
    "The Main Points",
    "Explained Simply",
];

pub(super) const POSTSCRIPTS: &[&str] = &[
    "There is more to find out about this.",
    "A good book on the subject tells more.",
    "It is a fine thing to wonder about.",
];

pub(super) const FILLERS: &[&str] = &[
    "There is more that could be said about this on another day.",
    "People have looked at the same thing from many sides.",
    "It helps to look at a few examples before going on.",
    "Those who want to know more will find it easy to go on from here.",
    "The rest follows from what has been said so far.",
];

/// Ends of sentences with a comma.
pub(super) const TAILS: &[&str] = &[", of course", ", as it happens", ", to be fair"];
