//! Tells the kinds of lines in prose: a list item, a table row, a heading.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// The first line of a list item.
    Item,
    TableRow,
    /// The line of dashes below the head of a table.
    TableRule,
    /// `# …`
    Heading,
    /// An indented line.
    Indented,
    Other,
}

impl LineKind {
    /// Whether the line belongs to a list item, given whether the line before it does.
    pub(super) fn is_in_item(self, was_in_item: bool) -> bool {
        self == LineKind::Item || (was_in_item && self == LineKind::Indented)
    }

    /// Whether no sentence ends inside the line, whatever it says.
    pub(super) fn is_one_sentence(self) -> bool {
        matches!(self, LineKind::TableRow | LineKind::Heading)
    }
}

pub(super) fn classify_line(line: &str) -> LineKind {
    let content = line.trim();
    let first_word = content.split_whitespace().next().unwrap_or_default();
    if is_item_mark(first_word) {
        LineKind::Item
    } else if content.contains('|')
        && content.contains('-')
        && content.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
    {
        LineKind::TableRule
    } else if content.starts_with('|') {
        LineKind::TableRow
    } else if is_heading_mark(first_word) {
        LineKind::Heading
    } else if line.starts_with([' ', '\t']) {
        LineKind::Indented
    } else {
        LineKind::Other
    }
}

/// Whether a line's first word is the mark or the number of a list item: at most nine digits with a
/// full stop or bracket.
pub(super) fn is_item_mark(word: &str) -> bool {
    let number = word.trim_end_matches(['.', ')']);
    let is_short = (1..10).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    matches!(word, "-" | "*" | "+" | "•" | "–") || (number.len() < word.len() && is_short)
}

/// Whether a line's first word makes it a heading.
pub(super) fn is_heading_mark(word: &str) -> bool {
    (1..=6).contains(&word.len()) && word.bytes().all(|b| b == b'#')
}
