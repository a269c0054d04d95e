//! Opens everybody who answers: the judge or the panel, and who helps them.

use crate::ask::recorded::Recorded;
use crate::{EngineError, JudgeOptions, JudgeSpec, NamedJudges};
use evenhand_models::served::{Served, ServedSpec};
use evenhand_models::{Model, Team};
use evenhand_protocols::{CutShort, Judges, SecondStage};
use std::sync::Arc;

/// Everybody who answers, and who is who.
pub struct Bench {
    /// Answers the requests of all of them.
    pub model: Box<dyn Model>,
    /// Who judges, who reads what the strict reader cannot, and who embeds.
    pub judges: Judges,
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
        let (recorded, judges) = Recorded::open(dir)?;
        return Ok(Bench {
            model: Box::new(recorded),
            judges,
        });
    }
    let mut members = Members::new(systems, options);
    let judges = members.gather(panel, second, embedder)?;
    Ok(Bench {
        model: members.into_model()?,
        judges,
    })
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
        let identity = model.identity().into();
        self.others.push(model);
        Ok(identity)
    }

    /// Takes in a model that reads or embeds, unless it is one of the others already, and returns
    /// its identity.
    fn join_once(&mut self, spec: &JudgeSpec) -> Result<Arc<str>, EngineError> {
        if let JudgeSpec::Served(served) = spec {
            let identity = served.identity();
            let mut others = self.served.iter();
            return if others.any(|other| other.identity() == identity) {
                Ok(identity.into())
            } else {
                self.join(spec)
            };
        }
        let model = spec.open(self.systems, self.options)?;
        let identity: Arc<str> = model.identity().into();
        if !self
            .others
            .iter()
            .any(|other| *other.identity() == *identity)
        {
            self.others.push(model);
        }
        Ok(identity)
    }

    fn second_stage(&mut self, second: &SecondSpec) -> Result<SecondStage, EngineError> {
        match second {
            SecondSpec::Same => Ok(SecondStage::Same),
            SecondSpec::By(spec) => Ok(SecondStage::By(self.join_once(spec)?)),
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
        match members.len() {
            1 => Ok(members.remove(0)),
            _ => Ok(Box::new(Team::new(members)?)),
        }
    }
}
