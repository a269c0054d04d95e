//! Figures of reports as files.

use super::report::make_folder;
use crate::Failed;
use crate::args::{FigureForm, FiguresArgs};
use evenhand_engine::{is_address, local_path, write_whole_file};
use evenhand_report::figures::{Figure, NamedFigure, draw_pdf, draw_png, draw_svg};
use evenhand_report::printable;
use std::fs;
use std::path::Path;

/// Refuses a file that could not be drawn to, before anything is paid for.
pub(super) fn check_place(path: Option<&Path>) -> Result<(), Failed> {
    let Some(path) = path else {
        return Ok(());
    };
    if is_address(path) {
        return Ok(());
    }
    let path = &*local_path(path);
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    if dir.is_some_and(|dir| !dir.is_dir()) {
        return Err(refuse(path, "its directory does not exist; make it first"));
    }
    // A file is drawn over if it is empty, or looks like SVG, PNG or PDF.
    let is_figure = |path| {
        fs::read(path).is_ok_and(|text| {
            let begins = [&b"<"[..], b"\x89PNG", b"%PDF"];
            text.is_empty() || begins.iter().any(|begin| text.starts_with(begin))
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
    let form = FigureForm::of(path).unwrap_or(FigureForm::Svg);
    let bytes = drawing(&svg, form).map_err(|why| refuse(path, &why))?;
    let option = format!("--figure {}", path.display());
    write_whole_file(path, &bytes).map_err(|error| Failed::unwritable(option, error))
}

/// The directory of `--figures`, which is one command's own.
pub(super) struct FigureDir<'a> {
    dir: &'a Path,
    /// Each once.
    forms: Vec<FigureForm>,
    /// The command whose figures are in it, in words.
    command: String,
    /// Files that were there before, and that figures took the place of.
    replaced: usize,
    drawn: usize,
}

/// The file in a directory of figures that says of which command they are.
const OWNER: &str = ".figures-of";

impl<'a> FigureDir<'a> {
    /// Makes the directory of `--figures`, where one is asked for. One that cannot be made, or that
    /// holds the figures of another command, is refused before anything is paid for.
    pub(super) fn open(
        args: &'a FiguresArgs,
        command: String,
    ) -> Result<Option<FigureDir<'a>>, Failed> {
        let Some(dir) = args.figures.as_deref() else {
            return Ok(None);
        };
        let shown = dir.display();
        make_folder(dir)?;
        let mut forms = args.figure_formats.clone();
        forms.sort_unstable();
        forms.dedup();
        let figures = FigureDir {
            dir,
            forms,
            command,
            replaced: 0,
            drawn: 0,
        };
        match fs::read_to_string(dir.join(OWNER)) {
            Ok(other) if other.trim_end() != figures.command => Err(Failed::usage(format!(
                "--figures {shown}: it holds the figures of another command ({}), which those of \
                 this one ({}) would overwrite, so nothing was drawn; name another directory, or \
                 delete this one",
                printable(other.trim_end()),
                figures.command
            ))),
            _ => Ok(Some(figures)),
        }
    }

    /// Draws figures, each in all forms that are asked for.
    pub(super) fn draw(&mut self, figures: &[NamedFigure], prefix: &str) -> Result<(), Failed> {
        for (name, figure) in figures {
            let svg = draw_svg(figure);
            for form in self.forms.clone() {
                let file = format!("{prefix}{name}.{}", form.ending());
                let bytes = drawing(&svg, form)
                    .map_err(|why| Failed::Run(format!("{file}: cannot be drawn: {why}")))?;
                self.write(&file, &bytes)?;
            }
            self.drawn += 1;
        }
        Ok(())
    }

    /// Writes a file beside the figures.
    pub(super) fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failed> {
        let file = self.dir.join(name);
        self.replaced += usize::from(file.exists());
        write_whole_file(&file, bytes)
            .map_err(|error| Failed::Run(format!("{}: cannot be drawn: {error}", file.display())))
    }

    /// Notes whose figures are in the directory, and returns how many were drawn, in words.
    pub(super) fn close(mut self) -> Result<String, Failed> {
        let replaced = match self.replaced {
            0 => String::new(),
            1 => ", replacing an earlier file".into(),
            count => format!(", replacing {count} earlier files"),
        };
        let command = format!("{}\n", self.command);
        self.write(OWNER, command.as_bytes())?;
        Ok(match self.drawn {
            1 => format!("1 figure drawn{replaced}"),
            count => format!("{count} figures drawn{replaced}"),
        })
    }
}

/// Returns a drawing in a form.
fn drawing(svg: &str, form: FigureForm) -> Result<Vec<u8>, String> {
    match form {
        FigureForm::Svg => Ok(svg.as_bytes().to_vec()),
        FigureForm::Png => draw_png(svg),
        FigureForm::Pdf => draw_pdf(svg),
    }
}
