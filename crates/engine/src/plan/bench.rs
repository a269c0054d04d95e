//! Opens everybody who answers: the judge or the panel, and who helps them.

use crate::ask::recorded::Recorded;
use crate::{EngineError, JudgeOptions, JudgeSpec, NamedJudges, Servers};
use evenhand_core::{Refusal, Setting};
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
        // A recorded run answers for all of its judges, whoever they were.
        let (recorded, judges) = Recorded::open(dir)?;
        return Ok(Bench {
            model: Box::new(recorded),
            judges,
            servers: Servers::new(),
        });
    }
    let mut members = Members {
        systems,
        options,
        served: Vec::new(),
        others: Vec::new(),
    };
    let mut identities = Vec::with_capacity(panel.len());
    let mut deciding = Vec::new();
    for spec in panel {
        let identity = members.join(spec, false)?;
        deciding.extend(spec.deciding(&identity));
        identities.push(identity);
    }
    check_writers(second, embedder)?;
    let second_stage = match second {
        None => None,
        Some(SecondSpec::Same) => Some(SecondStage::Same),
        Some(SecondSpec::By(spec)) => Some(SecondStage::By(members.join(spec, true)?)),
    };
    let embedder = embedder.map(|spec| members.join(spec, true)).transpose()?;

    // Whose servers may read marks of chat templates as tokens.
    let mut reads_marks = Vec::new();
    for spec in &members.served {
        if spec.reads_marks()? {
            reads_marks.push(spec.identity().into());
        }
    }
    let is_served = panel.iter().any(JudgeSpec::is_served);
    let judges = Judges {
        panel: identities,
        second_stage,
        embedder,
        served: is_served,
        // A server is asked once more with more room; what runs here has all the room there is.
        cut_short: if is_served {
            CutShort::WithRoom
        } else {
            CutShort::Final
        },
        reads_marks,
        raw_marks: options.raw_marks,
        holding: Vec::new(),
        deciding,
        temperature: options.temperature,
        asks_all: false,
    };

    let mut servers = Servers::new();
    for judge in panel {
        // One that writes no text has nothing that could be held.
        if let JudgeSpec::Served(spec) = judge
            && !options.free_replies
            && !judge.writes_nothing()
        {
            servers.push((spec.identity().into(), spec.holding()?));
        }
    }
    Ok(Bench {
        model: members.into_model()?,
        judges,
        servers,
    })
}

/// Refuses a reader of verdicts or an embedder that writes and embeds nothing.
fn check_writers(
    second: Option<&SecondSpec>,
    embedder: Option<&JudgeSpec>,
) -> Result<(), EngineError> {
    let reader = match second {
        Some(SecondSpec::By(spec)) => Some(&**spec),
        _ => None,
    };
    for (setting, spec) in [
        (Setting::SecondStage, reader),
        (Setting::Embedder, embedder),
    ] {
        if let Some(JudgeSpec::Served(spec)) = spec
            && (spec.decides() || spec.gives_rewards())
        {
            let why = "it answers with numbers alone, and neither writes nor embeds";
            return Err(Refusal::of_value(setting, spec.display_name(), why).into());
        }
    }
    Ok(())
}

/// Models that are gathered behind one seam; the served ones are asked at the same time.
struct Members<'a> {
    systems: &'a [Arc<str>],
    options: JudgeOptions,
    served: Vec<ServedSpec>,
    others: Vec<Box<dyn Model>>,
}

impl Members<'_> {
    /// Takes a judge in, and returns its identity; one who reads or embeds (`once`) only where it
    /// is none of the others already.
    fn join(&mut self, spec: &JudgeSpec, once: bool) -> Result<Arc<str>, EngineError> {
        if let JudgeSpec::Served(served) = spec {
            let identity = served.identity();
            let is_known = self.served.iter().any(|other| other.identity() == identity);
            if !(once && is_known) {
                self.served.push((**served).clone());
            }
            return Ok(identity.into());
        }
        // The identity of a model that runs here has its file's digest, which opening it tells.
        let model = spec.open(self.systems, self.options)?;
        let identity: Arc<str> = model.identity().into();
        let is_known = self
            .others
            .iter()
            .any(|other| *other.identity() == *identity);
        if !(once && is_known) {
            self.others.push(model);
        }
        Ok(identity)
    }

    /// Returns the only member, or all of them behind one seam.
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
