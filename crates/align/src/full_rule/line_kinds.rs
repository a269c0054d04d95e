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
    } else if is_table_rule(content) {
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

fn is_table_rule(content: &str) -> bool {
    content.contains('|') && content.contains('-') && content.chars().all(is_rule_mark)
}

fn is_rule_mark(c: char) -> bool {
    matches!(c, '|' | '-' | ':' | ' ')
}

/// Whether a line's first word is the mark or the number of a list item.
pub(super) fn is_item_mark(word: &str) -> bool {
    matches!(word, "-" | "*" | "+" | "•" | "–") || is_item_number(word)
}

/// Whether a word is a number of at most nine digits with a full stop or bracket.
fn is_item_number(word: &str) -> bool {
    let number = word.trim_end_matches(['.', ')']);
    number.len() < word.len() && is_short_number(number)
}

fn is_short_number(word: &str) -> bool {
    (1..10).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a line's first word makes it a heading.
pub(super) fn is_heading_mark(word: &str) -> bool {
    (1..=6).contains(&word.len()) && word.bytes().all(|b| b == b'#')
}
