//! The date that templates are told. Some write today's date into the prompt; a prompt that changes
//! overnight would make every stored reply worthless, so it is always the same day: 26 July 2024,
//! the one that such templates give when they know none.

use minijinja::{Error, ErrorKind};

/// Returns Python's `strftime` of that day at midnight, for what templates ask of it.
pub(super) fn format_date(format: &str) -> Result<String, Error> {
    let mut text = String::new();
    let mut characters = format.chars();
    while let Some(character) = characters.next() {
        if character == '%' {
            text += find_field(characters.next())?;
        } else {
            text.push(character);
        }
    }
    Ok(text)
}

fn find_field(letter: Option<char>) -> Result<&'static str, Error> {
    Ok(match letter {
        Some('Y') => "2024",
        Some('y') => "24",
        Some('m') => "07",
        Some('B') => "July",
        Some('b' | 'h') => "Jul",
        Some('d') => "26",
        Some('e') => "26",
        Some('j') => "208",
        Some('A') => "Friday",
        Some('a') => "Fri",
        Some('H' | 'M' | 'S') => "00",
        Some('I') => "12",
        Some('p') => "AM",
        Some('F') => "2024-07-26",
        Some('D' | 'x') => "07/26/24",
        Some('T' | 'X') => "00:00:00",
        Some('%') => "%",
        _ => {
            return Err(Error::new(
                ErrorKind::InvalidOperation,
                "an unknown field in strftime_now",
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_always_the_same_day() {
        assert_eq!(
            super::format_date("%A, %d %b %Y 100%%").unwrap(),
            "Friday, 26 Jul 2024 100%"
        );
        assert!(super::format_date("%Q").is_err());
    }
}
