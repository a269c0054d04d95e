//! Plots as SVG: the same bytes on every machine, since no font is asked how wide it is.

mod curves;
mod study;
mod tau_u;

pub use curves::{Curve, Curves};
pub use study::study_plots;
pub use tau_u::tau_u_plot;

use plotters::style::RGBColor;

/// Seven colours that people with any colour vision tell apart (Okabe and Ito 2008).
pub(crate) const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(70, 70, 70),
];

/// The colour of the curve with this number; they begin again after the last.
pub(crate) fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

/// A name of at most so many characters.
pub(crate) fn short(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.into();
    }
    name.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
