//! The same labelled pairs with several packs of prompts: how far a judge's accuracy depends on the
//! words in which it is asked.

use super::asks::protocol;
use super::config::{Config, setting};
use super::totals::MergedTotal;
use crate::judge::{
    JudgedPairs, PairedDifference, Repeats, Settings, compare_repeats, differences_from_first,
};
use evenhand_engine::{EngineError, load_pack};
use evenhand_protocols::{Pack, Protocol, ProtocolOptions};
use std::path::Path;

/// The accuracy of one judge by one evaluation type, with several packs of prompts.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptVariation {
    /// The total that it is over.
    pub total: String,
    /// The judge.
    pub judge: String,
    /// The evaluation type.
    pub protocol: String,
    /// The names of the prompts; the first are the built-in ones.
    pub prompts: Vec<String>,
    /// The accuracy with each of them, their mean and how far they vary.
    pub accuracies: Repeats,
    /// Differences of the first from each of the others, on the same pairs.
    pub differences: Vec<PairedDifference>,
}

/// What the built-in prompts are called.
const BUILT_IN: &str = "built-in";

/// Stands between an evaluation type and the name of a pack.
const PROMPTS_OF: &str = ", prompts ";

/// A pack of prompts, and the name of its directory.
pub(super) struct NamedPack {
    name: String,
    pack: Pack,
}

/// Reads the packs of a study.
///
/// # Errors
/// A directory that is no pack; two of one name.
pub(super) fn read_packs(config: &Config) -> Result<Vec<NamedPack>, EngineError> {
    let mut packs: Vec<NamedPack> = Vec::new();
    for dir in &config.prompt_packs {
        let pack = NamedPack::read(dir)?;
        if packs.iter().any(|other| other.name == pack.name) {
            return Err(named_twice(&pack.name));
        }
        packs.push(pack);
    }
    Ok(packs)
}

fn named_twice(name: &str) -> EngineError {
    setting(format!(
        "prompt-packs: two directories are called {name}; expected names of their own"
    ))
}

impl NamedPack {
    fn read(dir: &Path) -> Result<NamedPack, EngineError> {
        let name = dir.file_name().unwrap_or(dir.as_os_str());
        Ok(NamedPack {
            name: name.to_string_lossy().into_owned(),
            pack: load_pack(dir)?,
        })
    }

    pub(super) fn protocol(&self, kind: &str) -> Result<Protocol, EngineError> {
        let options = ProtocolOptions {
            pack: self.pack.clone(),
            ..ProtocolOptions::default()
        };
        Ok(Protocol::with(kind, &options)?)
    }

    /// Whether an evaluation type is asked otherwise with this pack than with the built-in prompts.
    pub(super) fn changes(&self, kind: &str) -> Result<bool, EngineError> {
        Ok(self.protocol(kind)?.fingerprint() != protocol(kind)?.fingerprint())
    }

    pub(super) fn name_protocol(&self, kind: &str) -> String {
        format!("{kind}{PROMPTS_OF}{}", self.name)
    }
}

/// Returns the evaluation type, and the name of the prompts where they are not the built-in ones.
pub(super) fn split_protocol(name: &str) -> (&str, Option<&str>) {
    match name.split_once(PROMPTS_OF) {
        Some((kind, prompts)) => (kind, Some(prompts)),
        None => (name, None),
    }
}

/// Returns the accuracies with several packs, over every total.
///
/// # Errors
/// A bad level, number of rounds or threads.
pub(super) fn prompt_variations(
    totals: &[MergedTotal],
    settings: &Settings,
) -> Result<Vec<PromptVariation>, EngineError> {
    let mut found = Vec::new();
    for (total, merged) in totals {
        for first in merged.iter().filter(|one| is_built_in(one)) {
            let variants = merged.iter().filter(|one| is_variant(first, one));
            let variants: Vec<JudgedPairs> = variants.cloned().collect();
            found.extend(compare_variants(total, variants, settings)?);
        }
    }
    Ok(found)
}

/// Whether the built-in prompts were shown.
pub(super) fn is_built_in(judged: &JudgedPairs) -> bool {
    split_protocol(&judged.protocol).1.is_none()
}

/// Whether two are of one judge by one evaluation type, whatever the prompts.
fn is_variant(first: &JudgedPairs, other: &JudgedPairs) -> bool {
    first.judge == other.judge && first.protocol == split_protocol(&other.protocol).0
}

/// Compares the variants of one evaluation type, the built-in prompts first; None where there are
/// no others.
fn compare_variants(
    total: &str,
    variants: Vec<JudgedPairs>,
    settings: &Settings,
) -> Result<Option<PromptVariation>, EngineError> {
    let differences = differences_from_first(&variants, settings)?;
    let prompts = variants.iter().map(prompts_of).collect();
    let first = variants
        .first()
        .map(|one| (one.judge.clone(), one.protocol.clone()));
    let accuracies = compare_repeats(variants, settings)?;
    let Some(((judge, protocol), accuracies)) = first.zip(accuracies) else {
        return Ok(None);
    };
    Ok(Some(PromptVariation {
        total: total.to_string(),
        judge,
        protocol,
        prompts,
        accuracies,
        differences,
    }))
}

fn prompts_of(judged: &JudgedPairs) -> String {
    let (_, prompts) = split_protocol(&judged.protocol);
    prompts.unwrap_or(BUILT_IN).to_string()
}
