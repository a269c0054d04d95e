//! The ranking as a table in Markdown, with its answer and its warnings above.

use super::pairs::{about_pairs, pair_columns};
use super::table::Shown;
use super::{heading_of_slice, missing_verdicts, note_of_slice, own_origin, turns_and_criteria};
use crate::markdown::{escape, markdown_text};
use crate::numbers::or_blank;
use crate::slices::{about_deviations, deviation_columns};
use evenhand_ranking::Report;

/// Returns the answer of a ranking, its warnings and its table, then those of turns, of criteria, of
/// the differences of pairs and of slices, and nothing else.
pub fn ranking_markdown(report: &Report) -> String {
    let mut text = or_blank(report.answer.as_ref(), |answer| {
        format!("**{}.**\n\n", escape(&answer.text))
    });
    let missing = missing_verdicts(report);
    let missing = Some(missing.trim_end()).filter(|text| !text.is_empty());
    let unsaid = report.unsaid_warnings();
    let warnings = unsaid.iter().map(|warning| warning.text.as_str());
    let whole = Shown::whole(report);
    text += &markdown_text(missing.into_iter().chain(warnings), &whole.markdown());
    for (heading, part) in turns_and_criteria(report) {
        text += &part.markdown().text_under(&heading);
    }
    if !report.differences.is_empty() {
        let table = pair_columns(report);
        let table = table.markdown(&report.differences, &["system", "against", "note"]);
        text += &table.text_under("Differences of pairs");
        text += &format!("\n**Note:** {}\n", escape(&about_pairs()));
    }
    let Some(found) = &report.interaction else {
        return text;
    };
    let own = or_blank(own_origin(report.unit), |own| format!(" {own}."));
    text += &format!("\n{}{own}\n", escape(&found.summary));
    for slice in &report.slices {
        let heading = heading_of_slice(&found.field, slice);
        match note_of_slice(slice).filter(|_| slice.ranking.is_empty()) {
            Some(note) => text += &format!("\n**{}**\n\n{}\n", escape(&heading), escape(&note)),
            None => {
                text += &whole
                    .with_rows(&slice.ranking)
                    .markdown()
                    .text_under(&heading)
            }
        }
    }
    if !found.deviations.is_empty() {
        let columns = deviation_columns("system");
        let table = columns.markdown(&found.deviations, &["system", "slice"]);
        text += &table.text_under(&about_deviations(found));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_ranking::{
        CriteriaReport, CriterionKind, CriterionRanking, NoScore, PairRow, RankingRow, TurnRanking,
        Warning, WarningKind,
    };

    fn row(system: &str, score: Option<f64>) -> RankingRow {
        RankingRow {
            system: system.into(),
            score,
            ci: score.map(|score| [Some(score - 0.25), None]),
            rank: Some(1),
            rank_ci: Some([1, 2]),
            better_than: None,
            standard_error: None,
            n: 1200,
            raw_win_rate: None,
            no_score: score.map_or(Some(NoScore::WonAll), |_| None),
            note: None,
        }
    }

    #[test]
    fn turns_and_criteria_have_tables_as_in_the_terminal() {
        let report = Report {
            ranking: vec![row("whole", Some(0.75))],
            turns: vec![TurnRanking {
                turn: 2,
                ranking: vec![row("late", Some(0.5))],
            }],
            criteria: Some(CriteriaReport {
                rankings: vec![CriterionRanking {
                    criterion: Some("polite|".into()),
                    kind: CriterionKind::Shared,
                    fault: false,
                    items: 3,
                    ranking: vec![row("kind", Some(0.25))],
                }],
                ..CriteriaReport::default()
            }),
            ..Report::default()
        };
        let text = ranking_markdown(&report);
        let turn = text.find("**Turn 2 alone**\n\n| rank | system |").unwrap();
        let criterion = text
            .find("**Criterion polite\\|: share met, 3 items**\n\n| rank | system |")
            .unwrap();
        let places = ["| whole |", "| late |", "| kind | 0.250 |"].map(|row| text.find(row));
        let [Some(whole), Some(late), Some(kind)] = places else {
            panic!("{text}");
        };
        let order = [whole, turn, late, criterion, kind];
        assert!(order.is_sorted(), "{text}");
    }

    #[test]
    fn a_ranking_has_its_warnings_above() {
        let mut report = Report {
            ranking: vec![row("a|<b>", None), row("@c", Some(0.5))],
            warnings: vec![Warning {
                kind: WarningKind::NotToldApart,
                text: "`a` and c are not told apart".into(),
            }],
            ..Report::default()
        };
        report.ci.level = 0.95;
        assert_eq!(
            ranking_markdown(&report),
            "**Warning:** \\`a\\` and c are not told apart\n\n\
             | rank | system | score | 95 % interval | rank interval | judgments |\n\
             | ---: | --- | ---: | ---: | ---: | ---: |\n\
             | 1 | a\\|&lt;b&gt; | +inf | - | 1 to 2 | 1,200 |\n\
             | 1 | @\u{200b}c | 0.500 | 0.250 to +inf | 1 to 2 | 1,200 |\n"
        );
    }
    #[test]
    fn pairs_stand_below_the_ranking() {
        let pair = |a: &str, b: &str, difference: Option<f64>| PairRow {
            a: a.into(),
            b: b.into(),
            difference,
            ci: difference.map(|gap| [Some(gap - 0.125), Some(gap + 0.125)]),
            p: Some(0.0123),
            p_adjusted: Some(0.04),
            p_adjusted_is_bound: true,
            ..PairRow::default()
        };
        let mut report = Report {
            differences: vec![pair("a|", "b", Some(0.25)), pair("b", "c", None)],
            ..Report::default()
        };
        report.ci.level = 0.9;
        report.differences[1].note = Some("c lost all".into());
        let text = ranking_markdown(&report);
        let (_, pairs) = text.split_once("**Differences of pairs**\n\n").unwrap();
        let (table, note) = pairs.split_once("\n\n").unwrap();
        assert_eq!(
            table,
            "| system | against | difference | 90 % interval | p | p adjusted | note |\n\
             | --- | --- | ---: | ---: | ---: | ---: | --- |\n\
             | a\\| | b | 0.250 | 0.125 to 0.375 | 0.012 | at most 0.040 |  |\n\
             | b | c | - | - | 0.012 | at most 0.040 | c lost all |"
        );
        assert!(
            note.starts_with("**Note:** these are differences"),
            "{note}"
        );
    }
}
