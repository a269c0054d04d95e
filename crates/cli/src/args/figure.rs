//! The command line of a figure in a file.

use super::help::OUTPUT;
use clap::Args;
use std::path::{Path, PathBuf};

/// Where the result is drawn.
#[derive(Clone, Debug, Args)]
pub(crate) struct FigureArgs {
    /// Draw the result to FILE, as SVG or PNG by its ending
    ///
    /// The first figure of the report: scores, or the figures that are asked for, with their
    /// intervals.
    #[arg(
        long, value_name = "FILE.svg|FILE.png", value_parser = parse_figure_file,
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
        None => Err("expected a file whose name ends in .svg or .png".into()),
    }
}

/// A form that figures have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FigureForm {
    Svg,
    Png,
}

impl FigureForm {
    /// Returns the form that a file's ending names.
    pub(crate) fn of(path: &Path) -> Option<FigureForm> {
        // A name that is an ending alone has none.
        let ending = path.extension()?.to_ascii_lowercase();
        match ending.to_str()? {
            "svg" => Some(FigureForm::Svg),
            "png" => Some(FigureForm::Png),
            _ => None,
        }
    }
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
