//! The ranking as a table in Markdown, with its warnings above.

use super::missing_verdicts;
use super::slices::markdown_parts;
use super::table::{cells_of_ranking, is_left};
use crate::markdown::{MarkdownTable, escape, markdown_text};
use evenhand_engine::Report;

/// Returns the warnings of a ranking and its table, and nothing else.
pub fn ranking_markdown(report: &Report) -> String {
    let (header, rows) = cells_of_ranking(report);
    let left = (0..header.len())
        .filter(|at| is_left(report, *at))
        .collect();
    let missing = missing_verdicts(report);
    let missing = Some(missing.trim_end()).filter(|text| !text.is_empty());
    let warnings = report.warnings.iter().map(|warning| warning.text.as_str());
    let ranking = markdown_text(
        missing.into_iter().chain(warnings),
        &MarkdownTable::new(header, rows, left),
    );
    answer_text(report) + &ranking + &slice_tables(report)
}

fn answer_text(report: &Report) -> String {
    let found = report.interaction.as_ref();
    found.map_or_else(String::new, |found| {
        format!("{}\n\n", escape(&found.summary))
    })
}

fn slice_tables(report: &Report) -> String {
    let parts = markdown_parts(report).into_iter();
    let tables = parts.map(|(heading, header, rows)| {
        let is_words = |at: &usize| ["system", "slice"].contains(&header[*at].as_str());
        let left = (0..header.len()).filter(is_words).collect();
        MarkdownTable::new(header, rows, left).text_under(&heading)
    });
    tables.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_engine::{NoScore, RankingRow, Warning, WarningKind};

    #[test]
    fn a_ranking_has_its_warnings_above() {
        let row = |system: &str, score| RankingRow {
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
        };
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
}
