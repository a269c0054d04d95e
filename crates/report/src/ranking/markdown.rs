//! The ranking as a table in Markdown, with its warnings above.

use super::table::Shown;
use super::{heading_of_slice, missing_verdicts};
use crate::markdown::{MarkdownTable, escape, markdown_text};
use crate::slices::{about_deviations, deviation_cells, deviation_columns};
use evenhand_ranking::Report;

/// Returns the warnings of a ranking and its table, then those of slices, and nothing else.
pub fn ranking_markdown(report: &Report) -> String {
    let mut text = String::new();
    if let Some(found) = &report.interaction {
        text += &format!("{}\n\n", escape(&found.summary));
    }
    let missing = missing_verdicts(report);
    let missing = Some(missing.trim_end()).filter(|text| !text.is_empty());
    let warnings = report.warnings.iter().map(|warning| warning.text.as_str());
    let (header, rows) = Shown::whole(report).cells();
    text += &markdown_text(
        missing.into_iter().chain(warnings),
        &table_of_systems(header, rows),
    );
    let Some(found) = &report.interaction else {
        return text;
    };
    for slice in &report.slices {
        let (header, rows) = Shown::whole(report).with_rows(&slice.ranking).cells();
        let heading = heading_of_slice(&found.field, slice);
        text += &table_of_systems(header, rows).text_under(&heading);
    }
    if !found.deviations.is_empty() {
        let rows = found.deviations.iter().map(deviation_cells).collect();
        let table = table_of_systems(deviation_columns("system"), rows);
        text += &table.text_under(&about_deviations(found));
    }
    text
}

/// Returns a table whose names of systems and of slices stand at the left.
fn table_of_systems(header: Vec<String>, rows: Vec<Vec<String>>) -> MarkdownTable {
    let is_words = |at: &usize| ["system", "slice"].contains(&header[*at].as_str());
    let left = (0..header.len()).filter(is_words).collect();
    MarkdownTable::new(header, rows, left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_ranking::{NoScore, RankingRow, Warning, WarningKind};

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
