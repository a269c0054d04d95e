//! The manifest of a job: the settings that decide what is asked, as a run directory keeps them.

use crate::ask::hold;
use crate::plan::marks;
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
        self.write_data(&mut manifest)?;
        self.write_judges(&mut manifest);
        self.write_helpers(&mut manifest);
        self.write_servers(&mut manifest);
        self.write_questions(&mut manifest);
        Ok(manifest)
    }

    fn write_questions(&self, manifest: &mut Manifest) {
        manifest.set("protocol", self.protocol.to_string());
        manifest.set("prompts", self.protocol.fingerprint());
        manifest.set("design", self.design.to_string());
        if self.draws() {
            manifest.set("seed", self.seed.to_string());
        }
    }

    fn write_data(&self, manifest: &mut Manifest) -> Result<(), EngineError> {
        let Dataset { items, systems, .. } = &self.dataset;
        let (count, digest) = (items.len(), self.dataset.fingerprint()?);
        manifest.set("data", format!("{count} items, digest {digest}"));
        manifest.set("systems", systems.join(", "));
        Ok(())
    }

    fn write_judges(&self, manifest: &mut Manifest) {
        let panel = &self.judges.panel;
        manifest.set("judge", panel.join("\n"));
        if panel.len() > 1 {
            manifest.set("panel", self.protocol.panel().to_string());
        }
        self.write_temperature(manifest);
    }

    /// A run at 0 has no such setting, so that runs from before there was one are continued.
    fn write_temperature(&self, manifest: &mut Manifest) {
        let temperature = self.judges.temperature;
        if temperature != 0.0 {
            manifest.set("temperature", temperature.to_string());
        }
    }

    fn write_helpers(&self, manifest: &mut Manifest) {
        match &self.judges.second_stage {
            None => {}
            Some(SecondStage::Same) => manifest.set("second-stage", "same"),
            Some(SecondStage::By(model)) => manifest.set("second-stage", model.as_ref()),
        }
        let embedder = self.judges.embedder.as_ref();
        // An embedder that the protocol has no use for changes nothing that is asked.
        if let Some(model) = embedder.filter(|_| self.protocol.embeds()) {
            manifest.set("embedder", model.as_ref());
        }
    }

    /// Writes how prompts and calls are adapted to the judges' servers.
    fn write_servers(&self, manifest: &mut Manifest) {
        if let Some(setting) = self.judges.cut_short.setting() {
            manifest.set("truncated", setting);
        }
        if let Some(setting) = hold::manifest_value(&self.judges.holding) {
            manifest.set(hold::MANIFEST_KEY, setting);
        }
        let marks = marks::manifest_value(&self.judges);
        if let Some(setting) = marks.filter(|_| self.protocol.shows_texts()) {
            manifest.set(marks::MANIFEST_KEY, setting);
        }
    }

    /// Whether the plan draws from the seed.
    fn draws(&self) -> bool {
        self.draws_orders() || matches!(self.design, Design::Sample(_) | Design::Adaptive)
    }

    fn draws_orders(&self) -> bool {
        let orders = Orders::left_by(self.protocol.presentation());
        self.compares() && orders == Orders::Drawn
    }
}
