//! The jobs of an audit: one for each material and protocol, with everybody who takes part.

use super::AuditOptions;
use super::asks::Key;
use super::material::{Material, known_systems};
use super::what::protocol as protocol_of;
use evenhand_core::Trial;
use evenhand_engine::{Bench, Design, EngineError, Job, bench};
use evenhand_protocols::Judges;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A number of the materials, and a protocol: what is asked in one job.
pub(super) type Cell = (usize, String);

/// Returns what is wanted by the job that asks it.
pub(super) fn cells(wanted: BTreeSet<Key>) -> BTreeMap<Cell, Vec<Key>> {
    let mut cells: BTreeMap<Cell, Vec<Key>> = BTreeMap::new();
    for key in wanted {
        let cell = (key.material, key.protocol.clone());
        cells.entry(cell).or_default().push(key);
    }
    cells
}

/// The jobs of cells, each made once: a job holds all of its material as a data set.
pub(super) struct Jobs<'a> {
    options: &'a AuditOptions,
    /// Each with the version of its material.
    made: BTreeMap<Cell, (u32, Job)>,
}

impl<'a> Jobs<'a> {
    pub(super) fn new(options: &'a AuditOptions) -> Self {
        Jobs {
            options,
            made: BTreeMap::new(),
        }
    }

    /// Returns the job of a cell, which is made where it is not there yet, or where responses were
    /// rewritten since.
    pub(super) fn of_cell(
        &mut self,
        cell: &Cell,
        materials: &[Material],
        judges: &Judges,
    ) -> Result<&Job, EngineError> {
        let (number, protocol) = cell;
        let material = &materials[*number];
        let made = self.made.get(cell);
        if made.is_none_or(|(version, _)| *version != material.version) {
            let protocol = protocol_of(protocol, self.options)?;
            let dataset = material.dataset()?;
            let seed = self.options.seed;
            let job = Job::new(dataset, protocol, Design::AllPairs, judges.clone(), seed)?;
            self.made.insert(cell.clone(), (material.version, job));
        }
        Ok(&self.made[cell].1)
    }
}

/// Returns everybody who takes part.
pub(super) fn bench_of(
    options: &AuditOptions,
    materials: &[Material],
) -> Result<Bench, EngineError> {
    bench(
        &options.judges,
        options.second_stage.as_ref(),
        options.embedder.as_ref(),
        &known_systems(materials),
        options.live.judge,
    )
}

/// Returns where the calls are kept.
pub(super) fn run_dir(options: &AuditOptions, judges: &Judges) -> PathBuf {
    options.run.clone().unwrap_or_else(|| {
        let digest = blake3::hash(judges.panel.join("\n").as_bytes()).to_hex();
        // Ten digits tell the audits of one user apart and can still be typed.
        Path::new("runs").join(format!("audit-{}", &digest[..10]))
    })
}

/// Returns the trials of the keys. The material's systems are found by their names, since a data
/// set knows only those with a response.
pub(super) fn trials(
    keys: &[Key],
    materials: &[Material],
    job: &Job,
) -> Result<Vec<Trial>, EngineError> {
    let mut trials = Vec::new();
    for key in keys {
        let names = &materials[key.material].systems;
        let place = |system: &u32| job.dataset.system_index(names.get(*system as usize)?);
        let systems: Option<Vec<u32>> = key
            .systems
            .iter()
            .map(|system| Some(place(system)? as u32))
            .collect();
        trials.push(Trial {
            index: 0,
            item: key.item,
            systems: systems.ok_or(EngineError::Stuck { trials: 1 })?,
            replicate: key.replicate,
        });
    }
    Ok(trials)
}
