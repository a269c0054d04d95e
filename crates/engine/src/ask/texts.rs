//! The texts of a job, kept in its run for readers.

use crate::{EngineError, Job};
use evenhand_store::{KeptLabel, Store};

/// Keeps the items of a job's plan and the responses that its trials show, unless they are all kept
/// already.
pub(crate) fn keep_texts(job: &Job, store: &mut Store) -> Result<(), EngineError> {
    if !store.keeps_judgments() {
        return Ok(());
    }
    // What people said, unless as many labels are kept already.
    let labels = &job.dataset.labels;
    if store.count_labels()? != labels.len() as u64 {
        let system = |at: u32| Some(job.dataset.systems.get(at as usize)?.to_string());
        let kept = labels.iter().filter_map(|label| {
            Some(KeptLabel {
                item: job.dataset.items.get(label.item as usize)?.id.clone(),
                a: system(label.a)?,
                b: system(label.b)?,
                preferred: label.preferred,
                annotator: label.annotator.clone(),
            })
        });
        store.put_labels(kept)?;
        store.commit()?;
    }
    let shown = find_shown(job);
    let items = shown.iter().filter(|systems| systems.contains(&true));
    let responses = shown.iter().flatten().filter(|is_shown| **is_shown);
    if store.count_texts()? == (items.count() as u64, responses.count() as u64) {
        return Ok(());
    }
    for (at, systems) in shown.iter().enumerate() {
        let Some(item) = job.dataset.items.get(at) else {
            continue;
        };
        let mut responses = Vec::new();
        for (system, is_shown) in systems.iter().enumerate() {
            if *is_shown {
                responses.extend(job.dataset.response(at, system)?);
            }
        }
        if systems.contains(&true) {
            store.put_texts(item, &responses)?;
        }
    }
    Ok(store.commit()?)
}

/// Returns, for each item, which systems' responses some trial shows.
fn find_shown(job: &Job) -> Vec<Vec<bool>> {
    let systems = job.dataset.systems.len();
    let mut shown = vec![vec![false; systems]; job.dataset.items.len()];
    for trial in job.plan.trials() {
        for system in trial.systems {
            let cell = shown
                .get_mut(trial.item as usize)
                .and_then(|systems| systems.get_mut(system as usize));
            if let Some(is_shown) = cell {
                *is_shown = true;
            }
        }
    }
    shown
}
