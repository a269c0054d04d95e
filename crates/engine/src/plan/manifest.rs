//! The manifest of a job: the settings that decide what is asked, as a run directory keeps them.

use crate::ask::{decide, hold};
use crate::plan::{marks, shard};
use crate::{Design, EngineError, Job, Orders};
use evenhand_formats::Dataset;
use evenhand_protocols::SecondStage;
use evenhand_store::Manifest;

impl Job {
    /// Returns the settings that decide what is asked. The seed is one of them only where the plan
    /// draws from it.
    ///
    /// # Errors
    /// Responses that cannot be read.
    pub fn manifest(&self) -> Result<Manifest, EngineError> {
        let mut manifest = Manifest::default();
        let Dataset { items, systems, .. } = &self.dataset;
        let digest = self.dataset.fingerprint()?;
        manifest.set("data", format!("{} items, digest {digest}", items.len()));
        manifest.set("systems", systems.join(", "));

        let judges = &self.judges;
        manifest.set("judge", judges.panel.join("\n"));
        if judges.panel.len() > 1 {
            manifest.set("panel", self.protocol.panel().to_string());
        }
        // A run at 0 has no such setting, so that runs from before there was one are continued.
        if judges.temperature != 0.0 {
            manifest.set("temperature", judges.temperature.to_string());
        }
        match &judges.second_stage {
            None => {}
            Some(SecondStage::Same) => manifest.set("second-stage", "same"),
            Some(SecondStage::By(model)) => manifest.set("second-stage", model.as_ref()),
        }
        // An embedder that the protocol has no use for changes nothing that is asked.
        if let Some(model) = &judges.embedder
            && self.protocol.embeds()
        {
            manifest.set("embedder", model.as_ref());
        }

        // How prompts and calls are adapted to the judges' servers.
        if let Some(setting) = judges.cut_short.setting() {
            manifest.set("truncated", setting);
        }
        if let Some(setting) = hold::manifest_value(&judges.holding) {
            manifest.set(hold::MANIFEST_KEY, setting);
        }
        if let Some(setting) = decide::manifest_value(&judges.deciding, &self.protocol) {
            manifest.set(decide::MANIFEST_KEY, setting);
        }
        if let Some(setting) = marks::manifest_value(judges)
            && self.protocol.shows_texts()
        {
            manifest.set(marks::MANIFEST_KEY, setting);
        }

        manifest.set("protocol", self.protocol.to_string());
        manifest.set("prompts", self.protocol.fingerprint());
        manifest.set("design", self.design.to_string());
        let orders = Orders::left_by(self.protocol.presentation());
        let draws_orders = self.compares() && orders == Orders::Drawn;
        if draws_orders || matches!(self.design, Design::Sample(_)) || self.design.chooses() {
            manifest.set("seed", self.seed.to_string());
        }
        if let Some(shard) = self.shard {
            manifest.set(shard::MANIFEST_KEY, shard.to_string());
        }
        Ok(manifest)
    }
}
