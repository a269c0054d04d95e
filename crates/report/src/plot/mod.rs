//! Plots as SVG: the same bytes on every machine, since no font is asked how wide it is.

mod audit;
mod axis;
mod draw;
mod grid;
mod ratings;
mod study;
mod tau_u;

pub use audit::{audit_plots, forest};
pub use grid::{Grid, GridCell};
pub use study::{concordance_grid, study_plots};
pub use tau_u::tau_u_plot;

use evenhand_studies::Figure;

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Its points joined by a line, its interval as a band.
    #[default]
    Line,
    /// Its points apart, each with its interval as a bar.
    Points,
    /// Its points joined by a line, each with its interval as a bar.
    Steps,
    /// A box from 0 to each point, with its interval as a bar.
    Boxes,
}

/// One curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend; curves of one name have one colour, in all panels.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Its points, by x.
    pub points: Vec<(f64, f64)>,
    /// The names of its points, drawn beside them; empty for none, else one for each point.
    pub names: Vec<String>,
    /// x, lower end, upper end of its interval, by x; where there is a gap, a band bridges it.
    pub band: Vec<(f64, f64, f64)>,
}

impl Curve {
    /// Returns a curve without points.
    fn marked(name: impl Into<String>, mark: Mark) -> Self {
        Curve {
            name: name.into(),
            mark,
            ..Curve::default()
        }
    }
    /// Adds a figure at x, as far as it is defined: its value, and its interval if it is closed.
    fn add_figure(&mut self, x: f64, figure: &Figure) {
        self.points.extend(figure.value.map(|value| (x, value)));
        if let Some([Some(low), Some(high)]) = figure.ci {
            self.band.push((x, low, high));
        }
    }

    /// Adds figures, each at its x.
    fn with_figures<'a>(mut self, figures: impl IntoIterator<Item = (f64, &'a Figure)>) -> Self {
        for (x, figure) in figures {
            self.add_figure(x, figure);
        }
        self
    }
}

/// Curves over one pair of axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Above it; empty for none.
    pub title: String,
    /// The curves; the first is drawn last, on top.
    pub curves: Vec<Curve>,
}

impl Panel {
    fn untitled(curves: impl IntoIterator<Item = Curve>) -> Self {
        Panel {
            title: String::new(),
            curves: curves.into_iter().collect(),
        }
    }
}

/// The kind of the numbers along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// The values themselves.
    #[default]
    Linear,
    /// The powers of ten of the values: ticks show the values.
    Log10,
    /// States from 0 on, of which there is a name for each.
    Named(&'static [&'static str]),
}

/// A figure: panels that share both axes, and a legend at the right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Above the panels.
    pub title: String,
    /// Below them: what the bands are.
    pub caption: String,
    /// The quantity on the x axis, with its unit.
    pub x_label: String,
    /// The quantity on the y axis.
    pub y_label: String,
    /// How x is to be read.
    pub x_scale: Axis,
    /// How y is.
    pub y_scale: Axis,
    /// The panels, in reading order.
    pub panels: Vec<Panel>,
}

impl Plot {
    /// Leaves out curves without points, and panels without curves.
    pub(crate) fn with_points_only(mut self) -> Plot {
        for panel in &mut self.panels {
            panel.curves.retain(|curve| !curve.points.is_empty());
        }
        self.panels.retain(|panel| !panel.curves.is_empty());
        self
    }
}

/// Leaves out plots without panels.
fn without_empty(plots: impl Iterator<Item = (String, Plot)>) -> Vec<(String, Plot)> {
    plots.filter(|(_, plot)| !plot.panels.is_empty()).collect()
}
