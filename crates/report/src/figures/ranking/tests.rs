//! The figures of a small made-up ranking.

use super::*;
use crate::figures::{Grid, draw_svg};
use evenhand_ranking::{
    Cluster, Edition, EditionRow, EloEffect, InteractionReport, PairRow, Share, SliceDeviation,
    SliceRanking, SliceUnit, TurnRanking,
};

fn row(rank: u32, system: &str, score: f64) -> RankingRow {
    RankingRow {
        system: system.into(),
        score: Some(score),
        ci: Some([Some(score - 6.0), Some(score + 6.0)]),
        rank: Some(rank),
        rank_ci: Some([rank, rank + 1]),
        better_than: None,
        standard_error: None,
        n: 1040,
        raw_win_rate: None,
        no_score: None,
        note: None,
    }
}

/// A system that won every comparison.
fn unbeaten() -> RankingRow {
    RankingRow {
        score: None,
        ci: None,
        rank_ci: None,
        better_than: None,
        no_score: Some(NoScore::WonAll),
        note: Some("it won every comparison".into()),
        ..row(1, "unbeaten", 0.0)
    }
}

fn report() -> Report {
    Report {
        ranking: vec![unbeaten(), row(2, "careful", 61.2), row(3, "hasty", 48.0)],
        unit: ScoreUnit::FormPoints,
        ci: IntervalMethod {
            method: Intervals::Bootstrap,
            cluster: Cluster::Item,
            column: None,
            units: None,
            rounds: 1000,
            level: 0.95,
        },
        consistency: Some(Share {
            value: 0.8,
            ci: Some([0.75, 0.85]),
            n: 520,
        }),
        ..Report::default()
    }
}

fn titles(report: &Report) -> Vec<String> {
    let figures = figures_of_ranking(report);
    figures
        .iter()
        .map(|figure| figure.title().to_owned())
        .collect()
}

#[test]
fn a_ranking_is_described_as_it_was() {
    let figures = figures_of_ranking(&report());
    let text = serde_json::to_string_pretty(&figures).unwrap();
    insta::assert_snapshot!("ranking_json", text);
    insta::assert_snapshot!("ranking_svg", draw_svg(&figures[0]));
}

#[test]
fn what_is_missing_has_no_figure() {
    assert_eq!(figures_of_ranking(&Report::default()), []);
    let mut without = report();
    without.consistency = None;
    for row in &mut without.ranking {
        row.rank_ci = None;
    }
    assert_eq!(titles(&without), ["Scores"]);
}

#[test]
fn effects_say_of_what_they_are() {
    let effect = |covariate: &str, normalised, elo| StyleEffect {
        covariate: covariate.into(),
        normalised,
        log_odds: 0.5,
        ci: None,
        elo,
        note: None,
    };
    let first = EloEffect {
        points: 87.0,
        ci: None,
    };
    let all = [
        effect("length", true, None),
        effect("order", false, Some(first)),
        effect("tokens", false, None),
        effect("bold", true, None),
    ];
    assert_eq!(
        say_units(&all),
        "one standard deviation of the normalised difference (length, bold) or being shown first or \
         one more of it (tokens)"
    );
    assert_eq!(say_units(&all[1..2]), "being shown first");
}

#[test]
fn turns_stand_together_by_system() {
    let turn = |turn, first, second| TurnRanking {
        turn,
        ranking: vec![row(1, first, 61.0), row(2, second, 48.0)],
    };
    let report = Report {
        turns: vec![turn(1, "careful", "hasty"), turn(2, "hasty", "careful")],
        ..report()
    };
    let figures = figures_of_ranking(&report);
    let turns = figures
        .iter()
        .find(|figure| figure.title() == "Scores by turn");
    let Some(Figure::Dots(dots)) = turns else {
        panic!("{figures:?}");
    };
    let rows = dots
        .rows
        .iter()
        .map(|row| (&*row.label, row.group.as_deref().unwrap()));
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            ("careful", "turn 1"),
            ("careful", "turn 2"),
            ("hasty", "turn 1"),
            ("hasty", "turn 2")
        ]
    );
}

#[test]
fn slices_are_a_grid_of_deviations_and_dots_by_system() {
    let slice = |value: &str, first, second| SliceRanking {
        value: value.into(),
        n_items: 20,
        n_questions: 20,
        ranking: vec![row(1, first, 61.0), row(2, second, 48.0)],
        ..SliceRanking::default()
    };
    let deviation = |system: &str, value: &str, deviation, p| SliceDeviation {
        system: system.into(),
        value: value.into(),
        items: 20,
        deviation,
        standard_error: Some(0.02),
        pooled: 0.5 * deviation,
        p_adjusted: Some(p),
        note: None,
    };
    let mut report = Report {
        slices: vec![
            slice("", "hasty", "careful"),
            slice("code", "careful", "hasty"),
        ],
        interaction: Some(InteractionReport {
            summary: "The ranking differs.".into(),
            field: "category".into(),
            unit: SliceUnit::ShareWon,
            tested: 4,
            deviations: vec![
                deviation("careful", "", 0.12, 0.003),
                deviation("careful", "code", -0.12, 0.2),
                deviation("hasty", "code", 0.05, 0.9),
            ],
            ..InteractionReport::default()
        }),
        ..report()
    };
    report.ci.level = 0.95;
    let figures = figures_of_ranking(&report);
    let grid = figures.iter().find_map(|figure| match figure {
        Figure::Grid(grid) => Some(grid),
        _ => None,
    });
    let grid = grid.unwrap();
    assert_eq!(grid.title, "Beyond what scores say, by category");
    assert_eq!(grid.columns, ["(none)", "code"]);
    let of = |system: &str| {
        let at = grid.rows.iter().position(|row| row == system).unwrap();
        let cells = grid.cells[at].iter();
        let texts = cells.map(|cell| cell.as_ref().map(|cell| cell.text.clone()));
        texts.collect::<Vec<_>>()
    };
    assert_eq!(of("careful"), [Some("+0.12*".into()), Some("−0.12".into())]);
    assert_eq!(of("hasty"), [None, Some("+0.05".into())]);
    let dots = figures
        .iter()
        .find(|figure| figure.title() == "Scores by category");
    let Some(Figure::Dots(dots)) = dots else {
        panic!("{figures:?}");
    };
    let groups = dots.rows.iter().map(|row| row.group.as_deref().unwrap());
    assert_eq!(
        groups.collect::<Vec<_>>(),
        ["(none)", "code", "(none)", "code"]
    );
    // In the order of the whole ranking, whoever leads in the first slice.
    let labels = dots.rows.iter().map(|row| &*row.label);
    assert_eq!(
        labels.collect::<Vec<_>>(),
        ["careful", "careful", "hasty", "hasty"]
    );
}

/// In `vision` only the two best are judged: its own mean would put them far below where they are.
#[test]
fn scores_of_slices_have_one_origin() {
    let slice = |value: &str, rows: &[(&'static str, f64)]| SliceRanking {
        value: value.into(),
        n_items: 20,
        n_questions: 20,
        ranking: (1..)
            .zip(rows)
            .map(|(rank, (system, score))| row(rank, system, *score))
            .collect(),
        ..SliceRanking::default()
    };
    let all = [("a", 1200.0), ("b", 1100.0), ("c", 700.0)];
    let mut report = Report {
        unit: ScoreUnit::FittedElo,
        ranking: slice("", &all).ranking,
        slices: vec![
            slice("coding", &all),
            slice("vision", &[("a", 1040.0), ("b", 960.0)]),
        ],
        interaction: Some(InteractionReport {
            summary: "No difference.".into(),
            field: "category".into(),
            ..InteractionReport::default()
        }),
        ..report()
    };
    let drawn = |report: &Report| {
        let figures = figures_of_ranking(report).into_iter();
        let mut dots = figures.filter_map(|figure| match figure {
            Figure::Dots(dots) if dots.title == "Scores by category" => Some(dots),
            _ => None,
        });
        dots.next().unwrap()
    };
    let values = |dots: &crate::figures::Dots| -> Vec<f64> {
        dots.rows.iter().filter_map(|row| row.value).collect()
    };
    let dots = drawn(&report);
    assert_eq!(values(&dots), [1200.0, 1190.0, 1100.0, 1110.0, 700.0]);
    let note = dots.note.unwrap();
    assert!(
        note.contains("the 2 systems that are in all slices have the same mean"),
        "{note}"
    );
    assert!(
        dots.rows[1]
            .text
            .ends_with("1040 in the slice's own ranking"),
        "{}",
        dots.rows[1].text
    );
    // Shares have an origin.
    report.unit = ScoreUnit::ShareWon;
    let dots = drawn(&report);
    assert_eq!(values(&dots), [1200.0, 1040.0, 1100.0, 960.0, 700.0]);
    assert_eq!(dots.note.as_deref(), Some("No difference."));
}

#[test]
fn a_history_says_how_its_intervals_were_made() {
    let edition = |day: u32, intervals: Option<IntervalMethod>| Edition {
        date: format!("2026-11-{day}"),
        battles: 100,
        unit: report().unit.to_string(),
        intervals,
        ranking: vec![EditionRow {
            system: "careful".into(),
            score: Some(60.0),
            ci: Some([Some(55.0), Some(65.0)]),
            rank: Some(1),
            rank_ci: Some([1, 1]),
            battles: 100,
        }],
    };
    let drawn = |first: Option<IntervalMethod>, last: Option<IntervalMethod>| {
        let report = Report {
            history: vec![edition(10, first), edition(17, last)],
            ..report()
        };
        let written = written_scores(report.unit, &report);
        let Some(Figure::Lines(lines)) = history_figure(&report, written) else {
            panic!("no lines");
        };
        let first = lines.series[0].points[0].text.clone();
        (lines.note.unwrap_or_default(), first)
    };
    let bootstrap = report().ci;
    let sandwich = IntervalMethod {
        method: Intervals::Sandwich,
        rounds: 0,
        level: 0.9,
        ..bootstrap.clone()
    };
    let (note, _) = drawn(Some(bootstrap.clone()), Some(bootstrap.clone()));
    assert_eq!(
        note,
        "95 % intervals: bootstrap over items, 1,000 resamples, of each edition by itself"
    );
    let (note, point) = drawn(Some(sandwich), Some(bootstrap.clone()));
    assert_eq!(
        note,
        "by the edition, 90 % intervals: sandwich over items; or 95 % intervals: bootstrap over \
         items, 1,000 resamples"
    );
    assert_eq!(point, "2026-11-10: 60.00 (90 % interval 55.00 to 65.00)");
    let (note, _) = drawn(None, Some(bootstrap));
    assert_eq!(note, "intervals are those of each edition");
}

#[test]
fn differences_are_a_grid_of_both_signs() {
    let pair = PairRow {
        a: "careful".into(),
        b: "hasty".into(),
        difference: Some(13.2),
        ci: Some([Some(1.0), Some(20.0)]),
        p: Some(0.01),
        p_adjusted: Some(0.01),
        ..PairRow::default()
    };
    let unknown = PairRow {
        a: "unbeaten".into(),
        b: "hasty".into(),
        note: Some("infinite".into()),
        ..PairRow::default()
    };
    let report = Report {
        differences: vec![pair, unknown],
        ..report()
    };
    let figures = (differences_grid(&report), differences_dots(&report));
    let (Some(Figure::Grid(Grid { cells, .. })), Some(Figure::Dots(dots))) = &figures else {
        panic!("{figures:?}");
    };
    let texts = cells.iter().map(|row| {
        let texts = row
            .iter()
            .map(|cell| cell.as_ref().map_or("", |cell| &cell.text));
        texts.collect::<Vec<_>>()
    });
    assert_eq!(
        texts.collect::<Vec<_>>(),
        [["", "", "-"], ["", "", "+13.20*"], ["-", "−13.20*", ""]]
    );
    assert_eq!(
        dots.rows[0].text,
        "13.20 (95 % interval 1.00 to 20.00), adjusted p 0.010"
    );
    assert_eq!(dots.rows[1].text, "undefined: infinite");
}
