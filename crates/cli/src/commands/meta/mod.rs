//! `evenhand meta`: how well judges and benchers agree with people.

mod bencher;
mod consistency;
mod fit;
mod judge;
mod labelled;
mod people;
mod select;
mod study;

pub(super) use study::{ShownCells, end_early};

use crate::args::MetaCommand;
use crate::{Done, Failed};

/// Measures a judge, or benchers.
pub(crate) fn meta(command: &MetaCommand) -> Result<Done, Failed> {
    match command {
        MetaCommand::Judge(args) => match &args.fit {
            Some(file) => fit::fit_panel(args, file),
            None => judge::judge(args),
        },
        MetaCommand::Consistency(args) => consistency::measure(args),
        MetaCommand::People(args) => people::measure(args),
        MetaCommand::Select(args) => select::select(args),
        MetaCommand::Bencher(args) => bencher::bencher(args),
        MetaCommand::Study(args) => study::study(args),
    }
}
