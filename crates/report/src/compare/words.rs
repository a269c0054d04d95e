//! A comparison in sentences: the answer first.

use crate::numbers::{chosen_percent, count_items, count_of, group_digits, or_blank};
use evenhand_compare::{
    Change, ChangeMethod, Comparison, Drift, DriftKind, DriftLooks, DriftTest, Measure,
    SystemChange,
};
use evenhand_core::{ItemShares, list_names, name_in_words, p_value_text};
use evenhand_ranking::list_in_words;
use schemars::JsonSchema;
use serde::Serialize;

/// Says what should be compared and is not: the first line of every answer. None where nothing is
/// missing.
pub(crate) fn missing_text(comparison: &Comparison) -> Option<String> {
    let lacking = comparison.missing.sentence()?;
    Some(format!("Missing: {lacking}."))
}

/// Says what rests on replies of other runs, a sentence for each side that has any.
pub(crate) fn copied_lines(comparison: &Comparison) -> Vec<String> {
    let lines = comparison.copied.iter().flatten().map(|copied| {
        let runs = copied.runs.iter().map(|(run, calls)| {
            let run = run.as_deref().unwrap_or("a run that is not named");
            format!("{run}: {}", count_of(*calls, "reply", "replies"))
        });
        let runs: Vec<String> = runs.collect();
        let runs = match runs[..] {
            [] => String::new(),
            _ => format!(" ({})", runs.join("; ")),
        };
        format!(
            "{} of {} verdicts of {} rest on replies copied from other runs{runs}",
            group_digits(copied.judgments),
            group_digits(copied.of),
            copied.source,
        )
    });
    lines.collect()
}

/// Says whether the judge changed, where it did or where nothing else could, and what became of
/// each system, a sentence each; those of which no answer changed share one.
pub(crate) fn answer_lines(comparison: &Comparison) -> Vec<String> {
    let systems = comparison.systems.iter();
    let (same, others): (Vec<_>, Vec<_>) = systems.partition(|system| is_fixed(system));
    let is_all_same = others.is_empty() && !same.is_empty();
    let is_untouched = same.iter().all(|system| is_untouched(system));
    let names: Vec<String> = same.iter().map(|system| system.current.clone()).collect();
    let names = list_in_words(&names);
    let drift = comparison.drift.as_ref();
    let measured = drift.filter(|drift| drift.judgments > 0 && comparison.current.is_some());
    let changed = measured.filter(|drift| drift.is_significant(comparison.level));
    let judge = changed.or(measured.filter(|_| is_all_same && !is_untouched));
    let judge = judge.map(|drift| judge_answer(drift, comparison.level));
    let has_judge = judge.is_some();
    let mut lines: Vec<String> = judge.into_iter().collect();
    let others = others.into_iter();
    lines.extend(others.map(|system| answer_text(system, comparison.level)));
    let is_asked = drift.is_none_or(|drift| drift.judgments > 0);
    match same[..] {
        [] => {}
        _ if !is_asked => lines.push(format!(
            "The answers of {names} and the judge's replies that are compared are the same in \
             both: nothing could differ."
        )),
        _ if has_judge && is_all_same => {
            if let Some(first) = lines.first_mut() {
                *first += " No system's answers changed.";
            }
        }
        [system] => lines.push(answer_text(system, comparison.level)),
        _ if is_untouched => lines.push(format!(
            "No answer of {names} changed, nor did what the judge says of them."
        )),
        _ => lines.push(format!(
            "No answer of {names} changed: what the judge says of them changed by its own doing \
             alone."
        )),
    }
    lines
}

/// Says in one sentence whether the judge is shown to have changed, and by the surest test how.
fn judge_answer(drift: &Drift, level: f64) -> String {
    let turned = format!(
        "{} of {}",
        group_digits(drift.changed as u64),
        count_of(drift.judgments as u64, "judgment", "judgments")
    );
    if let Some(looks) = &drift.looks {
        let p = p_value_text(looks.p);
        return match looks.found_at(level) {
            Some(at) => format!("The judge changed: found at look {at} (p {p})."),
            None => format!("No change of the judge is shown (p {p}; {turned} turned)."),
        };
    }
    let tested = drift.tests.iter();
    let tested = tested.filter_map(|test| Some((test, test.p_adjusted?)));
    let surest = tested.min_by(|one, other| one.1.total_cmp(&other.1));
    let Some((test, p)) = surest else {
        return format!(
            "No change of the judge is shown: nothing could be tested ({turned} turned)."
        );
    };
    let p = p_value_text(p);
    if !drift.is_significant(level) {
        return format!("No change of the judge is shown (p {p}; {turned} turned).");
    }
    format!(
        "The judge changed: on the same answers, {} (p {p}).",
        shift_text(drift, test)
    )
}

/// Says what the judge does otherwise now, in which direction and to whom.
fn shift_text(drift: &Drift, test: &DriftTest) -> String {
    let difference = test.change.difference;
    let size = |measure: Measure| {
        let text = signed_text(measure, difference.abs());
        text.trim_start_matches('+').to_string()
    };
    let (lower, less) = match difference < 0.0 {
        true => ("lower", "less"),
        false => ("higher", "more"),
    };
    let name = name_in_words(test.system.as_deref().unwrap_or("a system"));
    let [turned, of] = [drift.changed, drift.judgments].map(|count| group_digits(count as u64));
    let are_scores = drift.are_scores();
    match test.what {
        DriftKind::Score => format!("it now scores {} {lower}", size(Measure::Score)),
        DriftKind::System if are_scores => {
            format!("it now scores {name} {} {lower}", size(Measure::Score))
        }
        DriftKind::System => {
            let size = size(Measure::WinShare);
            format!("{name}'s share of wins is now {size} {lower}")
        }
        DriftKind::FirstSlot => {
            let size = size(Measure::WinShare);
            format!("the share of the answer shown first is now {size} {lower}")
        }
        DriftKind::Decided => format!(
            "its verdicts are now {} {less} decided",
            size(Measure::WinShare)
        ),
        DriftKind::Turned if are_scores => format!(
            "it now gives another score in {turned} of {of} judgments, more than its own noise does"
        ),
        DriftKind::Turned => format!(
            "it now prefers the other one in {turned} of {of} judgments, more than its own noise \
             does"
        ),
        DriftKind::Reversed if are_scores => {
            "those that it scored above others it now mostly scores below them".into()
        }
        DriftKind::Reversed => {
            "where it preferred the first one more than elsewhere, it now mostly prefers it less"
                .into()
        }
    }
}

/// Whether no answer of a system changed and none of its change is left but the judge's own:
/// nothing else could differ, so that it has no row.
pub(crate) fn is_fixed(system: &SystemChange) -> bool {
    let change = system.change();
    let is_same = system.current == system.baseline && system.changed == 0;
    is_same && change.difference == 0.0 && change.up + change.down == 0
}

/// Whether neither an answer of a system nor a verdict on one changed: an interval of its change
/// would be about nothing.
pub(crate) fn is_untouched(system: &SystemChange) -> bool {
    let change = &system.observed;
    let is_same = system.changed == 0 && system.differing[0] == 0;
    is_same && change.difference == 0.0 && change.up + change.down == 0
}

/// Says what became of a system, in one sentence.
pub(crate) fn answer_text(system: &SystemChange, level: f64) -> String {
    let change = system.change();
    // None of its answers changed: what the judge says of it is the judge's doing.
    if system.changed == 0 {
        let now = value_text(system.measure, system.means[1]);
        let before = earlier_text(system);
        let did = match system.measure {
            Measure::Score => "scores",
            _ => "wins",
        };
        let name = name_in_words(&system.current);
        return if is_untouched(system) {
            format!("No answer of {name} changed, nor did what the judge says of it ({now}).")
        } else if system.observed.difference == 0.0 {
            let [differing, of] = system.differing.map(|count| group_digits(count as u64));
            let what = match system.measure {
                Measure::Score => "scores",
                _ => "verdicts",
            };
            format!(
                "No answer of {name} changed; {differing} of {of} {what} on them did, though not \
                 their mean ({now})."
            )
        } else if change.difference == 0.0 {
            format!(
                "{name} gave the same answers, so its difference is 0: that it {did} {now}, \
                 {before}, comes from the judge alone: its noise, or a change."
            )
        } else {
            format!(
                "{name} gave the same answers; it {did} {now}, {before}, by what the judge says."
            )
        };
    }
    let [new, old] = [&system.current, &system.baseline].map(|name| name_in_words(name));
    let verdict = verdict_of(change, level);
    // A sentence that begins with two names goes on with the one that is meant.
    let who = match verdict {
        Verdict::Better | Verdict::Worse => "it",
        Verdict::Open | Verdict::Undefined => &new,
    };
    let figures = figures_text(system, change, level, who);
    match verdict {
        Verdict::Better if new == old => format!("{new} got better: {figures}."),
        Verdict::Worse if new == old => format!("{new} got worse: {figures}."),
        Verdict::Better => format!("{new} is better than {old}: {figures}."),
        Verdict::Worse => format!("{new} is worse than {old}: {figures}."),
        Verdict::Open => format!(
            "{}: {figures}{}{}.",
            no_difference(system),
            or_blank(change.undefined.as_deref(), |why| format!("; {why}")),
            or_blank(change.detectable, |least| {
                let least = signed_text(system.measure, least);
                let least = least.trim_start_matches('+');
                format!("; {least} or more would have been found with a power of 80 %")
            })
        ),
        Verdict::Undefined => format!(
            "{}: {figures}; {}.",
            no_difference(system),
            change
                .undefined
                .as_deref()
                .unwrap_or("there is no interval")
        ),
    }
}

fn no_difference(system: &SystemChange) -> String {
    let [new, old] = [&system.current, &system.baseline].map(|name| name_in_words(name));
    if new == old {
        format!("No change of {new} can be told from noise")
    } else {
        format!("No difference between {new} and {old} can be told from noise")
    }
}

/// What a change says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// The system is better.
    Better,
    /// It is worse.
    Worse,
    /// No difference was found.
    #[serde(rename = "no difference found")]
    Open,
    /// There is no test.
    Undefined,
}

impl Verdict {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Open => "no difference found",
            Verdict::Undefined => "undefined",
        }
    }
}

pub(crate) fn verdict_of(change: &Change, level: f64) -> Verdict {
    match change.p_value {
        None => Verdict::Undefined,
        Some(p) if p >= 1.0 - level => Verdict::Open,
        Some(_) if change.difference > 0.0 => Verdict::Better,
        Some(_) => Verdict::Worse,
    }
}

fn figures_text(system: &SystemChange, change: &Change, level: f64, who: &str) -> String {
    let now = value_text(system.measure, system.means[1]);
    let before = earlier_text(system);
    let items = count_items(change.items as u64, change.questions as u64);
    let interval = interval_text(system.measure, change, level);
    let bare = signed_text(system.measure, change.difference);
    let difference = match change.method {
        ChangeMethod::ControlledSignFlip => {
            format!("; without the judge's own change the difference is {bare}")
        }
        _ => format!(", a difference of {bare}"),
    };
    match system.measure {
        Measure::HeadToHead => {
            // Where all is won or lost, a share of items is one that prefers it.
            let values = system.by_item.iter().map(|item| item.current);
            let share = ItemShares::of(values).in_words(Some(who), &now, &items);
            format!("{share}, {bare} from even{interval}")
        }
        Measure::WinShare => {
            let against = match system.current == system.baseline {
                true => "",
                false => " against the opponents of both",
            };
            format!("{who} wins {now}{against}, {before}{difference}{interval} on {items}")
        }
        Measure::Score => {
            format!("{who} scores {now}, {before}{difference}{interval} on {items}")
        }
    }
}

/// Says what the one that a system is held against comes to: itself before, or the other by its
/// name, as two systems have no before and after.
fn earlier_text(system: &SystemChange) -> String {
    let mean = value_text(system.measure, system.means[0]);
    if system.current == system.baseline {
        format!("{mean} before")
    } else {
        format!("{} {mean}", name_in_words(&system.baseline))
    }
}

/// Says on how many items each system could not be compared, and why. Systems that are gone
/// altogether are what is missing, and nothing else of them is to be said.
pub(crate) fn left_out_lines(comparison: &Comparison) -> impl Iterator<Item = String> + '_ {
    // Whether nothing was judged there yet, or an answer is lacking, is not known.
    let (all, some) = match comparison.current {
        Some(_) => (
            "one side has no verdict on them",
            "have no verdict of one side",
        ),
        None => (
            "no verdict on the two is there",
            "have no verdict on the two",
        ),
    };
    let systems = comparison.missing.systems.iter();
    systems
        .filter(|one| one.missing() > 0 && one.current.is_some())
        .map(move |one| {
            let [failed, rest] = [one.failed, one.missing() - one.failed];
            let why = match (failed, rest) {
                (0, _) => all.into(),
                (_, 0) => "a judgment on each came to no verdict".into(),
                _ => format!(
                    "on {} a judgment came to no verdict, {} {some}",
                    group_digits(failed as u64),
                    group_digits(rest as u64)
                ),
            };
            format!(
                "{} of {} of {}: {why}",
                group_digits(one.missing() as u64),
                count_of(one.expected as u64, "item", "items"),
                one.name()
            )
        })
}

fn interval_text(measure: Measure, change: &Change, level: f64) -> String {
    let percent = chosen_percent(level);
    let interval = change
        .interval
        .map(|ends| format!("{percent} % interval {}", range_text(measure, ends)));
    let p = change.p_value.map(|p| format!("p {}", p_value_text(p)));
    let known: Vec<String> = interval.into_iter().chain(p).collect();
    match known[..] {
        [] => String::new(),
        _ => format!(" ({})", known.join(", ")),
    }
}

/// A mean: shares as percentages.
pub(crate) fn value_text(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Score => format!("{value:.2}"),
        _ => format!("{:.1} %", 100.0 * value),
    }
}

/// A difference with its sign and its unit.
pub(crate) fn signed_text(measure: Measure, value: f64) -> String {
    let sign = if value >= 0.0 { "+" } else { "" };
    match measure {
        Measure::Score => format!("{sign}{}", bare_text(measure, value)),
        _ => format!("{sign}{} points", bare_text(measure, value)),
    }
}

/// The interval of a difference, without its unit.
pub(crate) fn range_text(measure: Measure, ends: [f64; 2]) -> String {
    let [low, high] = ends.map(|end| bare_text(measure, end));
    format!("{low} to {high}")
}

/// A difference without its unit.
fn bare_text(measure: Measure, value: f64) -> String {
    let text = match measure {
        Measure::Score => format!("{value:.3}"),
        _ => format!("{:.1}", 100.0 * value),
    };
    match text.strip_prefix('-') {
        Some(rest) if rest.parse() == Ok(0.0) => rest.into(),
        _ => text,
    }
}

/// A setting that lists more names than these is folded.
const MANY: usize = 8;

/// Names the settings that differ, below the answer and above all tables.
pub(crate) fn settings_lines(comparison: &Comparison) -> Vec<String> {
    // The first digits of a digest say whether it is another.
    let shorten = |word: &str| -> String {
        let is_digest = word.len() > 20 && word.bytes().all(|c| c.is_ascii_hexdigit());
        if is_digest { &word[..12] } else { word }.into()
    };
    // A value may have several lines.
    let one_line = |value: &str| {
        let words = value.split(['\n', ' ']).map(shorten);
        words.collect::<Vec<_>>().join(" ")
    };
    let lines = comparison.settings.iter().map(|one| {
        // A list of many names is told by the first of those that the other side has not.
        let [here, there] =
            [(&one.here, &one.there), (&one.there, &one.here)].map(|(value, other)| {
                let known: Vec<&str> = other.split(", ").collect();
                let names: Vec<&str> = value.split(", ").collect();
                if names.len().max(known.len()) <= MANY {
                    return one_line(value);
                }
                let own = names.iter().filter(|name| !known.contains(name));
                let own: Vec<String> = own.map(|name| one_line(name)).collect();
                let both = match names.len() - own.len() {
                    0 => None,
                    both => Some(format!("{both} that both have")),
                };
                let own = (!own.is_empty()).then(|| list_names(own));
                let parts: Vec<String> = own.into_iter().chain(both).collect();
                parts.join(", ")
            });
        format!("{}: {here} -> {there}", one.key)
    });
    lines.collect()
}

/// Says whether the judge changed.
pub(crate) fn drift_text(drift: &Drift, level: f64) -> String {
    let copied = match drift.copied {
        0 => String::new(),
        1 => "; 1 judgment rests on one reply in both, which says nothing about the judge".into(),
        count => format!(
            "; {} judgments rest on the same replies in both, which says nothing about the judge",
            group_digits(count as u64)
        ),
    };
    if drift.judgments == 0 {
        return format!("not measured{copied}");
    }
    let rests_on = format!(
        "{} of the same answers on {}",
        count_of(drift.judgments as u64, "judgment", "judgments"),
        count_of(drift.items as u64, "item", "items"),
    );
    let turned = group_digits(drift.changed as u64);
    let are_scores = drift.are_scores();
    let turn = match are_scores {
        true => "are another score now",
        false => "prefer the other now",
    };
    // Nothing tells noise and change apart.
    let noise = match drift.changed > 0
        && !drift.is_significant(level)
        && !drift.compares_with_noise(level)
    {
        false => "",
        true if drift.looks.is_some() => ", which one look cannot tell from the judge's noise",
        true if 2 * drift.alone > drift.judgments => {
            "; judged once and in one order, that may be the judge's noise"
        }
        true => "; so few may be the judge's noise",
    };
    if let Some(looks) = &drift.looks {
        return format!(
            "{}; since the baseline {turned} of {rests_on} {turn}{noise}{copied}",
            looks_text(looks, level)
        );
    }
    let tests = drift.tests.iter().map(|test| {
        let p = or_blank(test.p_adjusted, |p| format!(", p {}", p_value_text(p)));
        let measure = match are_scores && matches!(test.what, DriftKind::Score | DriftKind::System)
        {
            true => Measure::Score,
            false => Measure::WinShare,
        };
        let by = signed_text(measure, test.change.difference);
        let name = test.system.as_deref().unwrap_or("a system");
        match test.what {
            DriftKind::Score => format!("scores moved by {by}{p}"),
            DriftKind::FirstSlot => format!("the first answer's share moved by {by}{p}"),
            DriftKind::Decided => format!("decidedness moved by {by}{p}"),
            DriftKind::System if are_scores => format!("{name}'s scores moved by {by}{p}"),
            DriftKind::System => format!("{name}'s share moved by {by}{p}"),
            DriftKind::Turned if test.p_adjusted.is_some_and(|p| p < 1.0 - level) => {
                format!("verdicts turned more often than by the judge's own noise{p}")
            }
            DriftKind::Turned => {
                format!("verdicts turned no more often than by the judge's own noise{p}")
            }
            DriftKind::Reversed if test.p_adjusted.is_some_and(|p| p < 1.0 - level) => {
                format!("items that it told apart mostly changed places{p}")
            }
            DriftKind::Reversed => {
                format!("items that it told apart changed places no more often than not{p}")
            }
        }
    });
    let tests = tests.collect::<Vec<_>>().join("; ");
    let found = if drift.is_significant(level) {
        format!("the judge itself changed: {tests}")
    } else {
        format!("no change of the judge was found ({tests})")
    };
    format!("{found}; {turned} of {rests_on} {turn}{noise}{copied}")
}

/// Says what all looks at the judge found.
fn looks_text(looks: &DriftLooks, level: f64) -> String {
    let wealth = looks.looks.last().map_or(1.0, |look| look.wealth);
    let count = count_of(looks.looks.len() as u64, "look", "looks");
    let p = p_value_text(looks.p);
    match looks.found_at(level) {
        Some(at) => format!(
            "the judge itself changed: found at look {at}, {}, of {count} (p {p} however often \
             one looks)",
            looks.looks[at - 1].run
        ),
        None => format!(
            "no change of the judge was found in {count} (p {p} however often one looks; wealth \
             {wealth:.2}, a change at {:.0})",
            1.0 / (1.0 - level)
        ),
    }
}

/// Names the method of a change: its test, of which its interval is the inversion.
pub(crate) fn method_words(method: ChangeMethod) -> &'static str {
    match method {
        ChangeMethod::SignTest => "exact sign test over items",
        ChangeMethod::McNemar => "McNemar's exact test over items",
        ChangeMethod::SignFlip => "sign-flip test over items",
        ChangeMethod::ControlledSignFlip => {
            "sign-flip test over items, the judge's own change taken out"
        }
        ChangeMethod::Ranking => "the ranking's own intervals",
    }
}
