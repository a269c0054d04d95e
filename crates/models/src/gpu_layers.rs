//! How much of an embedded model is evaluated on a graphics device.

use std::fmt;

/// The back ends for graphics devices that this program was built with, as identities name them.
pub const BACK_ENDS: &[&str] = &[
    #[cfg(feature = "cuda")]
    "cuda",
    #[cfg(feature = "metal")]
    "metal",
    #[cfg(feature = "vulkan")]
    "vulkan",
];

/// Whether there is one.
pub const HAS_BACK_END: bool = cfg!(any(feature = "cuda", feature = "metal", feature = "vulkan"));

/// Says why a program that was built without a back end puts no layer on a device, and what to do.
pub const NO_BACK_END: &str = "this evenhand has no back end for a graphics device; leave the \
                               setting out for the CPU, or build with one of the features cuda, \
                               metal and vulkan (docs/install.md)";

/// How many layers of a model a graphics device evaluates. The output is one of them, after the
/// last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuLayers {
    /// So many, counted from the output towards the input; all where the model has fewer. 0 is the
    /// CPU alone.
    Count(u32),
    /// All of them.
    All,
}

impl GpuLayers {
    /// Reads a number, `all` or `none`; None for anything else.
    pub fn parse(text: &str) -> Option<GpuLayers> {
        match text {
            "all" => Some(GpuLayers::All),
            "none" => Some(GpuLayers::Count(0)),
            number => Some(GpuLayers::Count(number.parse().ok()?)),
        }
    }
}

impl fmt::Display for GpuLayers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GpuLayers::Count(0) => f.write_str("none"),
            GpuLayers::Count(layers) => layers.fmt(f),
            GpuLayers::All => f.write_str("all"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        for layers in [GpuLayers::Count(0), GpuLayers::Count(7), GpuLayers::All] {
            assert_eq!(GpuLayers::parse(&layers.to_string()), Some(layers));
        }
        assert_eq!(GpuLayers::parse("0"), Some(GpuLayers::Count(0)));
        for wrong in ["", "-1", "1.5", "some", "ALL", "99999999999"] {
            assert_eq!(GpuLayers::parse(wrong), None, "{wrong}");
        }
    }
}
