//! Opens everybody who answers: the judge or the panel, and who helps them.

use crate::ask::recorded::Recorded;
use crate::{EngineError, JudgeOptions, JudgeSpec, NamedJudges, Servers};
use evenhand_models::served::{Served, ServedSpec};
use evenhand_models::{Model, Team};
use evenhand_protocols::{CutShort, Judges, SecondStage};
use std::path::Path;
use std::sync::Arc;

/// Everybody who answers, and who is who.
pub struct Bench {
    /// Answers the requests of all of them.
    pub model: Box<dyn Model>,
    /// Who judges, who reads what the strict reader cannot, and who embeds.
    pub judges: Judges,
    /// Those of the judges that are served, and how far their servers hold replies to a JSON
    /// schema.
    pub servers: Servers,
}

/// Who reads verdicts that the strict reader cannot, by name.
#[derive(Clone, Debug, PartialEq)]
pub enum SecondSpec {
    /// The judge that wrote the text.
    Same,
    /// This model.
    By(Box<JudgeSpec>),
}

impl SecondSpec {
    /// Reads `same` or a judge's name.
    ///
    /// # Errors
    /// As [`JudgeSpec::named`].
    pub fn named(text: &str, judges: &NamedJudges) -> Result<SecondSpec, EngineError> {
        match text {
            "same" => Ok(SecondSpec::Same),
            name => JudgeSpec::named(name, judges).map(|spec| SecondSpec::By(Box::new(spec))),
        }
    }
}

/// Opens the judge, or all judges of a panel, the model of the second stage, and the one that
/// embeds responses in place of the judges.
///
/// # Errors
/// A judge that cannot be opened; a recorded run beside others.
pub fn bench(
    panel: &[JudgeSpec],
    second: Option<&SecondSpec>,
    embedder: Option<&JudgeSpec>,
    systems: &[Arc<str>],
    options: JudgeOptions,
) -> Result<Bench, EngineError> {
    if let ([JudgeSpec::Recorded(dir)], None, None) = (panel, second, embedder) {
        return recorded_bench(dir);
    }
    let mut members = Members::new(systems, options);
    let judges = members.gather(panel, second, embedder)?;
    let servers = list_servers(panel, options)?;
    let model = members.into_model()?;
    Ok(Bench {
        model,
        judges,
        servers,
    })
}

/// A recorded run answers for all of its judges, whoever they were.
fn recorded_bench(dir: &Path) -> Result<Bench, EngineError> {
    let (recorded, judges) = Recorded::open(dir)?;
    Ok(Bench {
        model: Box::new(recorded),
        judges,
        servers: Servers::new(),
    })
}

/// Lists the judges that are served; none where the user wants no reply held to a schema.
fn list_servers(panel: &[JudgeSpec], options: JudgeOptions) -> Result<Servers, EngineError> {
    let mut servers = Servers::new();
    for judge in panel.iter().filter(|_| !options.free_replies) {
        if let JudgeSpec::Served(spec) = judge {
            servers.push((spec.identity().into(), spec.holding()?));
        }
    }
    Ok(servers)
}

/// Returns the only member, or all of them behind one seam.
fn one_model(mut members: Vec<Box<dyn Model>>) -> Result<Box<dyn Model>, EngineError> {
    match members.len() {
        1 => Ok(members.remove(0)),
        _ => Ok(Box::new(Team::new(members)?)),
    }
}

/// A server is asked once more with more room; what runs here has all the room there is.
fn cut_short(served: bool) -> CutShort {
    if served {
        CutShort::WithRoom
    } else {
        CutShort::Final
    }
}

/// Models that are gathered behind one seam; the served ones are asked at the same time.
struct Members<'a> {
    systems: &'a [Arc<str>],
    options: JudgeOptions,
    served: Vec<ServedSpec>,
    others: Vec<Box<dyn Model>>,
}

impl<'a> Members<'a> {
    fn new(systems: &'a [Arc<str>], options: JudgeOptions) -> Members<'a> {
        Members {
            systems,
            options,
            served: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Takes everybody in, and says who is who.
    fn gather(
        &mut self,
        panel: &[JudgeSpec],
        second: Option<&SecondSpec>,
        embedder: Option<&JudgeSpec>,
    ) -> Result<Judges, EngineError> {
        let identities = panel.iter().map(|spec| self.join(spec));
        let served = panel.iter().any(JudgeSpec::is_served);
        Ok(Judges {
            panel: identities.collect::<Result<_, _>>()?,
            second_stage: second.map(|spec| self.second_stage(spec)).transpose()?,
            embedder: embedder.map(|spec| self.join_once(spec)).transpose()?,
            served,
            cut_short: cut_short(served),
            reads_marks: self.readers_of_marks()?,
            raw_marks: self.options.raw_marks,
            holding: Vec::new(),
            temperature: self.options.temperature,
        })
    }

    /// Takes a judge in, and returns its identity.
    fn join(&mut self, spec: &JudgeSpec) -> Result<Arc<str>, EngineError> {
        if let JudgeSpec::Served(served) = spec {
            self.served.push((**served).clone());
            return Ok(served.identity().into());
        }
        let model = spec.open(self.systems, self.options)?;
        Ok(self.join_opened(model))
    }

    fn join_opened(&mut self, model: Box<dyn Model>) -> Arc<str> {
        let identity = model.identity().into();
        self.others.push(model);
        identity
    }

    /// Takes in a model that reads or embeds, unless it is one of the others already, and returns
    /// its identity.
    fn join_once(&mut self, spec: &JudgeSpec) -> Result<Arc<str>, EngineError> {
        match spec {
            JudgeSpec::Served(served) if self.has_served(&served.identity()) => {
                Ok(served.identity().into())
            }
            JudgeSpec::Served(_) => self.join(spec),
            _ => self.join_local_once(spec),
        }
    }

    fn has_served(&self, identity: &str) -> bool {
        let mut served = self.served.iter();
        served.any(|other| other.identity() == identity)
    }

    /// The identity of a model that runs here has its file's digest, which opening it tells.
    fn join_local_once(&mut self, spec: &JudgeSpec) -> Result<Arc<str>, EngineError> {
        let model = spec.open(self.systems, self.options)?;
        let mut others = self.others.iter();
        if others.any(|other| other.identity() == model.identity()) {
            return Ok(model.identity().into());
        }
        Ok(self.join_opened(model))
    }

    fn second_stage(&mut self, second: &SecondSpec) -> Result<SecondStage, EngineError> {
        match second {
            SecondSpec::Same => Ok(SecondStage::Same),
            SecondSpec::By(spec) => self.join_once(spec).map(SecondStage::By),
        }
    }

    /// Returns the identities of those whose servers may read marks of chat templates as tokens.
    fn readers_of_marks(&self) -> Result<Vec<Arc<str>>, EngineError> {
        let mut readers = Vec::new();
        for spec in &self.served {
            if spec.reads_marks()? {
                readers.push(spec.identity().into());
            }
        }
        Ok(readers)
    }

    fn into_model(self) -> Result<Box<dyn Model>, EngineError> {
        let mut members = self.others;
        if !self.served.is_empty() {
            members.push(Box::new(Served::open(&self.served)?));
        }
        one_model(members)
    }
}
