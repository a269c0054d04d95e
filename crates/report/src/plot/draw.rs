//! Drawing: a title, panels in rows, a legend at the right, a caption below.

use super::axis::{Axes, shared_axes, tick_label};
use super::{Curve, Mark, Panel, Plot};
use crate::order::in_order;
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type DrawingError = DrawingAreaErrorKind<std::io::Error>;
pub(super) type Drawn = Result<(), DrawingError>;
/// Pixels from the left and from the top.
pub(super) type Place = (i32, i32);
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Mesh<'a, 'b, 'c> = MeshStyle<'a, 'b, RangedCoordf64, RangedCoordf64, SVGBackend<'c>>;

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
/// Where a point's name begins, from the point.
const NAME_OFFSET: Place = (5, -9);

impl Plot {
    /// Returns the plot as an SVG document.
    ///
    /// # Errors
    /// No finite point to draw, or what the drawing library says.
    pub fn svg(&self) -> Result<String, String> {
        let axes = shared_axes(self).ok_or("there is no point to draw")?;
        draw_svg(self.size(), |area| self.draw(area, axes))
    }

    fn column_count(&self) -> usize {
        self.panels.len().clamp(1, COLUMNS)
    }

    fn row_count(&self) -> usize {
        self.panels.len().div_ceil(self.column_count()).max(1)
    }

    /// Returns the width and height of a panel.
    fn panel_size(&self) -> (u32, u32) {
        if self.panels.len() > 1 {
            (380, 340)
        } else {
            (620, 446)
        }
    }

    fn size(&self) -> (u32, u32) {
        let (width, height) = self.panel_size();
        let panels = height * self.row_count() as u32;
        let width = width * self.column_count() as u32 + LEGEND;
        (width, TOP + panels.max(self.legend_height()) + BOTTOM)
    }

    fn legend_height(&self) -> u32 {
        let lines: usize = self.legend().iter().map(|(_, lines)| lines.len()).sum();
        (LINE * lines as i32 + 40) as u32
    }

    /// Returns the names of all curves, as they first appear.
    fn curve_names(&self) -> Vec<&str> {
        in_order(self.curves().map(|curve| curve.name.as_str()))
    }

    /// Returns the curves of all panels.
    pub(super) fn curves(&self) -> impl Iterator<Item = &Curve> {
        self.panels.iter().flat_map(|panel| &panel.curves)
    }

    /// Returns the number of each curve, and the lines of its name.
    fn legend(&self) -> Vec<(usize, Vec<String>)> {
        self.curve_names()
            .iter()
            .enumerate()
            .map(|(number, name)| (number, two_lines(name, LETTERS)))
            .collect()
    }

    fn draw(&self, root: &Area<'_>, axes: Axes) -> Drawn {
        let (width, height) = self.size();
        root.fill(&WHITE)?;
        draw_title_and_caption(root, &self.title, &self.caption, height)?;
        let (panels, legend) = divide_area(root, width);
        self.draw_panels(&panels, axes)?;
        self.draw_legend(&legend)?;
        root.present()
    }

    fn draw_panels(&self, area: &Area<'_>, axes: Axes) -> Drawn {
        let areas = area.split_evenly((self.row_count(), self.column_count()));
        for (panel, area) in self.panels.iter().zip(&areas) {
            self.draw_panel(panel, area, axes)?;
        }
        Ok(())
    }

    fn draw_panel(&self, panel: &Panel, area: &Area<'_>, axes: Axes) -> Drawn {
        let mut chart = panel_chart(panel, area, axes)?;
        self.draw_axes(&mut chart)?;
        // The first curve is drawn last, on top.
        for curve in panel.curves.iter().rev() {
            draw_curve(&mut chart, curve, self.curve_number(curve))?;
        }
        Ok(())
    }

    /// Returns the number of a curve by its name, which decides its colour in all panels.
    fn curve_number(&self, curve: &Curve) -> usize {
        let names = self.curve_names();
        let place = names.iter().position(|name| *name == curve.name);
        place.unwrap_or(0)
    }

    fn draw_axes(&self, chart: &mut Chart<'_, '_>) -> Drawn {
        let across = |at: &f64| tick_label(self.x_scale, *at);
        let up = |at: &f64| tick_label(self.y_scale, *at);
        let mut mesh = chart.configure_mesh();
        mesh.x_label_formatter(&across).y_label_formatter(&up);
        mesh.x_labels(self.x_tick_count());
        mesh.x_desc(self.x_label.as_str())
            .y_desc(self.y_label.as_str());
        style_mesh(&mut mesh);
        mesh.draw()
    }

    /// Returns about how many ticks the x axis has room for.
    fn x_tick_count(&self) -> usize {
        if self.panels.len() > 1 { 6 } else { 10 }
    }

    fn draw_legend(&self, area: &Area<'_>) -> Drawn {
        let mut top = 12;
        for (number, lines) in self.legend() {
            draw_legend_mark(area, top + 6, number)?;
            top = draw_lines(area, (36, top), &lines)? + 4;
        }
        Ok(())
    }
}

/// Returns the areas of the panels and of the legend at their right.
fn divide_area<'a>(root: &Area<'a>, width: u32) -> (Area<'a>, Area<'a>) {
    root.margin(TOP, BOTTOM, 0, 0)
        .split_horizontally(width - LEGEND)
}

fn style_mesh(mesh: &mut Mesh<'_, '_, '_>) {
    mesh.bold_line_style(RGBColor(220, 220, 220))
        .light_line_style(WHITE)
        .axis_desc_style(text_style(13));
}

/// Returns what `draw` draws on an area of this size, as an SVG document.
pub(super) fn draw_svg(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, String> {
    let mut text = String::new();
    // The text is complete once the area that writes it is gone.
    draw(&SVGBackend::with_string(&mut text, size).into_drawing_area())
        .map_err(|e| e.to_string())?;
    Ok(text)
}

/// Draws black words, their upper left corner at a place.
pub(super) fn draw_text(area: &Area<'_>, text: impl Into<String>, at: Place, size: u32) -> Drawn {
    let text: String = text.into();
    area.draw(&Text::new(text, at, text_style(size)))
}

pub(super) fn draw_line(area: &Area<'_>, ends: [Place; 2], style: ShapeStyle) -> Drawn {
    area.draw(&PathElement::new(ends, style))
}

/// Draws the stroke and the marker of a curve.
fn draw_legend_mark(area: &Area<'_>, y: i32, number: usize) -> Drawn {
    let stroke = colour_of(number).stroke_width(2);
    draw_line(area, [(6, y), (30, y)], stroke)?;
    area.draw(&marker((18, y), number))
}

/// Draws lines below each other; returns where the next one would begin.
fn draw_lines(area: &Area<'_>, (x, mut y): Place, lines: &[String]) -> Result<i32, DrawingError> {
    for line in lines {
        draw_text(area, line, (x, y), 13)?;
        y += LINE;
    }
    Ok(y)
}

/// Draws the title above everything, and the caption at the bottom of an image of this height.
pub(super) fn draw_title_and_caption(
    root: &Area<'_>,
    title: &str,
    caption: &str,
    height: u32,
) -> Drawn {
    draw_text(root, title, (20, 14), 20)?;
    draw_text(root, caption, (20, height as i32 - 22), 13)
}

fn panel_chart<'a, 'b>(
    panel: &Panel,
    area: &'a Area<'b>,
    Axes { x, y }: Axes,
) -> Result<Chart<'a, 'b>, DrawingError> {
    let title = shorten(&panel.title, PANEL_LETTERS);
    let mut builder = ChartBuilder::on(area);
    builder
        .margin(8)
        .x_label_area_size(44)
        .y_label_area_size(56);
    if !title.is_empty() {
        builder.caption(title, text_style(14));
    }
    builder.build_cartesian_2d(x[0]..x[1], y[0]..y[1])
}

/// Curves that lie on one another are told apart by the size of their markers: the later one,
/// below, is the larger.
fn draw_curve(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    match curve.mark {
        Mark::Line => draw_band(chart, curve, number)?,
        Mark::Points => draw_bars(chart, curve, number)?,
        Mark::Steps => draw_steps(chart, curve, number)?,
        Mark::Boxes => return draw_boxes(chart, curve, number),
    }
    draw_markers(chart, curve, number)?;
    draw_names(chart, curve, number)
}

fn draw_markers(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    let points = curve.points.iter();
    chart.draw_series(points.map(|&point| marker(point, number)))?;
    Ok(())
}

/// Writes the points' names beside them.
fn draw_names(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    for (point, name) in curve.points.iter().zip(&curve.names) {
        draw_name(chart, *point, name, number)?;
    }
    Ok(())
}

fn draw_name(chart: &mut Chart<'_, '_>, at: (f64, f64), name: &str, number: usize) -> Drawn {
    let style = ("sans-serif", 9).into_font().color(&colour_of(number));
    let text = Text::new(name.to_string(), NAME_OFFSET, style);
    chart.draw_series([EmptyElement::at(at) + text])?;
    Ok(())
}

fn draw_band(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    let outline = band_outline(curve);
    // A curve without intervals has no band.
    if !outline.is_empty() {
        let style = colour_of(number).mix(0.12);
        chart.draw_series([Polygon::new(outline, style)])?;
    }
    draw_strokes(chart, curve, number)
}

/// Joins the points of a curve by a line.
fn draw_strokes(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    let points = curve.points.iter().copied();
    let style = colour_of(number).stroke_width(2);
    chart.draw_series(LineSeries::new(points, style))?;
    Ok(())
}

/// Returns the lower ends of a band from left to right, and the upper ones back.
fn band_outline(curve: &Curve) -> Vec<(f64, f64)> {
    let lower = curve.band.iter().map(|&(x, low, _)| (x, low));
    let upper = curve.band.iter().rev().map(|&(x, _, high)| (x, high));
    lower.chain(upper).collect()
}

fn draw_bars(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    let style = colour_of(number).mix(0.45).stroke_width(2);
    let bars = curve.band.iter().map(bar_ends);
    chart.draw_series(bars.map(|ends| PathElement::new(ends, style)))?;
    Ok(())
}

fn bar_ends(&(x, low, high): &(f64, f64, f64)) -> [(f64, f64); 2] {
    [(x, low), (x, high)]
}

fn draw_steps(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    draw_strokes(chart, curve, number)?;
    draw_bars(chart, curve, number)
}

/// How far a box reaches to either side of its point.
const HALF_A_BOX: f64 = 0.4;

fn draw_boxes(chart: &mut Chart<'_, '_>, curve: &Curve, number: usize) -> Drawn {
    let style = colour_of(number).mix(0.5).filled();
    let corners = curve.points.iter().map(box_corners);
    chart.draw_series(corners.map(|corners| Rectangle::new(corners, style)))?;
    draw_bars(chart, curve, number)
}

/// Returns two opposite corners of the box from 0 to a point.
fn box_corners((x, y): &(f64, f64)) -> [(f64, f64); 2] {
    [(x - HALF_A_BOX, 0.0), (x + HALF_A_BOX, *y)]
}

/// Returns a disc; a ring for the curves whose colours are there already.
fn marker<C>(at: C, number: usize) -> Circle<C, u32> {
    let colour = colour_of(number);
    let style = if number < COLOURS.len() {
        colour.filled()
    } else {
        colour.stroke_width(2)
    };
    Circle::new(at, 3 + (number % 4) as u32, style)
}

fn colour_of(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

pub(super) fn text_style(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}

/// Returns a name of at most so many characters.
pub(super) fn shorten(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.into();
    }
    let kept: String = name.chars().take(most.saturating_sub(1)).collect();
    kept + "…"
}

/// Returns a name in at most two lines, the first broken after a blank, a comma or a slash where
/// there is one.
fn two_lines(name: &str, most: usize) -> Vec<String> {
    if name.chars().count() <= most {
        return vec![name.into()];
    }
    let (first, rest) = name.split_at(line_end(name, most));
    vec![first.trim_end().into(), shorten(rest, most)]
}

/// Returns the byte at which a name is broken after at most so many characters.
fn line_end(name: &str, most: usize) -> usize {
    let cut = name.char_indices().nth(most);
    let whole = cut.map_or(name.len(), |(at, _)| at);
    name[..whole]
        .rfind([' ', ',', '/'])
        // All three marks are one byte long.
        .map_or(whole, |mark| mark + 1)
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
        for curve in plot.panels.iter_mut().flat_map(|panel| &mut panel.curves) {
            curve.mark = Mark::Points;
        }
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
        assert_eq!(two_lines("short", 10), ["short"]);
        assert_eq!(
            two_lines("pairwise/direct/swap, win-ratio", 22),
            ["pairwise/direct/swap,", "win-ratio"]
        );
        assert_eq!(two_lines("ääääääää", 3), ["äää", "ää…"]);
    }
}
