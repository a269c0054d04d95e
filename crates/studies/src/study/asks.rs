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
    /// Builds the protocol: with the pack's prompts, or else with the study's own.
    pub(super) fn protocol(&self, own: &Pack) -> Result<Protocol, EngineError> {
        protocol(self.kind, self.pack.map_or(own, |pack| &pack.pack))
    }
}

/// Returns what is asked about these sets with the study's own prompts: by every evaluation type,
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

/// Returns what is asked about the labelled sets: with the study's own prompts, and behind them
/// with each further pack that has other ones for the evaluation type.
///
/// # Errors
/// An evaluation type, or a pack, that cannot be used.
pub(super) fn labelled_asks<'a>(
    config: &'a Config,
    packs: &'a Packs,
) -> Result<Vec<Ask<'a>>, EngineError> {
    let mut all = Vec::new();
    for ask in asks(config, config.live_labelled()) {
        all.push(ask);
        let own = ask.protocol(&packs.own)?.fingerprint().to_owned();
        for pack in &packs.further {
            let pack = Some(pack);
            let other = Ask { pack, ..ask };
            if other.protocol(&packs.own)?.fingerprint() != own {
                all.push(other);
            }
        }
    }
    let is_used = |pack: &&NamedPack| {
        let mut used = all.iter().filter_map(|ask| ask.pack);
        used.any(|one| one.name == pack.name)
    };
    let asks_labelled = !all.is_empty();
    if let Some(pack) = packs
        .further
        .iter()
        .find(|pack| asks_labelled && !is_used(pack))
    {
        return Err(setting(format!(
            "prompt-packs: nothing is asked differently with {}; expected a file with the name of a \
             built-in prompt of one of the types, such as rubrics/rules.toml; to compare your own \
             rubrics, put them into one folder, `prompt-pack`, and name each in `types`, as in \
             pairwise/direct/swap/NAME",
            pack.name
        )));
    }
    Ok(all)
}

/// A pack of prompts, and the name of its directory.
pub(super) struct NamedPack {
    pub(super) name: String,
    pack: Pack,
}

/// The prompts of a study.
pub(super) struct Packs {
    /// The built-in ones, or those that the study puts in their place.
    pub(super) own: Pack,
    /// Further ones, with which labelled pairs are judged once more.
    pub(super) further: Vec<NamedPack>,
}

/// Reads the packs of a study.
///
/// # Errors
/// A directory that is no pack; two of one name.
pub(super) fn read_packs(config: &Config) -> Result<Packs, EngineError> {
    let own = match &config.prompt_pack {
        Some(dir) => load_pack(dir)?,
        None => Pack::default(),
    };
    let mut packs: Vec<NamedPack> = Vec::new();
    for dir in &config.prompt_packs {
        let name = dir.file_name().unwrap_or(dir.as_os_str());
        let name = name.to_string_lossy().into_owned();
        let pack = load_pack(dir)?;
        if packs.iter().any(|other| other.name == name) {
            return Err(setting(format!(
                "prompt-packs: two directories are called {name}; expected different names"
            )));
        }
        packs.push(NamedPack { name, pack });
    }
    let further = packs;
    Ok(Packs { own, further })
}

/// Reads an evaluation type as a protocol with these prompts.
pub(super) fn protocol(kind: &str, pack: &Pack) -> Result<Protocol, EngineError> {
    let options = ProtocolOptions {
        pack: pack.clone(),
        ..ProtocolOptions::default()
    };
    Ok(Protocol::with(kind, &options)?)
}
