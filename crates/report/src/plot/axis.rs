//! The extent of the axes and the numbers beside them.

use super::{Curve, Plot, Scale};

/// The ends of an axis, a little beyond what is drawn.
pub(super) type Extent = [f64; 2];

/// The axes that all panels share; `None` without a finite point.
pub(super) fn extents(plot: &Plot) -> Option<(Extent, Extent)> {
    let curves = || plot.panels.iter().flat_map(|panel| &panel.curves);
    let all: Vec<(f64, f64)> = curves()
        .flat_map(drawn)
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    Some((
        extent(all.iter().map(|point| point.0))?,
        extent(all.iter().map(|point| point.1))?,
    ))
}

fn drawn(curve: &Curve) -> impl Iterator<Item = (f64, f64)> + '_ {
    curve.points.iter().copied().chain(
        curve
            .band
            .iter()
            .flat_map(|&(x, low, high)| [(x, low), (x, high)]),
    )
}

fn extent(values: impl Iterator<Item = f64> + Clone) -> Option<Extent> {
    let (low, high) = (values.clone().reduce(f64::min)?, values.reduce(f64::max)?);
    let room = if high > low { 0.04 * (high - low) } else { 1.0 };
    Some([low - room, high + room])
}

/// The number at a tick.
pub(super) fn tick(scale: Scale, at: f64) -> String {
    match scale {
        Scale::Linear => format!("{}", (at * 1e6).round() / 1e6 + 0.0),
        Scale::Log10 => magnitude(libm::pow(10.0, at)),
        Scale::Rank => whole(-at).map_or_else(String::new, |rank| rank.to_string()),
        Scale::Named(names) => whole(at)
            .and_then(|at| names.get(usize::try_from(at).ok()?))
            .map_or_else(String::new, |name| name.to_string()),
    }
}

fn whole(at: f64) -> Option<i64> {
    ((at - at.round()).abs() < 1e-6).then(|| at.round() as i64)
}

/// Two digits and a unit: 1.2 k, 35 M.
fn magnitude(value: f64) -> String {
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")];
    let (size, unit) = units
        .into_iter()
        .find(|(size, _)| value >= 0.9995 * size)
        .unwrap_or((1.0, ""));
    let scaled = value / size;
    let digits = (1.0 - libm::floor(libm::log10(scaled.max(1e-9)))).clamp(0.0, 9.0);
    let rounded = (scaled * libm::pow(10.0, digits)).round() / libm::pow(10.0, digits);
    format!("{rounded}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_short() {
        let linear = |at: f64| tick(Scale::Linear, at);
        assert_eq!(
            [20.0, -0.0, -1e-9, 0.30000000000000004].map(linear),
            ["20", "0", "0", "0.3"]
        );
        let log = |at: f64| tick(Scale::Log10, at);
        assert_eq!(
            [0.0, 3.0, 4.5, 6.0, 7.2, 2.9999].map(log),
            ["1", "1 k", "32 k", "1 M", "16 M", "1 k"]
        );
        assert_eq!([-1.0, -2.5].map(log), ["0.1", "0.0032"]);
        assert_eq!(
            [-1.0, -2.5, -12.0].map(|at| tick(Scale::Rank, at)),
            ["1", "", "12"]
        );
        assert_eq!(
            [0.0, 0.5, 1.0, 2.0].map(|at| tick(Scale::Named(&["before", "after"]), at)),
            ["before", "", "after", ""]
        );
    }

    #[test]
    fn one_point_has_room_around_it() {
        assert_eq!(extent([3.0].into_iter()), Some([2.0, 4.0]));
        assert_eq!(extent([].into_iter()), None);
    }
}
