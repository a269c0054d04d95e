//! Figures as PDF: the drawing in SVG, its lines and letters as outlines on one page.
//!
//! The drawing is read as for PNG, by `usvg` and with the font of the program, so that both forms
//! are the same to the eye. The crates that turn any SVG into PDF bring a reader of SVG of their
//! own, an older one; of what they can do, these figures need paths, plain colours and opacities.

use super::png::options;
use flate2::{Compression, write::ZlibEncoder};
use pdf_writer::types::LineCapStyle;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref};
use resvg::tiny_skia::{PathSegment, Transform};
use resvg::usvg::{Group, LineCap, Node, Paint, Path, Tree};
use std::io::Write;

/// Points of a page for each pixel of a drawing: 72 and 96 to the inch.
const POINTS: f32 = 0.75;

/// Returns a drawing of [`draw_svg`](super::draw_svg) as a page of PDF of its size, in light
/// colours. Letters are outlines: the page needs no font, and its words cannot be searched.
///
/// # Errors
/// What is no drawing of ours, or cannot be compressed.
pub fn draw_pdf(svg: &str) -> Result<Vec<u8>, String> {
    let tree = Tree::from_str(svg, &options()).map_err(|error| error.to_string())?;
    let [width, height] = [tree.size().width(), tree.size().height()].map(|side| side * POINTS);
    let mut page = Drawn {
        content: Content::new(),
        opacities: Vec::new(),
    };
    // A page of PDF has its origin at the bottom.
    let onto_page = Transform::from_row(POINTS, 0.0, 0.0, -POINTS, 0.0, height);
    page.draw_group(tree.root(), onto_page);
    let mut compressed = ZlibEncoder::new(Vec::new(), Compression::default());
    let written = compressed.write_all(&page.content.finish());
    let content = written.and_then(|()| compressed.finish());
    let content = content.map_err(|error| error.to_string())?;

    let [catalog, pages, only_page, contents] = [1, 2, 3, 4].map(Ref::new);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([only_page]).count(1);
    let mut described = pdf.page(only_page);
    described.media_box(Rect::new(0.0, 0.0, width, height));
    described.parent(pages).contents(contents);
    let mut resources = described.resources();
    let mut states = resources.ext_g_states();
    let numbers = 0..page.opacities.len();
    for number in numbers.clone() {
        states.pair(Name(state_name(number).as_bytes()), state_ref(number));
    }
    states.finish();
    resources.finish();
    described.finish();
    for (number, [fill, stroke]) in numbers.zip(&page.opacities) {
        let mut state = pdf.ext_graphics(state_ref(number));
        state.non_stroking_alpha(*fill).stroking_alpha(*stroke);
    }
    let mut stream = pdf.stream(contents, &content);
    stream.filter(Filter::FlateDecode);
    stream.finish();
    Ok(pdf.finish())
}

/// The name of a pair of opacities on the page.
fn state_name(number: usize) -> String {
    format!("O{number}")
}

/// Where it stands in the file, behind what every file has.
fn state_ref(number: usize) -> Ref {
    Ref::new(5 + number as i32)
}

/// What is drawn on a page.
struct Drawn {
    content: Content,
    /// The opacities of fills and strokes that occur, in the order of their names.
    opacities: Vec<[f32; 2]>,
}

impl Drawn {
    fn draw_group(&mut self, group: &Group, onto_page: Transform) {
        let onto_page = onto_page.pre_concat(group.transform());
        for node in group.children() {
            match node {
                Node::Group(group) => self.draw_group(group, onto_page),
                Node::Path(path) => self.draw_path(path, onto_page),
                Node::Text(text) => self.draw_group(text.flattened(), onto_page),
                // Figures have none.
                Node::Image(_) => {}
            }
        }
    }

    fn draw_path(&mut self, path: &Path, onto_page: Transform) {
        let Some(outline) = path.data().clone().transform(onto_page) else {
            return;
        };
        let fill = path.fill().and_then(|fill| {
            let colour = plain_colour(fill.paint())?;
            Some((colour, fill.opacity().get()))
        });
        let stroke = path.stroke().and_then(|stroke| {
            let colour = plain_colour(stroke.paint())?;
            Some((colour, stroke.opacity().get(), stroke))
        });
        if !path.is_visible() || (fill.is_none() && stroke.is_none()) {
            return;
        }
        self.content.save_state();
        let opacities = [
            fill.map_or(1.0, |(_, opacity)| opacity),
            stroke.map_or(1.0, |(_, opacity, _)| opacity),
        ];
        self.set_opacities(opacities);
        if let Some(([red, green, blue], _)) = fill {
            self.content.set_fill_rgb(red, green, blue);
        }
        if let Some(([red, green, blue], _, stroke)) = stroke {
            self.content.set_stroke_rgb(red, green, blue);
            // All that moves a stroked mark is a shift, so that its width has the page's scale.
            self.content.set_line_width(stroke.width().get() * POINTS);
            self.content.set_line_cap(match stroke.linecap() {
                LineCap::Butt => LineCapStyle::ButtCap,
                LineCap::Round => LineCapStyle::RoundCap,
                LineCap::Square => LineCapStyle::ProjectingSquareCap,
            });
            let dashes = stroke.dasharray().unwrap_or_default();
            let dashes = dashes.iter().map(|dash| dash * POINTS);
            self.content
                .set_dash_pattern(dashes, stroke.dashoffset() * POINTS);
        }
        self.draw_outline(outline.segments());
        match (fill, stroke) {
            (Some(_), Some(_)) => self.content.fill_nonzero_and_stroke(),
            (Some(_), None) => self.content.fill_nonzero(),
            _ => self.content.stroke(),
        };
        self.content.restore_state();
    }

    fn set_opacities(&mut self, opacities: [f32; 2]) {
        let known = self.opacities.iter().position(|known| *known == opacities);
        let number = known.unwrap_or(self.opacities.len());
        if known.is_none() {
            self.opacities.push(opacities);
        }
        self.content
            .set_parameters(Name(state_name(number).as_bytes()));
    }

    fn draw_outline(&mut self, segments: impl Iterator<Item = PathSegment>) {
        let content = &mut self.content;
        let mut last = (0.0, 0.0);
        for segment in segments {
            match segment {
                PathSegment::MoveTo(to) => {
                    content.move_to(to.x, to.y);
                    last = (to.x, to.y);
                }
                PathSegment::LineTo(to) => {
                    content.line_to(to.x, to.y);
                    last = (to.x, to.y);
                }
                // PDF has cubic curves alone, and any quadratic one is one of them.
                PathSegment::QuadTo(by, to) => {
                    let between = |from: f32, by: f32| from + 2.0 / 3.0 * (by - from);
                    let first = (between(last.0, by.x), between(last.1, by.y));
                    let second = (between(to.x, by.x), between(to.y, by.y));
                    content.cubic_to(first.0, first.1, second.0, second.1, to.x, to.y);
                    last = (to.x, to.y);
                }
                PathSegment::CubicTo(first, second, to) => {
                    content.cubic_to(first.x, first.y, second.x, second.y, to.x, to.y);
                    last = (to.x, to.y);
                }
                PathSegment::Close => {
                    content.close_path();
                }
            }
        }
    }
}

/// Returns red, green and blue, from 0 to 1; None for what is no plain colour, which no figure has.
fn plain_colour(paint: &Paint) -> Option<[f32; 3]> {
    match paint {
        Paint::Color(colour) => {
            Some([colour.red, colour.green, colour.blue].map(|part| f32::from(part) / 255.0))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Axis, DotRow, Dots, Figure, draw_svg};
    use flate2::read::ZlibDecoder;
    use std::io::Read;

    fn figure(label: &str) -> String {
        let row = DotRow {
            label: label.into(),
            value: Some(0.5),
            low: Some(0.25),
            high: Some(0.75),
            ..DotRow::default()
        };
        draw_svg(&Figure::Dots(Dots {
            axis: Axis::linear("share"),
            rows: vec![row],
            ..Dots::default()
        }))
    }

    /// Returns what is drawn on the page.
    fn content(pdf: &[u8]) -> String {
        let find = |bytes: &[u8]| pdf.windows(bytes.len()).position(|part| part == bytes);
        let (begin, end) = (find(b"stream\n").unwrap() + 7, find(b"endstream").unwrap());
        let mut text = String::new();
        let mut decoder = ZlibDecoder::new(&pdf[begin..end]);
        decoder.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_page_has_the_size_the_colours_and_the_letters_of_the_drawing() {
        let pdf = draw_pdf(&figure("careful")).unwrap();
        assert!(pdf.starts_with(b"%PDF-") && pdf.ends_with(b"%%EOF"));
        let words = String::from_utf8_lossy(&pdf);
        assert!(words.contains("/MediaBox [0 0 360 "), "{words}");
        let drawn = content(&pdf);
        // White paper, a bar of half the strength, and letters by their curves.
        assert!(drawn.contains("1 1 1 rg") && words.contains("/CA 0.5"));
        let curves = |label: &str| {
            let drawn = content(&draw_pdf(&figure(label)).unwrap());
            drawn.lines().filter(|line| line.ends_with(" c")).count()
        };
        assert!(curves("ooooooo") > 50 + curves("lllllll"));
        assert_eq!(draw_pdf(&figure("careful")).unwrap(), pdf);
        assert!(draw_pdf("no drawing").is_err());
    }
}
