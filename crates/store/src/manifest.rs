//! Everything that made a run.

use crate::query::read_rows;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};

/// The settings that decide what is asked, by name. Two runs with equal settings ask the same
/// questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Values by key, both for people to read.
    pub settings: BTreeMap<String, String>,
    /// What the user calls the run, any text; it decides nothing that is asked.
    pub label: Option<String>,
}

/// The settings that name a run which keeps calls alone, and no judgments, and what such a run is
/// of.
pub const CALLS_ALONE: [(&str, &str); 3] = [
    ("audit", "an audit"),
    ("study", "a study"),
    ("try", "a model that was tried"),
];

/// Returns what such a run is, as messages say it of the run; None for the settings of any other.
///
/// ```
/// # use evenhand_store::{describe_calls_alone, Manifest};
/// let mut manifest = Manifest::default();
/// manifest.set("audit", "calls of an audit");
/// assert_eq!(
///     describe_calls_alone(&manifest.settings).unwrap(),
///     "it is the run of an audit, which keeps calls and no verdicts on systems"
/// );
/// ```
pub fn describe_calls_alone(settings: &BTreeMap<String, String>) -> Option<String> {
    let mut kinds = CALLS_ALONE.iter();
    let (_, kind) = kinds.find(|(key, _)| settings.contains_key(*key))?;
    Some(format!(
        "it is the run of {kind}, which keeps calls and no verdicts on systems"
    ))
}

/// The key of the label, beside those of the settings.
const LABEL: &str = "name";

/// A setting that two runs do not share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The setting's name.
    pub key: String,
    /// Its value in the one run; `none` where it has no such setting.
    pub here: String,
    /// Its value in the other.
    pub there: String,
}

impl Manifest {
    /// Sets a setting.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        self.settings.insert(key.to_string(), value.into());
    }

    /// Lists the settings that differ from those of another run, by key.
    pub fn differences(&self, other: &Manifest) -> Vec<Difference> {
        let value_in = |run: &Manifest, key: &String| {
            let value = run.settings.get(key).cloned();
            value.unwrap_or_else(|| "none".into())
        };
        let keys: BTreeSet<&String> = self.settings.keys().chain(other.settings.keys()).collect();
        keys.into_iter()
            .filter(|key| self.settings.get(*key) != other.settings.get(*key))
            .map(|key| Difference {
                key: key.clone(),
                here: value_in(self, key),
                there: value_in(other, key),
            })
            .collect()
    }

    /// Reads the settings of a run.
    pub(crate) fn read(db: &Connection) -> rusqlite::Result<Manifest> {
        let sql = "SELECT key, value FROM manifest";
        let mut settings: BTreeMap<String, String> =
            read_rows(db, sql, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let label = settings.remove(LABEL);
        Ok(Manifest { settings, label })
    }

    /// Writes the settings of a new run.
    pub(crate) fn write(&self, db: &Connection) -> rusqlite::Result<()> {
        for (key, value) in &self.settings {
            db.execute("INSERT INTO manifest VALUES (?1, ?2)", [key, value])?;
        }
        match &self.label {
            Some(label) => write_label(db, label),
            None => Ok(()),
        }
    }
}

/// Writes what the user calls the run, in place of an earlier name.
pub(crate) fn write_label(db: &Connection, label: &str) -> rusqlite::Result<()> {
    let insert = "INSERT OR REPLACE INTO manifest VALUES (?1, ?2)";
    db.execute(insert, [LABEL, label]).map(drop)
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
        let expected =
            [("items", "none", "5"), ("seed", "0", "1")].map(|(key, here, there)| Difference {
                key: key.into(),
                here: here.into(),
                there: there.into(),
            });
        assert_eq!(a.differences(&b), expected);
    }
}
