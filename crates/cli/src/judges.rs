//! Who takes part in a run, and by which protocol.

use crate::Failed;
use crate::args::{AskArgs, BenchArgs, RunArgs};
use evenhand_engine::{
    EngineError, JudgeSpec, NamedJudges, PanelFile, SecondSpec, check_brought, own_protocol,
};
use evenhand_protocols::{Panel, Protocol, ProtocolOptions, Scale as JudgeScale};
use std::path::Path;

/// Everybody who takes part in a run.
pub(crate) struct Participants {
    /// The judge, or the members of a panel.
    pub(crate) panel: Vec<JudgeSpec>,
    /// Who reads what the strict reader cannot.
    pub(crate) second: Option<SecondSpec>,
    /// Who embeds responses.
    pub(crate) embedder: Option<JudgeSpec>,
}

impl Participants {
    /// Looks up the names of a command line, which may be the configuration's.
    pub(crate) fn resolve(
        panel: &[String],
        args: &BenchArgs,
        known: &NamedJudges,
    ) -> Result<Participants, EngineError> {
        let second = args.second_stage.as_deref();
        let second = second.map(|name| SecondSpec::named(name, known));
        let embedder = args.embedder.as_deref();
        let embedder = embedder.map(|name| JudgeSpec::named(name, known));
        Ok(Participants {
            panel: resolve_judges(panel, known)?,
            second: second.transpose()?,
            embedder: embedder.transpose()?,
        })
    }
}

/// Looks up the names of judges, which may be the configuration's.
pub(crate) fn resolve_judges(
    names: &[String],
    known: &NamedJudges,
) -> Result<Vec<JudgeSpec>, EngineError> {
    names
        .iter()
        .map(|name| JudgeSpec::named(name, known))
        .collect()
}

/// Reads the calibrated panel that `--judge panel:FILE` names, if it names one.
pub(crate) fn read_panel(args: &RunArgs) -> Result<Option<PanelFile>, Failed> {
    let mut names = args.judge.iter();
    let Some(file) = names.find_map(|judge| judge.strip_prefix("panel:")) else {
        return Ok(None);
    };
    if let Some(why) = panel_conflict(args) {
        return Err(Failed::usage(format!("--judge panel:{file}: {why}")));
    }
    let file = Path::new(file);
    let panel = PanelFile::read(file)?;
    check_members(&panel, file, args)?;
    Ok(Some(panel))
}

/// Says which other setting a calibrated panel does not go with, if one is given.
fn panel_conflict(args: &RunArgs) -> Option<&'static str> {
    if args.judge.len() > 1 {
        return Some("a calibrated panel stands alone; its members are in its file");
    }
    args.ask.protocol.as_ref()?;
    Some("each member has its protocol in the file; leave --protocol out")
}

/// Refuses members that name addresses, unless they are judges of the user's configuration or the
/// file is trusted.
fn check_members(panel: &PanelFile, file: &Path, args: &RunArgs) -> Result<(), EngineError> {
    let mut members = panel.judges();
    members.retain(|name| !args.judges.contains_key(name));
    for name in members {
        check_brought(file, &name, &JudgeSpec::parse(&name)?, &args.trust)?;
    }
    Ok(())
}

/// Refuses an embedder that none of the protocols would ask.
pub(crate) fn check_embedder(embedder: Option<&str>, protocols: &[Protocol]) -> Result<(), Failed> {
    match embedder {
        Some(name) if !protocols.iter().any(Protocol::embeds) => {
            Err(Failed::usage(describe_idle_embedder(name, protocols)))
        }
        _ => Ok(()),
    }
}

fn describe_idle_embedder(name: &str, protocols: &[Protocol]) -> String {
    let protocols: Vec<String> = protocols.iter().map(Protocol::to_string).collect();
    format!(
        "--embedder {name}: {} embeds nothing; leave it out, or use a protocol that does, such as \
         pairwise/direct/portia:3,embedding",
        protocols.join(", ")
    )
}

/// Returns the name of the protocol where none is given, for small local models and for others.
pub(crate) fn default_protocol(small: bool) -> &'static str {
    if small {
        "likelihood:novel,surprisal=0.1"
    } else {
        "pairwise/direct/swap"
    }
}

/// Builds the protocol of the command line, or the default one.
pub(crate) fn build_protocol(
    args: &AskArgs,
    scale: Option<JudgeScale>,
    panel: Panel,
    small: bool,
) -> Result<Protocol, Failed> {
    let options = ProtocolOptions {
        pack: args.load_pack()?,
        scale,
        panel,
    };
    let name = args.protocol.as_deref().unwrap_or(default_protocol(small));
    match own_protocol(name) {
        Some(protocol) => Ok(protocol),
        None => Ok(Protocol::with(name, &options).map_err(EngineError::from)?),
    }
}
