//! Models that were tried as judges: text, JSON and CSV; and what was found of the models on this
//! machine.

use crate::View;
use crate::answer::answered_json;
use crate::columns::{Column, csv_of, table_of};
use crate::numbers::{bracketed_interval, chosen_percent, count_of, or_dash, percent};
use crate::serialize::{end_cell, optional_cell};
use crate::view::{Line, answer_first, fit_table};
use evenhand_core::Setting;
use evenhand_studies::tryout::{Ahead, Best, Orders, TryReport, WayRow};

/// A row of the table: a model in one way.
struct Row {
    judge: String,
    way: WayRow,
}

fn rows(report: &TryReport) -> Vec<Row> {
    let models = report.models.iter();
    let rows = models.flat_map(|model| {
        model.ways.iter().map(|way| Row {
            judge: model.judge.clone(),
            way: way.clone(),
        })
    });
    rows.collect()
}

const COLUMNS: [Column<Row>; 14] = [
    ("way", |row| row.way.way.clone()),
    ("verdict of", |row| orders_in_words(row.way.orders).into()),
    ("accuracy", |row| or_dash(row.way.accuracy.value, share)),
    ("interval", |row| {
        bracketed_interval(row.way.accuracy.ci, share)
    }),
    ("longer", |row| {
        or_dash(row.way.accuracy_longer.value, share)
    }),
    ("shorter", |row| {
        or_dash(row.way.accuracy_shorter.value, share)
    }),
    ("first", |row| or_dash(row.way.accuracy_first.value, share)),
    ("second", |row| {
        or_dash(row.way.accuracy_second.value, share)
    }),
    ("flips %", |row| or_dash(row.way.flips.value, percent)),
    ("first slot %", |row| {
        or_dash(row.way.first_slot.value, percent)
    }),
    ("failed", |row| {
        (row.way.trials - row.way.verdicts).to_string()
    }),
    ("attacks lost", |row| match attacks_lost(&row.way) {
        (_, 0) => "-".into(),
        (lost, of) => format!("{lost} of {of}"),
    }),
    ("s/pair", |row| {
        or_dash(row.way.seconds_per_pair, |seconds| format!("{seconds:.2}"))
    }),
    ("tokens/pair", |row| {
        or_dash(row.way.tokens_per_pair, |tokens| format!("{tokens:.0}"))
    }),
];

/// Says what counts as a verdict.
fn orders_in_words(orders: Orders) -> &'static str {
    match orders {
        Orders::Each => "each order",
        Orders::Averaged => "both orders averaged",
        Orders::Together => "both orders together",
        Orders::Free => "no order",
    }
}

/// Names a way in words: by its protocol, without parts that say nothing, and by what counts as a
/// verdict where one protocol has two.
fn name_way(way: &str, orders: Orders) -> String {
    let short = way.strip_suffix("/direct/single").unwrap_or(way);
    match orders {
        Orders::Free | Orders::Together => short.to_string(),
        Orders::Each => format!("{short} in each order"),
        Orders::Averaged => format!("{short} averaged over both orders"),
    }
}

fn share(value: f64) -> String {
    format!("{value:.2}")
}

/// Returns a share with its interval in words: `0.64, 0.54 to 0.73`.
fn share_in_words(value: f64, ci: Option<[Option<f64>; 2]>) -> String {
    match ci {
        Some([Some(low), Some(high)]) => {
            format!("{}, {} to {}", share(value), share(low), share(high))
        }
        _ => share(value),
    }
}

/// Returns the answer in words, the table, and what it rests on.
pub fn tryout_table(report: &TryReport, view: View) -> String {
    let several = report.models.len() > 1;
    let judge: Column<Row> = ("model", |row| row.judge.clone());
    let columns: Vec<Column<Row>> = match several {
        true => [judge].into_iter().chain(COLUMNS).collect(),
        false => COLUMNS.to_vec(),
    };
    let table = table_of(&columns, rows(report));
    // The least important first: tokens, time, the columns of order, of length, the first slot.
    let droppable = [13, 12, 6, 7, 4, 5, 9].map(|column| column + usize::from(several));
    let table = fit_table(table, view, &droppable);
    answer_first(&answer(report), &[table], summary_lines(report), view)
}

/// Returns the answer and the report as one object.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn tryout_json(report: &TryReport) -> Result<String, serde_json::Error> {
    answered_json(&answer(report), report)
}

fn attacks_lost(row: &WayRow) -> (u64, u64) {
    let attacks = row.attacks.iter();
    attacks.fold((0, 0), |(lost, of), one| (lost + one.lost, of + one.of))
}

fn answer(report: &TryReport) -> String {
    let mut sentences = Vec::new();
    for model in &report.models {
        let mut said = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
        for row in &model.ways {
            let name = name_way(&row.way, row.orders);
            let Some(value) = row.accuracy.value else {
                said[3].push(name);
                continue;
            };
            let text = format!("{name} ({})", share_in_words(value, row.accuracy.ci));
            let at = match row.above_coin {
                Some(true) => 0,
                None => 1,
                Some(false) => 2,
            };
            said[at].push(text);
        }
        let heads = [
            "judges better than a coin by",
            "is not shown to differ from a coin by",
            "judges worse than a coin by",
            "came to no verdict by",
        ];
        let parts: Vec<String> = heads
            .iter()
            .zip(said)
            .filter(|(_, ways)| !ways.is_empty())
            .map(|(head, ways)| format!("{head} {}", ways.join(" and by ")))
            .collect();
        sentences.push(format!("{} {}.", model.judge, parts.join("; it ")));
    }
    match &report.best {
        Some(best) if best.chosen_of > 1 => {
            sentences.push(say_best(best, report.models.len() > 1));
        }
        Some(_) => {}
        None => sentences.push("No way came to a verdict, so none is the best.".into()),
    }
    sentences.join(" ")
}

/// Says which way is the best, that it was chosen, and whether it is told from the next.
fn say_best(best: &Best, names_judge: bool) -> String {
    let named = |judge: &str, way: &str, orders| match names_judge {
        true => format!("{judge} by {}", name_way(way, orders)),
        false => name_way(way, orders),
    };
    let value = best.accuracy.value.unwrap_or_default();
    let mut text = format!(
        "Of these {} ways the best is {} ({}, wide enough for all of them, as it was chosen on the \
         same pairs)",
        best.chosen_of,
        named(&best.judge, &best.way, best.orders),
        share_in_words(value, best.accuracy.ci)
    );
    if let Some(Ahead {
        judge,
        way,
        orders,
        difference,
        is_certain,
    }) = &best.ahead_of_next
    {
        let next = named(judge, way, *orders);
        let by = difference
            .value
            .map_or(String::new(), |by| share_in_words(by, difference.ci));
        text += &match is_certain {
            true => format!("; it is ahead of the next, {next}, by {by}"),
            false => format!("; these pairs do not tell it apart from the next, {next} ({by})"),
        };
    }
    text + "."
}

fn summary_lines(report: &TryReport) -> Vec<Line> {
    let set = &report.set;
    let mut lines: Vec<Line> = vec![(
        "rests on",
        format!(
            "{} of {} pairs of our own set, version {} ({}): small and ours; what counts is the \
             accuracy on your own data (meta judge)",
            set.pairs, set.of, set.version, set.digest
        ),
    )];
    for row in rows(report) {
        let name = name_way(&row.way.way, row.way.orders);
        let name = match report.models.len() {
            1 => name,
            _ => format!("{}, {name}", row.judge),
        };
        let lost = row.way.attacks.iter();
        let lost: Vec<String> = lost
            .map(|one| format!("{} {} of {}", one.attack.name(), one.lost, one.of))
            .collect();
        if !lost.is_empty() {
            lines.push(("attacks lost", format!("{name}: {}", lost.join(", "))));
        }
        if !row.way.failures.is_empty() {
            let kinds = row.way.failures.iter();
            let kinds: Vec<String> = kinds.map(|(kind, n)| format!("{n} {kind}")).collect();
            let text = format!(
                "{name}: {} of {}, which count neither as right nor as wrong",
                kinds.join(", "),
                count_of(row.way.trials, "trial", "trials")
            );
            lines.push(("failures", text));
        }
    }
    for model in &report.models {
        let cost = model.cost_usd.map(|usd| format!(", {usd:.4} USD"));
        lines.push((
            "calls",
            format!(
                "{}{}, kept in {}",
                model.calls,
                cost.unwrap_or_default(),
                model.run
            ),
        ));
    }
    let notes = report.models.iter().flat_map(|model| &model.notes);
    for note in report.warnings.iter().chain(notes) {
        lines.push(("note", note.clone()));
    }
    lines.push((
        "columns",
        "longer, shorter: accuracy where the better answer is that; first, second: where it was \
         shown there; a tie is half right; an attack is lost where the real answer does not win"
            .into(),
    ));
    lines.push((
        "intervals",
        format!(
            "{} %, by pair; better or worse than a coin is said for all ways together (Bonferroni)",
            chosen_percent(report.level)
        ),
    ));
    lines
}

/// Returns a line for each way of each model.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn tryout_csv(report: &TryReport) -> Result<String, csv::Error> {
    let columns: [Column<Row>; 18] = [
        ("judge", |row| row.judge.clone()),
        ("way", |row| row.way.way.clone()),
        ("orders", |row| orders_in_words(row.way.orders).into()),
        ("accuracy", |row| optional_cell(row.way.accuracy.value)),
        ("accuracy_low", |row| end_cell(row.way.accuracy.ci, 0)),
        ("accuracy_high", |row| end_cell(row.way.accuracy.ci, 1)),
        ("above_coin", |row| optional_cell(row.way.above_coin)),
        ("accuracy_longer", |row| {
            optional_cell(row.way.accuracy_longer.value)
        }),
        ("accuracy_shorter", |row| {
            optional_cell(row.way.accuracy_shorter.value)
        }),
        ("accuracy_first", |row| {
            optional_cell(row.way.accuracy_first.value)
        }),
        ("accuracy_second", |row| {
            optional_cell(row.way.accuracy_second.value)
        }),
        ("flips", |row| optional_cell(row.way.flips.value)),
        ("first_slot", |row| optional_cell(row.way.first_slot.value)),
        ("trials", |row| row.way.trials.to_string()),
        ("verdicts", |row| row.way.verdicts.to_string()),
        ("attacks_lost", |row| {
            let (lost, of) = attacks_lost(&row.way);
            format!("{lost}/{of}")
        }),
        ("seconds_per_pair", |row| {
            optional_cell(row.way.seconds_per_pair)
        }),
        ("tokens_per_pair", |row| {
            optional_cell(row.way.tokens_per_pair)
        }),
    ];
    csv_of(&columns, rows(report))
}

/// Says which of the models that were tried on this machine is to be asked, and how.
pub(crate) fn recommend(best: Option<&Best>) -> String {
    let Some(best) = best else {
        return "None of these was tried as a judge; `evenhand models try MODEL` does it in \
                minutes."
            .into();
    };
    let value = best.accuracy.value.unwrap_or_default();
    let named = format!(
        "{} by {} ({})",
        best.judge,
        name_way(&best.way, best.orders),
        share_in_words(value, best.accuracy.ci)
    );
    if !best.above_coin {
        return format!(
            "None of those that were tried was shown to be better than a coin; the best was \
             {named}."
        );
    }
    let tied = match &best.ahead_of_next {
        Some(next) if !next.is_certain => format!(
            " It cannot be told apart from the next, {} by {}.",
            next.judge,
            name_way(&next.way, next.orders)
        ),
        _ => String::new(),
    };
    format!(
        "The best that was tried here is {named}: {} {} {} {}.{tied}",
        Setting::Judge,
        best.judge,
        Setting::Protocol,
        best.way
    )
}

/// Says what was found of a model: `0.64 by likelihood:novel`.
pub fn tried_in_words(best: &Best) -> String {
    let value = best.accuracy.value.unwrap_or_default();
    format!("{} by {}", share(value), name_way(&best.way, best.orders))
}
