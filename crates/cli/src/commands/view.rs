//! `evenhand view`.

use super::{print, stop_on_ctrl_c};
use crate::args::ViewArgs;
use crate::{Done, Failed};
use evenhand_viewer::{Ready, ViewError, serve};

/// A run, or a folder of runs, in a browser until Ctrl-C.
pub(crate) fn view(args: &ViewArgs) -> Result<Done, Failed> {
    let options = args.options()?;
    let stop = stop_on_ctrl_c()?;
    let mut told = Ok(());
    let served = serve(options, &stop, |ready| told = tell(ready, args));
    served.map_err(fail)?;
    told.map(|()| Done::Fine)
}

fn tell(ready: &Ready, args: &ViewArgs) -> Result<(), Failed> {
    print(&format!("{}\n", ready.url))?;
    if !ready.address.ip().is_loopback() {
        args.quiet.say(&warn_of_network(ready));
    }
    if args.review {
        args.quiet
            .say(&format!("labels are kept in {}", describe_labels(args)));
    }
    args.quiet
        .say("open this address in a browser; Ctrl-C ends it");
    Ok(())
}

fn describe_labels(args: &ViewArgs) -> String {
    let given = args.labels_out.as_ref();
    given.map_or("labels.jsonl in the run".into(), |path| {
        path.display().to_string()
    })
}

fn warn_of_network(ready: &Ready) -> String {
    format!(
        "warning: listening on {}: everybody who reaches this machine and has the address above \
         can read the runs, and nothing on the way is encrypted",
        ready.address
    )
}

fn fail(error: ViewError) -> Failed {
    if error.is_usage() {
        Failed::Usage(error.to_string())
    } else {
        Failed::Run(error.to_string())
    }
}
