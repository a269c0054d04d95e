//! Scales of scores.

use std::fmt;

/// A scale of equally spaced values, exact in decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The worst value, in units of the last decimal place.
    low: i64,
    /// The best value; above `low` by a whole number of steps.
    high: i64,
    /// From one value to the next; above 0.
    step: i64,
    /// Decimal places.
    decimals: u32,
}

impl Scale {
    /// The most steps of a scale: every value is read by its probability.
    const MOST_STEPS: i64 = 100;

    /// Returns the scale of the whole numbers between two ends.
    pub const fn whole(low: i64, high: i64) -> Scale {
        Scale {
            low,
            high,
            step: 1,
            decimals: 0,
        }
    }

    /// Reads `LOW-HIGH` or `LOW..HIGH[:STEP]`, for example `1-5`, `0..1:0.1`, `-3..3`, with at most
    /// 100 steps.
    pub fn parse(text: &str) -> Option<Scale> {
        let (ends, step) = text.split_once(':').unwrap_or((text, "1"));
        let by_hyphen = || ends.split_once('-').filter(|_| step == "1");
        let (low, high) = ends.split_once("..").or_else(by_hyphen)?;
        let parts = [low, high, step].map(Decimal::parse);
        let parts = [parts[0]?, parts[1]?, parts[2]?];
        // All in units of the last decimal place of any.
        let decimals = parts.iter().fold(0, |most, part| most.max(part.decimals));
        let in_units = |part: Decimal| part.units * 10_i64.pow(decimals - part.decimals);
        let [low, high, step] = parts.map(in_units);
        let width = high - low;
        let is_sound =
            step > 0 && width > 0 && width % step == 0 && width / step <= Self::MOST_STEPS;
        is_sound.then_some(Scale {
            low,
            high,
            step,
            decimals,
        })
    }

    /// Returns the values, worst first, as they are written.
    pub fn texts(self) -> Vec<String> {
        self.units().map(|units| self.write(units)).collect()
    }

    /// Returns the values, worst first.
    pub fn values(self) -> impl Iterator<Item = f64> {
        self.units().map(move |units| self.value(units))
    }

    /// Returns the worst value.
    pub fn low(self) -> f64 {
        self.value(self.low)
    }

    /// Returns the best value.
    pub fn high(self) -> f64 {
        self.value(self.high)
    }

    /// Whether a score lies between the ends, whether or not a step leads to it.
    pub fn contains(self, score: f64) -> bool {
        (self.low()..=self.high()).contains(&score)
    }

    /// Returns the ends as they are written, the worst first.
    pub fn ends(self) -> [String; 2] {
        [self.write(self.low), self.write(self.high)]
    }

    /// Returns the step as it is written; None for whole numbers.
    pub fn step(self) -> Option<String> {
        (self.step != 1 || self.decimals > 0).then(|| self.write(self.step))
    }

    fn units(self) -> impl Iterator<Item = i64> {
        (0..=(self.high - self.low) / self.step).map(move |at| self.low + at * self.step)
    }

    fn value(self, units: i64) -> f64 {
        units as f64 / 10_f64.powi(self.decimals as i32)
    }

    fn write(self, units: i64) -> String {
        let text = format!("{:.*}", self.decimals as usize, self.value(units));
        if self.decimals == 0 {
            text
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

/// `LOW-HIGH` for whole numbers from 0, else `LOW..HIGH[:STEP]`.
impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.ends();
        match self.step() {
            None if self.low >= 0 => write!(f, "{low}-{high}"),
            None => write!(f, "{low}..{high}"),
            Some(step) => write!(f, "{low}..{high}:{step}"),
        }
    }
}

/// A short decimal number.
#[derive(Clone, Copy)]
struct Decimal {
    units: i64,
    decimals: u32,
}

impl Decimal {
    const MOST_DIGITS: usize = 6;

    fn parse(text: &str) -> Option<Decimal> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (whole, part) = match digits.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (digits, ""),
        };
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = !whole.is_empty() && is_digits(whole) && is_digits(part);
        if !is_number || whole.len() + part.len() > Self::MOST_DIGITS {
            return None;
        }
        let part = part.trim_end_matches('0');
        let units: i64 = format!("{whole}{part}").parse().ok()?;
        Some(Decimal {
            units: sign * units,
            decimals: part.len() as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_go_round() {
        for name in [
            "0-9",
            "1-5",
            "1-10",
            "0-100",
            "0..1:0.1",
            "0..10:0.5",
            "-3..3",
            "0..100:10",
        ] {
            assert_eq!(
                Scale::parse(name).map(|scale| scale.to_string()).as_deref(),
                Some(name)
            );
        }
        assert_eq!(Scale::parse("1..5"), Scale::parse("1-5"));
        assert_eq!(Scale::parse("1..5:1"), Scale::parse("1-5"));
        assert_eq!(Scale::parse("0..1:0.10"), Scale::parse("0..1:0.1"));
    }

    #[test]
    fn values_are_written_as_people_write_them() {
        assert_eq!(
            Scale::parse("0..1:0.25").unwrap().texts(),
            ["0", "0.25", "0.5", "0.75", "1"]
        );
        assert_eq!(Scale::parse("-1..1").unwrap().texts(), ["-1", "0", "1"]);
        assert_eq!(
            Scale::parse("0..100:50").unwrap().texts(),
            ["0", "50", "100"]
        );
        assert_eq!(Scale::parse("0..1:0.1").unwrap().values().last(), Some(1.0));
    }

    #[test]
    fn nonsense_is_refused() {
        for name in [
            "",
            "-",
            "1-",
            "5-1",
            "3-3",
            "0-999",
            "-1-4",
            "a-b",
            "0..1:0",
            "0..1:-1",
            "0..1:0.3",
            "0..9999999",
            "1e2..1e3",
            "0..1:",
            "0..1:.1",
            "0.-1",
            "0..1:0.1:2",
            "1–5",
            "0-1:0.1",
        ] {
            assert_eq!(Scale::parse(name), None, "{name}");
        }
    }
}
