//! `evenhand view`.

use super::{print, stop_on_ctrl_c};
use crate::args::ViewArgs;
use crate::{Done, Failed};
use evenhand_viewer::{Ready, serve};

/// A run, or a folder of runs, in a browser until Ctrl-C.
pub(crate) fn view(args: &ViewArgs) -> Result<Done, Failed> {
    let options = args.options()?;
    let stop = stop_on_ctrl_c()?;
    let mut told = Ok(());
    let served = serve(options, &stop, |ready| told = tell(ready, args));
    served.map_err(|error| match error.is_usage() {
        true => Failed::Usage(error.to_string()),
        false => Failed::Run(error.to_string()),
    })?;
    told.map(|()| Done::Fine)
}

fn tell(ready: &Ready, args: &ViewArgs) -> Result<(), Failed> {
    print(&format!("{}\n", ready.url))?;
    if !ready.address.ip().is_loopback() {
        args.quiet.say(&format!(
            "warning: listening on {}: everybody who reaches this machine and has the address \
             above can read the runs, and nothing on the way is encrypted",
            ready.address
        ));
    }
    if args.review {
        let labels = match &args.labels_out {
            Some(path) => path.display().to_string(),
            None => "labels.jsonl in the run".into(),
        };
        args.quiet.say(&format!("labels are kept in {labels}"));
    }
    args.quiet
        .say("open this address in a browser; Ctrl-C ends it");
    Ok(())
}
