//! What live judges are asked: by which judge, by which evaluation type and with which prompts an
//! input set is judged.

use super::config::{Config, Input, setting};
use evenhand_engine::{EngineError, load_pack};
use evenhand_protocols::{Pack, Protocol, ProtocolOptions};

/// A live judge, asked about an input set by one evaluation type.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) input: &'a str,
    pub(super) set: &'a Input,
    pub(super) kind: &'a str,
    pub(super) judge: &'a str,
    /// The prompts, where they are not the built-in ones.
    pub(super) pack: Option<&'a NamedPack>,
}

impl Ask<'_> {
    /// Builds the protocol, with its prompts.
    pub(super) fn protocol(&self) -> Result<Protocol, EngineError> {
        match self.pack {
            Some(pack) => pack.protocol(self.kind),
            None => protocol(self.kind),
        }
    }
}

/// Returns what is asked about these sets with the built-in prompts: by every evaluation type,
/// every judge.
pub(super) fn asks<'a>(
    config: &'a Config,
    sets: impl Iterator<Item = (&'a String, &'a Input)>,
) -> Vec<Ask<'a>> {
    let mut all = Vec::new();
    for (input, set) in sets {
        for kind in config.types_of(set) {
            all.extend(config.judges.keys().map(|judge| Ask {
                input,
                set,
                kind,
                judge,
                pack: None,
            }));
        }
    }
    all
}

/// Returns what is asked about the labelled sets: with the built-in prompts, and behind them with
/// each pack that has other ones for the evaluation type.
///
/// # Errors
/// An evaluation type, or a pack, that cannot be used.
pub(super) fn labelled_asks<'a>(
    config: &'a Config,
    packs: &'a [NamedPack],
) -> Result<Vec<Ask<'a>>, EngineError> {
    let mut all = Vec::new();
    for ask in asks(config, config.live_labelled()) {
        all.push(ask);
        for pack in packs {
            if pack.changes(ask.kind)? {
                let pack = Some(pack);
                all.push(Ask { pack, ..ask });
            }
        }
    }
    Ok(all)
}

/// A pack of prompts, and the name of its directory.
pub(super) struct NamedPack {
    pub(super) name: String,
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
}

/// Reads an evaluation type as a protocol with the built-in prompts.
pub(super) fn protocol(kind: &str) -> Result<Protocol, EngineError> {
    Ok(Protocol::with(kind, &ProtocolOptions::default())?)
}
