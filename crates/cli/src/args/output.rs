//! The command line of what is printed, drawn and written: on stdout, on stderr, in files, and as
//! an exit code.

use super::help::OUTPUT;
use super::{Format, PriceArgs};
use crate::commands::{print, print_data};
use crate::host::current;
use crate::{Done, Failed};
use clap::{Args, ValueEnum};
use evenhand_compare::gate::GateResult;
use evenhand_report::{View, csv_as_markdown, markdown_with_gates};
use std::fmt::Display;
use std::io::stdout;
use std::path::{Path, PathBuf};
use terminal_size::terminal_size_of;

/// The output options of every command that ranks or judges.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Exit with 3 if a condition on the result holds
    ///
    /// Such as 'consistency<0.6' or 'coverage<0.95,failures>10'.
    #[arg(long, value_name = "EXPR", help_heading = OUTPUT)]
    pub(crate) fail_if: Option<String>,
    /// Exit with 1 if a smaller share of the trials has a verdict
    ///
    /// If no trial has a verdict, the exit code is always 1.
    #[arg(long, value_name = "SHARE", help_heading = OUTPUT)]
    pub(crate) min_coverage: Option<f64>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}

/// The output options of a command whose result is printed, and nothing else decides how it ends.
#[derive(Clone, Debug, Args)]
pub(crate) struct PlainOutputArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}

/// In which form a result is printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct FormatArgs {
    /// Format
    #[arg(long, value_enum, default_value = "table", help_heading = OUTPUT)]
    pub(crate) format: Format,
}

impl FormatArgs {
    /// Prints a result in the form that was asked for; the other forms are never made, but for a
    /// host, which takes them all.
    pub(crate) fn print<J: Display, C: Display>(
        &self,
        table: impl FnOnce() -> String,
        json: impl FnOnce() -> Result<String, J>,
        csv: impl FnOnce() -> Result<String, C>,
    ) -> Result<Done, Failed> {
        self.print_gated(&[], table, json, csv)
    }

    /// Prints a result with what came of its conditions: JSON holds that by itself, CSV has rows
    /// alone, and beside a terminal's table it stands on stderr.
    pub(crate) fn print_gated<J: Display, C: Display>(
        &self,
        gates: &[GateResult],
        table: impl FnOnce() -> String,
        json: impl FnOnce() -> Result<String, J>,
        csv: impl FnOnce() -> Result<String, C>,
    ) -> Result<Done, Failed> {
        if let Some(host) = current() {
            host.keep_forms(table(), csv().ok());
            print_data(&json().map_err(Failed::unprintable)?)?;
            return Ok(Done::Fine);
        }
        match self.format {
            Format::Table => print(&table())?,
            Format::Json => print_data(&json().map_err(Failed::unprintable)?)?,
            Format::Csv => print_data(&csv().map_err(Failed::unprintable)?)?,
            Format::Markdown => {
                // The rows of the CSV as a table.
                let csv = csv().map_err(Failed::unprintable)?;
                let json = json().map_err(Failed::unprintable)?;
                let text = csv_as_markdown(&csv, &json).map_err(Failed::unprintable)?;
                print(&markdown_with_gates(text, gates))?;
            }
        }
        Ok(Done::Fine)
    }

    /// Prints a result in the form that was asked for, where Markdown has a text of its own, with
    /// all that is to stand in it.
    pub(crate) fn print_with<J: Display, C: Display>(
        &self,
        markdown: impl FnOnce() -> String,
        table: impl FnOnce() -> String,
        json: impl FnOnce() -> Result<String, J>,
        csv: impl FnOnce() -> Result<String, C>,
    ) -> Result<Done, Failed> {
        if self.format == Format::Markdown && current().is_none() {
            print(&markdown())?;
            return Ok(Done::Fine);
        }
        self.print(table, json, csv)
    }
}

/// A file with settings.
#[derive(Clone, Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Read settings from a TOML file; flags override it
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) config: Option<PathBuf>,
}

/// Whether stderr is silent.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct QuietArgs {
    /// Print only errors on stderr
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) quiet: bool,
}

/// How much of a table is shown.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct VerboseArgs {
    /// Show every column, row and warning in full on a terminal
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) verbose: bool,
}

impl VerboseArgs {
    /// Returns the width of stdout, and how much is shown there.
    pub(crate) fn view(self) -> View {
        let size = match current() {
            Some(_) => None,
            None => terminal_size_of(stdout()),
        };
        View {
            width: size.map(|(width, _)| width.0.into()),
            verbose: self.verbose,
        }
    }
}

/// Where the result is drawn.
#[derive(Clone, Debug, Args)]
pub(crate) struct FigureArgs {
    /// Draw the result to FILE, as SVG, PNG or PDF by its ending
    // What each command draws is said in `help.rs`.
    #[arg(
        long, value_name = "FILE.svg|FILE.png|FILE.pdf", value_parser = parse_figure_file,
        help_heading = OUTPUT
    )]
    figure: Option<PathBuf>,
}

impl FigureArgs {
    pub(crate) fn path(&self) -> Option<&Path> {
        self.figure.as_deref()
    }
}

/// Reads a path with the ending of a form that figures have.
pub(crate) fn parse_figure_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match FigureForm::of(&path) {
        Some(_) => Ok(path),
        None => Err("expected a file whose name ends in .svg, .png or .pdf".into()),
    }
}

/// The directory of all figures of a command.
#[derive(Clone, Debug, Args)]
pub(crate) struct FiguresArgs {
    /// Draw the figures into DIR, which is created if missing
    ///
    /// Use one directory per command: nothing is drawn into one that holds another command's
    /// figures.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) figures: Option<PathBuf>,
    /// File formats of the figures
    #[arg(
        long, value_delimiter = ',', value_enum, value_name = "FORM,...",
        default_value = "svg", requires = "figures", help_heading = OUTPUT
    )]
    pub(crate) figure_formats: Vec<FigureForm>,
}

/// A form that figures have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum FigureForm {
    Svg,
    Png,
    Pdf,
}

impl FigureForm {
    /// Returns the form that a file's ending names.
    pub(crate) fn of(path: &Path) -> Option<FigureForm> {
        // A name that is an ending alone has none.
        FigureForm::from_str(path.extension()?.to_str()?, true).ok()
    }

    /// Returns the ending of its files.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            FigureForm::Svg => "svg",
            FigureForm::Png => "png",
            FigureForm::Pdf => "pdf",
        }
    }
}

/// A report in one file beside what is printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReportFileArgs {
    /// Write a report as one HTML file
    ///
    /// It holds the result, its figures and the judgments with their texts. It opens in a browser,
    /// needs no network and loads nothing from elsewhere.
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    pub(crate) report: Option<PathBuf>,
}

/// Which run is put into a file, and where.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// A run directory, a board, a file of battles, or a ranking in JSON
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The HTML file to write
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_file_decides_its_form() {
        let form = |name: &str| FigureForm::of(Path::new(name));
        assert_eq!(form("dir.png/a.b.SVG"), Some(FigureForm::Svg));
        assert_eq!(form("a.png"), Some(FigureForm::Png));
        for name in ["a", "a.jpg", ".svg", "a.svg.gz", ""] {
            assert_eq!(form(name), None, "{name}");
            assert!(parse_figure_file(name).is_err(), "{name}");
        }
    }
}
