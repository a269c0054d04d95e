//! Two systems side by side, as LLM Comparator shows them (github.com/PAIR-code/llm-comparator):
//! each item with both responses, and every judgment as a rating with the judge's words.

use evenhand_core::Verdict;
use evenhand_pages::Detail;
use serde::Serialize;

/// The end of LLM Comparator's scale: the first response is better.
const BEST: f64 = 1.5;

/// A file for LLM Comparator.
#[derive(Clone, Debug, Serialize)]
pub struct ComparatorFile {
    metadata: Metadata,
    models: [Model; 2],
    examples: Vec<ComparatorExample>,
}

#[derive(Clone, Debug, Serialize)]
struct Metadata {
    source_path: String,
    custom_fields_schema: [Field; 2],
}

#[derive(Clone, Debug, Serialize)]
struct Field {
    name: &'static str,
    r#type: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct Model {
    name: String,
}

/// An item with both responses and what was said of them.
#[derive(Clone, Debug, Serialize)]
pub struct ComparatorExample {
    input_text: String,
    tags: Vec<String>,
    output_text_a: String,
    output_text_b: String,
    /// The mean of the ratings; null without any.
    score: Option<f64>,
    individual_rater_scores: Vec<Rating>,
    custom_fields: Custom,
}

#[derive(Clone, Debug, Serialize)]
struct Custom {
    item: String,
    judgments: String,
}

#[derive(Clone, Debug, Serialize)]
struct Rating {
    score: f64,
    rating_label: &'static str,
    is_flipped: bool,
    rationale: String,
    /// Empty: the format wants it.
    custom_fields: std::collections::BTreeMap<String, String>,
}

impl ComparatorFile {
    /// Makes the file of two systems.
    pub fn new(source: String, models: [String; 2], examples: Vec<ComparatorExample>) -> Self {
        let field = |name| Field {
            name,
            r#type: "string",
        };
        ComparatorFile {
            metadata: Metadata {
                source_path: source,
                custom_fields_schema: [field("item"), field("judgments")],
            },
            models: models.map(|name| Model { name }),
            examples,
        }
    }
}

/// Returns the example that the judgments of one pair on one item are, in both orders; None where
/// they are of other systems.
pub fn comparator_example(details: &[Detail], models: [&str; 2]) -> Option<ComparatorExample> {
    let first = details.first()?;
    let text = |name: &str| {
        let mut responses = first.responses.iter();
        let found = responses.find(|response| response.system == name)?;
        Some(found.text.clone())
    };
    let ratings: Vec<Rating> = details
        .iter()
        .filter_map(|one| rate(one, models[0]))
        .collect();
    let total: f64 = ratings.iter().map(|rating| rating.score).sum();
    let trials = details.iter().map(|one| one.trial.to_string());
    Some(ComparatorExample {
        input_text: first.item.text.clone(),
        tags: first.item.category.iter().cloned().collect(),
        output_text_a: text(models[0])?,
        output_text_b: text(models[1])?,
        score: (!ratings.is_empty()).then(|| total / ratings.len() as f64),
        individual_rater_scores: ratings,
        custom_fields: Custom {
            item: first.item.id.clone(),
            judgments: trials.collect::<Vec<_>>().join(", "),
        },
    })
}

/// A judgment as a rating of the first model; None without a verdict on the pair.
fn rate(detail: &Detail, model: &str) -> Option<Rating> {
    let Some(Verdict::Pairwise { first, second, .. }) = &detail.verdict else {
        return None;
    };
    let is_flipped = detail.responses.first()?.system != model;
    let won = BEST * (first - second);
    let score = if is_flipped { -won } else { won };
    let reply = detail
        .calls
        .iter()
        .rev()
        .find_map(|call| call.reply.as_ref());
    Some(Rating {
        score,
        rating_label: match score {
            score if score > 0.0 => "A is better",
            score if score < 0.0 => "B is better",
            _ => "same",
        },
        is_flipped,
        rationale: reply.map_or_else(String::new, |reply| reply.text.clone()),
        custom_fields: std::collections::BTreeMap::new(),
    })
}
