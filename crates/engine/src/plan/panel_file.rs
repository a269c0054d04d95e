//! The file of a calibrated panel: who its members are, and, once it is fitted, what each of them
//! weighs.

use crate::{EngineError, write_whole_file};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_protocols::{Feature, JudgedProtocol, Member, Pack, Protocol, ProtocolOptions};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A calibrated panel, as fitting writes it and the judge `panel:FILE` reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PanelFile {
    /// Judges under protocols; one at least.
    pub members: Vec<PanelMember>,
    /// Measures of the responses beside that.
    #[serde(default)]
    pub features: Vec<PanelFeature>,
    /// The data that it was fitted on, and how good it was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<PanelFit>,
}

/// A member of a panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelMember {
    /// A judge, as on the command line.
    pub judge: String,
    /// A protocol that shows one response or two.
    pub protocol: String,
    /// Log-odds for each unit of difference; missing before the fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

/// A measure of a response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelFeature {
    /// `length`, `overlap` or `constraints`.
    pub name: String,
    /// Log-odds for each unit of difference; missing before the fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

/// The data that a panel was fitted on. Figures are of cross-validation: each pair was judged by a
/// panel fitted without its item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PanelFit {
    /// Labelled pairs without a tie.
    pub pairs: u64,
    /// Items, which the folds are made of.
    pub items: u64,
    /// The ridge penalty that was chosen.
    pub penalty: f64,
    /// The share of pairs that were judged right.
    pub accuracy: f64,
    /// The mean of that share over pairs whose better response is the longer, and over the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy_length_balanced: Option<f64>,
    /// Nats.
    pub log_loss: f64,
    /// The expected calibration error, ten bins of equal mass.
    pub calibration_error: f64,
}

impl PanelFile {
    /// Makes a panel that is not fitted: all these judges under one protocol, and all features.
    pub fn unfitted(judges: &[String], protocol: &str) -> PanelFile {
        let members = judges.iter().map(|judge| PanelMember {
            judge: judge.clone(),
            protocol: protocol.into(),
            weight: None,
        });
        let features = Feature::ALL.iter().map(|feature| PanelFeature {
            name: feature.name().into(),
            weight: None,
        });
        PanelFile {
            members: members.collect(),
            features: features.collect(),
            fit: None,
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file and, where one is to blame, the line.
    pub fn read(path: &Path) -> Result<PanelFile, EngineError> {
        let refuse = |why: &str| Refusal::of_input(format!("panel {}: {why}", path.display()));
        let text =
            std::fs::read_to_string(path).map_err(|e| refuse(&format!("cannot be read: {e}")))?;
        let panel = toml::from_str(&text);
        Ok(panel.map_err(|e| refuse(e.to_string().trim_end()))?)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// A file that cannot be written, or that exists and is not a panel.
    pub fn write(&self, path: &Path) -> Result<(), EngineError> {
        let refuse =
            |why: String| Refusal::new(Setting::Fit, Cause::File, why).with_value(path.display());
        if path.is_file() && PanelFile::read(path).is_err() {
            let why = "exists and is not a panel, so it was left unchanged; choose another name";
            return Err(refuse(why.into()).into());
        }
        let text = toml::to_string(self).map_err(|e| refuse(e.to_string()))?;
        write_whole_file(path, format!("{HEAD}{text}").as_bytes())
            .map_err(|e| refuse(format!("cannot be written: {e}")))?;
        Ok(())
    }

    /// Returns the judges, each once, in the order of their members.
    pub fn judges(&self) -> Vec<String> {
        let mut judges = Vec::new();
        for member in &self.members {
            if !member.judge.trim().is_empty() && !judges.contains(&member.judge) {
                judges.push(member.judge.clone());
            }
        }
        judges
    }

    /// Returns the names of the terms, in the order of their weights.
    pub fn terms(&self) -> Vec<String> {
        let members = self
            .members
            .iter()
            .map(|member| format!("{} {}", member.judge, member.protocol));
        let features = self.features.iter().map(|feature| feature.name.clone());
        members.chain(features).collect()
    }

    /// Returns the weights; None where one is missing.
    pub fn weights(&self) -> Option<Vec<f64>> {
        let members = self.members.iter().map(|member| member.weight);
        let features = self.features.iter().map(|feature| feature.weight);
        members.chain(features).collect()
    }

    /// Sets the weights, in the order of the terms.
    #[must_use]
    pub fn with_weights(mut self, weights: &[f64]) -> PanelFile {
        let members = self.members.iter_mut().map(|member| &mut member.weight);
        let features = self.features.iter_mut().map(|feature| &mut feature.weight);
        for (place, weight) in members.chain(features).zip(weights) {
            *place = Some(*weight);
        }
        self
    }

    /// Builds the protocol; a weight that is missing is 0.
    ///
    /// # Errors
    /// An unknown protocol or feature, or what no panel can have as a member.
    pub fn protocol(&self, pack: &Pack) -> Result<Protocol, EngineError> {
        let judges = self.judges();
        let options = ProtocolOptions {
            pack: pack.clone(),
            ..ProtocolOptions::default()
        };
        let mut members = Vec::with_capacity(self.members.len());
        for member in &self.members {
            let judge = judges.iter().position(|judge| *judge == member.judge);
            members.push(Member {
                judge: judge.ok_or_else(|| Refusal::of_input("panel: a member has no judge"))?,
                protocol: JudgedProtocol::parse(&member.protocol, &options)?,
            });
        }
        let mut features = Vec::with_capacity(self.features.len());
        for PanelFeature { name, .. } in &self.features {
            let feature = Feature::named(name).ok_or_else(|| {
                let known = Feature::ALL.map(Feature::name).join(", ");
                Refusal::of_input(format!(
                    "panel: there is no feature `{name}`; expected one of {known}"
                ))
            })?;
            features.push(feature);
        }
        let terms = members.len() + features.len();
        let weights = self.weights().unwrap_or_else(|| vec![0.0; terms]);
        Ok(Protocol::weighed(members, features, weights)?)
    }
}

const HEAD: &str = "# A calibrated panel: P(the first is better) = 1 / (1 + exp(-sum of weight x \
                    difference)).\n# Written by `evenhand meta judge --fit`; read by `--judge \
                    panel:FILE`.\n\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitted_panel_comes_back_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("panel.toml");
        let names = ["gguf:a".to_string(), "simulated".to_string()];
        let fit = PanelFit {
            pairs: 9,
            items: 9,
            penalty: 1.0,
            accuracy: 0.5,
            accuracy_length_balanced: None,
            log_loss: 0.7,
            calibration_error: 0.1,
        };
        let file = PanelFile {
            fit: Some(fit),
            ..PanelFile::unfitted(&names, "likelihood").with_weights(&[0.1, -2.0, 1.0, 0.0, 0.5])
        };
        file.write(&path).unwrap();
        assert_eq!(PanelFile::read(&path).unwrap(), file);
        assert_eq!(file.judges(), names.to_vec());
        assert_eq!(file.weights().unwrap().len(), 5);
        assert_eq!(
            file.protocol(&Pack::default()).unwrap().to_string(),
            "panel of likelihood/direct/single + likelihood/direct/single"
        );
    }

    #[test]
    fn a_file_that_is_no_panel_is_refused_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("panel.toml");
        std::fs::write(
            &path,
            "[[members]]\njudge = \"simulated\"\nprotcol = \"likelihood\"\n",
        )
        .unwrap();
        let error = PanelFile::read(&path).unwrap_err().to_string();
        assert!(
            error.contains("line 3") && error.contains("protcol"),
            "{error}"
        );
        let odd = PanelFile {
            features: vec![PanelFeature {
                name: "tone".into(),
                weight: None,
            }],
            ..PanelFile::unfitted(&["simulated".into()], "likelihood")
        };
        assert!(
            odd.protocol(&Pack::default())
                .unwrap_err()
                .to_string()
                .contains("`tone`")
        );
    }
}
