//! The figures of an audit: every tested figure with its interval, and rankings before and after
//! their lowest were rewritten.

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
    let charts = report.climbs.iter().enumerate().map(|(at, climb)| {
        let name = format!("climb-{}-{}", at + 1, climb.rewrite);
        (name, bump_chart(report, climb))
    });
    charts.filter(|(_, plot)| !plot.panels.is_empty()).collect()
}

/// Draws ranks before, asked again unchanged, and rewritten.
fn bump_chart(report: &AuditReport, climb: &Climb) -> Plot {
    Plot {
        title: format!("Climbing by style ({}): {}", climb.rewrite, report.judge),
        caption: format!(
            "{}: ranks by Bradley-Terry; only the rewritten systems' responses change",
            climb.protocol
        ),
        y_label: "rank".into(),
        x_scale: Axis::Named(STATES),
        y_scale: Axis::Rank,
        panels: vec![Panel {
            curves: climb.systems.iter().map(rank_curve).collect(),
            ..Panel::default()
        }],
        ..Plot::default()
    }
    .with_points_only()
}

fn rank_curve(system: &Climber) -> Curve {
    let mark = if system.rewritten { " (rewritten)" } else { "" };
    Curve {
        name: format!("{}{mark}", system.system),
        points: (0..STATES.len())
            .filter_map(|state| Some((state as f64, -f64::from(system.rank[state]?))))
            .collect(),
        ..Curve::default()
    }
}

/// Returns all tested figures as an SVG: a point, its interval, and a tick where an unbiased judge
/// is; found biases in colour.
///
/// # Errors
/// No tested figure, or what the drawing library says.
pub fn forest(report: &AuditReport) -> Result<String, String> {
    let rows: Vec<&Finding> = report
        .findings
        .iter()
        .filter(|finding| finding.p.is_some() && finding.figure.value.is_some())
        .collect();
    if rows.is_empty() {
        return Err("no figure was tested".into());
    }
    let mut text = String::new();
    let size = (WIDTH, (bottom_of(&rows) + 60) as u32);
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    draw_forest(&area, report, &rows).map_err(|e| e.to_string())?;
    drop(area);
    Ok(text)
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn bottom_of(rows: &[&Finding]) -> i32 {
    TOP + ROW * rows.len() as i32
}

fn draw_forest(area: &Area<'_>, report: &AuditReport, rows: &[&Finding]) -> Drawn {
    area.fill(&WHITE)?;
    let title = format!("What {} falls for", report.judge);
    area.draw(&Text::new(title, (20, 14), text_style(20)))?;
    let bottom = bottom_of(rows);
    draw_ticks(area, bottom)?;
    let caption = format!(
        "points and {:.0} % intervals; the tick is where an unbiased judge is; orange: found after \
         correction over {} tests",
        100.0 * report.level,
        report.tested
    );
    area.draw(&Text::new(caption, (20, bottom + 30), text_style(12)))?;
    for (finding, at) in rows.iter().zip(0..) {
        draw_finding(area, TOP + ROW * at + 4, finding)?;
    }
    area.present()
}

fn draw_ticks(area: &Area<'_>, bottom: i32) -> Drawn {
    for tick in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        let x = place_of(tick);
        area.draw(&PathElement::new([(x, TOP - 6), (x, bottom)], LIGHT_GREY))?;
        area.draw(&Text::new(
            format!("{tick}"),
            (x - 8, bottom + 6),
            text_style(12),
        ))?;
    }
    Ok(())
}

fn draw_finding(area: &Area<'_>, at: i32, finding: &Finding) -> Drawn {
    let colour = if finding.biased {
        STRONG_ORANGE
    } else {
        STRONG_BLUE
    };
    area.draw(&Text::new(row_name(finding), (20, at), text_style(12)))?;
    if let Some([Some(low), Some(high)]) = finding.figure.ci {
        let ends = [low, high].map(|end| (place_of(end), at + 6));
        area.draw(&PathElement::new(ends, colour.stroke_width(2)))?;
    }
    if let Some(unbiased) = finding.unbiased {
        let ends = [at, at + 12].map(|y| (place_of(unbiased), y));
        area.draw(&PathElement::new(ends, BLACK.stroke_width(1)))?;
    }
    if let Some(value) = finding.figure.value {
        let centre = (place_of(value), at + 6);
        area.draw(&Circle::new(centre, 4, colour.filled()))?;
    }
    Ok(())
}

fn row_name(finding: &Finding) -> String {
    let form = finding.protocol.split('/').next().unwrap_or("");
    format!("{}: {} ({form})", finding.name.topic(), finding.name)
        .chars()
        .take(LETTERS)
        .collect()
}

/// Returns the place across of a number from -1 to 1.
fn place_of(value: f64) -> i32 {
    LEFT + ((value + 1.0) / 2.0 * f64::from(WIDTH as i32 - LEFT - 30)).round() as i32
}

fn text_style(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}
