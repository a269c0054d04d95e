//! How long a server's headers ask to wait.

use std::time::{Duration, SystemTime};

/// A limit that is reset later than this is a quota and not a wait, or the header holds a date.
const LONGEST_RESET: Duration = Duration::from_secs(24 * 3600);

/// Returns how long the headers of an answer ask to wait before the next attempt, whatever the case
/// of their names; `now` is what a date is compared with.
///
/// `retry-after-ms` (milliseconds) goes before `retry-after` (seconds, or an HTTP date), and that
/// before the limits' resets: of `x-ratelimit-reset-NAME` (such as `1s`, `6m0s`, `20ms`, or
/// seconds) the longest whose `x-ratelimit-remaining-NAME` is not above 0. What cannot be read says
/// nothing.
pub fn read_wait<'a>(
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    now: SystemTime,
) -> Option<Duration> {
    let headers: Vec<(String, &str)> = headers
        .into_iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    let find = |name: &str| {
        let (_, value) = headers.iter().find(|(other, _)| other == name)?;
        Some(*value)
    };
    let millis = find("retry-after-ms").and_then(|value| parse_number(value, 0.001));
    if millis.is_some() {
        return millis;
    }
    if let Some(value) = find("retry-after") {
        if let Some(seconds) = parse_number(value, 1.0) {
            return Some(seconds);
        }
        if let Ok(date) = httpdate::parse_http_date(value) {
            // A date in the past asks for no wait.
            return Some(date.duration_since(now).unwrap_or_default());
        }
    }
    // The longest time until a limit is reset that is used up.
    let mut longest: Option<Duration> = None;
    for (name, value) in &headers {
        let Some(limit) = name.strip_prefix("x-ratelimit-reset-") else {
            continue;
        };
        let remaining = find(&format!("x-ratelimit-remaining-{limit}"));
        let left = remaining.and_then(|value| value.parse::<f64>().ok());
        if left.is_none_or(|left| left <= 0.0) {
            let wait = parse_span(value).filter(|wait| *wait <= LONGEST_RESET);
            longest = longest.max(wait);
        }
    }
    longest
}

/// Reads a number of units of so many seconds.
fn parse_number(value: &str, unit: f64) -> Option<Duration> {
    let number: f64 = value.parse().ok()?;
    Duration::try_from_secs_f64(number * unit).ok()
}

/// Reads a span such as `1h2m3.5s`, `20ms`, or a number of seconds.
pub(super) fn parse_span(text: &str) -> Option<Duration> {
    if let Some(span) = parse_number(text, 1.0) {
        return Some(span);
    }
    let (mut seconds, mut rest) = take_part(text)?;
    while !rest.is_empty() {
        let (part, tail) = take_part(rest)?;
        seconds += part;
        rest = tail;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// Takes a number and its unit off a span: the seconds, and what is left.
fn take_part(span: &str) -> Option<(f64, &str)> {
    let digits = span.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, tail) = span.split_at(digits);
    let next = tail.find(|c: char| c.is_ascii_digit());
    let (unit, tail) = tail.split_at(next.unwrap_or(tail.len()));
    let unit = match unit {
        "d" => 86_400.0,
        "h" => 3600.0,
        "m" => 60.0,
        "s" => 1.0,
        "ms" => 0.001,
        "us" | "µs" => 0.000_001,
        "ns" => 0.000_000_001,
        _ => return None,
    };
    Some((number.parse::<f64>().ok()? * unit, tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sunday, 6 November 1994, 08:49:37 UTC, the example of RFC 9110.
    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777)
    }

    fn wait(headers: &[(&str, &str)]) -> Option<f64> {
        read_wait(headers.iter().copied(), now()).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn a_wait_is_read_in_every_form() {
        assert_eq!(wait(&[("Retry-After", "7")]), Some(7.0));
        assert_eq!(wait(&[("retry-after", " 0.5 ")]), Some(0.5));
        assert_eq!(
            wait(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")]),
            Some(60.0)
        );
        assert_eq!(
            wait(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]),
            Some(0.0),
            "a date in the past"
        );
        assert_eq!(
            wait(&[("retry-after", "2"), ("retry-after-ms", "1250")]),
            Some(1.25)
        );
    }

    #[test]
    fn a_limits_reset_is_read_where_it_is_used_up() {
        let both = [
            ("x-ratelimit-reset-requests", "120ms"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ];
        assert_eq!(wait(&both), Some(360.0));
        assert_eq!(
            wait(&[both[0], both[1], ("X-RateLimit-Remaining-Tokens", "12")]),
            Some(0.12)
        );
        assert_eq!(
            wait(&[both[1], ("retry-after", "3")]),
            Some(3.0),
            "what is asked for goes first"
        );
        assert_eq!(
            wait(&[("x-ratelimit-reset-tokens", "2h59m1.5s")]),
            Some(10741.5)
        );
        assert_eq!(
            wait(&[("x-ratelimit-reset-requests", "1735689600000")]),
            None,
            "a date"
        );
    }

    #[test]
    fn what_cannot_be_read_says_nothing() {
        for value in [
            "", "soon", "-1", "NaN", "inf", "1e300", "1x", "s", "1.2.3s", "١s",
        ] {
            assert_eq!(
                wait(&[
                    ("retry-after", value),
                    ("x-ratelimit-reset-requests", value)
                ]),
                None,
                "{value}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_header_is_too_strange(name in "(retry-after(-ms)?|x-ratelimit-(reset|remaining)-[a-z]{0,3}|.{0,9})", value in ".{0,20}") {
            let told = read_wait([(name.as_str(), value.as_str())], now());
            prop_assert!(told.is_none_or(|wait| wait.as_secs_f64() >= 0.0));
        }
    }
}
