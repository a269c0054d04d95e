//! Why a setting was refused.

use crate::Setting;
use std::error::Error;
use std::fmt;

/// A setting, or an input, that cannot be used: which one, why, and what to do about it.
///
/// Its text spells the setting as the user's door does (see [`Setting`]), so that a library never
/// holds a flag.
///
/// ```
/// # use evenhand_core::{Cause, Refusal, Setting};
/// let refusal = Refusal::of_value(Setting::Level, 2.0, "expected a number below 1");
/// assert_eq!(refusal.to_string(), "`level` 2: expected a number below 1");
/// assert_eq!(refusal.cause, Cause::Value);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The setting to change; None where a file or the data are at fault.
    pub setting: Option<Setting>,
    /// Its value as the user gave it, where the message shows that.
    pub value: Option<String>,
    /// The kind of mistake.
    pub cause: Cause,
    /// The mistake and what was expected, for a person; without the setting and its value.
    pub reason: String,
}

/// Kinds of mistakes that a setting is refused for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The value is out of range, malformed, or not one of those known.
    Value,
    /// It does not go together with this other setting, or with the value of that.
    Conflict(Setting),
    /// It says nothing without this other setting.
    Needs(Setting),
    /// The data, or the protocol, have no use for it or lack what it names.
    Data,
    /// Its file cannot be read, written, or understood.
    File,
}

impl Refusal {
    /// A refusal of a setting, whatever its value.
    pub fn new(setting: Setting, cause: Cause, reason: impl Into<String>) -> Refusal {
        Refusal {
            setting: Some(setting),
            value: None,
            cause,
            reason: reason.into(),
        }
    }

    /// A refusal of a value that the setting cannot have.
    pub fn of_value(
        setting: Setting,
        value: impl fmt::Display,
        reason: impl Into<String>,
    ) -> Refusal {
        Refusal::new(setting, Cause::Value, reason).with_value(value)
    }

    /// A refusal of an input that no setting names: a file, or what it holds.
    pub fn of_input(reason: impl Into<String>) -> Refusal {
        Refusal {
            setting: None,
            value: None,
            cause: Cause::File,
            reason: reason.into(),
        }
    }

    /// Shows the setting's value in the message.
    #[must_use]
    pub fn with_value(mut self, value: impl fmt::Display) -> Refusal {
        self.value = Some(value.to_string());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(setting) = self.setting {
            write!(f, "{setting}")?;
            if let Some(value) = &self.value {
                write!(f, " {value}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.reason)
    }
}

impl Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_setting_the_value_and_the_reason() {
        let conflict = Cause::Conflict(Setting::Control);
        let refusal = Refusal::new(Setting::Drop, conflict, "leave one of them out");
        assert_eq!(refusal.to_string(), "`drop`: leave one of them out");
        assert_eq!(
            refusal.with_value(3).to_string(),
            "`drop` 3: leave one of them out"
        );
        assert_eq!(
            Refusal::of_input("a.csv:1: empty").to_string(),
            "a.csv:1: empty"
        );
    }
}
