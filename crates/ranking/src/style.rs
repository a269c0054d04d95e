//! The style of a run's responses as covariates of its comparisons.

use crate::Collected;
use crate::control::{Columns, covariate_difference, score_controlled};
use crate::covariate::{Covariate, measure_response};
use crate::method::Method;
use crate::ranking::items_with_score;
use crate::report::StyleEffect;
use crate::score::game_of_comparison;
use crate::scored::Scored;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{EngineError, Job};
use evenhand_formats::Dataset;
use evenhand_stats::{Cluster, Comparison, Game, ItemScores};
use std::borrow::Cow;

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
    let covariates = style_columns(&job.dataset, control, &rows)?;
    let games: Vec<Game> = rows.iter().map(game_of_comparison).collect();
    let by_item = method.cluster == Cluster::Item;
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
        scored.set_judgments(scores_of_run(job, collected)?.judgments());
    }
    Ok((scored, effects))
}

fn scores_of_run(job: &Job, collected: &Collected) -> Result<ItemScores, evenhand_stats::Error> {
    ItemScores::new(job.dataset.systems.len(), collected.scores.clone())
}

/// Returns the comparisons that were made, or those that the scores imply, under the items of the
/// data.
fn comparisons_of_run<'a>(
    job: &Job,
    collected: &'a Collected,
) -> Result<Cow<'a, [Comparison]>, EngineError> {
    if job.compares() {
        return Ok(Cow::Borrowed(&collected.comparisons));
    }
    let implied = scores_of_run(job, collected)?.to_comparisons()?;
    let items = items_with_score(collected);
    let rows = implied.rows().iter().map(|row| Comparison {
        item: items[row.item as usize],
        ..*row
    });
    Ok(Cow::Owned(rows.collect()))
}

/// Returns for each covariate what the first response of each comparison has more of.
fn style_columns(
    dataset: &Dataset,
    control: &[Covariate],
    rows: &[Comparison],
) -> Result<Vec<Vec<f64>>, EngineError> {
    let mut columns = Vec::new();
    for (covariate, counts) in control.iter().zip(style_counts(dataset, control)?) {
        let count_of = |item: u32, system: u16| {
            counts[item as usize * dataset.systems.len() + system as usize]
        };
        let a: Vec<f64> = rows.iter().map(|row| count_of(row.item, row.a)).collect();
        let b: Vec<f64> = rows.iter().map(|row| count_of(row.item, row.b)).collect();
        columns.push(covariate_difference(&covariate.to_string(), &a, &b)?);
    }
    Ok(columns)
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
