//! One fuzzer for all readers: `EVENHAND_FUZZ` names the reader, and `scripts/fuzz` runs them in
//! turn.
#![no_main]

mod files;
mod texts;

use std::sync::OnceLock;

type Target = fn(&[u8]);

/// The readers of foreign bytes, by name.
const TARGETS: [(&str, Target); 12] = [
    ("align", texts::align),
    ("batch", texts::batch),
    ("battles", texts::battles),
    ("data", texts::data),
    ("gguf", texts::gguf),
    ("judgments", texts::judgments),
    ("panel", files::panel),
    ("prompts", texts::prompts),
    ("replies", texts::replies),
    ("run", files::run),
    ("study", files::study),
    ("verdicts", texts::verdicts),
];

/// The reader that was asked for.
fn target() -> Target {
    static CHOSEN: OnceLock<Target> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let name = std::env::var("EVENHAND_FUZZ").unwrap_or_default();
        let found = TARGETS.iter().find(|(known, _)| *known == name);
        let known = TARGETS.map(|(known, _)| known).join(", ");
        found
            .map(|(_, target)| *target)
            .unwrap_or_else(|| panic!("EVENHAND_FUZZ={name}: expected one of {known}"))
    })
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target()(bytes));
