//! Refuses settings of a leaderboard that its files, or other settings, leave no use for: nothing
//! is passed over in silence.

use super::options::{BothBad, ClusterBy, LeaderboardOptions};
use super::sort::FileSort;
use crate::rank::method::Ci;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::StyleCovariate;

/// Refuses settings that these files or intervals can do nothing with.
pub(super) fn check_settings(options: &LeaderboardOptions, sort: FileSort) -> Result<(), Refusal> {
    check_use_for_files(options, sort)?;
    check_differences(options)?;
    check_control_conflicts(options)?;
    check_texts(options)
}

/// A setting that was given for files of another sort.
struct Idle {
    given: bool,
    setting: Setting,
    purpose: &'static str,
}

fn check_use_for_files(options: &LeaderboardOptions, sort: FileSort) -> Result<(), Refusal> {
    let idle = settings_for_judgments(options, sort).into_iter();
    let mut idle = idle.chain(settings_for_battles(options, sort));
    let Some(found) = idle.find(|idle| idle.given) else {
        return Ok(());
    };
    let reason = format!(
        "{}, and these are {}; leave it out",
        found.purpose,
        sort.name()
    );
    Err(Refusal::new(found.setting, Cause::Data, reason))
}

fn settings_for_judgments(options: &LeaderboardOptions, sort: FileSort) -> [Idle; 3] {
    let wrong_sort = sort != FileSort::Recorded;
    let idle = |given: bool, setting, purpose| Idle {
        given: given && wrong_sort,
        setting,
        purpose,
    };
    let arena_hard = "it is for Arena-Hard judgments";
    [
        idle(options.baseline.is_some(), Setting::Baseline, arena_hard),
        idle(
            options.both_games,
            Setting::BothGames,
            "it is for MT-Bench pairs",
        ),
        idle(options.strength.is_some(), Setting::Strength, arena_hard),
    ]
}

fn settings_for_battles(options: &LeaderboardOptions, sort: FileSort) -> [Idle; 4] {
    let (battles, counts) = (sort == FileSort::Battles, sort == FileSort::Counts);
    [
        Idle {
            given: options.texts.is_some() && !battles,
            setting: Setting::Texts,
            purpose: "it names columns of battles",
        },
        Idle {
            given: options.weight.is_some() && !battles,
            setting: Setting::Weight,
            purpose: "it names a column of battles",
        },
        Idle {
            given: options.both_bad.is_some() && !battles && !counts,
            setting: Setting::BothBad,
            purpose: "it is for battles and counts",
        },
        Idle {
            given: !options.outcomes.is_empty() && counts,
            setting: Setting::Outcomes,
            purpose: "it is for words that say who won",
        },
    ]
}

fn check_differences(options: &LeaderboardOptions) -> Result<(), Refusal> {
    if !options.rank.differences || options.rank.ci != Ci::None {
        return Ok(());
    }
    let ci = Setting::Ci;
    Err(Refusal::new(
        Setting::Differences,
        Cause::Conflict(ci),
        format!("it needs intervals; leave {ci} none out"),
    ))
}

fn check_control_conflicts(options: &LeaderboardOptions) -> Result<(), Refusal> {
    if options.control.is_empty() {
        return Ok(());
    }
    let control = Setting::Control;
    let refuse = |setting| {
        let reason = format!("it is not done with {control}; leave one of them out");
        Refusal::new(setting, Cause::Conflict(control), reason)
    };
    if options.both_bad == Some(BothBad::Apart) {
        return Err(refuse(Setting::BothBad).with_value("apart"));
    }
    if options.strength.is_some() {
        return Err(refuse(Setting::Strength));
    }
    Ok(())
}

/// Refuses texts of which nothing is counted.
fn check_texts(options: &LeaderboardOptions) -> Result<(), Refusal> {
    let mut control = options.control.iter();
    let counts = control.any(|name| StyleCovariate::from_name(name).is_some());
    if options.texts.is_none() || counts {
        return Ok(());
    }
    let control = Setting::Control;
    let names = StyleCovariate::ALL.map(StyleCovariate::name).join(",");
    Err(Refusal::new(
        Setting::Texts,
        Cause::Needs(control),
        format!("nothing is counted in them; say which with {control} {names}, or leave it out"),
    ))
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
    let Some(other) = others.iter().find(|other| other.given) else {
        return Ok(());
    };
    let Some(first) = other.settings.first() else {
        return Ok(());
    };
    let reason = format!(
        "it does not go with {}{why}; leave one of the two out",
        join_settings(other.settings)
    );
    Err(Refusal::new(setting, Cause::Conflict(*first), reason))
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
    check_own_intervals(setting, options)?;
    check_own_clusters(setting, options)
}

fn check_own_intervals(setting: Setting, options: &LeaderboardOptions) -> Result<(), Refusal> {
    if matches!(options.rank.ci, Ci::Sandwich | Ci::None) {
        return Ok(());
    }
    let ci = Setting::Ci;
    let reason = format!("its intervals are its own; leave {ci} out, or say {ci} none");
    Err(Refusal::new(setting, Cause::Conflict(ci), reason))
}

fn check_own_clusters(setting: Setting, options: &LeaderboardOptions) -> Result<(), Refusal> {
    if matches!(options.cluster, ClusterBy::Auto | ClusterBy::Item) {
        return Ok(());
    }
    let cluster = Setting::Cluster;
    let reason = format!("what is independent are the items; leave {cluster} out");
    Err(Refusal::new(setting, Cause::Conflict(cluster), reason))
}
