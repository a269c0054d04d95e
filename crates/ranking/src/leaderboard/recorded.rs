//! Recorded judgments and scores to evidence.

use super::files::judgment_reading;
use super::gathered::{FileSummary, Gathered, KeptSystems, warn_of_names, warn_of_skipped};
use super::options::{ClusterBy, LeaderboardOptions};
use crate::ranking::by_question;
use crate::report::data::{MissingItems, Outcomes};
use crate::report::warn::half_pairs_text;
use crate::score::{Evidence, Games};
use crate::{Aggregation, ScoreUnit, Warning, WarningKind};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{Coverage, EngineError, open_buffered};
use evenhand_formats::judgments::{
    JudgmentReader, Options, RecordedComparison, RecordedJudgments, Strength,
};
use evenhand_stats::{Comparison, Comparisons, ItemScore, ItemScores};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Above this share of failures a reader must know of them.
const MANY_FAILURES: f64 = 0.05;

/// Reads judgments or scores, which are ranked under their items.
pub(super) fn read_own_items(
    options: &LeaderboardOptions,
) -> Result<RecordedJudgments, EngineError> {
    if let ClusterBy::Column(name) = &options.cluster {
        let reason = "these are judgments, whose items are known; say item or none";
        return Err(Refusal::new(Setting::Cluster, Cause::Data, reason)
            .with_value(name)
            .into());
    }
    read_judgments(&options.paths, options)
}

/// Makes evidence of what was read.
pub(super) fn gather_recorded(
    recorded: &RecordedJudgments,
    options: &LeaderboardOptions,
) -> Result<Gathered, EngineError> {
    let kept = KeptSystems::select(&recorded.systems, options)?;
    let systems = kept.names.len();
    let clusters = recorded.clusters();
    let evidence = if recorded.are_scores {
        let scores = recorded.scores.iter().filter_map(|row| {
            Some(ItemScore::new(
                row.item,
                kept.number(row.system)?,
                row.score,
            ))
        });
        let of_item = |item| clusters.of(item);
        Evidence::Scores(ItemScores::clustered(systems, scores.collect(), of_item)?)
    } else {
        let compared = recorded.comparisons.iter().filter_map(|row| {
            let [a, b] = kept.numbers([row.a, row.b])?;
            // How often the verdict counts, by its strength.
            let weight = match (options.strength, row.strength) {
                (Some(weights), Some(Strength::Great)) => weights.strong(),
                (Some(weights), Some(Strength::Slight)) => weights.slight(),
                (Some(weights), None) if row.ties == 1.0 => weights.equal(),
                _ => 1.0,
            };
            let times = options.times(weight);
            if options.counting && times == 0.0 {
                return None;
            }
            Some(Comparison {
                item: row.item,
                a,
                b,
                wins_a: times * row.wins_a,
                ties: times * (row.ties + row.both_bad),
                wins_b: times * row.wins_b,
            })
        });
        let rows = by_question(compared.collect(), &clusters);
        match options.rank.aggregation {
            Some(Aggregation::Elo) => Evidence::Games(Games::from_comparisons(systems, &rows)),
            _ => Evidence::Comparisons(Comparisons::new(systems, rows)?),
        }
    };
    let by_item = options.cluster != ClusterBy::None;
    let files = summarise_recorded(recorded, &kept);
    Ok(Gathered::by_item_if(by_item, evidence, files))
}

/// Reads what files of judgments or scores hold together, without verdicts that say what the judge
/// thinks of a slot.
pub(super) fn read_judgments(
    paths: &[PathBuf],
    options: &LeaderboardOptions,
) -> Result<RecordedJudgments, EngineError> {
    let mut recorded = read_judgments_as(paths, &judgment_reading(options))?;
    recorded.set_half_pairs_aside();
    Ok(recorded)
}

/// Reads what files of judgments or scores hold together, in the way given.
pub(super) fn read_judgments_as(
    paths: &[PathBuf],
    reading: &Options,
) -> Result<RecordedJudgments, EngineError> {
    let mut reader = JudgmentReader::new(reading);
    for path in paths {
        reader.add_file(open_buffered(path)?, &path.display().to_string())?;
    }
    Ok(reader.finish()?)
}

/// Returns what the first of the two got, ties half, from 0 to 1.
pub(super) fn share_of_first(row: &RecordedComparison) -> f64 {
    let total = row.wins_a + row.ties + row.both_bad + row.wins_b;
    ((row.wins_a + 0.5 * (row.ties + row.both_bad)) / total).clamp(0.0, 1.0)
}

/// Says what the files were, of the systems that are kept, whatever is made of them.
// Long, and flat: one count after the other.
pub(super) fn summarise_recorded(recorded: &RecordedJudgments, kept: &KeptSystems) -> FileSummary {
    let comparisons = recorded.comparisons.iter();
    let compared = comparisons.filter(|row| kept.numbers([row.a, row.b]).is_some());
    let scores = recorded.scores.iter();
    let scored = scores.filter(|row| kept.number(row.system).is_some());
    let mut outcomes = Outcomes::default();
    let (mut verdicts, mut items) = (0, BTreeSet::new());
    for row in compared {
        outcomes.add(row.wins_a + row.wins_b, row.ties, row.both_bad);
        verdicts += 1;
        items.insert(row.item);
    }
    for row in scored {
        verdicts += 1;
        items.insert(row.item);
    }
    let clusters = recorded.clusters();
    let questions: BTreeSet<u32> = items.iter().map(|item| clusters.of(*item)).collect();

    // Whose those without a verdict are is not known.
    let failed: u64 = recorded.failures.values().sum();
    // A verdict that was set aside is a verdict, as in a run.
    let set_aside = recorded.half_pairs;
    let trials = verdicts + set_aside + failed;
    let all = (recorded.comparisons.len() + recorded.scores.len()) as u64;
    // Each system is to have a score on each item. Whose the rows without a score are is not known.
    let missing = (recorded.are_scores && failed == 0).then(|| unscored_items(recorded, kept));
    let mut formats: Vec<String> = Vec::new();
    for source in &recorded.sources {
        formats.push(source.kind.name().into());
    }
    formats.dedup();

    let (own, one_order) = (recorded.self_comparisons, recorded.one_order);
    let of_themselves = (own > 0).then(|| {
        WarningKind::SelfComparisons.says(format!(
            "{own} judgments compare a system with itself; they are excluded"
        ))
    });
    let many_failed = (failed as f64 > MANY_FAILURES * trials as f64).then(|| {
        WarningKind::Failures.says(format!(
            "{failed} of {trials} judgments have no verdict; they are excluded"
        ))
    });
    let in_one_order = (one_order > 0).then(|| {
        WarningKind::OneOrder.says(format!(
            "{one_order} records were judged in one order only, the baseline first: the scores \
             include the effect of the place"
        ))
    });
    let half_pairs = half_pairs_text(set_aside);
    let warnings = [
        of_themselves,
        many_failed,
        half_pairs.map(|text| WarningKind::OneOrder.says(text)),
        warn_of_judges(recorded, kept),
        in_one_order,
        missing.as_deref().and_then(warn_of_unscored),
        warn_of_skipped(&recorded.skipped.iter().collect::<Vec<_>>()),
        warn_of_names(&kept.names),
    ];
    FileSummary {
        items: [items.len() as u64, questions.len() as u64],
        names: kept.names.clone(),
        coverage: Coverage {
            trials,
            verdicts: verdicts + set_aside,
            failures: recorded.failures.clone(),
        },
        set_aside,
        left_out: all - verdicts,
        missing,
        judges: recorded.judges.clone(),
        formats,
        outcomes: (!recorded.comparisons.is_empty()).then_some(outcomes),
        warnings: warnings.into_iter().flatten().collect(),
        weighed: false,
        by_item: true,
        clusters: names_of_questions(recorded),
        unit: ScoreUnit::FilePoints,
    }
}

/// Names each question, by its number, as its items do.
fn names_of_questions(recorded: &RecordedJudgments) -> Vec<String> {
    let clusters = recorded.clusters();
    let mut names = vec![String::new(); clusters.count() as usize];
    for (item, (name, question)) in (0..).zip(recorded.items.iter().zip(&recorded.questions)) {
        names[clusters.of(item) as usize] = question.as_ref().unwrap_or(name).clone();
    }
    names
}

/// On how many of the items that some kept system has a score on each of them has none; none for
/// one that has all.
fn unscored_items(recorded: &RecordedJudgments, kept: &KeptSystems) -> Vec<MissingItems> {
    let rows = recorded.scores.iter();
    let scored: BTreeSet<(u16, u32)> = rows
        .filter_map(|row| Some((kept.number(row.system)?, row.item)))
        .collect();
    let items: BTreeSet<u32> = scored.iter().map(|(_, item)| *item).collect();
    let of = items.len() as u64;
    let mut counts = vec![0; kept.names.len()];
    for (system, _) in &scored {
        counts[usize::from(*system)] += 1;
    }
    let systems = kept.names.iter().zip(counts);
    let lacking = systems.filter(|(_, count)| *count < of);
    let missing = lacking.map(|(system, count)| MissingItems {
        system: system.clone(),
        items: of - count,
        of,
    });
    missing.collect()
}

/// So many systems are named in a warning.
const MANY_SYSTEMS: usize = 5;

/// Warns of scores that are not there: where those of hard items are missing, the others are higher.
fn warn_of_unscored(missing: &[MissingItems]) -> Option<Warning> {
    let first = missing.iter().take(MANY_SYSTEMS);
    let named = first.map(|one| format!("{} on {} of {} items", one.system, one.items, one.of));
    let named: Vec<String> = named.collect();
    let more = match missing.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more systems"),
    };
    (!named.is_empty()).then(|| {
        WarningKind::MissingResponses.says(format!(
            "scores are missing, and the means are not of the same items: {}{more}",
            named.join(", ")
        ))
    })
}

/// Warns of kept systems that have no judge in common: what is between them may be between the
/// judges.
fn warn_of_judges(recorded: &RecordedJudgments, kept: &KeptSystems) -> Option<Warning> {
    let judged = recorded.judges_of.iter().enumerate();
    let judged: Vec<(usize, &BTreeSet<u32>)> = judged
        .filter(|(system, judges)| !judges.is_empty() && kept.number(*system as u16).is_some())
        .collect();
    let mut apart = judged.iter().enumerate().flat_map(|(at, first)| {
        let later = judged.iter().skip(at + 1);
        later.filter_map(move |second| first.1.is_disjoint(second.1).then_some((first, second)))
    });
    let ((first, its), (second, others)) = apart.next()?;
    let more = apart.count();
    let named = |judges: &BTreeSet<u32>| {
        let names = judges
            .iter()
            .filter_map(|judge| recorded.judges.get(*judge as usize));
        let names: Vec<&str> = names.map(String::as_str).collect();
        match names.as_slice() {
            [only] => format!("{only} alone"),
            several => several.join(", "),
        }
    };
    let more = match more {
        0 => String::new(),
        more => format!("; so it is with {more} more pairs of systems"),
    };
    Some(WarningKind::JudgesApart.says(format!(
        "{} was judged by {} and {} by {}: a difference between them may be one between the \
         judges{more}",
        recorded.systems[*first],
        named(its),
        recorded.systems[*second],
        named(others)
    )))
}
