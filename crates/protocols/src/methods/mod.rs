//! Calibration methods: how several looks become one verdict.
//!
//! A method is one file here and one line of [`METHODS`]; the two that look once share theirs. Its
//! file holds its names, how its options are read, which orders it leaves to the plan, what it
//! costs, where it has no meaning, its own prompts, and how it judges. No other code knows a method
//! by name.

mod both_orders;
mod mec;
mod once;
mod order_free;
mod portia;
mod self_consistency;
mod swap_cot;

pub use portia::portia_segments;

use crate::ask::{Ask, VerdictOrStop, invalid};
use crate::form::{Form, Slots};
use crate::look::Looker;
use crate::prompts::PromptFile;
use crate::reasonings::Reasoning;
use crate::scene::Scene;
use evenhand_core::Failure;
use std::fmt;

/// All calibration methods, in the order in which they are listed to users.
pub const METHODS: [&Method; 8] = [
    &once::SWAP,
    &both_orders::METHOD,
    &order_free::METHOD,
    &once::SINGLE,
    &swap_cot::METHOD,
    &mec::METHOD,
    &self_consistency::METHOD,
    &portia::METHOD,
];

/// A method as the list has it: its names, options, source and prompts.
#[derive(Debug)]
pub struct Method {
    /// Its names as users write them, those that one sentence explains together, and that sentence.
    pub names: &'static [(&'static str, &'static str)],
    /// Its options, for messages; empty where it has none.
    pub options: &'static str,
    /// The publication that it comes from, and what differs here; empty where it is common
    /// practice.
    pub source: &'static str,
    /// The prompt files that no other part of a protocol has.
    pub(crate) prompts: &'static [PromptFile],
    /// Whether responses are shown cut into parts.
    pub(crate) shows_parts: bool,
    /// Builds the calibration of this name and these options; None where they are not its own.
    pub(crate) parse: ParseOptions,
}

/// Reads a method's name and the options behind its colon.
type ParseOptions = fn(&str, &[&str]) -> Option<Box<dyn Calibration>>;

/// A method with its options: how several looks become one verdict.
///
/// Nothing has a default here, so that each method says all of it in its own file.
pub(crate) trait Calibration: fmt::Debug + fmt::Display + Send + Sync {
    /// Returns in which orders the responses are shown, and whether the plan sees to them.
    fn presentation(&self) -> Presentation;

    /// Returns what a trial asks for.
    fn cost(&self) -> Cost;

    /// Returns why this has no meaning with a form and a reasoning, and what to use instead.
    fn reject(&self, form: Form, reasoning: Reasoning) -> Option<&'static str>;

    /// Judges the responses of a scene. Pure: run from the top whenever a reply has arrived.
    fn judge(&self, looker: &Looker, scene: &Scene, ask: &Ask) -> VerdictOrStop;
}

/// In which orders the responses of a comparison are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presentation {
    /// In one order, which the plan draws from the seed.
    Drawn,
    /// In one order, that of the data.
    AsGiven,
    /// In both orders, as two trials of the plan.
    BothAsTrials,
    /// In both orders within one trial, so that the order of the trial does not matter.
    BothWithinTrial,
}

/// The calls of a trial, beside those of the reasoning before the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Where all looks agree.
    pub least: Asked,
    /// Where looks in different orders never agree.
    pub most: Asked,
    /// Samples of what the judge writes before a verdict: each is asked for anew.
    pub samples: u32,
}

/// Calls and rounds of one trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Calls for a verdict.
    pub verdicts: u32,
    /// Rounds of such calls, one after the other.
    pub rounds: u32,
    /// Whether each response is embedded, which is a round before that of the verdicts.
    pub embeddings: bool,
}

impl Cost {
    /// Returns the cost of this many calls for verdicts, all asked together.
    pub(crate) fn one_round(verdicts: u32, samples: u32) -> Cost {
        let asked = Asked::verdicts(verdicts, 1);
        Cost {
            least: asked,
            most: asked,
            samples,
        }
    }

    /// Returns whether further calls depend on what the first ones say.
    pub(crate) fn is_adaptive(&self) -> bool {
        self.least != self.most
    }
}

impl Asked {
    pub(crate) fn verdicts(verdicts: u32, rounds: u32) -> Asked {
        Asked {
            verdicts,
            rounds,
            embeddings: false,
        }
    }
}

/// The most samples and segments.
const MOST_REPEATS: u32 = 64;

/// Reads `NAME[:OPTION,...]`: the method, and it with its options.
pub(crate) fn parse_calibration(text: &str) -> Option<(&'static Method, Box<dyn Calibration>)> {
    if text.ends_with([':', ',']) {
        return None;
    }
    let (name, options) = split_options(text);
    METHODS
        .into_iter()
        .find_map(|method| Some((method, (method.parse)(name, &options)?)))
}

/// Splits `NAME[:OPTION,...]`.
fn split_options(text: &str) -> (&str, Vec<&str>) {
    let (name, options) = text.split_once(':').unwrap_or((text, ""));
    let words = options.split(',').filter(|word| !word.is_empty());
    (name, words.collect())
}

/// Returns the names that [`parse_calibration`] takes, for messages.
pub(crate) fn name_calibrations() -> String {
    let names = METHODS.iter().flat_map(|method| method.names);
    let names: Vec<&str> = names.map(|(names, _)| *names).collect();
    let names = match &names[..] {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        names => names.join(", "),
    };
    let options = METHODS.iter().map(|method| method.options);
    let options: Vec<&str> = options.filter(|options| !options.is_empty()).collect();
    format!("{names} ({})", options.join("; "))
}

/// Reads how many samples or segments are wanted, 3 where no word says it.
fn parse_count(words: &[&str], least: u32) -> Option<u32> {
    let count = words.first().map_or(Some(3), |word| word.parse().ok())?;
    (least..=MOST_REPEATS).contains(&count).then_some(count)
}

/// Returns the failure of a method that samples where no sample was taken.
fn no_sample() -> Failure {
    invalid("no sample was taken")
}

/// Rejects forms that ask for no verdict.
fn reject_unasked(form: Form) -> Option<&'static str> {
    form.asks_nothing().then_some(
        "likelihood and reward are the same in every order and every sample; use \
         likelihood/direct/single or reward/direct/single",
    )
}

/// Rejects forms that show one response at a time.
fn reject_one_in_view(form: Form) -> Option<&'static str> {
    (form.slots() == Slots::One).then_some(
        "this calibration needs two responses in one prompt, and this form shows one at a time; \
         use single or mec",
    )
}

/// Rejects forms that show more than two responses at a time.
fn reject_lists(form: Form) -> Option<&'static str> {
    matches!(form.slots(), Slots::Many(_)).then_some(
        "this calibration is for two responses, and listwise shows more; use single, swap, \
         swap:average, swap:none or mec",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(name: &str) -> Option<String> {
        parse_calibration(name).map(|(_, calibration)| calibration.to_string())
    }

    #[test]
    fn names_go_round() {
        for name in [
            "single",
            "single:fixed",
            "swap",
            "swap:average",
            "swap:tie",
            "swap:none",
            "order-free",
            "swap-cot",
            "swap-cot:tie",
            "mec:5",
            "mec+bpc:3",
            "self-consistency:5",
            "self-consistency:5,0.8",
            "portia:3",
            "portia:4,original-first,no-length,tie",
            "portia:2,no-semantic",
            "portia:3,embedding",
            "portia:3,original-first,no-length,embedding,average",
        ] {
            assert_eq!(round_trip(name).as_deref(), Some(name));
        }
        assert_eq!(round_trip("mec").as_deref(), Some("mec:3"));
        assert_eq!(round_trip("portia").as_deref(), Some("portia:3"));
        assert_eq!(round_trip("portia:tie").as_deref(), Some("portia:3,tie"));
    }

    #[test]
    fn nonsense_is_refused() {
        for name in [
            "",
            "swap:",
            "swap:x",
            "mec:0",
            "mec:99",
            "mec:3,4",
            "self-consistency:0",
            "self-consistency:5,0.4",
            "self-consistency:5,NaN",
            "self-consistency:5,0.8,1",
            "portia:1",
            "portia:no-length,no-semantic",
            "portia:no-semantic,embedding",
            "portia:3,",
            "single:x",
        ] {
            assert_eq!(round_trip(name), None, "{name}");
        }
    }

    #[test]
    fn costs_are_those_of_the_papers() {
        let table = [
            ("single", (1, 1), (1, 1), 1),
            ("swap", (1, 1), (1, 1), 1),
            ("swap:tie", (2, 1), (2, 1), 1),
            ("order-free", (1, 1), (1, 1), 1),
            ("swap-cot", (2, 1), (4, 2), 1),
            ("mec:5", (5, 1), (5, 1), 5),
            ("mec+bpc:5", (10, 1), (10, 1), 5),
            ("portia:3", (2, 1), (4, 2), 1),
            ("portia:3,no-length", (2, 1), (2, 1), 1),
            ("portia:3,original-first", (2, 1), (6, 3), 1),
        ];
        for (name, least, most, samples) in table {
            let cost = parse_calibration(name).unwrap().1.cost();
            let [fewest, greatest] = [cost.least, cost.most].map(|a| (a.verdicts, a.rounds));
            assert_eq!(
                (fewest, greatest, cost.samples),
                (least, most, samples),
                "{name}"
            );
        }
    }

    #[test]
    fn every_listed_name_is_read_by_its_own_method_alone() {
        for method in METHODS {
            for (names, _) in method.names {
                for name in names.split(", ") {
                    let name = name.replace(":K", ":5");
                    let (kind, options) = name.split_once(':').unwrap_or((&name, ""));
                    let words: Vec<&str> = options.split(',').filter(|w| !w.is_empty()).collect();
                    let readers = METHODS.iter().filter(|m| (m.parse)(kind, &words).is_some());
                    assert_eq!(readers.count(), 1, "{name}");
                    assert!((method.parse)(kind, &words).is_some(), "{name}");
                }
            }
        }
    }
}
