//! `evenhand._evenhand`: the native module of the Python package. The public face is
//! `python/evenhand`; docs/design/python.md says why it is as it is.

mod call;
mod columns;
mod judges;
mod old_glibc;
mod protocols;
mod stats;
mod tables;

use evenhand_ranking::WarningKind;
use pyo3::prelude::*;
use std::ffi::OsString;

/// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the command line `evenhand` and returns its exit code. The first argument is the program.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| evenhand_cli::run_command_line(arguments))
}

/// Returns the table of settings as JSON: every command with its flags.
#[pyfunction]
fn settings() -> PyResult<String> {
    let commands = evenhand_cli::command_settings();
    serde_json::to_string(&commands).map_err(|e| call::error_of(&e))
}

/// Returns the kinds of warnings that a ranking may have.
#[pyfunction]
fn warning_kinds() -> Vec<&'static str> {
    WarningKind::NAMES.to_vec()
}

#[pymodule]
fn _evenhand(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // The kernels' libraries are in `_lib` beside this module.
    #[cfg(feature = "kernel-variants")]
    {
        let file: std::path::PathBuf = module.filename()?.extract()?;
        evenhand_models::embedded::set_kernel_folder(file.with_file_name("_lib"));
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<call::Called>()?;
    module.add_class::<tables::Kept>()?;
    module.add_class::<tables::Named>()?;
    module.add_class::<judges::Answers>()?;
    module.add_class::<judges::RegisteredJudge>()?;
    module.add_class::<protocols::RegisteredProtocol>()?;
    module.add_function(wrap_pyfunction!(
        protocols::register_python_protocol,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(protocols::mark_texts, module)?)?;
    module.add_function(wrap_pyfunction!(judges::register_python_judge, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(settings, module)?)?;
    module.add_function(wrap_pyfunction!(warning_kinds, module)?)?;
    module.add_function(wrap_pyfunction!(tables::keep_table, module)?)?;
    module.add_function(wrap_pyfunction!(tables::keep_text, module)?)?;
    module.add_function(wrap_pyfunction!(tables::stream_rows, module)?)?;
    module.add_function(wrap_pyfunction!(call::call, module)?)?;
    stats::add_to(module)
}
