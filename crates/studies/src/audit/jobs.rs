//! The jobs of an audit: one for each material and protocol, with everybody who takes part.

use super::AuditOptions;
use super::asks::Key;
use super::known_systems::known_systems;
use super::material::Material;
use super::what::protocol as protocol_of;
use evenhand_core::Trial;
use evenhand_engine::{Bench, Design, EngineError, Job, bench};
use evenhand_protocols::Judges;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    made: BTreeMap<Cell, (u32, Arc<Job>)>,
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
    ) -> Result<Arc<Job>, EngineError> {
        let version = materials[cell.0].version;
        if let Some((_, made)) = self.made.get(cell).filter(|(made, _)| *made == version) {
            return Ok(made.clone());
        }
        let job = Arc::new(self.make_job(cell, materials, judges)?);
        self.made.insert(cell.clone(), (version, job.clone()));
        Ok(job)
    }

    fn make_job(
        &self,
        (material, protocol): &Cell,
        materials: &[Material],
        judges: &Judges,
    ) -> Result<Job, EngineError> {
        let protocol = protocol_of(protocol, self.options)?;
        let dataset = materials[*material].dataset()?;
        let seed = self.options.seed;
        Job::new(dataset, protocol, Design::AllPairs, judges.clone(), seed)
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
    let named = options.run.clone();
    named.unwrap_or_else(|| default_run_dir(judges))
}

fn default_run_dir(judges: &Judges) -> PathBuf {
    let digest = short_digest(&judges.panel.join("\n"));
    Path::new("runs").join(format!("audit-{digest}"))
}

/// Returns ten digits, which tell the audits of one user apart and can still be typed.
fn short_digest(text: &str) -> String {
    let digest = blake3::hash(text.as_bytes()).to_hex();
    digest[..10].into()
}

/// Names the judge, or all members of a panel.
pub(super) fn judge_name(judges: &Judges) -> String {
    judges.panel.join(" + ")
}

/// Returns the trials of the keys: the material's systems by their names, since a data set knows
/// only those with a response.
pub(super) fn trials(
    keys: &[Key],
    materials: &[Material],
    job: &Job,
) -> Result<Vec<Trial>, EngineError> {
    keys.iter().map(|key| trial(key, materials, job)).collect()
}

fn trial(key: &Key, materials: &[Material], job: &Job) -> Result<Trial, EngineError> {
    let material = &materials[key.material];
    let systems = places_in_job(&key.systems, material, job);
    Ok(Trial {
        index: 0,
        item: key.item,
        systems: systems.ok_or(EngineError::Stuck { trials: 1 })?,
        replicate: key.replicate,
    })
}

/// Returns the numbers that the job's data set gives to systems of a material.
fn places_in_job(systems: &[u32], material: &Material, job: &Job) -> Option<Vec<u32>> {
    let place = |system: &u32| place_in_job(*system, material, job);
    systems.iter().map(place).collect()
}

fn place_in_job(system: u32, material: &Material, job: &Job) -> Option<u32> {
    let name = material.systems.get(system as usize)?;
    let place = job.dataset.system_index(name)?;
    Some(place as u32)
}
