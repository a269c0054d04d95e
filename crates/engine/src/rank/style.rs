//! The style of a run's responses as covariates of its comparisons.

use crate::rank::control::{Columns, controlled, difference};
use crate::rank::ranking::game;
use crate::rank::score::{Method, Scored};
use crate::report::StyleEffect;
use crate::{Collected, EngineError, Job};
use evenhand_formats::Dataset;
use evenhand_formats::{StyleCovariate, count_covariates};
use evenhand_stats::{Cluster, Comparison, ItemScores};
use std::borrow::Cow;

/// Scores of the systems with the effect of these covariates taken out, and what each of those is
/// worth.
pub(crate) fn style_scored(
    job: &Job,
    collected: &Collected,
    control: &[StyleCovariate],
    method: &Method,
) -> Result<(Scored, Vec<StyleEffect>), EngineError> {
    let systems = job.dataset.systems.len();
    let names: Vec<String> = control
        .iter()
        .map(|covariate| covariate.name().into())
        .collect();
    let rows = comparisons(job, collected)?;
    let columns = columns(
        &rows,
        covariates(&job.dataset, control, &rows)?,
        method.cluster,
    );
    let (mut scored, effects) = controlled(&columns, &names, systems, method)?;
    if !job.compares() {
        // What was judged is single responses.
        let judgments = ItemScores::new(systems, collected.scores.clone())?
            .judgments()
            .to_vec();
        scored
            .systems
            .iter_mut()
            .zip(judgments)
            .for_each(|(system, n)| system.n = n);
    }
    Ok((scored, effects))
}

/// The comparisons that were made, or those that the scores imply, under the items of the data.
fn comparisons<'a>(
    job: &Job,
    collected: &'a Collected,
) -> Result<Cow<'a, [Comparison]>, EngineError> {
    if job.compares() {
        return Ok(Cow::Borrowed(&collected.comparisons));
    }
    let implied =
        ItemScores::new(job.dataset.systems.len(), collected.scores.clone())?.to_comparisons()?;
    // Those are numbered by the position of their item among the items with a score.
    let mut items: Vec<u32> = collected.scores.iter().map(|score| score.item).collect();
    items.sort_unstable();
    items.dedup();
    let at_home = |row: &Comparison| Comparison {
        item: items[row.item as usize],
        ..*row
    };
    Ok(Cow::Owned(implied.rows().iter().map(at_home).collect()))
}

fn columns(rows: &[Comparison], covariates: Vec<Vec<f64>>, cluster: Cluster) -> Columns {
    let games = || rows.iter().map(game);
    Columns {
        a: rows.iter().map(|row| row.a).collect(),
        b: rows.iter().map(|row| row.b).collect(),
        won: games().map(|game| game.score).collect(),
        weight: Some(games().map(|game| game.weight).collect()),
        cluster: (cluster == Cluster::Item).then(|| rows.iter().map(|row| row.item).collect()),
        covariates,
    }
}

/// For each covariate, what the first response of each comparison has more of.
fn covariates(
    dataset: &Dataset,
    control: &[StyleCovariate],
    rows: &[Comparison],
) -> Result<Vec<Vec<f64>>, EngineError> {
    let systems = dataset.systems.len();
    let one = |(covariate, counts): (&StyleCovariate, Vec<f64>)| {
        let of = |row: &Comparison, system: u16| {
            counts[row.item as usize * systems + usize::from(system)]
        };
        let a: Vec<f64> = rows.iter().map(|row| of(row, row.a)).collect();
        let b: Vec<f64> = rows.iter().map(|row| of(row, row.b)).collect();
        difference(covariate.name(), &a, &b)
    };
    control
        .iter()
        .zip(counted(dataset, control)?)
        .map(one)
        .collect()
}

/// Refuses a covariate in which no two responses to an item differ, before anything is judged.
pub(crate) fn check_style(
    dataset: &Dataset,
    control: &[StyleCovariate],
) -> Result<(), EngineError> {
    let counts = counted(dataset, control)?;
    match control
        .iter()
        .zip(&counts)
        .find(|(_, column)| !varies(dataset, column))
    {
        None => Ok(()),
        Some((covariate, _)) => Err(EngineError::Setting(format!(
            "--control {}: no two responses to an item differ in it, so it says nothing; leave it \
             out",
            covariate.name()
        ))),
    }
}

fn varies(dataset: &Dataset, column: &[f64]) -> bool {
    column
        .chunks_exact(dataset.systems.len().max(1))
        .enumerate()
        .any(|(item, counts)| {
            let mut there = (0..counts.len())
                .filter(|&system| dataset.has_response(item, system))
                .map(|system| counts[system]);
            there
                .next()
                .is_some_and(|first| there.any(|count| count != first))
        })
}

/// For each covariate, its count in every response, item by item; 0 where there is no response.
/// Each text is read once.
fn counted(dataset: &Dataset, control: &[StyleCovariate]) -> Result<Vec<Vec<f64>>, EngineError> {
    let (items, systems) = (dataset.items.len(), dataset.systems.len());
    let mut counts = vec![vec![0.0; items * systems]; control.len()];
    for place in 0..items * systems {
        let Some(response) = dataset.response(place / systems, place % systems)? else {
            continue;
        };
        let found = count_covariates(&response.text, control);
        counts
            .iter_mut()
            .zip(found)
            .for_each(|(column, count)| column[place] = count);
    }
    Ok(counts)
}
