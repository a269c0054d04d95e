//! The machine that judges run on, for energy and carbon.

use super::choices::parse_if;
use super::help::RUN;
use clap::Args;
use evenhand_studies::consistency::{DEVICES, Machine, REGIONS};

/// Where and on what judges run.
#[derive(Clone, Debug, Args)]
pub(crate) struct MachineArgs {
    /// The device that the judge runs on, for energy and carbon
    ///
    /// One of a100, a10g, h100, l4, t4, cpu, or the watts of one device.
    #[arg(
        long, value_name = "NAME|WATTS", value_parser = |text: &str| parse_number(text, &DEVICES),
        help_heading = RUN
    )]
    pub(crate) device: Option<f64>,
    /// How many such devices
    #[arg(
        long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..),
        help_heading = RUN
    )]
    pub(crate) devices: u32,
    /// Where it runs, for carbon
    ///
    /// One of world, eu, us, china, india, japan, germany, uk, france (averages of 2023), or grams
    /// of CO2 equivalent a kilowatt-hour.
    #[arg(
        long, value_name = "NAME|GRAMS", default_value = "world",
        value_parser = |text: &str| parse_number(text, &REGIONS), help_heading = RUN
    )]
    pub(crate) region: f64,
    /// Data centre energy for each unit of energy that the devices use
    #[arg(
        long, value_name = "PUE", default_value_t = 1.0, value_parser = parse_overhead,
        help_heading = RUN
    )]
    pub(crate) overhead: f64,
}

impl MachineArgs {
    /// Returns the machine, where one is named.
    pub(crate) fn machine(&self) -> Option<Machine> {
        self.device.map(|watts| Machine {
            watts: watts * f64::from(self.devices),
            overhead: self.overhead,
            grams_per_kwh: self.region,
        })
    }
}

/// Reads one of these names, or a number above 0.
fn parse_number(text: &str, known: &[(&str, f64)]) -> Result<f64, String> {
    let number = match known.iter().find(|(name, _)| *name == text) {
        Some((_, number)) => Some(*number),
        None => text.parse().ok(),
    };
    let is_allowed = |number: &f64| number.is_finite() && *number > 0.0;
    number.filter(is_allowed).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        format!("expected {} or a number above 0", names.join(", "))
    })
}

fn parse_overhead(text: &str) -> Result<f64, String> {
    let is_allowed = |number: &f64| number.is_finite() && *number >= 1.0;
    parse_if(text, is_allowed, "expected a number of at least 1".into())
}
