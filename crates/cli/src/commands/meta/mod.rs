//! `evenhand meta`: how well judges and benchers agree with people.

mod bencher;
mod conformal;
mod consistency;
mod fit;
mod head;
mod judge;
mod labelled;
mod people;
mod select;
mod self_preference;
mod study;
mod translations;
mod wordings;

pub(super) use study::ShownCells;

use crate::{Done, Failed};
use bencher::BencherArgs;
use clap::{Arg, Subcommand};
use conformal::MetaConformalArgs;
use consistency::MetaConsistencyArgs;
use head::MetaFitArgs;
use judge::MetaJudgeArgs;
use people::MetaPeopleArgs;
use select::MetaSelectArgs;
use self_preference::SelfPreferenceArgs;
use study::StudyArgs;
use translations::TranslationsArgs;
use wordings::WordingsArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum MetaCommand {
    /// Measure a judge against people's labels: live, from a run, or from recordings
    #[command(
        args_override_self = true,
        mut_arg("data", |arg| arg.required(false)),
        mut_arg("judge", |arg| arg.required(false)),
        mut_arg("design", of_labels)
    )]
    Judge(Box<MetaJudgeArgs>),
    /// Fit a head to your labels: a small judge of your own on a local model
    #[command(args_override_self = true, mut_arg("design", of_labels))]
    Fit(Box<MetaFitArgs>),
    /// Measure a judge's consistency, before and after PORTIA
    #[command(args_override_self = true)]
    Consistency(Box<MetaConsistencyArgs>),
    /// Measure how far people agree with each other, from labels with annotators
    #[command(args_override_self = true)]
    People(Box<MetaPeopleArgs>),
    /// Choose which of a judge's verdicts to accept, so that few are wrong
    #[command(args_override_self = true, mut_arg("data", |arg| arg.required(false)))]
    Select(Box<MetaSelectArgs>),
    /// Predict what people would say of each judgment, from labels of some
    #[command(args_override_self = true, mut_arg("data", |arg| arg.required(false)))]
    Conformal(Box<MetaConformalArgs>),
    /// Test whether judges prefer their own responses, without labels
    #[command(args_override_self = true)]
    SelfPreference(Box<SelfPreferenceArgs>),
    /// Test whether a judge gives the same verdicts in other languages
    #[command(args_override_self = true)]
    Translations(Box<TranslationsArgs>),
    /// Compare how a judge scores under several wordings of its prompt
    #[command(args_override_self = true)]
    Wordings(Box<WordingsArgs>),
    /// Compare rankings with reference ratings, or with people's own judgments
    #[command(args_override_self = true)]
    Bencher(Box<BencherArgs>),
    /// Study a grid of benchers over one store: tables, figures, and which to choose
    #[command(args_override_self = true)]
    Study(Box<StudyArgs>),
}

/// The labelled pairs are judged, and no other design is taken.
fn of_labels(design: Arg) -> Arg {
    let help = "Which pairs are judged: always the labelled ones";
    design.default_value("labelled").help(help).long_help(help)
}

/// Measures a judge, or benchers.
pub(crate) fn meta(command: &MetaCommand) -> Result<Done, Failed> {
    match command {
        MetaCommand::Judge(args) => match &args.fit {
            Some(file) => fit::fit_panel(args, file),
            None => judge::judge(args),
        },
        MetaCommand::Fit(args) => head::fit_head(args),
        MetaCommand::Consistency(args) => consistency::measure(args),
        MetaCommand::People(args) => people::measure(args),
        MetaCommand::Select(args) => select::select(args),
        MetaCommand::Conformal(args) => conformal::conformal(args),
        MetaCommand::SelfPreference(args) => self_preference::measure(args),
        MetaCommand::Translations(args) => translations::measure(args),
        MetaCommand::Wordings(args) => wordings::measure(args),
        MetaCommand::Bencher(args) => bencher::bencher(args),
        MetaCommand::Study(args) => study::study(args),
    }
}
