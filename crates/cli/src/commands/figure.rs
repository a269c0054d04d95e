//! Figures of reports as files.

use crate::Failed;
use crate::args::FigureForm;
use evenhand_engine::write_whole_file;
use evenhand_report::figures::{Figure, NamedFigure, draw_png, draw_svg};
use std::fs;
use std::path::Path;

/// Refuses a file that could not be drawn to, before anything is paid for.
pub(super) fn check_place(path: Option<&Path>) -> Result<(), Failed> {
    let Some(path) = path else {
        return Ok(());
    };
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    if dir.is_some_and(|dir| !dir.is_dir()) {
        return Err(refuse(path, "its directory does not exist; make it first"));
    }
    // A file is drawn over if it is empty, or looks like SVG or PNG.
    let is_figure = |path| {
        fs::read(path).is_ok_and(|text| {
            text.is_empty() || text.starts_with(b"<") || text.starts_with(b"\x89PNG")
        })
    };
    if path.is_dir() || (path.is_file() && !is_figure(path)) {
        return Err(refuse(
            path,
            "exists and is not a figure, so it was left unchanged; choose another name",
        ));
    }
    Ok(())
}

fn refuse(path: &Path, why: &str) -> Failed {
    Failed::usage(format!("--figure {}: {why}", path.display()))
}

/// Draws the first figure to a file, where one is asked for.
pub(super) fn draw_first(
    path: Option<&Path>,
    figures: impl FnOnce() -> Vec<Figure>,
) -> Result<(), Failed> {
    let Some(path) = path else {
        return Ok(());
    };
    let figures = figures();
    let Some(figure) = figures.first() else {
        return Err(refuse(
            path,
            "there is nothing to draw: no figure has a value",
        ));
    };
    check_place(Some(path))?;
    let svg = draw_svg(figure);
    let bytes = match FigureForm::of(path) {
        Some(FigureForm::Png) => draw_png(&svg).map_err(|why| refuse(path, &why))?,
        _ => svg.into_bytes(),
    };
    let option = format!("--figure {}", path.display());
    write_whole_file(path, &bytes).map_err(|error| Failed::unwritable(option, error))
}

/// Makes the directory of `--figures`, where one is asked for: one that cannot be made is refused
/// before anything is paid for.
pub(super) fn make_figure_dir(dir: Option<&Path>) -> Result<(), Failed> {
    let Some(dir) = dir else {
        return Ok(());
    };
    fs::create_dir_all(dir).map_err(|error| {
        Failed::Usage(format!(
            "--figures {}: cannot be made: {error}",
            dir.display()
        ))
    })
}

/// Draws figures into a directory as SVG, and returns how many there are.
pub(super) fn draw_all(figures: &[NamedFigure], dir: &Path, prefix: &str) -> Result<usize, Failed> {
    for (name, figure) in figures {
        let file = dir.join(format!("{prefix}{name}.svg"));
        write_file(&file, draw_svg(figure).as_bytes())?;
    }
    Ok(figures.len())
}

/// Writes a file beside the figures.
pub(super) fn write_file(file: &Path, bytes: &[u8]) -> Result<(), Failed> {
    write_whole_file(file, bytes)
        .map_err(|error| Failed::Run(format!("{}: cannot be drawn: {error}", file.display())))
}
