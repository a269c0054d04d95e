//! What live judges are asked: by which judge, by which evaluation type and with which prompts an
//! input set is judged.

use super::config::{Config, Input};
use super::packs::{NamedPack, protocol};
use evenhand_engine::EngineError;
use evenhand_protocols::Protocol;

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
