//! The extent of an axis, and the numbers beside it.

use crate::numbers::with_minus;

/// An axis in pixels: where each number has its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ruler {
    /// The ends in numbers, or in their powers of ten.
    low: f64,
    high: f64,
    /// Between two ticks; in numbers.
    step: f64,
    log: bool,
    /// The ends in pixels.
    start: f64,
    end: f64,
}

/// The largest numbers that are drawn: beyond, differences would not be finite.
const LARGEST: f64 = 1e300;

/// The number of ticks that any axis has at most.
const MOST_TICKS: usize = 24;

impl Ruler {
    /// Returns an axis for these numbers with about so many ticks; from 0 to 1 where there is none.
    pub(super) fn over(numbers: impl Iterator<Item = f64>, log: bool, about: usize) -> Ruler {
        let places = numbers.filter_map(|number| scaled(number, log));
        let ends = places.fold(None, |ends: Option<[f64; 2]>, place| {
            let [low, high] = ends.unwrap_or([place; 2]);
            Some([low.min(place), high.max(place)])
        });
        let [mut low, mut high] = ends.unwrap_or([0.0, 1.0]);
        // A single number has some room to either side; numbers that differ in their last bits are
        // one.
        let size = low.abs().max(high.abs());
        if high - low <= 1e-9 * size {
            let room = if size > 0.0 { 0.1 * size } else { 0.5 };
            (low, high) = (low - room, high + room);
        }
        let step = if log {
            let room = 0.04 * (high - low);
            (low, high) = (low - room, high + room);
            1.0
        } else {
            let step = nice_step((high - low) / about.max(1) as f64);
            low = libm::floor(low / step + 1e-9) * step;
            high = libm::ceil(high / step - 1e-9) * step;
            step
        };
        Ruler {
            low,
            high,
            step,
            log,
            start: 0.0,
            end: 1.0,
        }
    }

    /// Returns the axis so that it has whole numbers alone, none before the first, as of ranks:
    /// there is nothing between two of them.
    pub(super) fn counted_from(self, first: Option<f64>) -> Ruler {
        let Some(first) = first.filter(|_| !self.log) else {
            return self;
        };
        let low = libm::floor(self.low).max(first);
        Ruler {
            low,
            high: libm::ceil(self.high).max(low + 1.0),
            step: self.step.max(1.0),
            ..self
        }
    }

    /// Lays the axis between two pixels.
    pub(super) fn between(self, start: f64, end: f64) -> Ruler {
        Ruler { start, end, ..self }
    }

    /// Returns the pixel of a number; None where it has none.
    pub(super) fn place(&self, number: f64) -> Option<f64> {
        scaled(number, self.log).map(|scaled| self.pixel(scaled))
    }

    fn pixel(&self, scaled: f64) -> f64 {
        let share = (scaled - self.low) / (self.high - self.low);
        self.start + share * (self.end - self.start)
    }

    /// Returns the pixels of the ticks, each with its number.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        if self.log {
            return self.log_ticks();
        }
        let count = libm::floor((self.high - self.low) / self.step + 1e-6) as usize;
        let steps = 0..=count.min(MOST_TICKS);
        let numbers = steps.map(|at| self.low + at as f64 * self.step);
        numbers
            .map(|number| (self.pixel(number), tick_text(number, self.step)))
            .collect()
    }

    fn log_ticks(&self) -> Vec<(f64, String)> {
        let decades = libm::floor(self.low) as i64..=libm::ceil(self.high) as i64;
        let factors: &[f64] = if self.high - self.low < 2.5 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let numbers = decades.flat_map(|decade| {
            let power = libm::pow(10.0, decade as f64);
            factors.iter().map(move |factor| factor * power)
        });
        let inside = numbers.filter(|number| {
            let place = libm::log10(*number);
            self.low <= place && place <= self.high
        });
        let ticks = inside.filter_map(|number| Some((self.place(number)?, with_magnitude(number))));
        let ticks: Vec<(f64, String)> = ticks.collect();
        // Every second tick, and so on, until there is room between them.
        let every = ticks.len().div_ceil(9).max(1);
        ticks.into_iter().step_by(every).collect()
    }
}

/// Returns a number as it is laid along an axis; None where it cannot be.
fn scaled(number: f64, log: bool) -> Option<f64> {
    if !number.is_finite() || (log && number <= 0.0) {
        return None;
    }
    let number = number.clamp(-LARGEST, LARGEST);
    Some(if log { libm::log10(number) } else { number })
}

/// Returns 1, 2 or 5 times a power of ten, the least that is no smaller.
fn nice_step(least: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(least.max(1e-300))));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let fits = |step: &f64| *step >= least * (1.0 - 1e-9);
    steps.into_iter().find(fits).unwrap_or(10.0 * power)
}

/// Returns a number with the decimals of its step; adding 0.0 makes -0 a plain 0.
fn tick_text(number: f64, step: f64) -> String {
    if number.abs() >= 1e6 || step < 1e-6 {
        return with_minus(&format!("{:.2e}", number));
    }
    let decimals = libm::ceil(-libm::log10(step) - 1e-9).max(0.0) as usize;
    let power = libm::pow(10.0, decimals as f64);
    let rounded = (number * power).round() / power + 0.0;
    with_minus(&format!("{rounded:.decimals$}"))
}

/// Returns two digits and a unit: 1.2 k, 35 M.
fn with_magnitude(value: f64) -> String {
    if !(1e-6..1e12).contains(&value) {
        return format!("{value:.0e}");
    }
    // What rounds to the unit is shown in it: 999.6 is 1 k.
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    let fits = |(size, _): &(f64, &str)| value >= 0.9995 * size;
    let (size, unit) = units.into_iter().find(fits).unwrap_or((1.0, ""));
    let value = value / size;
    let digits = 1.0 - libm::floor(libm::log10(value.max(1e-9)));
    let power = libm::pow(10.0, digits.clamp(0.0, 9.0));
    format!("{}{unit}", (value * power).round() / power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(numbers: &[f64], log: bool) -> Vec<String> {
        let ruler = Ruler::over(numbers.iter().copied(), log, 5);
        ruler.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_and_hold_all_numbers() {
        assert_eq!(
            texts(&[0.12, 0.88], false),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(texts(&[-3.0, 4.0], false), ["−4", "−2", "0", "2", "4"]);
        assert_eq!(
            texts(&[1000.0], false),
            ["900", "950", "1000", "1050", "1100"]
        );
        assert_eq!(
            texts(&[], false),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            texts(&[12.0, 4e6], true),
            ["10", "100", "1 k", "10 k", "100 k", "1 M"]
        );
        assert_eq!(texts(&[0.4, 3.0], true), ["0.5", "1", "2"]);
    }

    #[test]
    fn ranks_are_whole_and_begin_with_the_first() {
        let ticks = |numbers: &[f64]| -> Vec<String> {
            let ruler = Ruler::over(numbers.iter().copied(), false, 5).counted_from(Some(1.0));
            ruler.ticks().into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(ticks(&[1.0, 24.0]), ["1", "6", "11", "16", "21"]);
        // Few systems have no ranks between theirs.
        assert_eq!(ticks(&[1.0, 1.0]), ["1", "2"]);
        assert_eq!(ticks(&[1.0, 2.0]), ["1", "2"]);
        assert_eq!(ticks(&[1.0, 3.0, 2.0]), ["1", "2", "3"]);
        assert_eq!(ticks(&[2.0, 4.0]), ["2", "3", "4"]);
        assert_eq!(ticks(&[]), ["1", "2"]);
    }

    #[test]
    fn any_number_has_a_finite_place_or_none() {
        let wild = [
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            1e-320,
            -0.0,
            1.0 + f64::EPSILON,
            1.0,
        ];
        for (log, first) in [(false, 0), (true, 1), (false, 2), (true, 3), (false, 5)] {
            let numbers = wild[first..].iter().chain([&f64::NAN, &f64::INFINITY]);
            let ruler = Ruler::over(numbers.clone().copied(), log, 5).between(10.0, 20.0);
            let ticks = ruler.ticks();
            assert!(ticks.len() <= MOST_TICKS + 1, "{ticks:?}");
            let ticks = ticks.into_iter().map(|(pixel, _)| pixel);
            let places = numbers.filter_map(|number| ruler.place(*number));
            for pixel in ticks.chain(places) {
                assert!((9.9..20.1).contains(&pixel), "{log} {first}: {pixel}");
            }
        }
    }
}
