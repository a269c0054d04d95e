//! `evenhand store`.

use super::print;
use crate::{Done, Failed};
use clap::{Args, Subcommand};
use evenhand_engine::EngineError;
use evenhand_shared_store::{StoreAddress, compact_segments};

/// The commands on a store of replies.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Merge the small segments of a store into one, even while others use it
    ///
    /// A segment that a process still writes to is left alone. It is merged once it is closed, or a
    /// day after its writer was killed. In object storage every segment is complete.
    Compact(CompactArgs),
}

/// Whose segments are made one.
#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The directory or address (s3://..) that runs use with --store
    #[arg(value_name = "DIR")]
    pub(crate) dir: String,
}

/// Makes one segment of many, and says what became of them.
pub(crate) fn store(command: &StoreCommand) -> Result<Done, Failed> {
    let StoreCommand::Compact(args) = command;
    let address = StoreAddress::parse(&args.dir, |_| None).map_err(EngineError::from)?;
    let Some(dir) = address.segments() else {
        return Err(Failed::usage(format!(
            "{}: PostgreSQL keeps its table small by itself; expected a directory of segments, or \
             a folder of object storage",
            address.name()
        )));
    };
    let made = compact_segments(dir).map_err(EngineError::from)?;
    let damaged = match made.damaged {
        0 => String::new(),
        damaged => format!("; {damaged} are damaged and were left where they are"),
    };
    let said = match made.segments {
        0 => "nothing to merge: there are fewer than two small, closed segments".to_string(),
        segments => format!(
            "{segments} segments merged into {}: {} replies, {} duplicates removed, {} bytes \
             instead of {}",
            match made.made {
                1 => "one".to_string(),
                number => number.to_string(),
            },
            made.entries,
            made.doubles,
            made.bytes_after,
            made.bytes_before
        ),
    };
    print(&format!("{said}{damaged}\n"))?;
    Ok(Done::Fine)
}
