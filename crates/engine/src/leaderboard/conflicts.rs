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
    match find_idle(options, sort) {
        Some(idle) => Err(idle.refuse(sort)),
        None => Ok(()),
    }
}

fn find_idle(options: &LeaderboardOptions, sort: FileSort) -> Option<Idle> {
    settings_for_judgments(options, sort)
        .into_iter()
        .chain(settings_for_battles(options, sort))
        .find(|idle| idle.given)
}

impl Idle {
    fn new(given: bool, setting: Setting, purpose: &'static str) -> Idle {
        Idle {
            given,
            setting,
            purpose,
        }
    }

    fn refuse(&self, sort: FileSort) -> Refusal {
        let files = sort.name();
        let reason = format!("{}, and these are {files}; leave it out", self.purpose);
        Refusal::new(self.setting, Cause::Data, reason)
    }
}

const FOR_ARENA_HARD: &str = "it is for Arena-Hard judgments";
const FOR_MT_BENCH: &str = "it is for MT-Bench pairs";

fn settings_for_judgments(options: &LeaderboardOptions, sort: FileSort) -> [Idle; 3] {
    let wrong = sort != FileSort::Recorded;
    let (baseline, strength) = (options.baseline.is_some(), options.strength.is_some());
    [
        Idle::new(wrong && baseline, Setting::Baseline, FOR_ARENA_HARD),
        Idle::new(
            wrong && options.both_games,
            Setting::BothGames,
            FOR_MT_BENCH,
        ),
        Idle::new(wrong && strength, Setting::Strength, FOR_ARENA_HARD),
    ]
}

fn settings_for_battles(options: &LeaderboardOptions, sort: FileSort) -> [Idle; 4] {
    let (battles, counts) = (sort == FileSort::Battles, sort == FileSort::Counts);
    let texts = options.texts.is_some() && !battles;
    let weight = options.weight.is_some() && !battles;
    let both_bad = options.both_bad.is_some() && !battles && !counts;
    let outcomes = !options.outcomes.is_empty() && counts;
    [
        Idle::new(texts, Setting::Texts, "it names columns of battles"),
        Idle::new(weight, Setting::Weight, "it names a column of battles"),
        Idle::new(both_bad, Setting::BothBad, "it is for battles and counts"),
        Idle::new(
            outcomes,
            Setting::Outcomes,
            "it is for words that say who won",
        ),
    ]
}

fn check_differences(options: &LeaderboardOptions) -> Result<(), Refusal> {
    if options.rank.differences && options.rank.ci == Ci::None {
        return Err(refuse_differences());
    }
    Ok(())
}

fn refuse_differences() -> Refusal {
    let ci = Setting::Ci;
    let reason = format!("it needs intervals; leave {ci} none out");
    refuse_with(Setting::Differences, ci, reason)
}

fn check_control_conflicts(options: &LeaderboardOptions) -> Result<(), Refusal> {
    if options.control.is_empty() {
        return Ok(());
    }
    if options.both_bad == Some(BothBad::Apart) {
        return Err(refuse_with_control(Setting::BothBad).with_value("apart"));
    }
    if options.strength.is_some() {
        return Err(refuse_with_control(Setting::Strength));
    }
    Ok(())
}

fn refuse_with_control(setting: Setting) -> Refusal {
    let control = Setting::Control;
    let reason = format!("it is not done with {control}; leave one of them out");
    refuse_with(setting, control, reason)
}

/// A refusal of a setting beside another one.
fn refuse_with(setting: Setting, other: Setting, reason: String) -> Refusal {
    Refusal::new(setting, Cause::Conflict(other), reason)
}

/// Refuses texts of which nothing is counted.
fn check_texts(options: &LeaderboardOptions) -> Result<(), Refusal> {
    if options.texts.is_some() && !counts_style(&options.control) {
        return Err(refuse_idle_texts());
    }
    Ok(())
}

fn counts_style(control: &[String]) -> bool {
    let mut control = control.iter();
    control.any(|name| StyleCovariate::from_name(name).is_some())
}

fn refuse_idle_texts() -> Refusal {
    let control = Setting::Control;
    let names = StyleCovariate::ALL.map(StyleCovariate::name).join(",");
    let reason =
        format!("nothing is counted in them; say which with {control} {names}, or leave it out");
    Refusal::new(Setting::Texts, Cause::Needs(control), reason)
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
    check_own_intervals(setting, options)?;
    check_own_clusters(setting, options)
}

fn check_own_intervals(setting: Setting, options: &LeaderboardOptions) -> Result<(), Refusal> {
    match options.rank.ci {
        Ci::Sandwich | Ci::None => Ok(()),
        Ci::Bootstrap | Ci::Bca => Err(refuse_other_intervals(setting)),
    }
}

fn refuse_other_intervals(setting: Setting) -> Refusal {
    let ci = Setting::Ci;
    let reason = format!("its intervals are its own; leave {ci} out, or say {ci} none");
    refuse_with(setting, ci, reason)
}

fn check_own_clusters(setting: Setting, options: &LeaderboardOptions) -> Result<(), Refusal> {
    match options.cluster {
        ClusterBy::Auto | ClusterBy::Item => Ok(()),
        ClusterBy::None | ClusterBy::Column(_) => Err(refuse_other_clusters(setting)),
    }
}

fn refuse_other_clusters(setting: Setting) -> Refusal {
    let cluster = Setting::Cluster;
    let reason = format!("what is independent are the items; leave {cluster} out");
    refuse_with(setting, cluster, reason)
}
