//! How long an answer took, as its record says it.

use crate::{DataProblem, Place};
use evenhand_core::FreeFields;
use serde_json::Value;

/// The fields of a response's record in which its latency is looked for, and how many of each make
/// a second.
pub const LATENCY_FIELDS: [(&str, f64); 2] = [("latency", 1.0), ("latency_ms", 1000.0)];

/// Returns the seconds that an answer took; None where its record does not say.
pub fn read_latency(fields: &FreeFields) -> Option<f64> {
    let seconds = |(field, of_a_second): &(&str, f64)| Some(number(fields, field)? / of_a_second);
    LATENCY_FIELDS.iter().find_map(seconds)
}

/// Returns the number in a field; None where there is none that a latency can be.
fn number(fields: &FreeFields, field: &str) -> Option<f64> {
    let number = match fields.get(field)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| (0.0..1e12).contains(number))
}

/// Refuses a record that says its latency twice, and not the same: which of the two is meant is not
/// known. One may be the other rounded.
pub(crate) fn check_latency(fields: &FreeFields, place: &Place) -> Result<(), crate::DataError> {
    let [(seconds, _), (milliseconds, of_a_second)] = LATENCY_FIELDS;
    let Some((latency, in_ms)) = number(fields, seconds).zip(number(fields, milliseconds)) else {
        return Ok(());
    };
    // A unit of the last digit of each, in seconds.
    let last_digit = |value: f64| {
        let text = value.to_string();
        let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
        10f64.powi(-(digits as i32))
    };
    let rounding = last_digit(latency).max(last_digit(in_ms) / of_a_second);
    let difference = (latency - in_ms / of_a_second).abs();
    match difference <= rounding * (1.0 + 1e-9) {
        true => Ok(()),
        false => Err(DataProblem::TwoLatencies {
            seconds: latency.to_string(),
            milliseconds: in_ms.to_string(),
        }
        .at(place)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(latency: Value, latency_ms: Value) -> Result<(), crate::DataError> {
        let fields = FreeFields::from([
            ("latency".to_string(), latency),
            ("latency_ms".to_string(), latency_ms),
        ]);
        check_latency(&fields, &Place::file("a.jsonl").at_line(3))
    }

    #[test]
    fn latencies_that_are_the_same_but_for_rounding_are_one() {
        for (seconds, milliseconds) in [
            (json!(1.2), json!(1200)),
            (json!(1.2), json!(1234)),
            (json!(1), json!(1400)),
            (json!("0.5"), json!("500.0")),
            (json!(0.0004), json!(0)),
            (json!(0), json!(0)),
            (json!(null), json!(7)),
            (json!(2), json!("unknown")),
        ] {
            let found = check(seconds.clone(), milliseconds.clone());
            assert!(found.is_ok(), "{seconds} {milliseconds}: {found:?}");
        }
    }

    #[test]
    fn latencies_that_contradict_each_other_are_refused_with_their_place() {
        for (seconds, milliseconds) in [
            (json!(1.2), json!(2400)),
            (json!(60), json!(500)),
            (json!(0.04), json!(0.04)),
            (json!(1234.5), json!(1234.5)),
        ] {
            let why = check(seconds, milliseconds).unwrap_err().to_string();
            assert!(why.starts_with("a.jsonl:3: "), "{why}");
        }
        let why = check(json!(1.2), json!(2400)).unwrap_err().to_string();
        assert!(
            why.contains("`latency` is 1.2 s and `latency_ms` 2400 ms"),
            "{why}"
        );
    }
}
