//! Numbers as people read them.

pub(crate) use evenhand_ranking::{chosen_percent, group_digits};

/// Returns `1 item` or `12,345 items`.
pub(crate) fn count_of(number: u64, one: &str, several: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{} {several}", group_digits(number))
    }
}

/// Returns how many items there are, and of how many questions where those are fewer: `1,200 items
/// of 150 questions`.
pub(crate) fn count_items(items: u64, questions: u64) -> String {
    let items_text = count_of(items, "item", "items");
    if questions < items {
        format!(
            "{items_text} of {}",
            count_of(questions, "question", "questions")
        )
    } else {
        items_text
    }
}

/// Returns an amount in US dollars: cents, and four decimals below one dollar.
pub(crate) fn format_usd(usd: f64) -> String {
    if usd < 1.0 {
        format!("{usd:.4} USD")
    } else {
        format!("{usd:.2} USD")
    }
}

/// Returns an interval that says something: one that is open at both ends is none.
pub(crate) fn closed_somewhere(ci: Option<[Option<f64>; 2]>) -> Option<[Option<f64>; 2]> {
    ci.filter(|ends| ends.iter().any(Option::is_some))
}

/// Returns ` (LOW to HIGH)` with `?` for an open end; nothing without an interval.
pub(crate) fn bracketed_interval(
    ci: Option<[Option<f64>; 2]>,
    format: impl Fn(f64) -> String,
) -> String {
    or_blank(closed_somewhere(ci), |ends| {
        let [low, high] = ends.map(|end| end.map_or("?".into(), &format));
        format!(" ({low} to {high})")
    })
}

/// Returns a number with its interval, or a dash where there is none.
pub(crate) fn with_interval(
    value: Option<f64>,
    ci: Option<[Option<f64>; 2]>,
    format: impl Fn(f64) -> String,
) -> String {
    or_dash(value, |value| {
        format(value) + &bracketed_interval(ci, &format)
    })
}

/// Returns a share in per cent, without the sign.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Returns the words of a figure with the minus sign (U+2212) that pages have, in the place of each
/// hyphen before a number. Hyphens in names, dates and exponents stay. Text and Markdown keep the
/// hyphen: they are searched and pasted; so do CSV and JSON.
pub(crate) fn with_minus(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    for (at, letter) in text.char_indices() {
        let begins = before.is_none_or(|before| matches!(before, ' ' | '(' | '['));
        let behind = &text[at + letter.len_utf8()..];
        let is_number = behind.starts_with(|c: char| c.is_ascii_digit())
            || behind.starts_with("inf")
            || behind.starts_with('.');
        shown.push(match letter {
            '-' if begins && is_number => '\u{2212}',
            other => other,
        });
        before = Some(letter);
    }
    shown
}

/// Returns the text of a value, or a dash where there is none.
pub(crate) fn or_dash<T>(value: Option<T>, format: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".into(), format)
}

/// Returns the text of a value, or nothing where there is none.
pub(crate) fn or_blank<T>(value: Option<T>, format: impl FnOnce(T) -> String) -> String {
    value.map(format).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(group_digits(number), text);
        }
    }

    #[test]
    fn a_minus_sign_stands_before_numbers_alone() {
        for (text, shown) in [
            (
                "-0.5 (95 % interval -1.0 to -inf)",
                "−0.5 (95 % interval −1.0 to −inf)",
            ),
            ("2026-11-10: 3", "2026-11-10: 3"),
            ("gpt-4 - 1 and by 2e-7", "gpt-4 - 1 and by 2e-7"),
            ("-", "-"),
            ("", ""),
        ] {
            assert_eq!(with_minus(text), shown);
        }
    }

    #[test]
    fn a_level_keeps_its_decimals() {
        let of = |level: f64| chosen_percent(level);
        assert_eq!(
            [0.9, 0.95, 0.995, 0.9995].map(of),
            ["90", "95", "99.5", "99.95"]
        );
        assert_eq!([1.0 - 0.95, 0.999_999, 0.5].map(of), ["5", "99.9999", "50"]);
    }

    #[test]
    fn an_interval_stands_behind_its_number_and_an_open_end_is_said() {
        let ends = Some([Some(0.25), None]);
        assert_eq!(with_interval(Some(0.5), ends, percent), "50.0 (25.0 to ?)");
        assert_eq!(with_interval(Some(0.5), Some([None; 2]), percent), "50.0");
        assert_eq!(with_interval(Some(0.5), None, percent), "50.0");
        assert_eq!(with_interval(None, ends, percent), "-");
    }
}
