//! The paper that is drawn on: a title and a legend above, a note below, and the marks between.

use super::spoken::spoken;
use super::text::{escape_xml, fit_all, tame, width_of, wrap};
use crate::figures::Figure;
use std::fmt::Write;

/// Width of a figure, unless it needs more: letters stay readable on a screen of 360 pixels.
pub(super) const WIDTH: f64 = 480.0;
/// Beside and above everything.
pub(super) const MARGIN: f64 = 14.0;
/// The size of the letters of labels, and of what is said beside them.
pub(super) const LABEL: f64 = 13.0;
pub(super) const SMALL: f64 = 12.0;
const TITLE: f64 = 16.0;
/// Lines of a note, and of a title.
const NOTE_LINES: usize = 8;
const TITLE_LINES: usize = 3;

/// How many colours there are before they come again.
pub(super) const COLOURS: usize = 6;

/// The colours of numbers on light paper, as the pages have them; all are told apart from it by at
/// least 4 to 1.
const LIGHT: [&str; COLOURS] = [
    "#1f6fb4", "#a85200", "#2f7d4f", "#8250a8", "#8a6d00", "#b3366a",
];
const PAPER: &str = "#ffffff";
const INK: &str = "#1d2126";
const MUTED: &str = "#565e68";
const RULED: &str = "#dcdfe3";

/// Returns the attributes that a class of marks has on light paper.
///
/// Every mark has its colours as attributes of its own, which all renderers of SVG know; what takes
/// them from a style sheet alone draws nothing, or black, in some (CairoSVG, Inkscape's importers).
/// The one style sheet of a figure is for readers whose screen is dark.
fn attributes_of(class: &str) -> String {
    match class {
        "title" => "font-size=\"16\" font-weight=\"600\"".into(),
        "small" => format!("font-size=\"12\" fill=\"{MUTED}\""),
        "grid" => format!("stroke=\"{RULED}\""),
        "mark" => format!("stroke=\"{INK}\" stroke-width=\"2\""),
        _ => String::new(),
    }
}

/// Returns a class with its attributes, a space before it; nothing for none.
fn classed(class: &str) -> String {
    match class {
        "" => String::new(),
        class => format!(" class=\"{class}\" {}", attributes_of(class)),
    }
}

/// What takes the place of the attributes where a reader's screen is dark.
const DARK: &str = "\
@media (prefers-color-scheme:dark){
.eh text{fill:#e6e8eb}
.eh .paper,.eh .ring{fill:#1b1f24}
.eh .small{fill:#a3acb6}
.eh .grid{stroke:#363d46}
.eh .mark{stroke:#e6e8eb}
.eh .f0{fill:#5aa6e6} .eh .s0{stroke:#5aa6e6}
.eh .f1{fill:#f09a4a} .eh .s1{stroke:#f09a4a}
.eh .f2{fill:#6cc492} .eh .s2{stroke:#6cc492}
.eh .f3{fill:#c19be0} .eh .s3{stroke:#c19be0}
.eh .f4{fill:#d6b94a} .eh .s4{stroke:#d6b94a}
.eh .f5{fill:#ee8bb4} .eh .s5{stroke:#ee8bb4}
}
";

/// Where a word stands from its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Pixels from the left and from the top.
pub(super) type Place = (f64, f64);

/// A figure while it is drawn, from the top downwards.
pub(super) struct Page {
    pub(super) width: f64,
    /// Where the next part begins.
    pub(super) top: f64,
    body: String,
}

/// A name in the legend.
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    /// Its number, which decides its colour.
    pub(super) number: usize,
    /// The dashes of its line; None for a disc.
    pub(super) dashes: Option<&'static str>,
}

/// Returns a number of pixels with at most one decimal, and no -0.
pub(super) fn px(number: f64) -> f64 {
    (number * 10.0).round() / 10.0 + 0.0
}

impl Page {
    /// Returns a page with its title.
    pub(super) fn new(width: f64, title: &str) -> Page {
        let mut page = Page {
            width,
            top: MARGIN,
            body: String::new(),
        };
        for line in wrap(title, width - 2.0 * MARGIN, TITLE, TITLE_LINES) {
            page.top += 20.0;
            page.text((MARGIN, page.top - 5.0), Anchor::Start, "title", &line);
        }
        page.top += 6.0;
        page
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a String does not fail.
        let _ = self.body.write_fmt(text);
        self.body.push('\n');
    }

    /// Writes words that fit already.
    pub(super) fn text(&mut self, (x, y): Place, anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let class = classed(class);
        let (x, y, text) = (px(x), px(y), escape_xml(text));
        self.push(format_args!(
            "<text x=\"{x}\" y=\"{y}\"{class}{anchor}>{text}</text>"
        ));
    }

    /// Writes words upwards.
    pub(super) fn text_upwards(&mut self, (x, y): Place, text: &str) {
        let (x, y, text) = (px(x), px(y), escape_xml(text));
        self.push(format_args!(
            "<text transform=\"translate({x} {y}) rotate(-90)\">{text}</text>"
        ));
    }

    pub(super) fn line(&mut self, (x1, y1): Place, (x2, y2): Place, class: &str) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(px);
        let class = classed(class);
        self.push(format_args!(
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"{class}/>"
        ));
    }

    /// Draws the bar of an interval in the colour of this number.
    pub(super) fn bar(&mut self, (x1, y1): Place, (x2, y2): Place, number: usize) {
        let stroke = stroke_of(number);
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(px);
        self.push(format_args!(
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {stroke} stroke-width=\"3\" stroke-opacity=\"0.5\" stroke-linecap=\"round\"/>"
        ));
    }

    /// Draws a disc; a ring for the numbers whose colours are there already.
    pub(super) fn disc(&mut self, (x, y): Place, radius: f64, number: usize) {
        let colours = if number < COLOURS {
            fill_of(number)
        } else {
            let (class, colour) = (number % COLOURS, LIGHT[number % COLOURS]);
            format!(
                "class=\"ring s{class}\" fill=\"{PAPER}\" stroke=\"{colour}\" stroke-width=\"2\""
            )
        };
        let (x, y) = (px(x), px(y));
        self.push(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {colours}/>"
        ));
    }

    /// Draws a line through places.
    pub(super) fn path(&mut self, places: &[Place], number: usize, dashes: &str) {
        let stroke = stroke_of(number);
        let dashes = match dashes {
            "" => String::new(),
            dashes => format!(" stroke-dasharray=\"{dashes}\""),
        };
        let points = points_text(places);
        self.push(format_args!(
            "<polyline points=\"{points}\" {stroke} fill=\"none\" stroke-width=\"2\"{dashes}/>"
        ));
    }

    /// Fills the band between places.
    pub(super) fn band(&mut self, places: &[Place], number: usize) {
        let (fill, points) = (fill_of(number), points_text(places));
        self.push(format_args!(
            "<polygon points=\"{points}\" {fill} fill-opacity=\"0.14\"/>"
        ));
    }

    /// Fills a box with the colour of the paper.
    pub(super) fn paper(&mut self, (x, y): Place, size: Place) {
        let [x, y, width, height] = [x, y, size.0, size.1].map(px);
        self.push(format_args!(
            "<rect class=\"paper\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             fill=\"{PAPER}\"/>"
        ));
    }

    /// Fills a box with a colour of this strength, from 0 to 1.
    pub(super) fn fill(&mut self, (x, y): Place, size: Place, number: usize, strength: f64) {
        let [x, y, width, height] = [x, y, size.0, size.1].map(px);
        let strength = (strength * 100.0).round() / 100.0;
        let fill = fill_of(number);
        self.push(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {fill} \
             fill-opacity=\"{strength}\"/>"
        ));
    }

    /// Fills the box of a bar; an outline for the numbers whose colours are there already.
    pub(super) fn block(&mut self, (x, y): Place, size: Place, number: usize) {
        if number < COLOURS {
            return self.fill((x, y), size, number, 0.8);
        }
        let [x, y, width, height] = [x, y, size.0, size.1].map(px);
        let stroke = stroke_of(number);
        self.push(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {stroke} \
             stroke-width=\"2\" fill=\"none\"/>"
        ));
    }

    /// Draws marks that have one title, which shows where a mouse is over them.
    pub(super) fn titled(&mut self, label: &str, text: &str, draw: impl FnOnce(&mut Page)) {
        let title = escape_xml(&tame(&format!("{label}: {text}")));
        self.push(format_args!("<g><title>{title}</title>"));
        draw(self);
        self.push(format_args!("</g>"));
    }

    /// Draws the names of groups or lines with their colours, where there are several.
    pub(super) fn legend(&mut self, entries: &[Entry<'_>]) {
        if entries.len() < 2 {
            return;
        }
        let mut x = MARGIN;
        self.top += 16.0;
        let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
        let names = fit_all(&names, self.width - 2.0 * MARGIN - 26.0, SMALL);
        for (entry, name) in entries.iter().zip(names) {
            let room = 26.0 + width_of(&name, SMALL) + 14.0;
            if x > MARGIN && x + room > self.width {
                x = MARGIN;
                self.top += 18.0;
            }
            let y = self.top;
            match entry.dashes {
                Some(dashes) => {
                    let ends = [(x, y - 4.0), (x + 20.0, y - 4.0)];
                    self.path(&ends, entry.number, dashes);
                }
                None => self.disc((x + 12.0, y - 4.0), 5.0, entry.number),
            }
            self.text((x + 25.0, y), Anchor::Start, "small", &name);
            x += room;
        }
        self.top += 8.0;
    }

    /// Writes what an axis shows, below it and around its middle.
    pub(super) fn axis_label(&mut self, label: &str) {
        for line in wrap(label, self.width - 2.0 * MARGIN, SMALL, 2) {
            self.top += 16.0;
            self.text((0.5 * self.width, self.top), Anchor::Middle, "small", &line);
        }
    }

    /// Returns the whole document.
    pub(super) fn finish(mut self, figure: &Figure) -> String {
        self.top += 6.0;
        for line in wrap(
            figure.note().unwrap_or(""),
            self.width - 2.0 * MARGIN,
            SMALL,
            NOTE_LINES,
        ) {
            self.top += 16.0;
            self.text((MARGIN, self.top), Anchor::Start, "small", &line);
        }
        let (width, height) = (px(self.width), px(self.top + MARGIN));
        let (title, words) = (
            escape_xml(&tame(figure.title())),
            escape_xml(&spoken(figure)),
        );
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"eh\" role=\"img\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>{title}</title>\n\
             <desc>{words}</desc>\n<style>\n{DARK}</style>\n<rect class=\"paper\" width=\"{width}\" \
             height=\"{height}\" fill=\"{PAPER}\"/>\n<g font-family=\"system-ui,sans-serif\" \
             font-size=\"13\" fill=\"{INK}\">\n{}</g>\n</svg>\n",
            self.body
        )
    }
}

/// Returns the class and the attribute that fill with the colour of this number.
fn fill_of(number: usize) -> String {
    let (class, colour) = (number % COLOURS, LIGHT[number % COLOURS]);
    format!("class=\"f{class}\" fill=\"{colour}\"")
}

/// Returns those that draw lines in it.
fn stroke_of(number: usize) -> String {
    let (class, colour) = (number % COLOURS, LIGHT[number % COLOURS]);
    format!("class=\"s{class}\" stroke=\"{colour}\"")
}

fn points_text(places: &[Place]) -> String {
    let points = places.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y)));
    points.collect::<Vec<_>>().join(" ")
}
