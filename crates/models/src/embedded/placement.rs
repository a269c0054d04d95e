//! Where a model is evaluated: on the CPU, or some of its layers on a graphics device; and whether
//! it fits there, which is said before it is loaded.

use super::footprint::Footprint;
use super::llama::{Device, list_devices};
use super::memory::whole_memory;
use crate::{BACK_ENDS, GpuLayers, HAS_BACK_END, NO_BACK_END};
use evenhand_core::Setting;

/// Where a model's layers are.
#[derive(Debug, Default)]
pub(super) struct Placement {
    /// How many are on the device, the output among them; 0 where there is none.
    pub(super) layers: u32,
    pub(super) device: Option<Device>,
}

impl Placement {
    /// Chooses where a model of this footprint is evaluated. One device takes part: how layers are
    /// split over several would depend on what is free there at the moment, and bits on it.
    ///
    /// # Errors
    /// Layers that were asked for where no device is there.
    pub(super) fn choose(
        footprint: &Footprint,
        asked: Option<GpuLayers>,
    ) -> Result<Placement, String> {
        let wants_none = asked == Some(GpuLayers::Count(0));
        // Nobody looks for devices who has no use for them: a driver may take seconds to start.
        let devices = match HAS_BACK_END && !wants_none {
            true => list_devices(),
            false => Vec::new(),
        };
        // The first of those with the most memory of their own: one that shares the machine's main
        // memory names all of that, and is the slower one.
        let device = devices.into_iter().reduce(|best, next| {
            let own = |device: &Device| (!device.integrated, device.total);
            if own(&next) > own(&best) { next } else { best }
        });
        let total = device.as_ref().map(|device| device.total);
        let layers = choose_layers(footprint, asked, total)?;
        let device = device.filter(|_| layers > 0);
        Ok(Placement { layers, device })
    }

    /// Names it in an identity: nothing for the CPU, or the back end, the layers that it has, and a
    /// digest of the device, as `:vulkan31-1a2b3c4d`.
    pub(super) fn name(&self) -> String {
        self.device.as_ref().map_or_else(String::new, |device| {
            let digest = blake3::hash(device.description.as_bytes()).to_hex();
            format!(":{}{}-{}", device.back_end, self.layers, &digest[..8])
        })
    }

    /// Refuses a model that clearly does not fit: with one context on the device, beside what is
    /// there now, or in main memory with nothing beside it. Where a system does not say what it
    /// has, nothing is refused.
    pub(super) fn check_room(&self, footprint: &Footprint) -> Result<(), String> {
        let shares = self.device.as_ref().is_some_and(|device| device.integrated);
        let there = footprint.on_device(self.layers);
        if let Some(device) = &self.device
            && let Some(free) = device.free_if_known()
            && lacks_room(there, free)
        {
            let (needs, has) = (gigabytes(there), gigabytes(free));
            let (layers, name, setting) = (self.layers, &device.description, Setting::GpuLayers);
            let fit = GpuLayers::Count(footprint.layers_that_fit(free));
            return Err(format!(
                "its {layers} layers on {name} need about {needs} GB, and {has} GB are free there. \
                 Close what uses the device, or give it fewer layers: {setting} {fit} fits now, \
                 and is another judge by name, whose verdicts are kept apart"
            ));
        }
        let here = footprint.in_main_memory(self.layers);
        let here = here.saturating_add(if shares { there } else { 0 });
        match whole_memory() {
            Some(whole) if lacks_room(here, whole) => Err(format!(
                "it needs about {} GB of main memory, and there are {} GB in all, swap included. \
                 Ask for a shorter context, or choose a smaller model",
                gigabytes(here),
                gigabytes(whole)
            )),
            _ => Ok(()),
        }
    }
}

/// Returns how many layers go to the device that has `total` bytes in all, 0 where it does not say;
/// None where there is no device.
fn choose_layers(
    footprint: &Footprint,
    asked: Option<GpuLayers>,
    total: Option<u64>,
) -> Result<u32, String> {
    let all = footprint.layers();
    match (asked, total) {
        (None, None) | (Some(GpuLayers::Count(0)), _) => Ok(0),
        (Some(asked), None) => {
            let setting = Setting::GpuLayers;
            if !HAS_BACK_END {
                return Err(format!("{setting} {asked}: {NO_BACK_END}"));
            }
            Err(format!(
                "{setting} {asked}: this program's back end ({}) sees no device; see what \
                 `evenhand models` lists, or leave the setting out for the CPU",
                BACK_ENDS.join(", ")
            ))
        }
        (None, Some(0)) | (Some(GpuLayers::All), Some(_)) => Ok(all),
        // By all the memory that it has, and not by what is free of it now: the judge of the next
        // run is then the same, and finds its replies.
        (None, Some(total)) => Ok(footprint.layers_that_fit(total - total / 10)),
        (Some(GpuLayers::Count(layers)), Some(_)) => Ok(layers.min(all)),
    }
}

/// Whether this clearly does not fit: the need is an estimate.
fn lacks_room(needs: u64, free: u64) -> bool {
    needs - needs / 10 > free
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gguf::{Header, Part, Tensor};

    /// Ten layers of 1 GB each, and an output of 1 GB.
    fn footprint() -> Footprint {
        let layers = (0..10).map(Part::Layer);
        let tensors = layers.chain([Part::Output]).map(|part| Tensor {
            values: 250_000_000,
            kind: 0,
            offset: 0,
            part,
        });
        let header = Header {
            tensors: tensors.collect(),
            ..Header::default()
        };
        Footprint::new(&header, 256, 64)
    }

    #[test]
    fn layers_are_what_was_asked_for_or_all_that_fit() {
        let count = |asked, total| choose_layers(&footprint(), asked, total).unwrap();
        let [none, four, many] = [0, 4, 99].map(|layers| Some(GpuLayers::Count(layers)));
        for (asked, total, layers) in [
            (None, None, 0),
            (none, None, 0),
            (none, Some(u64::MAX), 0),
            (four, Some(1), 4),
            (many, Some(1), 11),
            (Some(GpuLayers::All), Some(1), 11),
            // A tenth is left for others.
            (None, Some(5_000_000_000), 4),
            (None, Some(5_600_000_000), 5),
            (None, Some(1_000_000_000), 0),
            (None, Some(u64::MAX), 11),
            // A device that does not say what it has.
            (None, Some(0), 11),
        ] {
            assert_eq!(count(asked, total), layers, "{asked:?} {total:?}");
        }
    }

    #[test]
    fn layers_without_a_device_are_refused() {
        for asked in [GpuLayers::All, GpuLayers::Count(3)] {
            let why = choose_layers(&footprint(), Some(asked), None).unwrap_err();
            let begin = format!("`gpu-layers` {asked}: ");
            assert!(why.starts_with(&begin) && why.contains("CPU"), "{why}");
        }
    }

    #[test]
    fn a_model_is_refused_only_where_it_clearly_does_not_fit() {
        for (needs, free, lacks) in [
            (100, 100, false),
            (100, 90, false),
            (100, 89, true),
            (0, 0, false),
            (u64::MAX, u64::MAX, false),
        ] {
            assert_eq!(lacks_room(needs, free), lacks, "{needs} {free}");
        }
        let cpu = Placement::default();
        assert!(
            cpu.check_room(&Footprint::new(&Header::default(), 256, 64))
                .is_ok()
        );
        assert_eq!(cpu.name(), "");
    }

    /// On a system that says what it has.
    #[test]
    fn what_it_needs_and_what_there_is_are_said() {
        if whole_memory().is_none() {
            return;
        }
        let vast = Tensor {
            values: 1 << 60,
            kind: 0,
            offset: 0,
            part: Part::Rest,
        };
        let header = Header {
            tensors: vec![vast],
            ..Header::default()
        };
        let footprint = Footprint::new(&header, 256, 64);
        let why = Placement::default().check_room(&footprint).unwrap_err();
        let begin = "it needs about 4611686018.4 GB of main memory, and there are ";
        assert!(
            why.starts_with(begin) && why.contains(" GB in all, swap included. Ask"),
            "{why}"
        );
    }
}
