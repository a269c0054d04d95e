//! The extent of the axes and the numbers beside them.

use super::{Axis, Curve, Mark, Plot};

/// The ends of an axis, a little beyond what is drawn.
pub(super) type Extent = [f64; 2];

/// The axes that all panels share.
#[derive(Clone, Copy)]
pub(super) struct Axes {
    pub(super) x: Extent,
    pub(super) y: Extent,
}

/// Returns the axes that all panels share; None without a finite point.
pub(super) fn shared_axes(plot: &Plot) -> Option<Axes> {
    let points = plot.curves().flat_map(drawn_points);
    let finite: Vec<(f64, f64)> = points.filter(is_finite).collect();
    Some(Axes {
        x: extent_of(finite.iter().map(|point| point.0))?,
        y: extent_of(finite.iter().map(|point| point.1))?,
    })
}

fn is_finite((x, y): &(f64, f64)) -> bool {
    x.is_finite() && y.is_finite()
}

/// Returns the points of a curve and the ends of its intervals.
fn drawn_points(curve: &Curve) -> impl Iterator<Item = (f64, f64)> {
    let band = curve.band.iter();
    let ends = band.flat_map(|&(x, low, high)| [(x, low), (x, high)]);
    let points = curve.points.iter().copied();
    points.chain(ends).chain(box_corners(curve))
}

/// Returns the lower corners of a curve's boxes, with half of the gap between two boxes.
fn box_corners(curve: &Curve) -> impl Iterator<Item = (f64, f64)> {
    let boxes = (curve.mark == Mark::Boxes).then_some(&curve.points);
    let points = boxes.into_iter().flatten();
    points.flat_map(|&(x, _)| [(x - 0.5, 0.0), (x + 0.5, 0.0)])
}

fn extent_of(values: impl Iterator<Item = f64> + Clone) -> Option<Extent> {
    let low = values.clone().reduce(f64::min)?;
    let high = values.reduce(f64::max)?;
    // A single value has no range to take a share of.
    let room = if high > low { 0.04 * (high - low) } else { 1.0 };
    Some([low - room, high + room])
}

/// Returns the number at a tick.
pub(super) fn tick_label(axis: Axis, at: f64) -> String {
    match axis {
        Axis::Linear => rounded(at).to_string(),
        Axis::Log10 => with_magnitude(libm::pow(10.0, at)),
        Axis::Named(names) => state_name(names, at).unwrap_or_default().into(),
    }
}

/// Returns a number without the rounding errors of the ticks; adding 0.0 makes -0 a plain 0.
fn rounded(at: f64) -> f64 {
    (at * 1e6).round() / 1e6 + 0.0
}

fn state_name<'a>(names: &[&'a str], at: f64) -> Option<&'a str> {
    let place = usize::try_from(whole_number(at)?).ok()?;
    names.get(place).copied()
}

fn whole_number(at: f64) -> Option<i64> {
    ((at - at.round()).abs() < 1e-6).then(|| at.round() as i64)
}

/// Returns two digits and a unit: 1.2 k, 35 M.
fn with_magnitude(value: f64) -> String {
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    let (size, unit) = units
        .into_iter()
        // What rounds to the unit is shown in it: 999.6 is 1 k.
        .find(|(size, _)| value >= 0.9995 * size)
        .unwrap_or((1.0, ""));
    format!("{}{unit}", with_two_digits(value / size))
}

fn with_two_digits(value: f64) -> f64 {
    let digits = 1.0 - libm::floor(libm::log10(value.max(1e-9)));
    let power = libm::pow(10.0, digits.clamp(0.0, 9.0));
    (value * power).round() / power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_short() {
        let linear = |at: f64| tick_label(Axis::Linear, at);
        assert_eq!(
            [20.0, -0.0, -1e-9, 0.30000000000000004].map(linear),
            ["20", "0", "0", "0.3"]
        );
        let log = |at: f64| tick_label(Axis::Log10, at);
        assert_eq!(
            [0.0, 3.0, 4.5, 6.0, 7.2, 2.9999].map(log),
            ["1", "1 k", "32 k", "1 M", "16 M", "1 k"]
        );
        assert_eq!([-1.0, -2.5].map(log), ["0.1", "0.0032"]);
        assert_eq!(
            [0.0, 0.5, 1.0, 2.0].map(|at| tick_label(Axis::Named(&["before", "after"]), at)),
            ["before", "", "after", ""]
        );
    }

    #[test]
    fn one_point_has_room_around_it() {
        assert_eq!(extent_of([3.0].into_iter()), Some([2.0, 4.0]));
        assert_eq!(extent_of([].into_iter()), None);
    }
}
