//! The words that the readers know, by what they say in a sentence (`lexicon.toml`), and those that
//! single rules look for (`phrases.toml`).

use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// What a word may say: a list of `lexicon.toml`, which has the reason for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum List {
    Hearsay,
    Correcting,
    Turns,
    Concessives,
    Openers,
    LabelWords,
    VerdictNouns,
    Connectives,
    BareLabels,
    Articles,
    Nouns,
    Better,
    Worse,
    DirectlyBetter,
    DirectlyWorse,
    Aspects,
    SecondRate,
    Faults,
    Winning,
    Beating,
    Losing,
    PreferredNouns,
    Being,
    Adverbs,
    Than,
    AfterQuality,
    Wholly,
    AfterVerdict,
    Reasons,
    Negations,
    Choosers,
    Manner,
    Choosing,
    ChoosingWith,
    Rejecting,
    Blocks,
    Ties,
    Sideless,
    TieWords,
    Bounds,
    Corrections,
    ScoreNouns,
    Announcing,
    Announced,
    Hedges,
    Reporting,
    Rationale,
    Courtesies,
    Notes,
    VerdictFields,
    OutputAdverbs,
    Praise,
    Ills,
    TaskVerbs,
    TaskWords,
    OutputBetter,
    OutputConclusion,
    AnotherVoice,
    Quoting,
    Revising,
    Givers,
    Given,
}

/// The lists that a word is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lists(u64);

impl Lists {
    /// Finds a word, which is in small letters.
    pub(super) fn of(word: &str) -> Lists {
        LEXICON.get(word).copied().unwrap_or_default()
    }

    pub(super) fn contain(self, list: List) -> bool {
        self.0 & bit_of(list) != 0
    }
}

/// What a rule looks for: a list of `phrases.toml`, which has the reason for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Phrases {
    Wins,
    Plain,
    Stresses,
    PlainEnds,
    Parts,
    Introducing,
    TakingBack,
    FaultNouns,
    Meeting,
    Breaking,
    Softening,
    Contrasting,
    Supposing,
    Winners,
    Costing,
    Scored,
    Counted,
    GoingOn,
    Lowest,
    OtherOrders,
    Elements,
    Arguments,
    OrderFields,
}

impl Phrases {
    /// Returns the words or phrases, in the order in which they are tried.
    pub(super) fn list(self) -> &'static [String] {
        PHRASES.get(&self).map_or(&[], Vec::as_slice)
    }
}

fn bit_of(list: List) -> u64 {
    1 << list as u64
}

const FILE: &str = include_str!("lexicon.toml");

static LEXICON: LazyLock<HashMap<String, Lists>> = LazyLock::new(|| {
    // A test holds that the file can be read.
    let lists: BTreeMap<List, String> = toml::from_str(FILE).unwrap_or_default();
    let mut lexicon: HashMap<String, Lists> = HashMap::new();
    for (list, words) in lists {
        for word in words.split_whitespace() {
            lexicon.entry(word.into()).or_default().0 |= bit_of(list);
        }
    }
    lexicon
});

const PHRASE_FILE: &str = include_str!("phrases.toml");

// A test holds that this file can be read too.
static PHRASES: LazyLock<BTreeMap<Phrases, Vec<String>>> =
    LazyLock::new(|| toml::from_str(PHRASE_FILE).unwrap_or_default());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_there_and_in_small_letters() {
        let lists: BTreeMap<List, String> = toml::from_str(FILE).unwrap();
        assert_eq!(lists.len(), List::Given as usize + 1);
        for (list, words) in lists {
            assert!(!words.trim().is_empty(), "{list:?}");
            assert_eq!(words, words.to_lowercase());
        }
        let phrases: BTreeMap<Phrases, Vec<String>> = toml::from_str(PHRASE_FILE).unwrap();
        assert_eq!(phrases.len(), Phrases::OrderFields as usize + 1);
        for (list, phrases) in phrases {
            let is_small = |phrase: &String| !phrase.is_empty() && *phrase == phrase.to_lowercase();
            assert!(
                !phrases.is_empty() && phrases.iter().all(is_small),
                "{list:?}"
            );
        }
    }
}
