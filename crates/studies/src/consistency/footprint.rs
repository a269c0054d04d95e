//! Money, time and carbon of 1,000 judgments (PORTIA, table 8).
//!
//! The paper prints figures of carbon and no formula, and names no unit of mass; the formula here
//! is the usual one: energy is power by time, and carbon is energy by the grid's intensity.

use schemars::JsonSchema;
use serde::Serialize;

/// Where and on what a judge runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Power of all devices together, in watts.
    pub watts: f64,
    /// Energy of the data centre for each unit that the devices take (PUE), at least 1.
    pub overhead: f64,
    /// Grams of CO2 equivalent for each kilowatt-hour of the grid.
    pub grams_per_kwh: f64,
}

/// Devices by name, with the watts of one: the board power that their makers state.
pub const DEVICES: [(&str, f64); 6] = [
    ("a100", 400.0),
    ("a10g", 150.0),
    ("h100", 700.0),
    ("l4", 72.0),
    ("t4", 70.0),
    ("cpu", 65.0),
];

/// Grids by name, with grams of CO2 equivalent for each kilowatt-hour, rounded to 5 or 10: averages
/// of 2023 after Ember, Yearly Electricity Data. A number of one's own is better than these.
pub const REGIONS: [(&str, f64); 9] = [
    ("world", 480.0),
    ("eu", 240.0),
    ("us", 370.0),
    ("china", 580.0),
    ("india", 710.0),
    ("japan", 485.0),
    ("germany", 380.0),
    ("uk", 240.0),
    ("france", 55.0),
];

impl Machine {
    /// Returns the kilowatt-hours that it takes in so many seconds.
    pub fn kwh(&self, seconds: f64) -> f64 {
        self.watts * self.overhead * seconds / 3.6e6
    }

    /// Returns the grams of CO2 equivalent of so many kilowatt-hours.
    pub fn grams_co2(&self, kwh: f64) -> f64 {
        kwh * self.grams_per_kwh
    }
}

/// The cost of 1,000 judgments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PerThousand {
    /// US dollars.
    pub usd: Option<f64>,
    /// Seconds.
    pub seconds: Option<f64>,
    /// Kilowatt-hours; None where the time or the machine is not known.
    pub kwh: Option<f64>,
    /// Grams of CO2 equivalent.
    pub grams_co2: Option<f64>,
}

impl PerThousand {
    /// Returns the cost of 1,000 judgments where so many took this, with energy and carbon where
    /// the machine is known. The money is None where a judge has no price, the time where some
    /// calls were answered from a store.
    pub fn of(
        judgments: u64,
        usd: Option<f64>,
        seconds: Option<f64>,
        machine: Option<Machine>,
    ) -> PerThousand {
        let scale = 1000.0 / judgments.max(1) as f64;
        let seconds = seconds.map(|seconds| seconds * scale);
        let powered = machine.zip(seconds);
        let kwh = powered.map(|(on, seconds)| on.kwh(seconds));
        PerThousand {
            usd: usd.map(|usd| usd * scale),
            seconds,
            kwh,
            grams_co2: machine.zip(kwh).map(|(on, kwh)| on.grams_co2(kwh)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kilowatt_for_an_hour_is_a_kilowatt_hour() {
        let machine = Machine {
            watts: 1000.0,
            overhead: 1.5,
            grams_per_kwh: 400.0,
        };
        let found = |machine| PerThousand::of(500, Some(2.0), Some(1800.0), machine);
        let without = found(None);
        let found = found(Some(machine));
        assert_eq!((found.usd, found.seconds), (Some(4.0), Some(3600.0)));
        assert_eq!((found.kwh, found.grams_co2), (Some(1.5), Some(600.0)));
        assert_eq!(without.kwh, None);
    }
}
