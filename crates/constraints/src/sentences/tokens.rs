//! Words and marks, as Punkt cuts a line before it decides.

use crate::python::is_space;

/// White space of the engine under nltk: Unicode's, without the separators U+001C to U+001F.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace()
}

/// Marks that end a word.
pub(super) fn parts_words(c: char) -> bool {
    closes(c) || ";*:@({[?!".contains(c)
}

/// Marks that close a sentence after its point: quotes of all kinds and closing brackets.
pub(super) fn closes(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | ')' | ']' | '}' | '‘' | '’' | '“' | '”' | '«' | '»'
    )
}

/// Marks that are tokens by themselves at the start of a word.
fn starts_no_word(c: char) -> bool {
    "(\"`{[:;&#*@)}]-,".contains(c)
}

/// Cuts a text into tokens, line by line.
pub(super) fn cut_tokens(text: &[char]) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.split(|c| *c == '\n') {
        // The reference passes over lines of white space, its separators among it.
        if line.iter().all(|c| is_space(*c)) {
            continue;
        }
        let mut at = 0;
        while at < line.len() {
            if is_blank(line[at]) {
                at += 1;
                continue;
            }
            let end = token_end(line, at);
            found.push(line[at..end].iter().collect());
            at = end;
        }
    }
    found
}

fn token_end(line: &[char], at: usize) -> usize {
    if let Some(end) = repeated_mark(line, at) {
        return end;
    }
    if starts_no_word(line[at]) {
        return at + 1;
    }
    (at + 1..line.len())
        .find(|end| ends_word(line, *end))
        .unwrap_or(line.len())
}

/// Whether a word ends before this character: white space, a mark, a run of marks, or a comma
/// before one of these.
fn ends_word(line: &[char], at: usize) -> bool {
    let ends = |at: usize| {
        line.get(at).is_none_or(|c| is_blank(*c) || parts_words(*c))
            || repeated_mark(line, at).is_some()
    };
    ends(at) || (line[at] == ',' && ends(at + 1))
}

/// Returns the end of a run of hyphens, of points, or of at least three points with white space
/// between.
fn repeated_mark(line: &[char], at: usize) -> Option<usize> {
    let run = |mark: char| line[at..].iter().take_while(|c| **c == mark).count();
    match line.get(at)? {
        '-' if run('-') > 1 => Some(at + run('-')),
        '.' if run('.') > 1 => Some(at + run('.')),
        '.' => spaced_points(&line[at..]).map(|length| at + length),
        _ => None,
    }
}

/// Returns the length of at least three points with white space between.
fn spaced_points(rest: &[char]) -> Option<usize> {
    let pairs = rest.chunks_exact(2);
    let pairs = pairs.take_while(|pair| pair[0] == '.' && is_blank(pair[1]));
    let pairs = pairs.count();
    // The last point need not have white space after it.
    let points = if rest.get(2 * pairs) == Some(&'.') {
        pairs + 1
    } else {
        pairs
    };
    (points > 2).then(|| 2 * points - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_nltk_cuts_them() {
        let cut = |text: &str| cut_tokens(&text.chars().collect::<Vec<_>>()).join("|");
        assert_eq!(
            cut("well-known (e.g. this), isn't it?!"),
            "well-known|(|e.g.|this|)|,|isn|'t|it|?|!"
        );
        assert_eq!(cut("a... b -- c--d . . . e"), "a|...|b|--|c|--|d|. . .|e");
        assert_eq!(cut("1,000, 2\n\n'x' #y"), "1,000|,|2|'x|'|#|y");
    }
}
