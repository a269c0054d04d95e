//! Where a block of code may be cut.

/// Iterates over byte offsets strictly inside the code, each at the start of a line: between
/// statements where its language is known and it is well formed, else after blank lines.
pub(super) fn find_code_cuts(code: &str, info: &str) -> impl Iterator<Item = usize> {
    let places = statement_starts(code, info).unwrap_or_else(|| starts_after_blank_lines(code));
    let inside = 1..code.trim_end().len();
    places
        .into_iter()
        .filter(move |place| inside.contains(place))
}

#[cfg(feature = "code")]
fn statement_starts(code: &str, info: &str) -> Option<Vec<usize>> {
    super::statements::statement_starts(code, info)
}

#[cfg(not(feature = "code"))]
fn statement_starts(_: &str, _: &str) -> Option<Vec<usize>> {
    None
}

/// Returns where each line begins that follows a blank one, but for the first that is not blank.
fn starts_after_blank_lines(code: &str) -> Vec<usize> {
    let (mut places, mut at) = (Vec::new(), 0);
    let (mut after_blank, mut has_begun) = (false, false);
    for line in code.split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        if after_blank && has_begun && !is_blank {
            places.push(at);
        }
        has_begun |= !is_blank;
        after_blank = is_blank;
        at += line.len();
    }
    places
}
