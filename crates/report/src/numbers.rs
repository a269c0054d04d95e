//! Numbers as people read them.

/// Returns a count with its digits in groups of three: `12,345`.
pub(crate) fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns `1 item` or `12,345 items`.
pub(crate) fn count_of(number: u64, one: &str, several: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{} {several}", group_digits(number))
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

/// Returns ` (LOW to HIGH)` with `?` for an open end; nothing without an interval.
pub(crate) fn bracketed_interval(
    ci: Option<[Option<f64>; 2]>,
    format: impl Fn(f64) -> String,
) -> String {
    let end = |end: Option<f64>| end.map_or("?".into(), &format);
    ci.map_or_else(String::new, |[low, high]| {
        format!(" ({} to {})", end(low), end(high))
    })
}

/// Returns the text of a number, or a dash where there is none.
pub(crate) fn or_dash(value: Option<f64>, format: impl Fn(f64) -> String) -> String {
    value.map_or("-".into(), format)
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
}
