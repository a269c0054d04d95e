//! Lists of names as a user writes them, the same wherever names are given.

/// Names that a list in a text shows.
const LISTED: usize = 5;

/// Returns each value once, in the order in which they come.
pub fn in_order<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Lists names for people, the first few where they are many: `a, b and 57 more`.
///
/// ```
/// use evenhand_core::list_names;
/// assert_eq!(list_names(["a", "b"]), "a, b");
/// assert_eq!(list_names((1..=60).map(|n| n.to_string())), "1, 2, 3, 4, 5 and 55 more");
/// ```
pub fn list_names<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let mut names = names.into_iter();
    let first: Vec<T> = names.by_ref().take(LISTED).collect();
    let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Splits a list at its commas and takes the white space around each part away. A part, or what
/// follows an `=` in it, may stand in double quotes, within which a comma is a part of the name and
/// two quotes are one; quotes around a whole part are taken away, others stay for whoever reads the
/// part on ([`unquote`]).
///
/// ```
/// use evenhand_core::split_list;
/// assert_eq!(split_list(r#"plain, "GPT (v1), t=0""#), ["plain", "GPT (v1), t=0"]);
/// assert_eq!(split_list(r#"a="b, c",d"#), [r#"a="b, c""#, "d"]);
/// assert_eq!(split_list(r#"5" disk,"a ""b""""#), [r#"5" disk"#, r#"a "b""#]);
/// ```
pub fn split_list(text: &str) -> Vec<String> {
    let parts = split_unquoted(text, ',').into_iter();
    parts.map(|part| unquote(part.trim())).collect()
}

/// Splits a text at a mark, but not within double quotes.
pub fn split_unquoted(text: &str, mark: char) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let (mut quoted, mut may_open) = (false, true);
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '"' && quoted {
            // Two within quotes are one of the name's own.
            quoted = letters.next_if(|(_, next)| *next == '"').is_some();
        } else if letter == '"' && may_open {
            quoted = closes(text.get(at + 1..).unwrap_or_default());
        } else if letter == mark && !quoted {
            parts.push(text.get(start..at).unwrap_or_default());
            start = at + letter.len_utf8();
        }
        // A quote opens a name only where a name may begin.
        may_open = !quoted
            && (matches!(letter, ',' | '=' | '|' | '+' | '/' | '.')
                || may_open && letter.is_whitespace());
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

/// Whether the quotes that open before this text are closed at the end of a name.
fn closes(text: &str) -> bool {
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '"' && letters.next_if_eq(&'"').is_none() {
            let next = letters.find(|next| !next.is_whitespace());
            return next.is_none_or(|next| matches!(next, ',' | '=' | '|' | '+' | '/' | '.'));
        }
    }
    false
}

/// Takes the double quotes around a whole name away; two within them are one.
pub fn unquote(name: &str) -> String {
    let within = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    let within = within.filter(|within| !within.replace("\"\"", "").contains('"'));
    match within {
        Some(within) => within.replace("\"\"", "\""),
        None => name.to_owned(),
    }
}

/// Writes a name so that [`split_list`] reads it back: in quotes where it needs them.
pub fn quote(name: &str) -> String {
    let needs =
        name.is_empty() || name.trim() != name || name.contains(['"', ',', '=', '|', '+', '/']);
    if needs {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// Returns a name as it stands in a sentence: in quotes where a comma would make two names of it.
/// It is for the eye: quotes within it stay as they are.
pub fn name_in_words(name: &str) -> String {
    match name.contains(',') {
        true => format!("\"{name}\""),
        false => name.to_owned(),
    }
}

/// Returns a word as a shell takes it, for a command that a message suggests.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:,=+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_are_quoted_where_it_would_take_them_apart() {
        for (word, quoted) in [
            ("runs/week-1", "runs/week-1"),
            ("old,new", "old,new"),
            ("näher=1", "näher=1"),
            ("two words", "'two words'"),
            ("\"a, b\",c", "'\"a, b\",c'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("a*", "'a*'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(word), quoted);
        }
    }

    /// Names of all sorts of letters that mean something in lists, of up to so many letters.
    fn names(length: usize) -> Vec<String> {
        let letters = ['a', ' ', ',', '"', '=', '.', '/'];
        let mut names = vec![String::new()];
        let mut longest = names.clone();
        for _ in 0..length {
            longest = longest
                .iter()
                .flat_map(|name| letters.map(|letter| format!("{name}{letter}")))
                .collect();
            names.extend(longest.iter().cloned());
        }
        names
    }

    #[test]
    fn what_is_quoted_is_read_back() {
        let names = names(4);
        for (at, name) in names.iter().enumerate() {
            let other = &names[at * 31 % names.len()];
            let list = format!("{},{}", quote(name), quote(other));
            assert_eq!(split_list(&list), [name.clone(), other.clone()], "{list}");
            let part = format!("x={},y", quote(name));
            let parts = split_list(&part);
            assert_eq!(parts.len(), 2, "{part}");
            assert_eq!(unquote(&parts[0][2..]), *name, "{part}");
        }
    }

    #[test]
    fn a_quote_within_a_name_is_one() {
        assert_eq!(
            split_list(r#"5" disk,3" disk"#),
            [r#"5" disk"#, r#"3" disk"#]
        );
        assert_eq!(split_list(r#""a" b,c"#), [r#""a" b"#, "c"]);
        assert_eq!(split_list(""), [""]);
    }
}
