//! `evenhand meta`: how far judges and benchers agree with people.

mod judge;

use crate::args::MetaCommand;
use crate::{Done, Failed};

/// Measures a judge, or a bencher.
pub(crate) fn meta(command: &MetaCommand) -> Result<Done, Failed> {
    match command {
        MetaCommand::Judge(args) => judge::judge(args),
    }
}
