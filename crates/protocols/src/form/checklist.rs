//! How the criteria of a checklist are asked for.

/// How the criteria of a checklist are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecklistCalls {
    /// All in one call: a numbered list in, a numbered list of verdicts out.
    Together,
    /// One call for each criterion.
    Each,
}

impl ChecklistCalls {
    /// Reads the option of a form's name.
    pub(super) fn parse(option: &str) -> Option<ChecklistCalls> {
        (option == "each").then_some(ChecklistCalls::Each)
    }

    /// Returns the answers between which the judge decides in a call; empty where it gives a list.
    pub(super) fn options(self) -> Vec<String> {
        match self {
            ChecklistCalls::Together => Vec::new(),
            ChecklistCalls::Each => ["yes", "no"].map(String::from).to_vec(),
        }
    }
}
