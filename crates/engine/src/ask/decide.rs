//! Judges that answer with probabilities, as a run's manifest has them.

use evenhand_protocols::{DECISION_VERSION, DecidingJudge, Protocol};
use serde_json::{Value, json};

/// The key of the manifest.
pub(crate) const MANIFEST_KEY: &str = "decisions";

/// Returns what a manifest says of them; None where there are none, so that runs from before there
/// were any are continued as they are.
pub(crate) fn manifest_value(deciding: &[DecidingJudge], protocol: &Protocol) -> Option<String> {
    if deciding.is_empty() {
        return None;
    }
    let judges: Vec<Value> = deciding
        .iter()
        .map(|one| {
            json!({"judge": *one.judge, "least_label_mass": one.least_label_mass,
                "shares_state": one.shares_state})
        })
        .collect();
    let prompts = protocol.decide_fingerprint();
    let value = json!({"version": DECISION_VERSION, "prompts": prompts, "judges": judges});
    Some(value.to_string())
}

/// Reads the judges that a manifest names so. What it says in another way is no judge of ours.
pub(crate) fn judges_of_manifest(value: Option<&String>) -> Vec<DecidingJudge> {
    let value: Option<Value> = value.and_then(|value| serde_json::from_str(value).ok());
    let judges = value.as_ref().and_then(|value| value["judges"].as_array());
    let judges = judges.into_iter().flatten().filter_map(|one| {
        Some(DecidingJudge {
            judge: one["judge"].as_str()?.into(),
            least_label_mass: one["least_label_mass"].as_f64()?,
            shares_state: one["shares_state"].as_bool()?,
        })
    });
    judges.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_who_decides_and_a_run_of_before_nothing() {
        let protocol = Protocol::parse("pairwise").unwrap();
        assert_eq!(manifest_value(&[], &protocol), None);
        assert_eq!(judges_of_manifest(None), []);
        let judges = [true, false].map(|shares_state| DecidingJudge {
            judge: "systemone:m@http://h/v1".into(),
            least_label_mass: 0.25,
            shares_state,
        });
        let value = manifest_value(&judges, &protocol).unwrap();
        assert_eq!(judges_of_manifest(Some(&value)), judges);
        for strange in [
            "",
            "[]",
            r#"{"judges": 3}"#,
            r#"{"judges": [{"judge": 1}]}"#,
        ] {
            assert_eq!(judges_of_manifest(Some(&strange.to_string())), []);
        }
    }
}
