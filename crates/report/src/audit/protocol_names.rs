//! Short names of the protocols of one report.

use evenhand_studies::audit::UNNAMED_CRITERION;
use std::collections::BTreeMap;

/// Short names of protocols, no two alike.
pub(crate) struct ProtocolNames(BTreeMap<String, String>);

impl ProtocolNames {
    /// Names each of these protocols by its form and those of its other parts that tell it from
    /// the others of that form: `pairwise-tie, overall` beside `pairwise-tie, rules`. A name that
    /// would still be another's stays whole.
    pub(crate) fn of<'a>(protocols: impl IntoIterator<Item = &'a str>) -> ProtocolNames {
        let mut all: Vec<&str> = protocols.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        // Two that are compared are named one by one.
        let mut single: Vec<&str> = all.iter().flat_map(|name| name.split(AGAINST)).collect();
        single.sort_unstable();
        single.dedup();
        let short = all.iter().map(|name| {
            let both = name.split(AGAINST).map(|one| short_name(one, &single));
            both.collect::<Vec<_>>().join(AGAINST)
        });
        let short: Vec<String> = short.collect();
        let names = all.iter().zip(&short).map(|(whole, name)| {
            let is_taken = short.iter().filter(|other| *other == name).count() > 1;
            let name = if is_taken { whole } else { name.as_str() };
            (whole.to_string(), name.to_string())
        });
        ProtocolNames(names.collect())
    }

    /// Returns the short name of a protocol; one that is not among them stays whole.
    pub(crate) fn name<'a>(&'a self, protocol: &'a str) -> &'a str {
        self.0.get(protocol).map_or(protocol, String::as_str)
    }
}

/// The words between two protocols that are compared.
const AGAINST: &str = " against ";

fn short_name(name: &str, all: &[&str]) -> String {
    let own = parts(name);
    let of_form: Vec<Vec<&str>> = all
        .iter()
        .map(|other| parts(other))
        .filter(|other| other[0] == own[0])
        .collect();
    let mut short = own[0].to_string();
    for (at, part) in own.iter().enumerate().skip(1) {
        if of_form.iter().any(|other| other.get(at) != Some(part)) {
            short += &format!(", {part}");
        }
    }
    short
}

/// Returns the parts of a protocol's name, with the criterion that one of three parts has.
fn parts(name: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = name.split('/').collect();
    if parts.len() == 3 {
        parts.push(UNNAMED_CRITERION);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_tells_it_from_the_others() {
        for (protocols, expected) in [
            (&["pairwise-tie/direct/swap"][..], &["pairwise-tie"][..]),
            (
                &[
                    "pairwise-tie/direct/swap/overall",
                    "pairwise-tie/direct/swap/instruction-following",
                    "pointwise:1-7/direct/single",
                ],
                &[
                    "pairwise-tie, overall",
                    "pairwise-tie, instruction-following",
                    "pointwise:1-7",
                ],
            ),
            (
                &["pairwise/direct/swap", "pairwise/cot/swap/overall"],
                &["pairwise, direct, rules", "pairwise, cot, overall"],
            ),
            (
                &["a/b/c/x against d/e/f/x", "a/b/c/y against d/e/f/y"],
                &["a, x against d, x", "a, y against d, y"],
            ),
            (
                &["a/b/c", "d/e/f", "a/b/c against d/e/f"],
                &["a", "d", "a against d"],
            ),
            (&["", "pairwise/direct/swap"], &["", "pairwise"]),
        ] {
            let names = ProtocolNames::of(protocols.iter().copied());
            let short: Vec<&str> = protocols.iter().map(|name| names.name(name)).collect();
            assert_eq!(short, expected);
        }
    }

    /// Whatever the protocols are, no two have one name.
    #[test]
    fn no_two_are_alike() {
        let axes = [
            &["pairwise", "pointwise:1-7"][..],
            &["direct", "cot"],
            &["swap", "single"],
            &["", "/rules", "/overall"],
        ];
        let mut all = Vec::new();
        for form in axes[0] {
            for reasoning in axes[1] {
                for calibration in axes[2] {
                    for rubric in axes[3] {
                        all.push(format!("{form}/{reasoning}/{calibration}{rubric}"));
                    }
                }
            }
        }
        // Every set of three.
        for a in 0..all.len() {
            for b in 0..a {
                for c in 0..b {
                    let chosen = [&*all[a], &*all[b], &*all[c]];
                    let names = ProtocolNames::of(chosen);
                    let mut short = chosen.map(|name| names.name(name));
                    short.sort_unstable();
                    assert!(short.windows(2).all(|two| two[0] != two[1]), "{short:?}");
                }
            }
        }
    }
}
