//! Drawing: a title, panels in rows, a legend at the right, a caption below.

use super::axis::{Extent, extents, tick};
use super::{Curve, Mark, Panel, Plot};
use plotters::coord::Shift;
use plotters::prelude::*;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;
type Chart<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

/// Seven colours that people with any colour vision tell apart (Okabe and Ito 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(70, 70, 70),
];
const TOP: u32 = 44;
const BOTTOM: u32 = 30;
const LEGEND: u32 = 280;
/// The letters that fit into a line of the legend, and above a panel.
const LETTERS: usize = 34;
const PANEL_LETTERS: usize = 46;
const LINE: i32 = 17;
const COLUMNS: usize = 3;

impl Plot {
    /// The plot as an SVG document.
    ///
    /// # Errors
    /// No finite point to draw, or what the drawing library says.
    pub fn svg(&self) -> Result<String, String> {
        let axes = extents(self).ok_or("there is no point to draw")?;
        let mut text = String::new();
        let area = SVGBackend::with_string(&mut text, self.size()).into_drawing_area();
        self.draw(&area, axes).map_err(|e| e.to_string())?;
        drop(area);
        Ok(text)
    }

    fn columns(&self) -> usize {
        self.panels.len().clamp(1, COLUMNS)
    }

    fn rows(&self) -> usize {
        self.panels.len().div_ceil(self.columns()).max(1)
    }

    /// The width and height of a panel.
    fn panel(&self) -> (u32, u32) {
        if self.panels.len() > 1 {
            (380, 340)
        } else {
            (620, 446)
        }
    }

    fn size(&self) -> (u32, u32) {
        let (width, height) = self.panel();
        let legend = LINE
            * self
                .legend()
                .iter()
                .map(|(_, lines)| lines.len() as i32)
                .sum::<i32>()
            + 40;
        let panels = TOP + height * self.rows() as u32 + BOTTOM;
        (
            width * self.columns() as u32 + LEGEND,
            panels.max(TOP + BOTTOM + legend as u32),
        )
    }

    /// The names of all curves, as they first appear.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for curve in self.panels.iter().flat_map(|panel| &panel.curves) {
            if !names.contains(&curve.name.as_str()) {
                names.push(&curve.name);
            }
        }
        names
    }

    /// The number of each curve, and the lines of its name.
    fn legend(&self) -> Vec<(usize, Vec<String>)> {
        self.names()
            .iter()
            .enumerate()
            .map(|(number, name)| (number, lines(name, LETTERS)))
            .collect()
    }

    fn draw(&self, root: &Area<'_>, axes: (Extent, Extent)) -> Drawn {
        root.fill(&WHITE)?;
        let (width, height) = self.size();
        root.draw(&Text::new(self.title.as_str(), (20, 14), text(20)))?;
        root.draw(&Text::new(
            self.caption.as_str(),
            (20, height as i32 - 22),
            text(13),
        ))?;
        let (left, right) = root
            .margin(TOP, BOTTOM, 0, 0)
            .split_horizontally(width - LEGEND);
        let areas = left.split_evenly((self.rows(), self.columns()));
        for (panel, area) in self.panels.iter().zip(&areas) {
            self.draw_panel(panel, area, axes)?;
        }
        self.draw_legend(&right)?;
        root.present()
    }

    fn draw_panel(&self, panel: &Panel, area: &Area<'_>, (x, y): (Extent, Extent)) -> Drawn {
        let title = short(&panel.title, PANEL_LETTERS);
        let mut builder = ChartBuilder::on(area);
        builder
            .margin(8)
            .x_label_area_size(44)
            .y_label_area_size(56);
        if !title.is_empty() {
            builder.caption(title, text(14));
        }
        let mut chart = builder.build_cartesian_2d(x[0]..x[1], y[0]..y[1])?;
        self.draw_axes(&mut chart)?;
        let names = self.names();
        for curve in panel.curves.iter().rev() {
            let number = names
                .iter()
                .position(|name| *name == curve.name)
                .unwrap_or(0);
            draw_curve(&mut chart, curve, number)?;
        }
        Ok(())
    }

    fn draw_axes(&self, chart: &mut Chart<'_, '_>) -> Drawn {
        let (across, up) = (
            |at: &f64| tick(self.x_scale, *at),
            |at: &f64| tick(self.y_scale, *at),
        );
        let mut mesh = chart.configure_mesh();
        mesh.x_label_formatter(&across).y_label_formatter(&up);
        mesh.x_labels(if self.panels.len() > 1 { 6 } else { 10 })
            .bold_line_style(RGBColor(220, 220, 220))
            .light_line_style(WHITE);
        mesh.x_desc(self.x_label.as_str())
            .y_desc(self.y_label.as_str())
            .axis_desc_style(text(13))
            .draw()
    }

    fn draw_legend(&self, area: &Area<'_>) -> Drawn {
        let mut at = 12;
        for (number, lines) in self.legend() {
            area.draw(&PathElement::new(
                [(6, at + 6), (30, at + 6)],
                colour(number).stroke_width(2),
            ))?;
            area.draw(&marker((18, at + 6), number))?;
            for line in lines {
                area.draw(&Text::new(line, (36, at), text(13)))?;
                at += LINE;
            }
            at += 4;
        }
        Ok(())
    }
}

/// Curves that lie on one another are told apart by the size of their markers: the later one,
/// below, is the larger.
fn draw_curve(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    match curve.mark {
        Mark::Line => draw_band(chart, curve, number)?,
        Mark::Points => draw_bars(chart, curve, number)?,
    }
    chart.draw_series(curve.points.iter().map(|&point| marker(point, number)))?;
    Ok(())
}

fn draw_band(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    let back = curve.band.iter().rev().map(|&(x, _, high)| (x, high));
    let outline: Vec<(f64, f64)> = curve
        .band
        .iter()
        .map(|&(x, low, _)| (x, low))
        .chain(back)
        .collect();
    if !outline.is_empty() {
        chart.draw_series([Polygon::new(outline, colour(number).mix(0.12))])?;
    }
    chart.draw_series(LineSeries::new(
        curve.points.iter().copied(),
        colour(number).stroke_width(2),
    ))?;
    Ok(())
}

fn draw_bars(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    let bar = |&(x, low, high): &(f64, f64, f64)| {
        PathElement::new(
            [(x, low), (x, high)],
            colour(number).mix(0.45).stroke_width(2),
        )
    };
    chart.draw_series(curve.band.iter().map(bar))?;
    Ok(())
}

/// A disc; a ring for the curves whose colours are there already.
fn marker<C>(at: C, number: usize) -> Circle<C, u32> {
    let style = colour(number);
    let size = 3 + (number % 4) as u32;
    Circle::new(
        at,
        size,
        if number < COLOURS.len() {
            style.filled()
        } else {
            style.stroke_width(2)
        },
    )
}

fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

pub(super) fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}

/// A name of at most so many characters.
pub(super) fn short(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.into();
    }
    name.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// A name in at most two lines, the first broken after a blank, a comma or a slash where there is
/// one.
fn lines(name: &str, most: usize) -> Vec<String> {
    if name.chars().count() <= most {
        return vec![name.into()];
    }
    let ends = name
        .char_indices()
        .take(most)
        .filter(|(_, c)| " ,/".contains(*c))
        .map(|(at, c)| at + c.len_utf8());
    let hard = || {
        name.char_indices()
            .nth(most)
            .map_or(name.len(), |(at, _)| at)
    };
    let (first, rest) = name.split_at(ends.last().unwrap_or_else(hard));
    vec![first.trim_end().into(), short(rest, most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str) -> Curve {
        Curve {
            name: name.into(),
            points: vec![(0.0, 0.5), (10.0, 0.75)],
            band: vec![(0.0, 0.25, 0.75), (10.0, 0.5, 1.0)],
            ..Curve::default()
        }
    }

    fn plot() -> Plot {
        let panel = Panel {
            title: "one".into(),
            curves: vec![curve("<script>"), curve("two")],
        };
        Plot {
            title: "a & b".into(),
            panels: vec![
                panel.clone(),
                Panel {
                    title: "two".into(),
                    ..panel
                },
            ],
            ..Plot::default()
        }
    }

    #[test]
    fn names_are_escaped_and_bytes_are_the_same() {
        let text = plot().svg().unwrap();
        assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"));
        assert!(
            text.contains("&lt;script&gt;")
                && text.contains("a &amp; b")
                && !text.contains("<script>")
        );
        assert_eq!(text, plot().svg().unwrap());
    }

    #[test]
    fn a_curve_of_two_panels_is_in_the_legend_once() {
        // In each of two panels two bands and four points; two markers in the legend.
        let text = plot().svg().unwrap();
        assert_eq!(
            (
                text.matches("<polygon").count(),
                text.matches("<circle").count()
            ),
            (4, 8 + 2)
        );
        assert_eq!(text.matches("&lt;script&gt;").count(), 1);
    }

    #[test]
    fn points_alone_have_bars_and_no_band() {
        let mut plot = plot();
        plot.panels
            .iter_mut()
            .flat_map(|panel| &mut panel.curves)
            .for_each(|curve| curve.mark = Mark::Points);
        let text = plot.svg().unwrap();
        assert_eq!(
            (
                text.matches("<polygon").count(),
                text.matches("<circle").count()
            ),
            (0, 8 + 2)
        );
    }

    #[test]
    fn nothing_to_draw_is_said() {
        assert_eq!(
            Plot::default().svg(),
            Err("there is no point to draw".into())
        );
        let empty = Panel {
            curves: vec![Curve::default()],
            ..Panel::default()
        };
        assert_eq!(
            Plot {
                panels: vec![empty],
                ..Plot::default()
            }
            .with_points_only(),
            Plot::default()
        );
    }

    #[test]
    fn long_names_take_two_lines() {
        assert_eq!(lines("short", 10), ["short"]);
        assert_eq!(
            lines("pairwise/direct/swap, win-ratio", 22),
            ["pairwise/direct/swap,", "win-ratio"]
        );
        assert_eq!(lines("ääääääää", 3), ["äää", "ää…"]);
    }
}
