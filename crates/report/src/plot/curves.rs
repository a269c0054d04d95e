//! Curves with bands over two axes, a title, a legend at the right, and a caption below.

use super::{colour, short};
use plotters::prelude::*;

/// One curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points, by x.
    pub points: Vec<(f64, f64)>,
    /// x, lower end, upper end of its band, by x; where there is a gap, it is bridged.
    pub band: Vec<(f64, f64, f64)>,
}

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// Above the plot.
    pub title: String,
    /// Below it: what the bands are.
    pub caption: String,
    /// What x is, with its unit.
    pub x_label: String,
    /// What y is.
    pub y_label: String,
    /// The curves; the first is drawn last, on top.
    pub curves: Vec<Curve>,
}

const SIZE: (u32, u32) = (900, 520);
const LEGEND: u32 = 270;
const LINE: i32 = 20;

impl Curves {
    /// The plot as an SVG document.
    ///
    /// # Errors
    /// No finite point to draw, or what the drawing library says.
    pub fn svg(&self) -> Result<String, String> {
        let (x, y) = self.ranges().ok_or("there is no point to draw")?;
        let mut text = String::new();
        self.draw(SVGBackend::with_string(&mut text, SIZE).into_drawing_area(), x, y).map_err(|e| e.to_string())?;
        Ok(text)
    }

    /// The ends of both axes, a little beyond what is drawn.
    fn ranges(&self) -> Option<([f64; 2], [f64; 2])> {
        let points = || self.curves.iter().flat_map(|curve| curve.points.iter().copied());
        let ends = self.curves.iter().flat_map(|curve| curve.band.iter().flat_map(|&(x, low, high)| [(x, low), (x, high)]));
        let all: Vec<(f64, f64)> = points().chain(ends).filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        let extent = |values: Vec<f64>| -> Option<[f64; 2]> {
            let (low, high) = (values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?);
            let room = if high > low { 0.04 * (high - low) } else { 1.0 };
            Some([low - room, high + room])
        };
        Some((extent(all.iter().map(|p| p.0).collect())?, extent(all.iter().map(|p| p.1).collect())?))
    }

    fn draw(
        &self,
        root: DrawingArea<SVGBackend, plotters::coord::Shift>,
        x: [f64; 2],
        y: [f64; 2],
    ) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        root.fill(&WHITE)?;
        let text = |size: u32| ("sans-serif", size).into_font().color(&BLACK);
        root.draw(&Text::new(self.title.as_str(), (20, 14), text(20)))?;
        root.draw(&Text::new(self.caption.as_str(), (20, SIZE.1 as i32 - 22), text(13)))?;
        let (left, right) = root.margin(44, 30, 0, 0).split_horizontally(SIZE.0 - LEGEND);
        let mut chart = ChartBuilder::on(&left)
            .margin(8)
            .x_label_area_size(46)
            .y_label_area_size(58)
            .build_cartesian_2d(x[0]..x[1], y[0]..y[1])?;
        let mut mesh = chart.configure_mesh();
        let number = |value: &f64| format!("{}", (value * 1e6).round() / 1e6);
        mesh.x_label_formatter(&number).y_label_formatter(&number).bold_line_style(RGBColor(220, 220, 220));
        mesh.x_desc(self.x_label.as_str())
            .y_desc(self.y_label.as_str())
            .light_line_style(WHITE)
            .axis_desc_style(text(15))
            .draw()?;
        for (number, curve) in self.curves.iter().enumerate().rev() {
            let band: Vec<(f64, f64)> = curve.band.iter().map(|&(x, low, _)| (x, low)).collect();
            let back = curve.band.iter().rev().map(|&(x, _, high)| (x, high));
            let outline: Vec<(f64, f64)> = band.into_iter().chain(back).collect();
            if !outline.is_empty() {
                chart.draw_series([Polygon::new(outline, colour(number).mix(0.15))])?;
            }
            chart.draw_series(LineSeries::new(curve.points.iter().copied(), colour(number).stroke_width(2)))?;
            chart.draw_series(curve.points.iter().map(|&point| Circle::new(point, 3, colour(number).filled())))?;
        }
        for (number, curve) in self.curves.iter().enumerate() {
            let at = 12 + LINE * number as i32;
            right.draw(&PathElement::new([(6, at + 7), (30, at + 7)], colour(number).stroke_width(3)))?;
            right.draw(&Text::new(short(&curve.name, 40), (36, at), text(13)))?;
        }
        root.present()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Curves {
        let curve = |name: &str| Curve {
            name: name.into(),
            points: vec![(0.0, 0.5), (10.0, 0.75)],
            band: vec![(0.0, 0.25, 0.75), (10.0, 0.5, 1.0)],
        };
        Curves { title: "a & b".into(), curves: vec![curve("<script>"), curve("two")], ..Curves::default() }
    }

    #[test]
    fn names_are_escaped_and_bytes_are_the_same() {
        let text = plot().svg().unwrap();
        assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"));
        assert!(text.contains("&lt;script&gt;") && text.contains("a &amp; b") && !text.contains("<script>"));
        assert_eq!((text.matches("<polygon").count(), text.matches("<circle").count()), (2, 4));
        assert_eq!(text, plot().svg().unwrap());
    }

    #[test]
    fn nothing_to_draw_is_said() {
        assert_eq!(Curves::default().svg(), Err("there is no point to draw".into()));
    }
}
