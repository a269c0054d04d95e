//! The text of `--version`: the version, and for which processors the embedded judge was compiled.

use std::sync::OnceLock;

/// The answer to `--version`.
pub(super) fn long_version() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        format!(
            "{}\nembedded judge: {}",
            env!("CARGO_PKG_VERSION"),
            embedded_judge()
        )
    })
}

#[cfg(feature = "embedded")]
fn embedded_judge() -> String {
    use evenhand_models::embedded::Embedded;
    let compiled_for = match &*Embedded::name_kernels() {
        "-x86-64-v3" => "every x86-64-v3 processor; all of them give the same bits".to_string(),
        digest => format!("this kind of processor (cpu{digest}); another kind may give other bits"),
    };
    format!(
        "llama.cpp, compiled for {compiled_for}\n{}",
        Embedded::describe_kernels().trim()
    )
}

#[cfg(not(feature = "embedded"))]
fn embedded_judge() -> String {
    "none, this program was compiled without it".into()
}
