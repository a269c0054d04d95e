//! Which part of a protocol a look belongs to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// Which part of a protocol a look belongs to.
///
/// Stored and reported as text: [`Stage::name`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub enum Stage {
    /// The only part: the protocol has no stages.
    #[default]
    Only,
    /// The verdict of one member of a panel, which its own looks led to.
    Member,
    /// One term of a weighed panel's sum; the sample is the term's place.
    Term,
    /// A step of a method that takes several, by the method's name for it.
    Step(Cow<'static, str>),
}

impl Stage {
    /// The text of this stage in stores and reports; empty for [`Stage::Only`].
    pub fn name(&self) -> &str {
        match self {
            Stage::Only => "",
            Stage::Member => "member",
            Stage::Term => "term",
            Stage::Step(name) => name,
        }
    }

    fn from_name(name: Cow<'static, str>) -> Stage {
        match &*name {
            "" => Stage::Only,
            "member" => Stage::Member,
            "term" => Stage::Term,
            _ => Stage::Step(name),
        }
    }
}

impl From<&'static str> for Stage {
    fn from(name: &'static str) -> Stage {
        Stage::from_name(Cow::Borrowed(name))
    }
}

impl From<String> for Stage {
    fn from(name: String) -> Stage {
        Stage::from_name(Cow::Owned(name))
    }
}

impl From<Stage> for String {
    fn from(stage: Stage) -> String {
        stage.name().to_string()
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// By name, so that reports list stages alphabetically.
impl Ord for Stage {
    fn cmp(&self, other: &Stage) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Stage {
    fn partial_cmp(&self, other: &Stage) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_stored_as_its_name() {
        for (stage, json) in [
            (Stage::Only, "\"\""),
            (Stage::Member, "\"member\""),
            (Stage::Term, "\"term\""),
            (Stage::from("semantic"), "\"semantic\""),
        ] {
            assert_eq!(serde_json::to_string(&stage).unwrap(), json);
            assert_eq!(serde_json::from_str::<Stage>(json).unwrap(), stage);
        }
        assert_eq!(Stage::from("semantic"), Stage::Step("semantic".into()));
    }
}
