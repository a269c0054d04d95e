//! Labelled pairs in a study: a grid of protocols by input sets, differences between protocols, how
//! a protocol does on a set that had no say in its choice, and how far a judge's accuracy depends
//! on its prompts.

use super::paired::{corrected_p_text, paired_table};
use super::percent_with_interval;
use crate::columns::Columns;
use crate::numbers::{or_dash, percent};
use crate::text_table::TextTable;
use evenhand_core::in_order;
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{Choice, PromptVariation, StudyReport, Way};
use std::iter::once;

/// Returns for each judge a table of accuracies, where there are several protocols or sets; behind
/// them the differences, and what prompts do.
pub(super) fn labelled_tables(report: &StudyReport) -> Vec<TextTable> {
    let judges = in_order(report.labelled.iter().map(|(_, one)| one.judge.as_str()));
    let mut tables = Vec::new();
    for judge in judges {
        let all = report.labelled.iter().chain(&report.totals);
        let own: Vec<_> = all.filter(|(_, one)| one.judge == judge).collect();
        if own.len() > 1 {
            tables.push(accuracy_grid(judge, &own));
        }
    }
    let differences = report.differences.iter();
    tables.extend(differences.map(|one| paired_table(&one.differences)));
    tables.extend(report.choices.iter().map(choice_table));
    tables.extend(report.variations.iter().map(variation_table));
    tables
}

/// Returns the accuracies of one judge in per cent, of repeated pairs with their standard deviation
/// over repeats: a row for each protocol, a column for each input set or total.
fn accuracy_grid(judge: &str, evaluations: &[&(String, Evaluation)]) -> TextTable {
    let inputs = in_order(evaluations.iter().map(|(input, _)| input.as_str()));
    let protocols = in_order(evaluations.iter().map(|(_, one)| one.protocol.as_str()));
    let mut columns: Columns<&str> = Columns::new(&[]);
    columns.push(format!("{judge}: accuracy %"), |protocol| {
        protocol.to_string()
    });
    for input in inputs {
        columns.push(input, move |protocol| {
            // The last evaluation of a protocol on an input set is the one that is shown.
            let mut latest_first = evaluations.iter().rev();
            let found = latest_first.find(|(name, one)| one.protocol == *protocol && name == input);
            or_dash(found, |(_, one)| {
                let accuracy = percent_with_interval(&one.total.measures.accuracy);
                match one.repeats.as_ref().and_then(|repeats| repeats.sd.value) {
                    Some(sd) => format!("{accuracy} sd {}", percent(sd)),
                    None => accuracy,
                }
            })
        });
    }
    columns.table(protocols).with_numbers_from(1)
}

/// Returns a row for each set, with the way that all others choose and what it comes to there.
fn choice_table(one: &Choice) -> TextTable {
    let title = format!("{}: left out", chooser(one));
    let mut table = TextTable::with_header([
        &title,
        "chosen on the others",
        "right there %, balanced over length",
        "best there %",
    ]);
    for set in &one.sets {
        let chosen = &one.ways[set.chosen];
        table.add_row([
            set.input.clone(),
            way_name(one, chosen),
            percent(set.accuracy),
            percent(set.best),
        ]);
    }
    let mean = percent_with_interval(&one.accuracy);
    table.add_row(["mean", "-", &mean, "-"]);
    table.with_numbers_from(2)
}

/// Says for each choice how far it can be believed, in a sentence.
pub(super) fn choice_notes(report: &StudyReport) -> Vec<String> {
    let choices = report.choices.iter();
    let notes = choices.filter_map(|one| {
        let best = one.ways.iter().find(|way| way.mean == one.best_mean)?;
        Some(format!(
            "{}: the best of {} ways, chosen without the set that it is tried on, is right on {} % \
             there (mean over {} sets, each balanced over length; the interval is for sets of such \
             kinds); {} has {} % over all sets, but that was measured on the pairs that it is the \
             best on",
            chooser(one),
            one.ways.len(),
            percent_with_interval(&one.accuracy),
            one.sets.len(),
            way_name(one, best),
            percent(best.mean),
        ))
    });
    notes.collect()
}

fn chooser(one: &Choice) -> &str {
    one.judge.as_deref().unwrap_or("all judges")
}

fn way_name(choice: &Choice, way: &Way) -> String {
    match choice.judge {
        Some(_) => way.kind.clone(),
        None => format!("{}, {}", way.judge, way.kind),
    }
}

/// Returns a row for each pack of prompts, with how far the first ones are ahead of it, and
/// behind them the mean and the standard deviation over packs.
fn variation_table(one: &PromptVariation) -> TextTable {
    let title = format!("{}, {}, {}: prompts", one.judge, one.protocol, one.total);
    let first = one.prompts.first().map_or("first", String::as_str);
    let ahead = format!("{first} ahead by");
    let mut table = TextTable::with_header([&title, "accuracy %", &ahead, "p (corrected)"]);
    // The first prompts are not compared with themselves.
    let differences = once(None).chain(one.differences.iter().map(Some));
    let accuracies = one.prompts.iter().zip(&one.accuracies.accuracies);
    for ((name, accuracy), difference) in accuracies.zip(differences) {
        table.add_row([
            name.clone(),
            percent_with_interval(accuracy),
            or_dash(difference, |one| percent_with_interval(&one.difference)),
            or_dash(difference, corrected_p_text),
        ]);
    }
    let mean = percent_with_interval(&one.accuracies.mean);
    let sd = or_dash(one.accuracies.sd.value, percent);
    table.add_row(["mean", &format!("{mean} sd {sd}"), "-", "-"]);
    table.with_numbers_from(1)
}
