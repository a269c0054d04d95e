//! Where a block of code may be cut.

/// Byte offsets strictly inside the code, each at the start of a line: between statements where its
/// language is known and it is well formed, else after blank lines.
pub(super) fn cuts(code: &str, info: &str) -> impl Iterator<Item = usize> {
    let places = statements(code, info).unwrap_or_else(|| after_blank_lines(code));
    let length = code.trim_end().len();
    places
        .into_iter()
        .filter(move |&place| place > 0 && place < length)
}

#[cfg(feature = "code")]
fn statements(code: &str, info: &str) -> Option<Vec<usize>> {
    super::languages::statements(code, info)
}

#[cfg(not(feature = "code"))]
fn statements(_: &str, _: &str) -> Option<Vec<usize>> {
    None
}

fn after_blank_lines(code: &str) -> Vec<usize> {
    let (mut places, mut at, mut blank, mut begun) = (Vec::new(), 0, false, false);
    for line in code.split_inclusive('\n') {
        let empty = line.trim().is_empty();
        if blank && begun && !empty {
            places.push(at);
        }
        begun |= !empty;
        blank = empty;
        at += line.len();
    }
    places
}
