//! The binary: the command line of `evenhand`.

use std::process::ExitCode;

/// Texts are made by one thread and let go by another at tens of thousands of calls a second
/// (docs/design/served-judges.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(evenhand_cli::run_command_line(
        std::env::args_os().collect(),
    ))
}
