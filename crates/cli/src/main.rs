//! The binary: the command line of `evenhand`.

use std::process::ExitCode;

/// Texts are made by one thread and let go by another at tens of thousands of calls a second
/// (docs/design/served-judges.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(why) = evenhand_cli::describe_older_processor() {
        eprintln!("{why}");
        return ExitCode::FAILURE;
    }
    ExitCode::from(evenhand_cli::run_command_line(
        std::env::args_os().collect(),
    ))
}
