//! Judges that answer with probabilities, as a run's manifest has them.

use evenhand_protocols::{DECISION_VERSION, DecidingJudge, Protocol};
use serde_json::json;

/// The key of the manifest.
pub(crate) const MANIFEST_KEY: &str = "decisions";

/// Returns what a manifest says of them; None where there are none, so that runs from before there
/// were any are continued as they are.
pub(crate) fn manifest_value(deciding: &[DecidingJudge], protocol: &Protocol) -> Option<String> {
    if deciding.is_empty() {
        return None;
    }
    let prompts = protocol.decide_fingerprint();
    let value = json!({"version": DECISION_VERSION, "prompts": prompts, "judges": deciding});
    Some(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::hold::judges_of_manifest;

    #[test]
    fn a_manifest_says_who_decides_and_a_run_of_before_nothing() {
        let protocol = Protocol::parse("pairwise").unwrap();
        assert_eq!(manifest_value(&[], &protocol), None);
        assert_eq!(judges_of_manifest::<DecidingJudge>(None), []);
        let judges = [true, false].map(|shares_state| DecidingJudge {
            judge: "systemone:m@http://h/v1".into(),
            least_label_mass: 0.25,
            shares_state,
        });
        let value = manifest_value(&judges, &protocol).unwrap();
        assert_eq!(judges_of_manifest::<DecidingJudge>(Some(&value)), judges);
        for strange in [
            "",
            "[]",
            r#"{"judges": 3}"#,
            r#"{"judges": [{"judge": 1}]}"#,
        ] {
            let strange = strange.to_string();
            assert_eq!(judges_of_manifest::<DecidingJudge>(Some(&strange)), []);
        }
    }
}
