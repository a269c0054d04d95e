//! Which systems are compared with which.

use super::CompareOptions;
use super::matching::Matching;
use super::side::SideData;
use super::subject::{Measure, Subject};
use evenhand_core::{Cause, Refusal, Setting, did_you_mean, quote, shell_word};

/// Checks that two sides have items and anchors in common.
pub(super) fn check_shared(
    [baseline, current]: [&SideData; 2],
    matching: &Matching,
    options: &CompareOptions,
) -> Result<(), Refusal> {
    if matching.items.is_empty() {
        let why = match matching.rewritten {
            0 => "they have no item in common, by id or by content".to_string(),
            count => format!("the {count} items of the same ids have other texts in them"),
        };
        return Err(Refusal::of_input(format!(
            "{} and {} cannot be compared: {why}",
            baseline.source, current.source
        )));
    }
    if !options.anchors.is_empty() && matching.count_anchors() == 0 {
        return Err(Refusal::of_input(format!(
            "{}: none of the {} items named there is in both {} and {}",
            Setting::Anchors,
            options.anchors.len(),
            baseline.source,
            current.source
        )));
    }
    Ok(())
}

/// The refusal where no item has a value for a system on both sides.
pub(super) fn nothing_paired([baseline, current]: [&SideData; 2]) -> Refusal {
    // The one system that only one side has, if there is one.
    let only_in = |side: &SideData, other: &SideData| {
        let own = side.systems.iter();
        let mut own = own.filter(|name| other.find_system(name).is_none());
        own.next().cloned().filter(|_| own.next().is_none())
    };
    let mut names = baseline.systems.iter();
    let is_renamed =
        !baseline.systems.is_empty() && names.all(|name| current.find_system(name).is_none());
    let hint = match (only_in(baseline, current), only_in(current, baseline)) {
        (Some(old), Some(new)) => {
            let pair = format!("{},{}", quote(&old), quote(&new));
            format!(
                ". If {new} is {old} under a new name, say so: {} {}",
                Setting::Pair,
                shell_word(&pair)
            )
        }
        _ if is_renamed => format!(
            ". No system has the same name in both: give each the same name in both and rank \
             again; {} RUN takes the calls that were made",
            Setting::Reuse
        ),
        _ => String::new(),
    };
    Refusal::of_input(format!(
        "nothing can be compared: no item has a verdict on the two systems together, or on each \
         against the same answer of a third (of scores: one of each). Judge both in one run, or \
         against one fixed system in both runs: {} reference:SYSTEM{hint}",
        Setting::Design
    ))
}

/// Returns what is compared between two sides: the pair that is named, else the systems that are,
/// else all that both have.
pub(super) fn subjects_of(
    sides: [&SideData; 2],
    options: &CompareOptions,
) -> Result<Vec<Subject>, Refusal> {
    let [baseline, current] = sides;
    if baseline.is_scored() != current.is_scored() {
        let form = |side: &SideData| if side.is_scored() { "scores" } else { "pairs" };
        return Err(Refusal::of_input(format!(
            "{} has {}, {} has {}: they cannot be compared; judge both by one protocol",
            baseline.source,
            form(baseline),
            current.source,
            form(current)
        )));
    }
    let mut pairs = Vec::new();
    if let Some([old, new]) = &options.pair {
        pairs.push([find(baseline, old)?, find(current, new)?]);
    } else if !options.systems.is_empty() {
        for name in &options.systems {
            pairs.push([find(baseline, name)?, find(current, name)?]);
        }
    } else {
        pairs.extend(shared_systems(sides));
        if pairs.is_empty() {
            return Err(Refusal::of_input(format!(
                "{} has {}, {} has {}: no system is in both; say which is compared with which: \
                 {} OLD,NEW",
                baseline.source,
                baseline.systems.join(", "),
                current.source,
                current.systems.join(", "),
                Setting::Pair
            )));
        }
    }
    let subjects = pairs.iter().map(|systems| subject(sides, *systems));
    let mut subjects: Vec<Subject> = subjects.collect();
    // Of two systems that have nobody but each other, one is the mirror of the other: the later is
    // kept.
    let have_each_other = sides.iter().all(|side| side.systems.len() == 2);
    if subjects.len() == 2 && have_each_other && subjects[0].measure == Measure::WinShare {
        subjects.remove(0);
    }
    Ok(subjects)
}

/// The systems that both sides have under one name, by their places.
fn shared_systems([baseline, current]: [&SideData; 2]) -> impl Iterator<Item = [u32; 2]> {
    let names = baseline.systems.iter().zip(0..);
    names.filter_map(|(name, old)| Some([old, current.find_system(name)?]))
}

fn find(side: &SideData, name: &str) -> Result<u32, Refusal> {
    side.find_system(name).ok_or_else(|| {
        Refusal::of_input(format!(
            "{}: there is no system {name}; those that are: {}{}",
            side.source,
            side.systems.join(", "),
            did_you_mean(name, &side.systems)
        ))
    })
}

fn subject(sides: [&SideData; 2], [old, new]: [u32; 2]) -> Subject {
    let measure = match sides[1].is_scored() {
        true => Measure::Score,
        false => Measure::WinShare,
    };
    // Systems that both sides have under one name and that are not themselves compared.
    let others = shared_systems(sides).filter(|[was, is]| *was != old && *is != new);
    Subject {
        systems: [old, new],
        measure,
        opponents: others.collect(),
    }
}

/// Returns the two systems of one side that are compared: those that are named, or the only two.
pub(super) fn subjects_within(
    side: &SideData,
    options: &CompareOptions,
) -> Result<Vec<Subject>, Refusal> {
    let [old, new] = match (&options.pair, &options.systems[..], &side.systems[..]) {
        (Some([old, new]), ..) => [find(side, old)?, find(side, new)?],
        (None, [old, new], _) => [find(side, old)?, find(side, new)?],
        (None, [], [_, _]) => [0, 1],
        _ => {
            return Err(Refusal::of_input(format!(
                "{} has {}: say which two are compared, the earlier first: {} OLD,NEW; a ranking \
                 with {} compares all pairs, their p-values corrected",
                side.source,
                side.systems.join(", "),
                Setting::Pair,
                Setting::Differences
            )));
        }
    };
    if old == new {
        return Err(Refusal::new(
            Setting::Pair,
            Cause::Value,
            "a system is not compared with itself",
        ));
    }
    let mut subject = subject([side, side], [old, new]);
    subject
        .opponents
        .retain(|[was, is]| *was != new && *is != old);
    let is_direct = side.verdicts.iter().any(|verdict| {
        let pair = (verdict.first, verdict.second);
        pair == (old, Some(new)) || pair == (new, Some(old))
    });
    if is_direct {
        subject.measure = Measure::HeadToHead;
    }
    Ok(vec![subject])
}
