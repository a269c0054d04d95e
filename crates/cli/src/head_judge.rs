//! A head as the judge of a run.

use crate::Failed;
use crate::args::{QuietArgs, RunArgs};
use evenhand_core::Clusters;
use evenhand_engine::HeadFile;
use evenhand_formats::Dataset;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The head that `--judge head:FILE` names.
pub(crate) struct HeadJudge {
    pub(crate) file: HeadFile,
    /// As the command line names it.
    name: String,
    /// Where its model was found.
    model: PathBuf,
    /// Whether labels that it was fitted to are left out, in place of a refusal of the systems that
    /// it knows.
    leaves_out: bool,
}

impl HeadJudge {
    /// Reads the head that a command line names, if it names one, and finds its model.
    ///
    /// # Errors
    /// A file that is no head, a model that is not there, and what a head has no use for.
    pub(crate) fn read(args: &RunArgs) -> Result<Option<HeadJudge>, Failed> {
        let mut names = args.judge.iter();
        let Some(name) = names.find_map(|judge| judge.strip_prefix("head:")) else {
            return Ok(None);
        };
        let refuse = |why: &str| Err(Failed::Usage(format!("--judge head:{name}: {why}")));
        if name.is_empty() {
            return refuse("expected head:FILE");
        }
        if args.judge.len() > 1 {
            return refuse("a head judges alone, on the model that its file names");
        }
        if args
            .ask
            .protocol
            .as_deref()
            .is_some_and(|name| name != "reward")
        {
            return refuse("a head scores each response by itself; leave --protocol out");
        }
        let path = Path::new(name);
        let file = HeadFile::read(path)?;
        Ok(Some(HeadJudge {
            model: file.find_model(path)?,
            file,
            name: name.into(),
            leaves_out: false,
        }))
    }

    /// Returns the head with labels that it was fitted to left out of what it is measured on.
    #[must_use]
    pub(crate) fn leaving_out(self) -> HeadJudge {
        HeadJudge {
            leaves_out: true,
            ..self
        }
    }

    /// Returns its model as a judge.
    pub(crate) fn judge(&self) -> String {
        format!("gguf:{}", self.model.display())
    }

    /// Says that the head is not recommended by the fit that its file keeps; None where it is.
    pub(crate) fn limits(&self) -> Option<String> {
        (self.file.worth.recommended != "head").then(|| {
            format!(
                "head:{}: its own fit does not recommend it: on systems that it has not seen, it \
                 is not shown to beat both a coin and a score that needs no labels",
                self.name
            )
        })
    }

    /// Keeps the head from what it knows: systems whose labels it was fitted to are refused, or,
    /// where it is measured, labels on questions that it was fitted to are left out and counted.
    ///
    /// # Errors
    /// Such systems; labels of which none is left.
    pub(crate) fn check_data(&self, data: &mut Dataset, quiet: QuietArgs) -> Result<(), Failed> {
        let name = &self.name;
        let known = self
            .file
            .known_systems(data.systems.iter().map(|system| &**system));
        let known: Vec<String> = known.into_iter().map(String::from).collect();
        if !self.leaves_out {
            if known.is_empty() {
                if let Some(limits) = self.limits() {
                    quiet.say(&limits);
                }
                return Ok(());
            }
            return Err(Failed::Usage(format!(
                "--judge head:{name}: it was fitted to labels of {}, and so knows how people judge \
                 them; leave them out (--systems), or fit a head without their labels",
                known.join(", ")
            )));
        }
        // Items of one question stand together, as they did in the fit.
        let clusters = Clusters::of_items(&data.items);
        let fitted = (0..).zip(&data.items);
        let fitted = fitted.filter(|(_, item)| self.file.knows_question(item));
        let fitted: HashSet<u32> = fitted.map(|(at, _)| clusters.of(at)).collect();
        let all = data.labels.len();
        data.labels
            .retain(|label| !fitted.contains(&clusters.of(label.item)));
        let left_out = all - data.labels.len();
        if left_out > 0 && data.labels.is_empty() {
            return Err(Failed::Usage(format!(
                "--judge head:{name}: it was fitted to the questions of all {all} labels here, so \
                 they cannot test it; its file has its accuracy by cross-validation, or give \
                 labels on other questions"
            )));
        }
        if left_out > 0 {
            quiet.say(&format!(
                "{left_out} of {all} labels are left out: the head was fitted to their questions"
            ));
        }
        if !known.is_empty() {
            quiet.say(&format!(
                "the head was fitted to labels of {}: figures on their pairs say nothing about \
                 others",
                known.join(", ")
            ));
        }
        Ok(())
    }
}
