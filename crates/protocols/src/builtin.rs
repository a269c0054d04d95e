//! The prompt files that come with the program: those of forms and rubrics here, those of methods
//! and reasonings in their own files.

use crate::methods::METHODS;
use crate::prompts::{Pack, PromptFile};
use crate::reasonings::REASONINGS;

/// Names a file under `prompts/` once.
macro_rules! prompt_files {
    ($($name:literal),* $(,)?) => {
        [$(PromptFile {
            name: $name,
            text: include_str!(concat!("../prompts/", $name, ".toml")),
        }),*]
    };
}

const FORMS_AND_RUBRICS: [PromptFile; 21] = prompt_files![
    "checklist",
    "checklist-each",
    "decide",
    "extract",
    "likelihood",
    "listwise",
    "material",
    "metrics",
    "pairwise",
    "pairwise-5point",
    "pairwise-likert",
    "pairwise-score",
    "pairwise-tie",
    "pointwise",
    "reference",
    "rubrics/criteria",
    "rubrics/instruction-following",
    "rubrics/none",
    "rubrics/overall",
    "rubrics/rules",
    "rubrics/rules-strict",
];

impl Default for Pack {
    /// Returns the built-in prompts.
    fn default() -> Pack {
        let methods = METHODS.iter().flat_map(|method| method.prompts);
        let reasonings = REASONINGS.iter().flat_map(|kind| kind.prompts);
        Pack::of_files(FORMS_AND_RUBRICS.iter().chain(methods).chain(reasonings))
    }
}
