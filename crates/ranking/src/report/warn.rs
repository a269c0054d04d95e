//! Warns the reader of a ranking of what limits it.

use super::data::Report;
use super::measured::likelihood_limits;
use crate::collect::Collected;
use crate::score::{Scored, Standing};
use crate::{Warning, WarningKind};
use evenhand_core::{JudgeKind, Setting, VerdictSource};
use evenhand_engine::{AdaptiveReport, Coverage, Job, empty_responses_warning, marks_warning};
use evenhand_protocols::AnswerReading;
use evenhand_stats::inference::InferenceError;
use std::collections::HashSet;

/// Above this share of failures a ranking may be that of the answers that the judge could judge.
const MANY_FAILURES: f64 = 0.05;
/// Above this share of verdicts on two responses that are the same, a word is said of it.
const MANY_SAME: f64 = 0.05;
/// Above this share a judge has not answered what it was asked.
const MUCH_OUTSIDE: f64 = 0.5;
/// More pairs than these are only counted.
const MANY_PAIRS: usize = 5;
/// More notes than these are only counted.
const MANY_NOTES: usize = 20;
/// More items than these are only counted.
const MANY_ITEMS: usize = 3;

/// Returns the warnings about the judge and its verdicts; `below_coin` is whether it keeps its
/// verdict in both orders less often than a coin, by a test.
pub(super) fn warn_of_judgments(
    job: &Job,
    report: &Report,
    collected: &Collected,
    below_coin: bool,
) -> Vec<Warning> {
    let position = position_bias(report).filter(|_| below_coin);
    warnings_with_text([
        (WarningKind::Position, position),
        (WarningKind::OneSlot, one_slot(job, collected)),
        (WarningKind::Prose, mostly_prose(job, report)),
        (WarningKind::AgainstText, against_text(report)),
        (
            WarningKind::SmallModel,
            likelihood_limits(&job.protocol.form(), &job.judges.panel),
        ),
        (WarningKind::SmallModel, job.judge_limits.clone()),
        (WarningKind::OtherData, foreign_weights(job)),
        (WarningKind::Failures, many_failures(report)),
        (WarningKind::OneOrder, half_pairs_text(collected.set_aside)),
        (WarningKind::Outside, much_outside(report)),
        (WarningKind::TextAlone, read_from_text(job, report)),
        (WarningKind::ChatMarks, marks_warning(job)),
        (WarningKind::MissingResponses, missing_responses(job)),
        (WarningKind::EmptyResponses, empty_responses_warning(job)),
        (WarningKind::Copies, copied_items(job)),
        (
            WarningKind::SameResponses,
            same_responses(report, collected),
        ),
    ])
}

/// Returns the warnings about the scores that were made of them.
pub(super) fn warn_of_scores(report: &Report, scored: &Scored) -> Vec<Warning> {
    warnings_with_text([
        (WarningKind::Coin, like_a_coin(report, scored)),
        (WarningKind::Prior, shrunk_scores(report)),
        (WarningKind::Disconnected, disconnected_groups(report)),
        (WarningKind::Unconverged, unconverged_fit(scored)),
        (WarningKind::Unconverged, unconverged_rounds(scored)),
        (WarningKind::FewItems, few_items(report, scored)),
        (WarningKind::FewRounds, few_rounds(scored)),
        (WarningKind::FewRounds, near_the_level(report, scored)),
        (WarningKind::NotToldApart, close_neighbours(report, scored)),
    ])
}

/// Returns the warnings about how the judge served, where a run was disturbed.
pub(super) fn warn_of_service(notes: &[String]) -> Vec<Warning> {
    let shown = notes.iter().take(MANY_NOTES).cloned();
    let more = notes.len().saturating_sub(MANY_NOTES);
    let rest = (more > 0).then(|| format!("{more} more such notes on how the judge served"));
    let texts = shown.chain(rest);
    texts.map(|text| WarningKind::Service.says(text)).collect()
}

/// Returns the warnings about what an adaptive design chose to judge.
pub(super) fn warn_of_certified(found: &AdaptiveReport) -> Vec<Warning> {
    let failed = found.failed;
    let left_out = (failed > 0).then(|| {
        format!("{failed} trials without a verdict count for neither side in what is certified")
    });
    warnings_with_text([
        (WarningKind::Adaptive, Some(CHOSEN_BY_FINDINGS.into())),
        (WarningKind::Failures, left_out),
    ])
}

const CHOSEN_BY_FINDINGS: &str = "intervals and p-values of scores and their differences ignore \
                                  that judgments were chosen by earlier verdicts; the certified orders \
                                  take it into account";

/// Keeps those warnings that there is something to say of.
fn warnings_with_text<const N: usize>(
    warnings: [(WarningKind, Option<String>); N],
) -> Vec<Warning> {
    let warnings = warnings.into_iter();
    warnings
        .filter_map(|(kind, text)| Some(kind.says(text?)))
        .collect()
}

/// A judge that decides by position is consistent on no pair, one that tosses a coin on half of
/// them.
fn position_bias(report: &Report) -> Option<String> {
    let share = report.consistency.as_ref()?;
    Some(format!(
        "the judge keeps its verdict on {:.0} % of pairs when the two responses change places (a \
         coin: 50 %): the order of this ranking is not supported by it",
        100.0 * share.value
    ))
}

/// A judge that tells systems apart does better than a coin, however often the order turns it; and
/// one that is below a coin is said to be.
fn like_a_coin(report: &Report, scored: &Scored) -> Option<String> {
    let tells_apart = scored
        .joint
        .as_ref()
        .is_some_and(|joint| !joint.apart.is_empty());
    let is_below = |one: &Warning| one.kind == WarningKind::Position;
    if tells_apart || report.warnings.iter().any(is_below) {
        return None;
    }
    let share = report.consistency.as_ref()?;
    let [low, high] = share.ci.filter(|[low, _]| *low <= 0.5)?;
    Some(format!(
        "when the two responses change places, the judge keeps its verdict on {:.0} % of pairs ({:.0} \
         to {:.0}; a coin: 50 %): on these responses it is not shown to do better than a coin",
        100.0 * share.value,
        100.0 * low,
        100.0 * high
    ))
}

fn foreign_weights(job: &Job) -> Option<String> {
    job.protocol.is_weighed().then(|| {
        "the panel's weights come from labels of other data; to see how far they hold here, run \
         meta judge on some labels of these data"
            .into()
    })
}

/// Half a pair says what the judge thinks of a slot, and of a system only if failures are random.
pub(crate) fn half_pairs_text(count: u64) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{count} verdict{} on a pair whose other order failed count{} for no system: one order \
             alone carries the judge's preference for a slot; judge them again",
            if count == 1 { "" } else { "s" },
            if count == 1 { "s" } else { "" },
        )
    })
}

fn many_failures(report: &Report) -> Option<String> {
    let Coverage {
        trials, verdicts, ..
    } = report.coverage;
    let failed = trials - verdicts;
    if failed as f64 <= MANY_FAILURES * trials as f64 {
        return None;
    }
    let kinds = report.coverage.failures.iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    Some(format!(
        "{failed} of {trials} trials have no verdict ({}); they are excluded",
        kinds.join(", ")
    ))
}

/// Of the same two responses nothing is to be found, and many of them make systems look alike.
fn same_responses(report: &Report, collected: &Collected) -> Option<String> {
    let (same, verdicts) = (collected.same, report.coverage.verdicts);
    if same as f64 <= MANY_SAME * verdicts as f64 {
        return None;
    }
    Some(format!(
        "{same} of {verdicts} verdicts are on two identical responses: they do not say which \
         system is better, or whether the judge follows the order"
    ))
}

fn much_outside(report: &Report) -> Option<String> {
    let outside = report.outside.filter(|outside| *outside > MUCH_OUTSIDE)?;
    Some(format!(
        "on average {:.0} % of the judge's probability was on none of the answers asked for: it \
         hardly answers the question",
        100.0 * outside
    ))
}

/// A served judge whose server gives no log probabilities, or not where an answer was due.
fn read_from_text(job: &Job, report: &Report) -> Option<String> {
    // An API that never gives log probabilities is no fault of the run: docs/served.md says so of
    // Anthropic's.
    let mut judges = job.judges.panel.iter();
    let gives_none_by_design = judges.all(|judge| JudgeKind::of(judge) == JudgeKind::Anthropic);
    let due = job.judges.served && job.protocol.wants_probabilities();
    if !due || gives_none_by_design {
        return None;
    }
    let text = count_words(report);
    let measured = VerdictSource::ALL.iter().filter(|s| s.is_measured());
    let all = text + measured.map(|s| count_source(report, *s)).sum::<u64>();
    match text {
        0 => None,
        _ if text == all => Some(
            "the server sends no token probabilities: each verdict is taken from the text as it \
             stands"
                .into(),
        ),
        _ => Some(format!(
            "{text} of {all} verdicts are taken from the text as it stands: the server sent no token \
             probabilities where the answer was due"
        )),
    }
}

/// Counts the verdicts that the strict reader read from words of the judge.
fn count_words(report: &Report) -> u64 {
    let words = VerdictSource::ALL.iter().filter(|s| s.is_words());
    words.map(|source| count_source(report, *source)).sum()
}

/// Above this share of verdicts a reader's rules are the judge's voice.
const MOSTLY: f64 = 0.5;

/// Most verdicts are what a reader found in the judge's own way of putting it, and not an answer in
/// the form asked for.
fn mostly_prose(job: &Job, report: &Report) -> Option<String> {
    let prose = count_source(report, VerdictSource::Prose);
    let all = count_words(report) + count_source(report, VerdictSource::SecondStage);
    if prose as f64 <= MOSTLY * all as f64 {
        return None;
    }
    let remedy = if job.judges.served && job.protocol.held_replies().is_some() {
        "a server that holds replies to a JSON schema (vLLM, SGLang, llama.cpp, Ollama, OpenAI; \
         `json-schema` in [judges.NAME.dialect]) gives each verdict in the form asked for"
            .to_string()
    } else {
        format!(
            "use a judge that keeps to the form, or {} JUDGE to read what the reader cannot",
            Setting::SecondStage
        )
    };
    Some(format!(
        "{prose} of {all} verdicts are read from prose, not from an answer in the form asked for: \
         look at some of them; {remedy}"
    ))
}

/// Text and most probable answer that contradict each other are two verdicts.
fn against_text(report: &Report) -> Option<String> {
    let count = count_source(report, VerdictSource::AgainstText);
    let all = report.coverage.verdicts;
    (count > 0).then(|| {
        format!(
            "in {count} of {all} verdicts the most probable answer is not the one that the text \
             states; the probabilities count; with {} these are failures",
            Setting::StrictReading
        )
    })
}

/// A judge whose most probable answer is one slot whatever is shown there says nothing by it, while
/// its probabilities may.
fn one_slot(job: &Job, collected: &Collected) -> Option<String> {
    let averaged = job.protocol.averaged()?;
    let found = match collected.one_slot.named_slot() {
        Some(slot) => {
            let [low, high] = collected.one_slot.range;
            format!(
                "the judge names the {slot} response in every verdict, with probabilities from \
                 {low:.2} to {high:.2}: by its answers alone it tells nothing apart"
            )
        }
        None if job.protocol.form().reading() == Some(AnswerReading::Mode) => {
            let slot = collected.one_slot.only_slot()?;
            format!(
                "the judge names the {slot} response in every verdict, and `,mode` counts nothing \
                 else: all systems are equal by it, while the replies hold probabilities"
            )
        }
        None => return None,
    };
    Some(format!(
        "{found}; {averaged} takes the mean of the probabilities in both orders instead, from the \
         stored replies and without a call: give the same command {} {averaged} and {} RUN, with \
         this run as RUN and another run directory",
        Setting::Protocol,
        Setting::Reuse,
    ))
}

fn count_source(report: &Report, source: VerdictSource) -> u64 {
    report.sources.get(source.name()).copied().unwrap_or(0)
}

/// Names items that are there again under other ids.
fn copied_items(job: &Job) -> Option<String> {
    let copies = &job.copies;
    let (are, count) = match copies.len() {
        0 => return None,
        1 => ("is a copy", 1),
        count => ("are copies", count),
    };
    let id = |item: &u32| &job.dataset.items[*item as usize].id;
    let named = copies.iter().take(MANY_ITEMS);
    let named: Vec<String> = named
        .map(|[copy, original]| format!("{} of {}", id(copy), id(original)))
        .collect();
    let more = if count > MANY_ITEMS { ", .." } else { "" };
    Some(format!(
        "{count} of {} items {are} of others, with the same instruction and the same responses \
         under another id ({}{more}): they add nothing, and count together with the item that they \
         copy; leave them out",
        job.dataset.items.len(),
        named.join(", ")
    ))
}

fn missing_responses(job: &Job) -> Option<String> {
    let missing = &job.dataset.missing;
    if missing.is_empty() {
        return None;
    }
    let shown = missing.iter().take(MANY_ITEMS).map(ToString::to_string);
    let shown: Vec<String> = shown.collect();
    let mut list = shown.join(", ");
    let more = missing.len() - shown.len();
    if more > 0 {
        list += &format!(" and {more} more");
    }
    Some(format!(
        "{} of {} items lack a response of some system: {list}",
        missing.len(),
        job.dataset.items.len()
    ))
}

fn disconnected_groups(report: &Report) -> Option<String> {
    let groups = report.components.iter();
    let groups: Vec<String> = groups.map(|group| group.join(", ")).collect();
    let groups = groups.join(" | ");
    (!groups.is_empty()).then(|| {
        format!(
            "no chain of comparisons links these groups, and nothing can be said between them: \
             {groups}"
        )
    })
}

fn shrunk_scores(report: &Report) -> Option<String> {
    let weight = report.prior?;
    Some(format!(
        "scores are shrunk towards the mean by a ridge prior of weight {weight:?}: they are finite \
         whatever was won"
    ))
}

fn unconverged_fit(scored: &Scored) -> Option<String> {
    let fit = scored.fit.filter(|fit| !fit.converged)?;
    Some(format!(
        "the fit did not converge in {} iterations (gradient {:.2e}): do not trust the scores",
        fit.iterations, fit.gradient
    ))
}

fn unconverged_rounds(scored: &Scored) -> Option<String> {
    let rounds = scored.unconverged_rounds;
    (rounds > 0).then(|| {
        format!("the fit did not converge in {rounds} of the resamples: do not trust the intervals")
    })
}

fn few_rounds(scored: &Scored) -> Option<String> {
    match scored.no_ranks.as_ref()? {
        InferenceError::FewRounds { needed, .. } => Some(format!(
            "too few resamples for rank intervals at this level: they need at least {needed}"
        )),
        _ => None,
    }
}

/// Whether the first is ahead of all others is what a headline says. Where the p-value of that lies
/// within two of its Monte Carlo standard errors of the level, another seed may say otherwise
/// (Davison and Hinkley 1997, section 4.2.5).
fn near_the_level(report: &Report, scored: &Scored) -> Option<String> {
    let joint = scored.joint.as_ref()?;
    let rounds = joint.least?.recip() - 1.0;
    let order = scored.rank_order();
    let (first, others) = order.split_first()?;
    let p_values = others.iter().map(|other| joint.p_adjusted(*first, *other));
    let p = p_values.flatten().fold(f64::NAN, f64::max);
    let level = 1.0 - report.ci.level;
    let error = 2.0 * (p * (1.0 - p) / rounds).sqrt();
    // With many rounds, what is still near is as good as at the level.
    let is_near = (p - level).abs() <= error && rounds < 10_000.0;
    is_near.then(|| {
        format!(
            "whether {} leads is within the error of {rounds:.0} resamples (p {p:.3}, give or take \
             {error:.3}): 20,000 settle it",
            report
                .ranking
                .first()
                .map_or("one", |row| row.system.as_str())
        )
    })
}

/// Below so many items an interval of skewed scores is too narrow for its level
/// (docs/design/statistics.md).
const FEW_ITEMS: usize = 10;

fn few_items(report: &Report, scored: &Scored) -> Option<String> {
    let clusters = scored.clusters.filter(|clusters| *clusters < FEW_ITEMS)?;
    let has_interval = |system: &Standing| matches!(system.interval, Some(Ok(_)));
    if !scored.systems.iter().any(has_interval) {
        return None;
    }
    let unit = match report.questions < report.items {
        true => "question",
        false => "item",
    };
    let plural = if clusters == 1 { "" } else { "s" };
    let unranked = match scored.no_ranks {
        Some(InferenceError::FewClusters { needed, .. }) => format!(
            "; no systems are told apart, and ranks have no intervals, which need at least \
             {needed} {unit}s"
        ),
        _ => String::new(),
    };
    Some(format!(
        "every interval rests on {clusters} {unit}{plural}: from fewer than {FEW_ITEMS}, intervals \
         may be narrower than their level says{unranked}"
    ))
}

/// Neighbours in the ranking that the rank intervals do not distinguish.
fn close_neighbours(report: &Report, scored: &Scored) -> Option<String> {
    let apart: HashSet<_> = scored.joint.as_ref()?.apart.iter().copied().collect();
    let order = scored.rank_order();
    let mut pairs = Vec::new();
    for (numbers, rows) in order.windows(2).zip(report.ranking.windows(2)) {
        let are_ranked = rows.iter().all(|row| row.rank_ci.is_some());
        if are_ranked && !apart.contains(&(numbers[0], numbers[1])) {
            pairs.push(format!("{} and {}", rows[0].system, rows[1].system));
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let more = pairs.len().saturating_sub(MANY_PAIRS);
    pairs.truncate(MANY_PAIRS);
    if more > 0 {
        pairs.push(format!("and {more} more"));
    }
    let list = pairs.join("; ");
    Some(format!(
        "these neighbours are not distinguishable at this level: {list}"
    ))
}
