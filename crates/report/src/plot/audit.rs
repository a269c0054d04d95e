//! The figures of an audit: every tested figure with its interval, and rankings before and after
//! their lowest were rewritten.

use super::{Curve, Panel, Plot, Scale};
use evenhand_studies::audit::{AuditReport, Climb, Finding};
use plotters::prelude::*;

const STATES: &[&str] = &["before", "asked again", "rewritten"];
const WIDTH: u32 = 1000;
const ROW: i32 = 20;
const LEFT: i32 = 470;
const TOP: i32 = 56;

/// The bump charts of an audit, each with a name for its file.
pub fn audit_plots(report: &AuditReport) -> Vec<(String, Plot)> {
    let of = |(at, climb): (usize, &Climb)| {
        (
            format!("climb-{}-{}", at + 1, climb.rewrite),
            bump(report, climb),
        )
    };
    report
        .climbs
        .iter()
        .enumerate()
        .map(of)
        .filter(|(_, plot)| !plot.panels.is_empty())
        .collect()
}

/// Ranks before, asked again unchanged, and rewritten.
fn bump(report: &AuditReport, climb: &Climb) -> Plot {
    let curve = |system: &evenhand_studies::audit::Climber| Curve {
        name: if system.rewritten {
            format!("{} (rewritten)", system.system)
        } else {
            system.system.clone()
        },
        points: (0..3)
            .filter_map(|state| Some((state as f64, -f64::from(system.rank[state]?))))
            .collect(),
        ..Curve::default()
    };
    let plot = Plot {
        title: format!("Climbing by style ({}): {}", climb.rewrite, report.judge),
        caption: format!(
            "{}: ranks by Bradley-Terry; only the rewritten systems' responses change",
            climb.protocol
        ),
        y_label: "rank".into(),
        x_scale: Scale::Named(STATES),
        y_scale: Scale::Rank,
        panels: vec![Panel {
            curves: climb.systems.iter().map(curve).collect(),
            ..Panel::default()
        }],
        ..Plot::default()
    };
    plot.with_points_only()
}

/// All tested figures: a point, its interval, and a tick where an unbiased judge is; found biases
/// in colour.
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
    let size = (WIDTH, (TOP + ROW * rows.len() as i32 + 60) as u32);
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    draw(&area, report, &rows).map_err(|e| e.to_string())?;
    drop(area);
    Ok(text)
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw(area: &Area<'_>, report: &AuditReport, rows: &[&Finding]) -> Drawn {
    area.fill(&WHITE)?;
    area.draw(&Text::new(
        format!("What {} falls for", report.judge),
        (20, 14),
        style(20),
    ))?;
    let bottom = TOP + ROW * rows.len() as i32;
    for tick in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        area.draw(&PathElement::new(
            [(place(tick), TOP - 6), (place(tick), bottom)],
            RGBColor(225, 225, 225),
        ))?;
        area.draw(&Text::new(
            format!("{tick}"),
            (place(tick) - 8, bottom + 6),
            style(12),
        ))?;
    }
    let caption = format!(
        "points and {:.0} % intervals; the tick is where an unbiased judge is; orange: found after \
         correction over {} tests",
        100.0 * report.level,
        report.tested
    );
    area.draw(&Text::new(caption, (20, bottom + 30), style(12)))?;
    rows.iter()
        .enumerate()
        .try_for_each(|(at, finding)| row(area, TOP + ROW * at as i32 + 4, finding))?;
    area.present()
}

fn row(area: &Area<'_>, at: i32, finding: &Finding) -> Drawn {
    let colour = if finding.biased {
        RGBColor(213, 94, 0)
    } else {
        RGBColor(0, 114, 178)
    };
    let form = finding.protocol.split('/').next().unwrap_or("");
    let name: String = format!("{}: {} ({form})", finding.probe, finding.name)
        .chars()
        .take(76)
        .collect();
    area.draw(&Text::new(name, (20, at), style(12)))?;
    if let Some([Some(low), Some(high)]) = finding.figure.ci {
        area.draw(&PathElement::new(
            [(place(low), at + 6), (place(high), at + 6)],
            colour.stroke_width(2),
        ))?;
    }
    if let Some(unbiased) = finding.unbiased {
        area.draw(&PathElement::new(
            [(place(unbiased), at), (place(unbiased), at + 12)],
            BLACK.stroke_width(1),
        ))?;
    }
    match finding.figure.value {
        Some(value) => area.draw(&Circle::new((place(value), at + 6), 4, colour.filled())),
        None => Ok(()),
    }
}

/// The place of a number from -1 to 1.
fn place(value: f64) -> i32 {
    LEFT + ((value + 1.0) / 2.0 * f64::from(WIDTH as i32 - LEFT - 30)).round() as i32
}

fn style(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}
