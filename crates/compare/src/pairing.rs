//! Which systems are compared with which.

use super::CompareOptions;
use super::matching::Matching;
use super::side::Side;
use super::subject::{Measure, Subject};
use evenhand_core::Refusal;

/// Checks that two sides have items and anchors in common.
pub(super) fn check_shared(
    [baseline, current]: [&Side; 2],
    matching: &Matching,
    options: &CompareOptions,
) -> Result<(), Refusal> {
    if matching.items.is_empty() {
        return Err(without_items(baseline, current, matching.rewritten));
    }
    if !options.anchors.is_empty() && matching.count_anchors() == 0 {
        return Err(Refusal::of_input(format!(
            "--anchors: none of the {} items named there is in both {} and {}",
            options.anchors.len(),
            baseline.source,
            current.source
        )));
    }
    Ok(())
}

fn without_items(baseline: &Side, current: &Side, rewritten: usize) -> Refusal {
    let why = match rewritten {
        0 => "they have no item in common, by id or by content".to_string(),
        count => format!("the {count} items of the same ids have other texts in them"),
    };
    Refusal::of_input(format!(
        "{} and {} cannot be compared: {why}",
        baseline.source, current.source
    ))
}

/// The refusal where no item has a value for a system on both sides.
pub(super) fn nothing_paired(sides: [&Side; 2]) -> Refusal {
    let hint = likely_pair(sides).map_or_else(String::new, |[old, new]| {
        format!(". Is {new} what became of {old}? Then: --pair {old},{new}")
    });
    Refusal::of_input(format!(
        "nothing can be compared: no item has verdicts of both on the same footing. Scores need a \
         score on both sides; shares need an opponent that both sides have and whose answer did \
         not change (as --design reference:SYSTEM gives); two systems of one run need verdicts on \
         the pair, or such an opponent{hint}"
    ))
}

/// The one system that only the baseline has, and the one that only the current side has.
fn likely_pair([baseline, current]: [&Side; 2]) -> Option<[String; 2]> {
    let only_in = |side: &Side, other: &Side| {
        let own = side.systems.iter();
        let mut own = own.filter(|name| other.find_system(name).is_none());
        own.next().cloned().filter(|_| own.next().is_none())
    };
    Some([only_in(baseline, current)?, only_in(current, baseline)?])
}

/// Returns what is compared between two sides.
pub(super) fn subjects_of(
    sides: [&Side; 2],
    options: &CompareOptions,
) -> Result<Vec<Subject>, Refusal> {
    check_forms(sides)?;
    let pairs = match &options.pair {
        Some([old, new]) => vec![[find(sides[0], old)?, find(sides[1], new)?]],
        None => shared_systems(sides, &options.systems)?,
    };
    let subjects = pairs.iter().map(|systems| subject(sides, *systems));
    Ok(without_mirrors(subjects.collect(), sides))
}

fn check_forms([baseline, current]: [&Side; 2]) -> Result<(), Refusal> {
    if baseline.is_scored() == current.is_scored() {
        return Ok(());
    }
    let form = |side: &Side| if side.is_scored() { "scores" } else { "pairs" };
    Err(Refusal::of_input(format!(
        "{} has {}, {} has {}: they say nothing of each other; judge both by one protocol",
        baseline.source,
        form(baseline),
        current.source,
        form(current)
    )))
}

fn find(side: &Side, name: &str) -> Result<u32, Refusal> {
    side.find_system(name).ok_or_else(|| {
        Refusal::of_input(format!(
            "{}: there is no system {name}; those that are: {}",
            side.source,
            side.systems.join(", ")
        ))
    })
}

/// The systems of these names on both sides; all that both have where none is named.
fn shared_systems(sides: [&Side; 2], named: &[String]) -> Result<Vec<[u32; 2]>, Refusal> {
    if !named.is_empty() {
        let pairs = named
            .iter()
            .map(|name| Ok([find(sides[0], name)?, find(sides[1], name)?]));
        return pairs.collect();
    }
    let names = sides[0].systems.iter().zip(0..);
    let shared = names.filter_map(|(name, old)| Some([old, sides[1].find_system(name)?]));
    let shared: Vec<[u32; 2]> = shared.collect();
    if shared.is_empty() {
        return Err(without_systems(sides));
    }
    Ok(shared)
}

fn without_systems([baseline, current]: [&Side; 2]) -> Refusal {
    Refusal::of_input(format!(
        "{} has {}, {} has {}: no system is in both; say which is compared with which: --pair \
         OLD,NEW",
        baseline.source,
        baseline.systems.join(", "),
        current.source,
        current.systems.join(", ")
    ))
}

fn subject(sides: [&Side; 2], systems: [u32; 2]) -> Subject {
    let measure = match sides[1].is_scored() {
        true => Measure::Score,
        false => Measure::WinShare,
    };
    Subject {
        systems,
        measure,
        opponents: opponents_of(sides, systems),
    }
}

/// Systems that both sides have under one name and that are not themselves compared.
fn opponents_of(sides: [&Side; 2], [old, new]: [u32; 2]) -> Vec<[u32; 2]> {
    let names = sides[0].systems.iter().zip(0..);
    let shared = names.filter_map(|(name, was)| Some([was, sides[1].find_system(name)?]));
    let others = shared.filter(|[was, is]| *was != old && *is != new);
    others.collect()
}

/// Of two systems that have nobody but each other, one is the mirror of the other: the later is
/// kept.
fn without_mirrors(subjects: Vec<Subject>, sides: [&Side; 2]) -> Vec<Subject> {
    let shared = subjects.len() == 2 && sides.iter().all(|side| side.systems.len() == 2);
    if shared && subjects[0].measure == Measure::WinShare {
        return subjects.into_iter().skip(1).collect();
    }
    subjects
}

/// Returns the two systems of one side that are compared: those that are named, or the only two.
pub(super) fn subjects_within(
    side: &Side,
    options: &CompareOptions,
) -> Result<Vec<Subject>, Refusal> {
    let [old, new] = match (&options.pair, &options.systems[..], &side.systems[..]) {
        (Some([old, new]), ..) => [find(side, old)?, find(side, new)?],
        (None, [old, new], _) => [find(side, old)?, find(side, new)?],
        (None, [], [_, _]) => [0, 1],
        _ => return Err(which_two(side)),
    };
    if old == new {
        return Err(Refusal::of_input(
            "--pair: a system is not compared with itself",
        ));
    }
    Ok(vec![subject_within(side, [old, new])])
}

fn which_two(side: &Side) -> Refusal {
    Refusal::of_input(format!(
        "{} has {}: say which two are compared, the earlier first: --pair OLD,NEW",
        side.source,
        side.systems.join(", ")
    ))
}

fn subject_within(side: &Side, systems: [u32; 2]) -> Subject {
    let mut subject = subject([side, side], systems);
    let [old, new] = systems;
    let direct = side.verdicts.iter().any(|verdict| {
        let pair = (verdict.first, verdict.second);
        pair == (old, Some(new)) || pair == (new, Some(old))
    });
    subject
        .opponents
        .retain(|[was, is]| *was != new && *is != old);
    if direct {
        subject.measure = Measure::HeadToHead;
    }
    subject
}
