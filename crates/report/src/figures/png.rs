//! Figures as PNG: the drawing in SVG, turned into pixels.
//!
//! Letters come from one font that is part of the program (DejaVu Sans, whose licence lets it be
//! embedded: `crates/report/fonts/LICENSE`). So a figure has its words on a machine without fonts,
//! and the same pixels everywhere; a letter that the font lacks is a box.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

/// Pixels for each of the drawing's, for screens that have two.
const FINE: f32 = 2.0;
/// Pixels of an image from which on each of the drawing's is one.
const MANY: f32 = 40e6;

/// Returns a drawing of [`draw_svg`](super::draw_svg) as PNG, in light colours.
///
/// # Errors
/// A drawing that is too large, or that is none of ours.
pub fn draw_png(svg: &str) -> Result<Vec<u8>, String> {
    let tree = Tree::from_str(svg, &options()).map_err(|error| error.to_string())?;
    let size = tree.size();
    let scale = if size.width() * size.height() * FINE * FINE > MANY {
        1.0
    } else {
        FINE
    };
    let [width, height] = [size.width(), size.height()].map(|side| (side * scale).ceil() as u32);
    let mut pixels = Pixmap::new(width, height).ok_or(TOO_LARGE)?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    pixels.encode_png().map_err(|error| error.to_string())
}

const TOO_LARGE: &str = "the figure is too large for PNG; draw it to a file that ends in .svg";

/// Returns how drawings are read: with the one font that is here on every machine.
pub(super) fn options() -> Options<'static> {
    let mut options = Options::default();
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    options.font_family = "DejaVu Sans".into();
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Axis, DotRow, Dots, Figure, draw_svg};

    fn image(label: &str) -> Pixmap {
        let row = DotRow {
            label: label.into(),
            value: Some(0.5),
            ..DotRow::default()
        };
        let figure = Figure::Dots(Dots {
            axis: Axis::linear("share"),
            rows: vec![row],
            ..Dots::default()
        });
        Pixmap::decode_png(&draw_png(&draw_svg(&figure)).unwrap()).unwrap()
    }

    /// Counts the dark pixels to the left of the values, where the label is.
    fn ink(image: &Pixmap) -> usize {
        let width = image.width() as usize;
        let pixels = image.pixels().iter().enumerate();
        let of_label = pixels.filter(|(at, _)| at % width < 90);
        of_label.filter(|(_, pixel)| pixel.red() < 100).count()
    }

    #[test]
    fn words_are_drawn_without_a_font_of_the_system() {
        let image = image("careful");
        assert_eq!(image.width(), 960);
        assert!(ink(&image) > 100, "{}", ink(&image));
        // Paper is light, so colours for dark screens were not taken.
        let corner = image.pixel(1, 1).unwrap();
        assert_eq!((corner.red(), corner.alpha()), (255, 255));
    }

    #[test]
    fn letters_that_the_font_lacks_leave_a_mark() {
        assert!(ink(&image("你好")) > 20, "{}", ink(&image("你好")));
    }

    #[test]
    fn what_is_no_drawing_is_refused() {
        assert!(draw_png("no drawing").is_err());
    }
}
