//! Packs of prompts by name.

use super::config::{Config, setting};
use evenhand_engine::{EngineError, load_pack};
use evenhand_protocols::{Pack, Protocol, ProtocolOptions};

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
        let name = dir.file_name().unwrap_or(dir.as_os_str());
        let name = name.to_string_lossy().into_owned();
        let pack = load_pack(dir)?;
        if packs.iter().any(|other| other.name == name) {
            return Err(setting(format!(
                "prompt-packs: two directories are called {name}; expected names of their own"
            )));
        }
        packs.push(NamedPack { name, pack });
    }
    Ok(packs)
}

impl NamedPack {
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

    pub(super) fn name(&self) -> String {
        self.name.clone()
    }
}

/// Reads an evaluation type as a protocol with the built-in prompts.
pub(super) fn protocol(kind: &str) -> Result<Protocol, EngineError> {
    Ok(Protocol::with(kind, &ProtocolOptions::default())?)
}
