//! Refuses settings of a leaderboard that its files, or other settings, leave no use for: nothing
//! is passed over in silence.

use super::options::{BothBad, ClusterBy, LeaderboardOptions};
use super::sort::FileSort;
use crate::method::Ci;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::StyleCovariate;

/// Refuses settings that these files or intervals can do nothing with.
pub(super) fn check_settings(options: &LeaderboardOptions, sort: FileSort) -> Result<(), Refusal> {
    const FOR_ARENA_HARD: &str = "it is for Arena-Hard judgments";
    let (battles, counts) = (sort == FileSort::Battles, sort == FileSort::Counts);
    let not_judgments = sort != FileSort::Recorded;
    let idle = [
        (
            not_judgments && options.baseline.is_some(),
            Setting::Baseline,
            FOR_ARENA_HARD,
        ),
        (
            not_judgments && options.both_games,
            Setting::BothGames,
            "it is for MT-Bench pairs",
        ),
        (
            not_judgments && options.strength.is_some(),
            Setting::Strength,
            FOR_ARENA_HARD,
        ),
        (
            options.texts.is_some() && !battles,
            Setting::Texts,
            "it names columns of battles",
        ),
        (
            options.weight.is_some() && !battles,
            Setting::Weight,
            "it names a column of battles",
        ),
        (
            options.both_bad.is_some() && !battles && !counts,
            Setting::BothBad,
            "it is for battles and counts",
        ),
        (
            !options.outcomes.is_empty() && counts,
            Setting::Outcomes,
            "it is for words that say who won",
        ),
    ];
    if let Some((_, setting, purpose)) = idle.into_iter().find(|(given, ..)| *given) {
        let reason = format!("{purpose}, and these are {}; leave it out", sort.name());
        return Err(Refusal::new(setting, Cause::Data, reason));
    }

    if options.rank.differences && options.rank.ci == Ci::None {
        let ci = Setting::Ci;
        let reason = format!("it needs intervals; leave {ci} none out");
        return Err(refuse_with(Setting::Differences, ci, reason));
    }

    let control = Setting::Control;
    if !options.control.is_empty() {
        let beside = |setting| {
            let reason = format!("it is not done with {control}; leave one of them out");
            refuse_with(setting, control, reason)
        };
        if options.both_bad == Some(BothBad::Apart) {
            return Err(beside(Setting::BothBad).with_value("apart"));
        }
        if options.strength.is_some() {
            return Err(beside(Setting::Strength));
        }
    }

    // Texts of which nothing is counted.
    let counts_style = |name: &String| StyleCovariate::from_name(name).is_some();
    if options.texts.is_some() && !options.control.iter().any(counts_style) {
        let names = StyleCovariate::ALL.map(StyleCovariate::name).join(",");
        let reason = format!(
            "nothing is counted in them; say which with {control} {names}, or leave it out"
        );
        return Err(Refusal::new(Setting::Texts, Cause::Needs(control), reason));
    }
    Ok(())
}

/// A refusal of a setting beside another one.
fn refuse_with(setting: Setting, other: Setting, reason: String) -> Refusal {
    Refusal::new(setting, Cause::Conflict(other), reason)
}

/// Settings that were given beside one that they do not go with.
pub(super) struct Given {
    pub(super) settings: &'static [Setting],
    pub(super) given: bool,
}

impl Given {
    pub(super) fn new(settings: &'static [Setting], given: bool) -> Given {
        Given { settings, given }
    }
}

/// Refuses a setting beside the first of these that was given too; `why` says why they do not go
/// together, or is empty.
pub(super) fn refuse_beside(setting: Setting, others: &[Given], why: &str) -> Result<(), Refusal> {
    let mut given = others.iter().filter(|other| other.given);
    let Some((other, first)) = given.find_map(|other| Some((other, other.settings.first()?)))
    else {
        return Ok(());
    };
    let names = join_settings(other.settings);
    let reason = format!("it does not go with {names}{why}; leave one of the two out");
    Err(refuse_with(setting, *first, reason))
}

/// Joins alternatives as a sentence does: "a, b or c".
fn join_settings(settings: &[Setting]) -> String {
    let names: Vec<String> = settings.iter().map(Setting::to_string).collect();
    match &names[..] {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => names.concat(),
    }
}

/// Refuses what an estimator with rows, a fit and intervals of its own has no use for.
pub(super) fn check_own_estimator(
    setting: Setting,
    options: &LeaderboardOptions,
) -> Result<(), Refusal> {
    let others = [
        Given::new(&[Setting::Control], !options.control.is_empty()),
        Given::new(&[Setting::Prior], options.rank.prior.is_some()),
        Given::new(&[Setting::Drop], options.rank.drop),
        Given::new(&[Setting::Strength], options.strength.is_some()),
    ];
    refuse_beside(setting, &others, "")?;
    if matches!(options.rank.ci, Ci::Bootstrap | Ci::Bca) {
        let ci = Setting::Ci;
        let reason = format!("its intervals are its own; leave {ci} out, or say {ci} none");
        return Err(refuse_with(setting, ci, reason));
    }
    if matches!(options.cluster, ClusterBy::None | ClusterBy::Column(_)) {
        let cluster = Setting::Cluster;
        let reason = format!("what is independent are the items; leave {cluster} out");
        return Err(refuse_with(setting, cluster, reason));
    }
    Ok(())
}
