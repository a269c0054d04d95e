//! `evenhand cite`.

use super::audit::parse_probes;
use super::kept_run::{describe_unopened, describe_unread};
use super::{print, print_data};
use crate::args::choices::{names, words};
use crate::args::help::{DATA, OUTPUT, PROBES, PROTOCOL, STATISTICS};
use crate::args::ranking::{ADJUSTMENTS, INTERVALS, parse_aggregation};
use crate::host::current;
use crate::progress::SPEAKING;
use crate::{Done, Failed};
use clap::{Args, ValueEnum};
use evenhand_core::VerdictSource;
use evenhand_engine::Design;
use evenhand_formats::judgments::JudgmentFormat;
use evenhand_formats::records::Format as DataFormat;
use evenhand_protocols::{Panel, Protocol, ProtocolOptions};
use evenhand_ranking::{Adjust, Aggregation, Ci, WholeFile, whole_file};
use evenhand_report::cite::{self, Citations, Use};
use evenhand_store::Reader;
use evenhand_studies::audit::Probe;
use evenhand_studies::judge::split_prompts;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Names the run or the methods that papers are listed for.
#[derive(Debug, Args)]
pub(crate) struct CiteArgs {
    /// A run's directory, a board, or what a command printed as JSON
    ///
    /// A run's protocol, design and last report say what was used; of a board, its last edition.
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<PathBuf>,
    /// A protocol, as `rank` takes it
    #[arg(long, value_name = "PROTOCOL", help_heading = PROTOCOL)]
    pub(crate) protocol: Option<String>,
    /// A design, as `rank` takes it
    #[arg(long, value_name = "DESIGN", help_heading = PROTOCOL)]
    pub(crate) design: Option<String>,
    /// An aggregation
    #[arg(
        long, value_parser = names(Aggregation::NAMES.iter().copied(), parse_aggregation),
        hide_possible_values = true, value_name = "NAME", help_heading = STATISTICS
    )]
    pub(crate) aggregate: Option<Aggregation>,
    /// Intervals
    #[arg(long, value_parser = words(INTERVALS), help_heading = STATISTICS)]
    pub(crate) ci: Option<Ci>,
    /// An adjustment of p-values
    #[arg(long, value_parser = words(ADJUSTMENTS), help_heading = STATISTICS)]
    pub(crate) adjust: Option<Adjust>,
    /// Probes of an audit, as `audit` takes them
    #[arg(
        long, value_delimiter = ',', hide_possible_values = true, value_name = "NAME,...",
        value_parser = names(Probe::NAMES.iter().copied().chain(["all"]), parse_probes),
        help_heading = PROBES
    )]
    pub(crate) probes: Vec<Vec<Probe>>,
    /// Formats of data or recorded judgments, as for --input-format
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", help_heading = DATA)]
    pub(crate) data_format: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = OUTPUT)]
    pub(crate) format: CiteFormat,
}

/// The forms in which citations are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CiteFormat {
    Text,
    Bibtex,
    Json,
}

/// Prints what to cite: the program, and what a run or what is named rests on.
pub(crate) fn cite(args: &CiteArgs) -> Result<Done, Failed> {
    let mut uses = Vec::new();
    if let Some(run) = &args.run {
        uses.extend(match run.is_file() {
            true => uses_of_file(run, args)?,
            false => uses_of_run(run, args.adjust.is_some())?,
        });
    }
    if let Some(name) = &args.protocol {
        let protocol = Protocol::parse(name).map_err(|why| Failed::usage(why.to_string()))?;
        // How verdicts are read depends on the judge.
        uses.extend(cite::of_protocol(&protocol, false));
        uses.extend(cite::of_preset(name).unwrap_or_default());
    }
    if let Some(design) = &args.design {
        let design = Design::parse(design).map_err(|refusal| Failed::usage(refusal.to_string()))?;
        uses.extend(cite::of_design(&design));
    }
    uses.extend(args.aggregate.map(cite::of_aggregation).unwrap_or_default());
    let intervals = args.ci.map(Ci::intervals).map(cite::of_intervals);
    uses.extend(intervals.unwrap_or_default());
    uses.extend(args.adjust.map(cite::of_adjustment).unwrap_or_default());
    let probes = args.probes.iter().flatten();
    uses.extend(probes.filter_map(|probe| cite::of_probe(*probe)).flatten());
    for name in &args.data_format {
        let data = DataFormat::from_name(name).ok().map(cite::of_data);
        let judgments = JudgmentFormat::from_name(name).map(cite::of_judgments);
        if data.is_none() && judgments.is_none() {
            // Some names are of both.
            let mut known = DataFormat::names().to_vec();
            known.extend(JudgmentFormat::names());
            let mut seen = BTreeSet::new();
            known.retain(|name| seen.insert(*name));
            let known = known.join(", ");
            return Err(Failed::usage(format!(
                "--data-format {name}: expected one of {known}"
            )));
        }
        uses.extend([data, judgments].into_iter().flatten().flatten());
    }

    let cited = Citations::of(&uses).map_err(Failed::unprintable)?;
    if let Some(host) = current() {
        host.keep_forms(cited.text(), None);
    }
    match args.format {
        CiteFormat::Text => print(&cited.text())?,
        CiteFormat::Bibtex => print_data(&cited.bibtex())?,
        CiteFormat::Json => print_data(&cited.json().map_err(Failed::unprintable)?)?,
    }
    Ok(Done::Fine)
}

/// Returns what a board's last edition rests on, or a ranking or people's agreement that was
/// printed as JSON.
fn uses_of_file(path: &Path, args: &CiteArgs) -> Result<Vec<Use>, Failed> {
    let text = read_to_string(path).map_err(|why| Failed::unreadable(path.display(), why))?;
    let found: Value = serde_json::from_str(&text).unwrap_or_default();
    if whole_file(path) == Some(WholeFile::Board) {
        if args.aggregate.is_none() {
            SPEAKING.say(
                "a board does not keep how its battles were counted; name it too, as in \
                 --aggregate bradley-terry",
            );
        }
        let editions = found["history"].as_array();
        let last = editions.and_then(|editions| editions.last());
        let method = last.and_then(|edition| edition["intervals"]["method"].as_str());
        let intervals = method.and_then(|method| method.parse().ok());
        return Ok(intervals.map_or(Vec::new(), cite::of_intervals));
    }
    if !found["alpha_nominal"].is_null() && found["by_annotator"].is_array() {
        return Ok(cite::of_people());
    }
    let path = path.display();
    let Some(aggregation) = found["aggregation"].as_str() else {
        return Err(Failed::usage(format!(
            "{path}: expected a run's directory, a board, or the JSON of `rank`, `leaderboard` or \
             `meta people`"
        )));
    };
    match parse_aggregation(aggregation) {
        Ok(_) => Ok(uses_of_ranking(&found)),
        Err(expected) => Err(Failed::usage(format!(
            "{path}: field `aggregation`: `{aggregation}` is not known; {expected}"
        ))),
    }
}

/// Returns how the judgments of a ranking, or of another report that has any of it, were counted.
fn uses_of_ranking(report: &Value) -> Vec<Use> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let mut uses =
        parse_aggregation(&word(&report["aggregation"])).map_or(Vec::new(), cite::of_aggregation);
    let named = word(&report["ci"]["method"]);
    uses.extend(named.parse().map_or(Vec::new(), cite::of_intervals));
    let rows = report["ranking"].as_array();
    if rows.is_some_and(|rows| rows.iter().any(|row| !row["better_than"].is_null())) {
        uses.extend(cite::of_adjustment(Adjust::Joint));
    }
    let named = word(&report["adjust"]);
    let adjust = ADJUSTMENTS.iter().find(|(name, _)| *name == named);
    uses.extend(adjust.map_or(Vec::new(), |(_, adjust)| cite::of_adjustment(*adjust)));
    let effects = report["style"].as_array();
    if effects.is_some_and(|rows| rows.iter().any(|row| row["covariate"] != "order")) {
        uses.extend(cite::of_style_control());
    }
    if report["labels"]["systems"].as_array().is_some() {
        uses.extend(cite::of_corrected_rates());
    }
    if !report["drop"].is_null() {
        uses.extend(cite::of_dropped_judgments());
    }
    uses
}

/// Returns what a run rests on: by its settings what was asked, by its last report how that was
/// counted. Reports of before do not say how p-values were adjusted, so that it has to be named.
// Long, and nearly flat: a step for each thing that a report may tell of a method.
fn uses_of_run(dir: &Path, adjustment_is_named: bool) -> Result<Vec<Use>, Failed> {
    let reader = Reader::open(dir).map_err(describe_unopened)?;
    let settings = reader.manifest().map_err(describe_unread)?.settings;
    let kept = reader.last_report().map_err(describe_unread)?;
    let report: Value = kept
        .as_ref()
        .and_then(|kept| serde_json::from_str(&kept.report).ok())
        .unwrap_or_default();
    let read_from = |source: VerdictSource| report["sources"].get(source.name()).is_some();
    let by_probabilities =
        read_from(VerdictSource::Probabilities) || read_from(VerdictSource::AgainstText);
    let mut uses = Vec::new();
    let options = ProtocolOptions {
        panel: settings
            .get("panel")
            .and_then(|rule| Panel::parse(rule))
            .unwrap_or_default(),
        ..ProtocolOptions::default()
    };
    let mut told = BTreeSet::new();
    let mut of_protocol = |name: &str| {
        // A study names the prompts behind the protocol, and these have no papers.
        let name = split_prompts(name).0;
        match Protocol::with(name, &options) {
            Ok(protocol) => cite::of_protocol(&protocol, by_probabilities),
            // Written elsewhere, fitted, or with a rubric of a prompt pack; told once.
            Err(_) => {
                if told.insert(name.to_owned()) {
                    SPEAKING.say(&format!(
                        "the protocol {name} is not built in, so its papers are not listed; you \
                         can name its parts, as in --protocol pairwise/cot/swap"
                    ));
                }
                Vec::new()
            }
        }
    };
    uses.extend(
        settings
            .get("protocol")
            .map_or(Vec::new(), |name| of_protocol(name)),
    );
    let design = settings
        .get("design")
        .and_then(|design| Design::parse(design).ok());
    uses.extend(design.iter().flat_map(cite::of_design));

    let Some(kept) = kept else {
        return Ok(uses);
    };
    let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
    uses.extend(uses_of_ranking(&report));
    let has_pairs = kept.command == "rank" && report["differences"].is_array();
    if has_pairs && !report["adjust"].is_string() && !adjustment_is_named {
        SPEAKING.say(
            "the report has p-values of pairs of systems, but does not say how they were adjusted; \
             if you gave --adjust, give it here too, as in --adjust holm",
        );
    }
    match kept.command.as_str() {
        "audit" => {
            let findings = report["findings"].as_array().into_iter().flatten();
            let probes = findings.filter_map(|finding| Probe::named(finding["probe"].as_str()?));
            uses.extend(probes.filter_map(cite::of_probe).flatten());
            // Several protocols and no design: each is cited by its own name.
            let protocols = report["protocols"].as_array().into_iter().flatten();
            let protocols = protocols.filter_map(|name| Protocol::parse(name.as_str()?).ok());
            uses.extend(protocols.flat_map(|protocol| cite::of_protocol(&protocol, false)));
            uses.extend(cite::of_audits(!report["slices"].is_null()));
        }
        "meta judge" => {
            uses.extend(cite::of_agreement());
            uses.extend(cite::of_corrected_differences(&report));
        }
        "meta study" => {
            let rows = |list: &str| report[list].as_array().into_iter().flatten();
            // Of recordings a type is a name that the user gave.
            let live: BTreeSet<_> = rows("judge_prices")
                .map(|row| word(&row["judge"]))
                .collect();
            let named = |list: &str, key: &str| {
                let rows = rows(list).filter(|row| live.contains(&word(&row["judge"])));
                rows.map(|row| word(&row[key])).collect::<Vec<_>>()
            };
            let mut protocols = BTreeSet::from_iter(named("labelled", "protocol"));
            protocols.extend(named("benchers", "type"));
            uses.extend(protocols.iter().flat_map(|name| of_protocol(name)));
            if rows("labelled").next().is_some() {
                uses.extend(cite::of_agreement());
            }
            uses.extend(cite::of_corrected_differences(&report));
        }
        _ => {}
    }
    Ok(uses)
}
