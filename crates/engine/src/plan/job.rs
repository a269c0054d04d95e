//! What a run is made of.

use crate::plan::marks;
use crate::{Design, EngineError, Orders, Plan};
use evenhand_core::{Response, Trial, View};
use evenhand_formats::Dataset;
use evenhand_protocols::{Judges, Panel, Protocol, SecondStage, Slots};
use evenhand_store::Manifest;
use std::sync::Arc;

/// Everything that decides what is asked.
#[derive(Debug)]
pub struct Job {
    /// The input set, its systems and responses.
    pub dataset: Dataset,
    /// How the judge is asked.
    pub protocol: Protocol,
    /// Which pairs are compared.
    pub design: Design,
    /// The trials.
    pub plan: Plan,
    /// The judge, or the panel, by identity.
    pub judges: Judges,
    /// The seed of what the plan draws.
    pub seed: u64,
}

impl Job {
    /// Plans the trials.
    pub fn new(
        dataset: Dataset,
        protocol: Protocol,
        design: Design,
        judges: Judges,
        seed: u64,
    ) -> Result<Job, EngineError> {
        match protocol.form().slots() {
            Slots::One => dataset.check_any()?,
            _ => dataset.check_pairwise()?,
        }
        if protocol.panel() == Panel::Majority
            && judges.panel.len() > 1
            && protocol.form().slots() != Slots::Two
        {
            let why = "--panel majority: members vote on which of two responses is better, and \
                       this form compares no two; use mean";
            return Err(EngineError::Setting(why.into()));
        }
        let plan = plan(&dataset, &protocol, &design, seed)?;
        if plan.is_empty() {
            let why = "there is nothing to judge: no item has the responses that the protocol and \
                       design need";
            return Err(EngineError::Setting(why.into()));
        }
        Ok(Job {
            dataset,
            protocol,
            design,
            plan,
            judges,
            seed,
        })
    }

    /// True where the judge sees two responses or more at once, and compares them.
    pub fn compares(&self) -> bool {
        self.protocol.form().slots() != Slots::One
    }

    /// The judge's identity, for people; those of a panel one after the other.
    pub fn judge(&self) -> String {
        self.judges.panel.join(" + ")
    }

    /// The responses of a trial, in slot order.
    pub fn responses(&self, trial: &Trial) -> Result<Vec<Response>, EngineError> {
        let one = |system: &u32| -> Result<Response, EngineError> {
            let response = self
                .dataset
                .response(trial.item as usize, *system as usize)?;
            response.ok_or_else(|| {
                EngineError::Setting("a trial was planned for a response that is not there".into())
            })
        };
        trial.systems.iter().map(one).collect()
    }

    /// What the protocol sees of a trial.
    pub fn view<'a>(
        &'a self,
        trial: &Trial,
        responses: &'a [Response],
    ) -> Result<View<'a>, EngineError> {
        let view = View::of(&self.dataset.items, trial.item as usize, responses);
        view.ok_or_else(|| {
            EngineError::Setting("a trial was planned for an item that is not there".into())
        })
    }

    /// The settings that decide what is asked. The seed is one of them only where the plan draws
    /// from it.
    pub fn manifest(&self) -> Result<Manifest, EngineError> {
        let mut manifest = Manifest::default();
        let systems: Vec<&str> = self
            .dataset
            .systems
            .iter()
            .map(|system| system.as_ref())
            .collect();
        manifest.set(
            "data",
            format!(
                "{} items, digest {}",
                self.dataset.items.len(),
                self.dataset.fingerprint()?
            ),
        );
        manifest.set("systems", systems.join(", "));
        manifest.set("judge", self.judges.panel.join("\n"));
        if self.judges.panel.len() > 1 {
            manifest.set("panel", self.protocol.panel().to_string());
        }
        match &self.judges.second_stage {
            None => {}
            Some(SecondStage::Same) => manifest.set("second-stage", "same"),
            Some(SecondStage::By(model)) => manifest.set("second-stage", model.as_ref()),
        }
        if let Some(model) = self
            .judges
            .embedder
            .as_ref()
            .filter(|_| self.protocol.embeds())
        {
            manifest.set("embedder", model.as_ref());
        }
        if let Some(setting) = self.judges.cut_short.setting() {
            manifest.set("truncated", setting);
        }
        if let Some(setting) = marks::setting(&self.judges).filter(|_| self.protocol.shows_texts())
        {
            manifest.set(marks::SETTING, setting);
        }
        manifest.set("protocol", self.protocol.to_string());
        manifest.set("prompts", self.protocol.fingerprint());
        manifest.set("design", self.design.to_string());
        if self.draws() {
            manifest.set("seed", self.seed.to_string());
        }
        Ok(manifest)
    }

    fn draws(&self) -> bool {
        let drawn_order =
            self.compares() && Orders::left_by(self.protocol.presentation()) == Orders::Drawn;
        drawn_order || matches!(self.design, Design::Sample(_) | Design::Adaptive)
    }
}

/// The most responses in one prompt.
const MOST_SLOTS: usize = 26;

fn plan(
    dataset: &Dataset,
    protocol: &Protocol,
    design: &Design,
    seed: u64,
) -> Result<Plan, EngineError> {
    let present = present(dataset);
    if *design == Design::Labelled {
        return labelled(dataset, present, protocol, seed);
    }
    let size = match protocol.form().slots() {
        Slots::One => return alone(present, protocol, design),
        Slots::Two => 2,
        Slots::Many(Some(size)) => size as usize,
        Slots::Many(None) => present
            .iter()
            .map(|present| present.len())
            .max()
            .unwrap_or(0),
    };
    if size > MOST_SLOTS {
        let why = format!(
            "--protocol {protocol}: a prompt holds at most {MOST_SLOTS} responses, and some items \
             have {size}; use listwise:N"
        );
        return Err(EngineError::Setting(why));
    }
    let orders = Orders::left_by(protocol.presentation());
    Plan::grouped(present, &dataset.systems, design, size, orders, seed)
        .map_err(EngineError::Setting)
}

/// The labelled pairs; of a form that looks at each response alone, the responses in them.
fn labelled(
    dataset: &Dataset,
    present: Vec<Arc<[u32]>>,
    protocol: &Protocol,
    seed: u64,
) -> Result<Plan, EngineError> {
    if dataset.labels.is_empty() {
        let why = "the data has no labels; expected labels.jsonl {item, a, b, preferred}, or pairs \
                   with a label (docs/formats.md)";
        return Err(EngineError::Setting(why.into()));
    }
    let mut pairs: Vec<Vec<[u32; 2]>> = vec![Vec::new(); present.len()];
    for label in &dataset.labels {
        let (pair, item) = (
            [label.a.min(label.b), label.a.max(label.b)],
            label.item as usize,
        );
        let there = pair
            .iter()
            .all(|system| dataset.has_response(item, *system as usize));
        pairs
            .get_mut(item)
            .into_iter()
            .filter(|pairs| there && !pairs.contains(&pair))
            .for_each(|pairs| pairs.push(pair));
    }
    if protocol.form().slots() == Slots::One {
        let of = |(present, pairs): (&Arc<[u32]>, &Vec<[u32; 2]>)| -> Arc<[u32]> {
            present
                .iter()
                .copied()
                .filter(|system| pairs.iter().any(|pair| pair.contains(system)))
                .collect()
        };
        return Ok(Plan::pointwise(
            present.iter().zip(&pairs).map(of).collect(),
        ));
    }
    let orders = match Orders::left_by(protocol.presentation()) {
        Orders::Drawn => Orders::Both,
        orders => orders,
    };
    Ok(Plan::pairs(present, pairs, orders, seed))
}

fn alone(
    present: Vec<Arc<[u32]>>,
    protocol: &Protocol,
    design: &Design,
) -> Result<Plan, EngineError> {
    match design {
        Design::AllPairs | Design::Adaptive => Ok(Plan::pointwise(present)),
        _ => Err(EngineError::Setting(format!(
            "--design {design}: {} looks at each response alone, so no pairs are chosen; leave \
             --design out",
            protocol.form()
        ))),
    }
}

/// For each item the systems that answered it; items that all systems answered share one list.
fn present(dataset: &Dataset) -> Vec<Arc<[u32]>> {
    let systems = dataset.systems.len() as u32;
    let all: Arc<[u32]> = (0..systems).collect();
    let of = |item: usize| -> Arc<[u32]> {
        let there = |system: &u32| dataset.has_response(item, *system as usize);
        if (0..systems).all(|system| there(&system)) {
            all.clone()
        } else {
            (0..systems).filter(there).collect()
        }
    };
    (0..dataset.items.len()).map(of).collect()
}
