//! The figures of an audit: every tested figure with its interval, Elo ratings before and after the
//! lowest systems were rewritten, and how often each score was given.

use super::draw::{Area, Drawn, draw_line, draw_svg, draw_text};
use super::{Axis, Curve, Mark, Panel, Plot, without_empty};

use evenhand_studies::Figure;
use evenhand_studies::audit::{
    AuditReport, Climb, Climber, Finding, ScoreDistribution, ScoreShare,
};
use plotters::prelude::*;

const STATES: &[&str] = &["before", "asked again", "rewritten"];
const WIDTH: u32 = 1000;
const ROW: i32 = 20;
const LEFT: i32 = 470;
const TOP: i32 = 56;
/// Characters of a figure's name that fit at the left.
const LETTERS: usize = 76;

const LIGHT_GREY: RGBColor = RGBColor(225, 225, 225);
const STRONG_ORANGE: RGBColor = RGBColor(213, 94, 0);
const STRONG_BLUE: RGBColor = RGBColor(0, 114, 178);

/// Returns the charts of an audit, each with a name for its file: rankings that were climbed, and
/// distributions of scores.
pub fn audit_plots(report: &AuditReport) -> Vec<(String, Plot)> {
    without_empty(climb_charts(report).chain(histograms(report)))
}

/// Draws the rankings that were climbed, a file for each.
fn climb_charts(report: &AuditReport) -> impl Iterator<Item = (String, Plot)> {
    let climbs = report.climbs.iter().zip(1..);
    climbs.map(|(climb, number)| {
        let name = format!("climb-{number}-{}", climb.rewrite);
        (name, climb_chart(report, climb))
    })
}

/// Draws Elo ratings before, asked again unchanged, and rewritten, with their intervals.
fn climb_chart(report: &AuditReport, climb: &Climb) -> Plot {
    let plot = Plot {
        title: format!("Climbing by style ({}): {}", climb.rewrite, report.judge),
        caption: climb_caption(report, climb),
        y_label: "Elo rating".into(),
        x_scale: Axis::Named(STATES),
        panels: vec![elo_panel(climb)],
        ..Plot::default()
    };
    plot.with_points_only()
}

fn climb_caption(report: &AuditReport, climb: &Climb) -> String {
    format!(
        "{}: Elo, {:.0} % intervals over questions; only the rewritten systems' responses change",
        climb.protocol,
        100.0 * report.level
    )
}

fn elo_panel(climb: &Climb) -> Panel {
    let count = climb.systems.len();
    let systems = climb.systems.iter().enumerate();
    Panel::untitled(systems.map(|(at, system)| elo_curve(system, sideways(at, count))))
}

/// Returns how far a system's points stand beside the state, so that no bar covers another's.
fn sideways(at: usize, count: usize) -> f64 {
    let middle = (count.max(1) - 1) as f64 / 2.0;
    (at as f64 - middle) * (0.3 / count.max(1) as f64)
}

fn elo_curve(system: &Climber, aside: f64) -> Curve {
    Curve {
        name: climber_name(system),
        mark: Mark::Steps,
        points: elo_points(system, aside).collect(),
        band: elo_intervals(system, aside).collect(),
        ..Curve::default()
    }
}

/// Returns a system with its ranks in all states.
fn climber_name(system: &Climber) -> String {
    let ranks = system
        .rank
        .map(|rank| rank.map_or("-".into(), |rank| rank.to_string()));
    let mark = if system.rewritten { " (rewritten)" } else { "" };
    format!("{}{mark}, ranks {}", system.system, ranks.join(", "))
}

fn elo_points(system: &Climber, aside: f64) -> impl Iterator<Item = (f64, f64)> {
    places_of_states(aside)
        .zip(system.elo)
        .filter_map(|(x, elo)| Some((x, elo?)))
}

fn elo_intervals(system: &Climber, aside: f64) -> impl Iterator<Item = (f64, f64, f64)> {
    let states = places_of_states(aside).zip(system.elo_ci);
    states.filter_map(|(x, ci)| {
        let [low, high] = ci?;
        Some((x, low?, high?))
    })
}

/// Returns the places of all states on the x axis, moved aside.
fn places_of_states(aside: f64) -> impl Iterator<Item = f64> {
    (0..STATES.len()).map(move |state| state as f64 + aside)
}

/// Draws how often each score was given, a file for each protocol.
fn histograms(report: &AuditReport) -> impl Iterator<Item = (String, Plot)> {
    let distributions = report.distributions.iter().zip(1..);
    distributions.map(|(scores, number)| {
        let form = form_of(&scores.protocol).replace([':', '.'], "-");
        let name = format!("scores-{number}-{form}");
        (name, histogram(report, scores))
    })
}

/// Returns the form of a protocol: the part of its name before the first slash.
fn form_of(protocol: &str) -> &str {
    protocol.split('/').next().unwrap_or("")
}

fn histogram(report: &AuditReport, scores: &ScoreDistribution) -> Plot {
    let shares: Vec<_> = scores.scores.iter().filter_map(score_point).collect();
    let unit = step_between(&shares);
    let plot = Plot {
        title: format!("Scores: {}", report.judge),
        caption: histogram_caption(report, scores),
        x_label: x_label(unit),
        y_label: "share".into(),
        panels: vec![share_panel(&scores.protocol, shares, unit)],
        ..Plot::default()
    };
    plot.with_points_only()
}

/// Returns the shares of scores as boxes. A box is one unit wide, whatever the step of the scale
/// is.
fn share_panel(protocol: &str, shares: Vec<(f64, &Figure)>, unit: f64) -> Panel {
    let shares = shares.into_iter();
    let scaled = shares.map(|(score, share)| (score / unit, share));
    Panel::untitled([Curve::marked(protocol, Mark::Boxes).with_figures(scaled)])
}

fn x_label(unit: f64) -> String {
    if unit == 1.0 {
        "score".into()
    } else {
        format!("score, in steps of {unit}")
    }
}

/// Returns the step of a scale; 1 where it has only one score.
fn step_between(shares: &[(f64, &Figure)]) -> f64 {
    match shares {
        [(first, _), (second, _), ..] if second > first => second - first,
        _ => 1.0,
    }
}

fn score_point(score: &ScoreShare) -> Option<(f64, &Figure)> {
    Some((score.score.parse().ok()?, &score.share))
}

fn histogram_caption(report: &AuditReport, scores: &ScoreDistribution) -> String {
    format!(
        "{}: {} responses, {:.0} % intervals over questions",
        scores.protocol,
        scores.responses,
        100.0 * report.level
    )
}

/// Returns all tested figures as an SVG: a point, its interval, and a tick where an unbiased judge
/// is; found biases in colour.
///
/// # Errors
/// No tested figure, or what the drawing library says.
pub fn forest(report: &AuditReport) -> Result<String, String> {
    let rows = tested_findings(report);
    if rows.is_empty() {
        return Err("no figure was tested".into());
    }
    let size = (WIDTH, (bottom_of(&rows) + 60) as u32);
    draw_svg(size, |area| draw_forest(area, report, &rows))
}

fn tested_findings(report: &AuditReport) -> Vec<&Finding> {
    let findings = report.findings.iter();
    findings
        .filter(|finding| finding.p.is_some() && finding.figure.value.is_some())
        .collect()
}

fn bottom_of(rows: &[&Finding]) -> i32 {
    TOP + ROW * rows.len() as i32
}

fn draw_forest(area: &Area<'_>, report: &AuditReport, rows: &[&Finding]) -> Drawn {
    let bottom = bottom_of(rows);
    let title = format!("What {} falls for", report.judge);
    area.fill(&WHITE)?;
    draw_text(area, title, (20, 14), 20)?;
    draw_ticks(area, bottom)?;
    draw_text(area, forest_caption(report), (20, bottom + 30), 12)?;
    draw_findings(area, rows)?;
    area.present()
}

fn draw_findings(area: &Area<'_>, rows: &[&Finding]) -> Drawn {
    for (finding, at) in rows.iter().zip(0..) {
        draw_finding(area, TOP + ROW * at + 4, finding)?;
    }
    Ok(())
}

fn forest_caption(report: &AuditReport) -> String {
    format!(
        "points and {:.0} % intervals; the tick is where an unbiased judge is; orange: found after \
         correction over {} tests",
        100.0 * report.level,
        report.tested
    )
}

fn draw_ticks(area: &Area<'_>, bottom: i32) -> Drawn {
    for tick in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        draw_tick(area, tick, bottom)?;
    }
    Ok(())
}

fn draw_tick(area: &Area<'_>, tick: f64, bottom: i32) -> Drawn {
    let x = place_of(tick);
    draw_line(area, [(x, TOP - 6), (x, bottom)], LIGHT_GREY.into())?;
    draw_text(area, tick.to_string(), (x - 8, bottom + 6), 12)
}

/// Draws the name, interval, unbiased value and value of a finding in the row at this height.
fn draw_finding(area: &Area<'_>, at: i32, finding: &Finding) -> Drawn {
    draw_text(area, row_name(finding), (20, at), 12)?;
    // The point comes last, on top of the lines.
    draw_interval(area, at + 6, finding)?;
    draw_unbiased(area, at, finding)?;
    draw_point(area, at + 6, finding)
}

fn draw_point(area: &Area<'_>, y: i32, finding: &Finding) -> Drawn {
    let Some(x) = finding.figure.value.map(place_of) else {
        return Ok(());
    };
    let style = colour_of(finding).filled();
    area.draw(&Circle::new((x, y), 4, style))
}

fn colour_of(finding: &Finding) -> RGBColor {
    if finding.biased {
        STRONG_ORANGE
    } else {
        STRONG_BLUE
    }
}

fn draw_interval(area: &Area<'_>, y: i32, finding: &Finding) -> Drawn {
    let Some([Some(low), Some(high)]) = finding.figure.ci else {
        return Ok(());
    };
    let ends = [low, high].map(|end| (place_of(end), y));
    draw_line(area, ends, colour_of(finding).stroke_width(2))
}

fn draw_unbiased(area: &Area<'_>, top: i32, finding: &Finding) -> Drawn {
    let Some(x) = finding.unbiased.map(place_of) else {
        return Ok(());
    };
    draw_line(area, [(x, top), (x, top + 12)], BLACK.stroke_width(1))
}

fn row_name(finding: &Finding) -> String {
    let form = form_of(&finding.protocol);
    format!("{}: {} ({form})", finding.name.topic(), finding.name)
        .chars()
        .take(LETTERS)
        .collect()
}

/// Returns the place across of a number from -1 to 1.
fn place_of(value: f64) -> i32 {
    let room = f64::from(WIDTH as i32 - LEFT - 30);
    LEFT + ((value + 1.0) / 2.0 * room).round() as i32
}
