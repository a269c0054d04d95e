//! Runs in the formats of others, and as a site of static pages.

mod every_eval_ever;
mod llm_comparator;
mod preference_pairs;
mod site;

pub use every_eval_ever::{EveryEvalEver, Relationship};
pub use llm_comparator::{ComparatorExample, ComparatorFile, comparator_example};
pub use preference_pairs::{PreferencePair, preference_pair};
pub use site::{SitePage, site_index};
