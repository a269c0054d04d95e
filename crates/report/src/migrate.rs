//! What moves with another judge, for people, pull requests and programs.

use crate::columns::{Column, Columns, csv_of};
use crate::markdown::{escape, markdown_text};
use crate::numbers::{count_of, group_digits, or_dash, percent};
use crate::serialize::{json_text, optional_cell};
use crate::view::{Line, View, fit_table, sentences_text, summary_text};
use evenhand_core::printable;
use evenhand_studies::migrate::{
    AgreementMoved, Consistency, MigratedPair, MigrationEnd, MigrationReport, MigrationUnit,
    PairFate, RankingFate,
};
use schemars::JsonSchema;
use serde::Serialize;

/// Pairs that a sentence names; the table has all.
const NAMED: usize = 5;

/// What moves with the new judge.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MigrationDocument<'a> {
    /// The answer in one sentence.
    answer: String,
    /// How the differences of pairs and their bounds are to be read.
    bounds: String,
    #[serde(flatten)]
    report: &'a MigrationReport,
}

/// Returns one JSON object.
///
/// # Errors
/// Those of the JSON writer; no migration is known to cause one.
pub fn migrate_json(report: &MigrationReport) -> Result<String, serde_json::Error> {
    json_text(&MigrationDocument {
        answer: migrate_answer(report),
        bounds: bounds_text(report.unit),
        report,
    })
}

const CSV: [Column<MigratedPair>; 13] = [
    ("above", |pair| pair.above.clone()),
    ("below", |pair| pair.below.clone()),
    ("fate", |pair| fate_word(pair.fate).into()),
    ("old", |pair| optional_cell(pair.old)),
    ("new_low", |pair| pair.new[0].to_string()),
    ("new_high", |pair| pair.new[1].to_string()),
    ("shift_low", |pair| {
        optional_cell(pair.shift.map(|shift| shift[0]))
    }),
    ("shift_high", |pair| {
        optional_cell(pair.shift.map(|shift| shift[1]))
    }),
    ("old_p_value", |pair| pair.old_p_value.to_string()),
    ("items", |pair| pair.items.to_string()),
    ("items_asked", |pair| pair.items_asked.to_string()),
    ("items_failed", |pair| pair.items_failed.to_string()),
    ("items_old", |pair| pair.items_old.to_string()),
];

/// Returns a header and a row for each pair of systems.
///
/// # Errors
/// Those of the CSV writer; no migration is known to cause one.
pub fn migrate_csv(report: &MigrationReport) -> Result<String, csv::Error> {
    csv_of(&CSV, &report.pairs)
}

fn fate_word(fate: PairFate) -> &'static str {
    match fate {
        PairFate::Kept => "kept",
        PairFate::Reversed => "reversed",
        PairFate::Even => "even",
        PairFate::Undecided => "undecided",
        PairFate::NotApart => "not apart",
    }
}

fn is_change(pair: &&MigratedPair) -> bool {
    matches!(pair.fate, PairFate::Reversed | PairFate::Even)
}

/// The answer in one sentence.
pub fn migrate_answer(report: &MigrationReport) -> String {
    let (old, new) = (printable(&report.old_judge), printable(&report.new_judge));
    let apart = report
        .pairs
        .iter()
        .filter(|pair| pair.fate != PairFate::NotApart);
    let apart = apart.count() as u64;
    let pairs = count_of(apart, "pair", "pairs");
    let asked = format!(
        "{} of {} asked; at most {} error",
        group_digits(report.items_asked),
        count_of(report.items, "item", "items"),
        percent_of(1.0 - report.confidence)
    );
    let count = |fate: PairFate| report.pairs.iter().filter(|pair| pair.fate == fate).count();
    match report.ranking {
        RankingFate::Same => format!(
            "The ranking stays the same: the {pairs} of systems that {old} tells apart {} under \
             {new} ({asked}).",
            if apart == 1 {
                "keeps its order"
            } else {
                "keep their order"
            }
        ),
        RankingFate::Changed => {
            let changes: Vec<&MigratedPair> = report.pairs.iter().filter(is_change).collect();
            let mut named: Vec<String> = changes
                .iter()
                .take(NAMED)
                .map(|pair| match pair.fate {
                    PairFate::Even => format!(
                        "{} is even with {}",
                        printable(&pair.above),
                        printable(&pair.below)
                    ),
                    _ => format!(
                        "{} is below {}",
                        printable(&pair.above),
                        printable(&pair.below)
                    ),
                })
                .collect();
            if changes.len() > NAMED {
                named.push(format!("and {} more", changes.len() - NAMED));
            }
            format!(
                "The ranking changes: of the {pairs} of systems that {old} tells apart, {} under \
                 {new} ({asked}): {}. {} kept, {} undecided.",
                count_of(changes.len() as u64, "changes", "change"),
                named.join(", "),
                count(PairFate::Kept),
                count(PairFate::Undecided)
            )
        }
        RankingFate::Undecided => format!(
            "Undecided: whether the ranking stays the same under {new} is not certain. Of the \
             {pairs} of systems that {old} tells apart {} kept and {} undecided ({asked}).",
            is_are(count(PairFate::Kept)),
            is_are(count(PairFate::Undecided)),
        ),
        RankingFate::NothingToKeep => format!(
            "There is no order to keep: {old} tells no two of the systems apart on {}.",
            match report.items_old < report.items {
                true => format!(
                    "the {} that it has verdicts on, of {}",
                    group_digits(report.items_old),
                    count_of(report.items, "item", "items")
                ),
                false => count_of(report.items, "item", "items"),
            }
        ),
    }
}

fn is_are(count: usize) -> String {
    format!("{count} {}", if count == 1 { "is" } else { "are" })
}

/// A share in percent, with as many digits as it needs.
fn percent_of(share: f64) -> String {
    let rounded = (share * 1e6).round() / 1e4;
    format!("{rounded} %")
}

fn signed(unit: MigrationUnit, value: f64) -> String {
    match unit {
        MigrationUnit::Share => format!("{:+.1}", value * 100.0),
        MigrationUnit::Points => format!("{value:+.2}"),
    }
}

fn bounds(unit: MigrationUnit, [low, high]: [f64; 2]) -> String {
    format!("{} to {}", signed(unit, low), signed(unit, high))
}

fn columns(unit: MigrationUnit) -> Columns<'static, MigratedPair> {
    let mut columns: Columns<MigratedPair> = Columns::new(&[
        ("above", |pair| pair.above.clone()),
        ("below", |pair| pair.below.clone()),
        ("order", |pair| fate_word(pair.fate).into()),
    ]);
    columns.push("old", move |pair: &MigratedPair| {
        or_dash(pair.old, |old| signed(unit, old))
    });
    columns.push("new", move |pair: &MigratedPair| bounds(unit, pair.new));
    columns.push("shift", move |pair: &MigratedPair| {
        or_dash(pair.shift, |shift| bounds(unit, shift))
    });
    columns.push("asked", |pair: &MigratedPair| {
        format!("{} of {}", pair.items_asked, pair.items)
    });
    columns.push("failed", |pair: &MigratedPair| {
        pair.items_failed.to_string()
    });
    columns
}

fn unit_text(unit: MigrationUnit) -> &'static str {
    match unit {
        MigrationUnit::Share => "points of the share won",
        MigrationUnit::Points => "points of the judge's scale",
    }
}

fn bounds_text(unit: MigrationUnit) -> String {
    format!(
        "Differences are those of the system above (the better one to the old judge), in {}; new \
         and shift are bounds on what all items would give. They hold for all pairs together, and \
         are wider than an order needs.",
        unit_text(unit)
    )
}

fn agreement_text(found: &AgreementMoved) -> String {
    format!(
        "was {} %, is {} to {} % ({} to {} points) on {} labelled, {} asked",
        percent(found.old),
        percent(found.new[0]),
        percent(found.new[1]),
        signed(MigrationUnit::Share, found.shift[0]),
        signed(MigrationUnit::Share, found.shift[1]),
        count_of(found.labels, "pair", "pairs"),
        group_digits(found.labels_asked)
    )
}

fn consistency_text(found: &Consistency) -> String {
    let interval = found.ci.map_or(String::new(), |[low, high]| {
        format!(" ({} to {} %)", percent(low), percent(high))
    });
    format!("{} %{interval}", percent(found.share))
}

/// The lines below the table: agreement, consistency, and what is to be judged again.
// Long, and nearly flat: a step a line, in the order in which they are printed.
fn lines(report: &MigrationReport) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    if let Some(found) = &report.agreement {
        lines.push(("people", format!("agreement {}", agreement_text(found))));
    }
    if let Some(found) = &report.consistency {
        lines.push((
            "orders",
            format!(
                "the same preference in both orders: was {}, is {}, on the {} that both judged",
                consistency_text(&found.old),
                consistency_text(&found.new),
                count_of(found.new.pairs, "pair", "pairs")
            ),
        ));
    }
    let lacking = report
        .pairs
        .iter()
        .filter(|pair| pair.items_old < pair.items);
    if let Some(least) = lacking.clone().min_by_key(|pair| pair.items_old) {
        lines.push((
            "old run",
            format!(
                "it lacks verdicts on {} of {}, most on {} against {}: it has {} of {}. Old covers \
                 only those; shift covers all items, whatever the old judge would have said of the \
                 rest",
                group_digits(lacking.count() as u64),
                count_of(report.pairs.len() as u64, "pair", "pairs"),
                printable(&least.above),
                printable(&least.below),
                group_digits(least.items_old),
                count_of(least.items, "item", "items")
            ),
        ));
    }
    let failed = report.judgments_asked - report.verdicts;
    lines.push((
        "asked",
        format!(
            "{} of {} ({} %){}",
            group_digits(report.judgments_asked),
            count_of(report.judgments, "judgment", "judgments"),
            percent(report.judgments_asked as f64 / report.judgments.max(1) as f64),
            match failed {
                0 => String::new(),
                failed => format!(", {} without a verdict", group_digits(failed)),
            }
        ),
    ));
    let left = report.judgments.saturating_sub(report.judgments_asked);
    let again = match (&report.ended, report.ranking) {
        (MigrationEnd::Limit { limit }, _) => format!(
            "{} were not made: {limit} ended it; the same command goes on",
            count_of(left, "judgment", "judgments")
        ),
        (MigrationEnd::NoVerdict, _) => format!(
            "{} were not made, as the new judge came to no verdict on the first {}",
            count_of(left, "judgment", "judgments"),
            group_digits(report.judgments_asked)
        ),
        (_, RankingFate::Undecided) if left == 0 => {
            "the missing verdicts could decide the undecided pairs: ask for them again".into()
        }
        _ if left == 0 => "nothing, all of the old run is judged again".into(),
        (_, RankingFate::NothingToKeep) => format!(
            "all {}, as no order can be kept",
            count_of(left, "judgment", "judgments")
        ),
        _ => format!(
            "{} that the run of the new judge lacks, for scores of all items by one judge; the \
             orders above need none of them",
            count_of(left, "judgment", "judgments")
        ),
    };
    lines.push(("left", again));
    let open = report
        .pairs
        .iter()
        .filter(|pair| pair.fate == PairFate::Undecided);
    for pair in open.filter(|pair| pair.items_asked < pair.items) {
        lines.push((
            "undecided",
            format!(
                "{} against {}: {} left",
                printable(&pair.above),
                printable(&pair.below),
                count_of(pair.items - pair.items_asked, "item", "items")
            ),
        ));
    }
    if !report.settings.is_empty() {
        lines.push((
            "differ",
            format!("beside the judge: {}", report.settings.join(", ")),
        ));
    }
    lines.push(("runs", format!("{} -> {}", report.old_run, report.new_run)));
    lines
}

/// Returns the answer, the pairs, and what is to be judged again.
pub fn migrate_table(report: &MigrationReport, view: View) -> String {
    let answer = sentences_text(&migrate_answer(report), view);
    let mut table = columns(report.unit).table(&report.pairs);
    table.align_right(3..8);
    let table = fit_table(table, view, &[7, 6, 5]);
    let note = sentences_text(&bounds_text(report.unit), view);
    format!(
        "{answer}\n\n{table}\n\n{note}\n\n{}",
        summary_text(lines(report), view)
    )
}

/// Returns the same for a pull request; pairs that are kept or were never apart are folded.
pub fn migrate_summary(report: &MigrationReport) -> String {
    let title = match report.ranking {
        RankingFate::Same => "### Evenhand: the ranking stays the same",
        RankingFate::Changed => "### Evenhand: the ranking changes",
        RankingFate::Undecided => "### Evenhand: undecided",
        RankingFate::NothingToKeep => "### Evenhand: no order to keep",
    };
    let mut parts = vec![title.to_string(), escape(&migrate_answer(report))];
    let is_open = |pair: &&MigratedPair| is_change(pair) || pair.fate == PairFate::Undecided;
    let (first, folded): (Vec<_>, Vec<_>) = report.pairs.iter().partition(is_open);
    let table = |pairs: &[&MigratedPair]| {
        let table =
            columns(report.unit).markdown(pairs.iter().copied(), &["above", "below", "order"]);
        markdown_text([], &table).trim_end().to_string()
    };
    if !first.is_empty() {
        parts.push(table(&first));
    }
    if !folded.is_empty() {
        parts.push(format!(
            "<details><summary>{} kept, or never apart</summary>\n\n{}\n\n</details>",
            count_of(folded.len() as u64, "pair", "pairs"),
            table(&folded)
        ));
    }
    parts.push(format!("Differences are in {}.", unit_text(report.unit)));
    let lines = lines(report);
    let lines = lines
        .iter()
        .map(|(key, text)| format!("- {key}: {}", escape(text)));
    parts.push(lines.collect::<Vec<String>>().join("\n"));
    parts.join("\n\n") + "\n"
}
