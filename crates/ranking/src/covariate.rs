//! The covariates of a run's comparisons: the style of its responses, numbers in their records, and
//! which of them was shown first.

use crate::Collected;
use crate::control::{Columns, ORDER, covariate_difference, refuse_control, score_controlled};
use crate::method::Method;
use crate::ranking::comparisons_of_run;
use crate::report::StyleEffect;
use crate::score::Scored;
use evenhand_core::{Cause, Refusal, Response, Setting};
use evenhand_engine::{EngineError, Job};
use evenhand_formats::{Dataset, StyleCovariate, count_covariates};
use evenhand_protocols::Form;
use evenhand_stats::{Cluster, Comparison, ItemScores};
use serde_json::Value;
use std::fmt;

/// Something of responses whose effect is taken out of the strengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Covariate {
    /// What is counted in the text.
    Style(StyleCovariate),
    /// A number in this field of the response's record.
    Field(String),
    /// Which response was shown first.
    Order,
}

/// What stands before a field's name.
const OF_RESPONSE: &str = "response.";

impl Covariate {
    /// Returns the covariate of this name: one of style, `order`, or `response.FIELD`; None where
    /// it is none of these.
    pub fn from_name(name: &str) -> Option<Covariate> {
        if name == ORDER {
            return Some(Covariate::Order);
        }
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
            Covariate::Style(_) | Covariate::Order => None,
        }
    }
}

impl fmt::Display for Covariate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Covariate::Style(style) => f.write_str(style.name()),
            Covariate::Field(field) => write!(f, "{OF_RESPONSE}{field}"),
            Covariate::Order => f.write_str(ORDER),
        }
    }
}

/// Returns the covariates of a response, in their order; 0 for the order, which is no response's
/// own.
fn measure_response(
    response: &Response,
    item: &str,
    control: &[Covariate],
) -> Result<Vec<f64>, Refusal> {
    let styles = control.iter().filter_map(|covariate| match covariate {
        Covariate::Style(style) => Some(*style),
        Covariate::Field(_) | Covariate::Order => None,
    });
    let styles: Vec<StyleCovariate> = styles.collect();
    let mut counted = count_covariates(&response.text, &styles).into_iter();
    let values = control.iter().map(|covariate| match covariate {
        Covariate::Style(_) => Ok(counted.next().unwrap_or(0.0)),
        Covariate::Order => Ok(0.0),
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

/// Scores the systems with the effect of these covariates taken out, and returns the effect of
/// each.
pub(crate) fn score_with_style(
    job: &Job,
    collected: &Collected,
    control: &[Covariate],
    method: &Method,
) -> Result<(Scored, Vec<StyleEffect>), EngineError> {
    let systems = job.dataset.systems.len();
    let names: Vec<String> = control.iter().map(Covariate::to_string).collect();
    let mut columns = columns_of_run(job, collected, control)?;
    if method.rank.cluster != Cluster::Item {
        columns.cluster = None;
    }
    let (mut scored, effects) = score_controlled(&columns, &names, systems, method)?;
    if !job.compares() {
        // What was judged is single responses.
        let scores = ItemScores::new(systems, collected.scores.clone())?;
        scored.set_judgments(scores.judgments());
    }
    Ok((scored, effects))
}

/// Returns the comparisons of a run under their questions, with these covariates.
pub(crate) fn columns_of_run(
    job: &Job,
    collected: &Collected,
    control: &[Covariate],
) -> Result<Columns, EngineError> {
    let systems = job.dataset.systems.len();
    let rows = comparisons_of_run(job, collected)?;
    // What the first response of each comparison has more of.
    let mut covariates = Vec::new();
    let counts = style_counts(&job.dataset, control)?;
    for (covariate, counts) in control.iter().zip(counts) {
        if *covariate == Covariate::Order {
            let in_order = || collected.comparisons.in_order();
            if !in_order().any(|shown| shown) {
                let why = "each judgment holds both orders, so that none of them is first; leave \
                           it out";
                return Err(refuse_control(Cause::Data, why).with_value(ORDER).into());
            }
            let first_slot = in_order().map(|shown| f64::from(u8::from(shown)));
            covariates.push(first_slot.collect());
            continue;
        }
        let count_of = |item: u32, system: u16| counts[item as usize * systems + system as usize];
        let a: Vec<f64> = rows.iter().map(|row| count_of(row.item, row.a)).collect();
        let b: Vec<f64> = rows.iter().map(|row| count_of(row.item, row.b)).collect();
        covariates.push(covariate_difference(&covariate.to_string(), &a, &b)?);
    }
    let weight_of = |row: &Comparison| row.wins_a + row.ties + row.wins_b;
    let shares_of = |row: &Comparison| match weight_of(row) {
        weight if weight > 0.0 => [row.wins_a, row.ties, row.wins_b].map(|part| part / weight),
        // It counts for nothing.
        _ => [0.0, 1.0, 0.0],
    };
    let question = |row: &Comparison| job.clusters.of(row.item);
    Ok(Columns {
        a: rows.iter().map(|row| row.a).collect(),
        b: rows.iter().map(|row| row.b).collect(),
        outcome: rows.iter().map(shares_of).collect(),
        weight: Some(rows.iter().map(weight_of).collect()),
        cluster: Some(rows.iter().map(question).collect()),
        covariates,
        normalised: control
            .iter()
            .map(|covariate| *covariate != Covariate::Order)
            .collect(),
    })
}

/// Refuses the order as a covariate of judgments that are not made in one, before anything is
/// judged.
///
/// # Errors
/// Such judgments.
pub(crate) fn check_order(job: &Job, control: &[Covariate]) -> Result<(), Refusal> {
    if !control.contains(&Covariate::Order) {
        return Ok(());
    }
    let form = job.protocol.form();
    let why = if !job.compares() {
        format!("{form} judges responses one by one, so that none is first; leave it out")
    } else if matches!(form, Form::Listwise(_)) {
        format!("it is of two responses, and {form} shows more; leave it out")
    } else {
        return Ok(());
    };
    Err(refuse_control(Cause::Data, why).with_value(ORDER))
}

/// Refuses a covariate in which no two responses to an item differ, before anything is judged.
///
/// # Errors
/// Such a covariate; a response that cannot be read.
pub(crate) fn check_style(dataset: &Dataset, control: &[Covariate]) -> Result<(), EngineError> {
    for (covariate, counts) in control.iter().zip(style_counts(dataset, control)?) {
        if *covariate == Covariate::Order {
            continue;
        }
        let mut items = counts
            .chunks_exact(dataset.systems.len().max(1))
            .enumerate();
        let varies = items.any(|(item, counts)| {
            let answered = (0..counts.len()).filter(|&system| dataset.has_response(item, system));
            let mut counts = answered.map(|system| counts[system]);
            let first = counts.next();
            counts.any(|count| Some(count) != first)
        });
        if !varies {
            let reason =
                "no two responses to an item differ in it, so it says nothing; leave it out";
            return Err(Refusal::new(Setting::Control, Cause::Data, reason)
                .with_value(covariate.to_string())
                .into());
        }
    }
    Ok(())
}

/// Returns for each covariate its count in every response, item by item; 0 where there is no
/// response. Each response is read once.
fn style_counts(dataset: &Dataset, control: &[Covariate]) -> Result<Vec<Vec<f64>>, EngineError> {
    let (items, systems) = (dataset.items.len(), dataset.systems.len());
    let mut counts = vec![vec![0.0; items * systems]; control.len()];
    for place in 0..items * systems {
        let Some(response) = dataset.response(place / systems, place % systems)? else {
            continue;
        };
        let item = &dataset.items[place / systems].id;
        let found = measure_response(&response, item, control)?;
        for (column, count) in counts.iter_mut().zip(found) {
            column[place] = count;
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_go_round() {
        for name in ["length", "order", "response.cost", "response.usage.tokens"] {
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
