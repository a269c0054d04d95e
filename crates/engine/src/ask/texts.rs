//! The texts of a job, kept in its run for readers.

use crate::{EngineError, Job};
use evenhand_core::Setting;
use evenhand_formats::read_latency;
use evenhand_store::{KeptLabel, Reader, Store};
use std::collections::{HashMap, HashSet};

/// Keeps the items of a job's plan and the responses that its trials show, and what was answered to
/// items that some system did not answer. Where they are all kept already, returns a note if the
/// data now tell other latencies than the run keeps.
pub(crate) fn keep_texts(job: &Job, store: &mut Store) -> Result<Option<String>, EngineError> {
    if !store.keeps_judgments() {
        return Ok(None);
    }
    // What people said, unless the same is kept already.
    let system = |at: u32| Some(job.dataset.systems.get(at as usize)?.to_string());
    let labels = job.dataset.labels.iter().filter_map(|label| {
        Some(KeptLabel {
            item: job.dataset.items.get(label.item as usize)?.id.clone(),
            a: system(label.a)?,
            b: system(label.b)?,
            preferred: label.preferred,
            annotator: label.annotator.clone(),
        })
    });
    let labels: Vec<KeptLabel> = labels.collect();
    let is_same = store.count_labels()? == labels.len() as u64
        && (labels.is_empty() || Reader::open(store.dir())?.labels()? == labels);
    if !is_same {
        store.put_labels(labels)?;
        store.commit()?;
    }
    let shown = find_kept(job);
    let items = shown.iter().filter(|systems| systems.contains(&true));
    let responses = shown.iter().flatten().filter(|is_shown| **is_shown);
    if store.count_texts()? == (items.count() as u64, responses.count() as u64) {
        return note_latencies(job, &shown, store);
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
    store.commit()?;
    Ok(None)
}

/// Says of how many of these responses the data now tell another latency than the run keeps; None
/// of none. A run keeps the latencies that it was begun with, and what was judged is the same; but
/// whoever measured anew would else look at the old figures without knowing it.
fn note_latencies(
    job: &Job,
    shown: &[Vec<bool>],
    store: &Store,
) -> Result<Option<String>, EngineError> {
    let mut kept: HashMap<(String, String), f64> = HashMap::new();
    Reader::open(store.dir())?.for_each_fields(|item, system, fields| {
        let latency = read_latency(fields);
        kept.extend(latency.map(|latency| ((item.into(), system.into()), latency)));
    })?;
    let (mut others, mut all) = (0, 0);
    for (at, systems) in shown.iter().enumerate() {
        let Some(item) = job.dataset.items.get(at) else {
            continue;
        };
        for (system, _) in systems
            .iter()
            .enumerate()
            .filter(|(_, is_shown)| **is_shown)
        {
            let Some(response) = job.dataset.response(at, system)? else {
                continue;
            };
            let before = kept.get(&(item.id.clone(), response.system.to_string()));
            all += 1;
            others += u64::from(read_latency(&response.fields) != before.copied());
        }
    }
    Ok((others > 0).then(|| {
        format!(
            "{others} of {all} responses have another latency in the data than in the run, and \
             comparisons and their conditions use the run's; to use the new ones, judge the data \
             into another run ({} DIR), which reuses the replies of this one",
            Setting::Run
        )
    }))
}

/// Returns, for each item, which systems' responses some trial shows. An item that not all systems
/// answered has no trial of those that did not, so all its responses are kept: a comparison sees by
/// them what is missing.
fn find_kept(job: &Job) -> Vec<Vec<bool>> {
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
    let missing = job.dataset.missing.iter();
    let missing: HashSet<&str> = missing.map(|one| one.item.as_str()).collect();
    for (at, item) in job.dataset.items.iter().enumerate() {
        let question = job.clusters.of(at as u32);
        let is_here = job.shard.is_none_or(|shard| shard.holds(question));
        if is_here && missing.contains(item.id.as_str()) {
            for (system, is_shown) in shown[at].iter_mut().enumerate() {
                *is_shown |= job.dataset.has_response(at, system);
            }
        }
    }
    shown
}
