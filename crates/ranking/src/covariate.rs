//! The covariates of a run's comparisons: the style of its responses, and numbers in their records.

use crate::control::refuse_control;
use evenhand_core::{Cause, Refusal, Response};
use evenhand_formats::{StyleCovariate, count_covariates};
use serde_json::Value;
use std::fmt;

/// Something of responses whose effect is taken out of the strengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Covariate {
    /// What is counted in the text.
    Style(StyleCovariate),
    /// A number in this field of the response's record.
    Field(String),
}

/// What stands before a field's name.
const OF_RESPONSE: &str = "response.";

impl Covariate {
    /// Returns the covariate of this name: one of style, or `response.FIELD`; None where it is
    /// neither.
    pub fn from_name(name: &str) -> Option<Covariate> {
        let field = name
            .strip_prefix(OF_RESPONSE)
            .filter(|field| !field.is_empty());
        let field = field.map(|field| Covariate::Field(field.to_owned()));
        field.or_else(|| StyleCovariate::from_name(name).map(Covariate::Style))
    }

    /// Returns the field that it is a number of.
    pub fn field(&self) -> Option<&str> {
        match self {
            Covariate::Field(field) => Some(field),
            Covariate::Style(_) => None,
        }
    }
}

impl fmt::Display for Covariate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Covariate::Style(style) => f.write_str(style.name()),
            Covariate::Field(field) => write!(f, "{OF_RESPONSE}{field}"),
        }
    }
}

/// Returns the covariates of a response, in their order.
pub(crate) fn measure_response(
    response: &Response,
    item: &str,
    control: &[Covariate],
) -> Result<Vec<f64>, Refusal> {
    let styles = control.iter().filter_map(|covariate| match covariate {
        Covariate::Style(style) => Some(*style),
        Covariate::Field(_) => None,
    });
    let styles: Vec<StyleCovariate> = styles.collect();
    let mut counted = count_covariates(&response.text, &styles).into_iter();
    let values = control.iter().map(|covariate| match covariate {
        Covariate::Style(_) => Ok(counted.next().unwrap_or(0.0)),
        Covariate::Field(field) => read_number(response.fields.get(field)).ok_or_else(|| {
            let why = format!(
                "the response of `{}` to the item `{item}` has no number in `{field}`",
                response.system
            );
            refuse_control(Cause::Data, why).with_value(covariate.to_string())
        }),
    });
    values.collect()
}

/// Reads a finite number, which may be written as a text.
fn read_number(value: Option<&Value>) -> Option<f64> {
    let number = match value? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_go_round() {
        for name in ["length", "response.cost", "response.usage.tokens"] {
            assert_eq!(Covariate::from_name(name).unwrap().to_string(), name);
        }
        assert_eq!(Covariate::from_name("response."), None);
        assert_eq!(Covariate::from_name("cost"), None);
    }

    #[test]
    fn a_number_may_be_a_text() {
        assert_eq!(read_number(Some(&json!(" 2.5 "))), Some(2.5));
        assert_eq!(read_number(Some(&json!(3))), Some(3.0));
        assert_eq!(read_number(Some(&json!("NaN"))), None);
        assert_eq!(read_number(Some(&json!([1]))), None);
        assert_eq!(read_number(None), None);
    }
}
