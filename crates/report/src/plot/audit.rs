//! The figures of an audit: every tested figure with its interval, and rankings before and after
//! their lowest were rewritten.

use super::draw::{Area, Drawn, draw_line, draw_svg, draw_text};
use super::{Axis, Curve, Panel, Plot};
use evenhand_studies::audit::{AuditReport, Climb, Climber, Finding};
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

/// Returns the bump charts of an audit, each with a name for its file.
pub fn audit_plots(report: &AuditReport) -> Vec<(String, Plot)> {
    let climbs = report.climbs.iter().zip(1..);
    let charts = climbs.map(|(climb, number)| {
        let name = format!("climb-{number}-{}", climb.rewrite);
        (name, bump_chart(report, climb))
    });
    charts.filter(|(_, plot)| !plot.panels.is_empty()).collect()
}

/// Draws ranks before, asked again unchanged, and rewritten.
fn bump_chart(report: &AuditReport, climb: &Climb) -> Plot {
    let plot = Plot {
        title: format!("Climbing by style ({}): {}", climb.rewrite, report.judge),
        caption: bump_caption(climb),
        y_label: "rank".into(),
        x_scale: Axis::Named(STATES),
        y_scale: Axis::Rank,
        panels: vec![rank_panel(climb)],
        ..Plot::default()
    };
    plot.with_points_only()
}

fn bump_caption(climb: &Climb) -> String {
    let protocol = &climb.protocol;
    format!("{protocol}: ranks by Bradley-Terry; only the rewritten systems' responses change")
}

fn rank_panel(climb: &Climb) -> Panel {
    Panel {
        curves: climb.systems.iter().map(rank_curve).collect(),
        ..Panel::default()
    }
}

fn rank_curve(system: &Climber) -> Curve {
    let mark = if system.rewritten { " (rewritten)" } else { "" };
    let states = 0..STATES.len();
    Curve {
        name: format!("{}{mark}", system.system),
        points: states
            .filter_map(|state| rank_point(system, state))
            .collect(),
        ..Curve::default()
    }
}

/// Returns the point of a system in a state. Ranks are drawn with their sign changed, the first on
/// top.
fn rank_point(system: &Climber, state: usize) -> Option<(f64, f64)> {
    let rank = f64::from(system.rank[state]?);
    Some((state as f64, -rank))
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
    area.fill(&WHITE)?;
    draw_text(
        area,
        format!("What {} falls for", report.judge),
        (20, 14),
        20,
    )?;
    draw_ticks(area, bottom)?;
    draw_text(area, forest_caption(report), (20, bottom + 30), 12)?;
    for (finding, at) in rows.iter().zip(0..) {
        draw_finding(area, TOP + ROW * at + 4, finding)?;
    }
    area.present()
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
        let x = place_of(tick);
        draw_line(area, [(x, TOP - 6), (x, bottom)], LIGHT_GREY.into())?;
        draw_text(area, tick.to_string(), (x - 8, bottom + 6), 12)?;
    }
    Ok(())
}

/// Draws the name, interval, unbiased value and value of a finding in the row at this height.
fn draw_finding(area: &Area<'_>, at: i32, finding: &Finding) -> Drawn {
    let colour = colour_of(finding);
    draw_text(area, row_name(finding), (20, at), 12)?;
    // The point comes last, on top of the lines.
    draw_interval(area, at + 6, finding)?;
    draw_unbiased(area, at, finding)?;
    let value = finding.figure.value.map(place_of);
    value.map_or(Ok(()), |x| {
        area.draw(&Circle::new((x, at + 6), 4, colour.filled()))
    })
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
    let form = finding.protocol.split('/').next().unwrap_or("");
    let name = format!("{}: {} ({form})", finding.name.topic(), finding.name);
    name.chars().take(LETTERS).collect()
}

/// Returns the place across of a number from -1 to 1.
fn place_of(value: f64) -> i32 {
    let room = f64::from(WIDTH as i32 - LEFT - 30);
    LEFT + ((value + 1.0) / 2.0 * room).round() as i32
}
