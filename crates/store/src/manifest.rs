//! Everything that made a run.

use std::collections::BTreeMap;

/// The settings that decide what is asked, by name. Two runs with equal manifests ask the same
/// questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Key and value, both for people to read.
    pub settings: BTreeMap<String, String>,
}

impl Manifest {
    /// Adds a setting.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        self.settings.insert(key.to_string(), value.into());
    }

    /// The settings that differ: key, value here, value there (`none` where one lacks the key).
    pub fn differences(&self, other: &Manifest) -> Vec<(String, String, String)> {
        let keys: std::collections::BTreeSet<&String> =
            self.settings.keys().chain(other.settings.keys()).collect();
        let value = |m: &Manifest, key: &String| {
            m.settings
                .get(key)
                .cloned()
                .unwrap_or_else(|| "none".into())
        };
        keys.into_iter()
            .map(|key| (key.clone(), value(self, key), value(other, key)))
            .filter(|(_, here, there)| here != there)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_changed_and_missing_keys() {
        let (mut a, mut b) = (Manifest::default(), Manifest::default());
        a.set("seed", "0");
        a.set("judge", "x");
        b.set("seed", "1");
        b.set("judge", "x");
        b.set("items", "5");
        let expected = [("items", "none", "5"), ("seed", "0", "1")]
            .map(|(k, x, y)| (k.into(), x.into(), y.into()));
        assert_eq!(a.differences(&b), expected);
    }
}
