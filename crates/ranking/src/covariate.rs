//! The covariates of a run's comparisons: the style of its responses, and numbers in their records.

use crate::Collected;
use crate::control::{Columns, covariate_difference, refuse_control, score_controlled};
use crate::method::Method;
use crate::ranking::comparisons_of_run;
use crate::report::StyleEffect;
use crate::score::{Scored, game_of_comparison};
use evenhand_core::{Cause, Refusal, Response, Setting};
use evenhand_engine::{EngineError, Job};
use evenhand_formats::{Dataset, StyleCovariate, count_covariates};
use evenhand_stats::{Cluster, Comparison, Game, ItemScores};
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
fn measure_response(
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
    let rows = comparisons_of_run(job, collected)?;
    // What the first response of each comparison has more of.
    let mut covariates = Vec::new();
    for (name, counts) in names.iter().zip(style_counts(&job.dataset, control)?) {
        let count_of = |item: u32, system: u16| counts[item as usize * systems + system as usize];
        let a: Vec<f64> = rows.iter().map(|row| count_of(row.item, row.a)).collect();
        let b: Vec<f64> = rows.iter().map(|row| count_of(row.item, row.b)).collect();
        covariates.push(covariate_difference(name, &a, &b)?);
    }
    let games: Vec<Game> = rows.iter().map(game_of_comparison).collect();
    let by_item = method.rank.cluster == Cluster::Item;
    let question = |row: &Comparison| job.clusters.of(row.item);
    let columns = Columns {
        a: games.iter().map(|game| game.a).collect(),
        b: games.iter().map(|game| game.b).collect(),
        won: games.iter().map(|game| game.score).collect(),
        weight: Some(games.iter().map(|game| game.weight).collect()),
        cluster: by_item.then(|| rows.iter().map(question).collect()),
        covariates,
    };
    let (mut scored, effects) = score_controlled(&columns, &names, systems, method)?;
    if !job.compares() {
        // What was judged is single responses.
        let scores = ItemScores::new(systems, collected.scores.clone())?;
        scored.set_judgments(scores.judgments());
    }
    Ok((scored, effects))
}

/// Refuses a covariate in which no two responses to an item differ, before anything is judged.
///
/// # Errors
/// Such a covariate; a response that cannot be read.
pub(crate) fn check_style(dataset: &Dataset, control: &[Covariate]) -> Result<(), EngineError> {
    for (covariate, counts) in control.iter().zip(style_counts(dataset, control)?) {
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
