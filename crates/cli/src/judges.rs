//! Who takes part in a run, and by which protocol.

use crate::Failed;
use crate::args::{AskArgs, BenchArgs, RunArgs};
use crate::head_judge::HeadJudge;
use evenhand_core::JudgeKind;
use evenhand_engine::{
    Bench, EngineError, JudgeOptions, JudgeSpec, NamedJudges, PanelFile, SecondSpec, bench,
    check_brought, protocol_named,
};
use evenhand_protocols::{Pack, Panel, Protocol, ProtocolOptions, Scale as JudgeScale};
use evenhand_store::Reader;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

/// A file that stands in place of judges and their protocol, or what gathers for one.
pub(crate) enum JudgeFile {
    /// A calibrated panel, fitted or not.
    Panel(PanelFile),
    /// A fitted head.
    Head(Box<HeadJudge>),
    /// None yet: the judge that is named is asked for all that a head is fitted to.
    GatheringHead,
}

impl JudgeFile {
    /// Returns the judges of the file; None where those that are named stay.
    pub(crate) fn judges(&self) -> Option<Vec<String>> {
        match self {
            JudgeFile::Panel(panel) => Some(panel.judges()),
            JudgeFile::Head(head) => Some(vec![head.judge()]),
            JudgeFile::GatheringHead => None,
        }
    }

    /// Builds the protocol.
    pub(crate) fn protocol(&self, pack: &Pack) -> Result<Protocol, EngineError> {
        match self {
            JudgeFile::Panel(panel) => panel.protocol(pack),
            JudgeFile::Head(head) => head.file.protocol(pack),
            JudgeFile::GatheringHead => Ok(Protocol::gathering_head(pack)?),
        }
    }
}

/// Reads the file that `--judge panel:FILE` or `--judge head:FILE` names, if it names one.
pub(crate) fn read_judge_file(args: &RunArgs) -> Result<Option<JudgeFile>, Failed> {
    if let Some(head) = HeadJudge::read(args)? {
        return Ok(Some(JudgeFile::Head(Box::new(head))));
    }
    Ok(read_panel(args)?.map(JudgeFile::Panel))
}

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
        let (second, embedder) = (args.second_stage.as_deref(), args.embedder.as_deref());
        Ok(Participants {
            panel: resolve_judges(panel, known)?,
            second: second
                .map(|name| SecondSpec::named(name, known))
                .transpose()?,
            embedder: embedder
                .map(|name| JudgeSpec::named(name, known))
                .transpose()?,
        })
    }

    /// Opens the models that answer for them.
    pub(crate) fn bench(
        &self,
        systems: &[Arc<str>],
        options: JudgeOptions,
    ) -> Result<Bench, EngineError> {
        let (second, embedder) = (self.second.as_ref(), self.embedder.as_ref());
        bench(&self.panel, second, embedder, systems, options)
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
    let refuse = |why| Err(Failed::usage(format!("--judge panel:{file}: {why}")));
    if args.judge.len() > 1 {
        return refuse("a calibrated panel judges alone; its members are in its file");
    }
    if args.ask.protocol.is_some() {
        return refuse("each member has its protocol in the file; leave --protocol out");
    }
    let file = Path::new(file);
    let panel = PanelFile::read(file)?;
    // Members may name addresses where they are judges of the user's configuration, or the file is
    // trusted.
    for name in panel.judges() {
        if !args.judges.contains_key(&name) {
            check_brought(file, &name, &JudgeSpec::parse(&name)?, &args.trust)?;
        }
    }
    Ok(Some(panel))
}

/// Refuses an embedder that none of the protocols would ask.
pub(crate) fn check_embedder(embedder: Option<&str>, protocols: &[Protocol]) -> Result<(), Failed> {
    let Some(name) = embedder else { return Ok(()) };
    if protocols.iter().any(Protocol::embeds) {
        return Ok(());
    }
    let protocols: Vec<String> = protocols.iter().map(Protocol::to_string).collect();
    Err(Failed::Usage(format!(
        "--embedder {name}: {} embeds nothing; leave it out, or use a protocol that does, such as \
         pairwise/direct/portia:3,embedding",
        protocols.join(", ")
    )))
}

/// Returns the name of the protocol where none is given: reward models give rewards, small local
/// models score texts, and others are asked in both orders. Verdicts of models of this machine are
/// averaged over both, see [`average_orders`].
pub(crate) fn default_protocol(judges: &[JudgeSpec]) -> &'static str {
    if judges.is_empty() {
        "pairwise/direct/swap"
    } else if judges.iter().all(JudgeSpec::gives_rewards) {
        "reward"
    } else if judges.iter().all(JudgeSpec::prefers_likelihood) {
        "likelihood:novel,surprisal=0.1"
    } else if average_orders(judges) {
        "pairwise/direct/swap:average"
    } else {
        "pairwise/direct/swap"
    }
}

/// Whether a protocol without a calibration means `swap:average`: all judges are models of this
/// machine, or replay a run in which it meant that. They give the probabilities of answers, and
/// small ones often prefer one slot whatever is shown there, so that the probabilities of both
/// orders say all that there is.
pub(crate) fn average_orders(judges: &[JudgeSpec]) -> bool {
    let averages = |judge: &JudgeSpec| match judge {
        JudgeSpec::Recorded(run) => {
            let manifest = Reader::open(run).and_then(|reader| reader.manifest());
            manifest.is_ok_and(|manifest| {
                let protocol = manifest.settings.get("protocol");
                protocol.is_some_and(|name| name.contains("/swap:average"))
            })
        }
        judge => judge.is_embedded(),
    };
    !judges.is_empty() && judges.iter().all(averages)
}

/// Builds the protocol of the command line, or the default one.
pub(crate) fn build_protocol(
    args: &AskArgs,
    scale: Option<JudgeScale>,
    panel: Panel,
    judges: &[JudgeSpec],
) -> Result<Protocol, Failed> {
    let options = ProtocolOptions {
        pack: args.load_pack()?,
        scale,
        panel,
        averages_orders: average_orders(judges),
    };
    let name = match &args.protocol {
        Some(name) => name,
        None => default_protocol(judges),
    };
    Ok(protocol_named(name, &options)?)
}

/// Says that a pack of prompts is of no use, where the protocol asks the same without it.
pub(crate) fn describe_idle_pack(
    args: &AskArgs,
    scale: Option<JudgeScale>,
    panel: Panel,
    judges: &[JudgeSpec],
    protocol: &Protocol,
) -> Option<String> {
    let dir = args.pack.prompt_pack.as_ref()?.display();
    let mut without = args.clone();
    without.pack.prompt_pack = None;
    // A name may have its rubric in the pack alone.
    let built_in = build_protocol(&without, scale, panel, judges).ok()?;
    asks_the_same(&built_in, protocol).then(|| idle_pack_text(dir, &protocol.to_string()))
}

/// Says what a simulated judge makes of people's labels, where one is among these.
pub(crate) fn describe_simulated<'a>(
    mut specs: impl Iterator<Item = &'a str>,
) -> Option<&'static str> {
    specs.any(|spec| JudgeKind::of(spec) == JudgeKind::Simulated).then_some(
        "a simulated judge knows nothing of labels: to it the first system that the data name is \
         the best, so how often it agrees with them says nothing of a real judge",
    )
}

/// Whether two protocols send the same prompts.
pub(crate) fn asks_the_same(one: &Protocol, other: &Protocol) -> bool {
    let digests = |one: &Protocol| (one.fingerprint(), one.decide_fingerprint());
    digests(one) == digests(other)
}

/// Says that these protocols ask the same without a pack of prompts.
pub(crate) fn idle_pack_text(dir: impl Display, protocols: &str) -> String {
    format!(
        "--prompt-pack {dir}: {protocols} asks the same without it; a rubric of yours is used \
         where the protocol names it, as in pairwise/direct/swap/RUBRIC (docs/protocols.md)"
    )
}
