//! What to cite: the program, and the publications that what was used rests on.

mod basis;
mod papers;

pub use basis::{
    Use, of_adjustment, of_aggregation, of_agreement, of_audits, of_corrected_differences,
    of_corrected_rates, of_data, of_design, of_dropped_judgments, of_intervals, of_judgments,
    of_people, of_preset, of_probe, of_protocol, of_style_control,
};
pub use papers::Paper;

use crate::serialize::json_text;
use biblatex::{Bibliography, ChunksExt, Entry, ParseError, Person};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use textwrap::{Options, fill};

/// The publications, an entry each, with an empty line between them.
const PAPERS: &str = include_str!("papers.bib");

/// The program itself.
const OURS: &str = concat!(
    "@misc{evenhand,\n  author = {{The Evenhand authors}},\n  title = {Evenhand},\n  \
     url = {",
    env!("CARGO_PKG_REPOSITORY"),
    "},\n  year = {2026},\n  note = {Version ",
    env!("CARGO_PKG_VERSION"),
    "}\n}"
);

/// The columns of the text.
const WIDTH: usize = 80;

/// What is to be cited. Texts are those of a bibliography: accents in the text and the JSON are
/// letters, in BibTeX commands.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Citations {
    /// The program first, then the publications in the order of what they are used for.
    pub citations: Vec<Citation>,
}

/// A publication that is to be cited.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Citation {
    /// The name under which BibTeX has it.
    pub key: String,
    /// Its authors, each `Given Family`; `others` last where more are not named.
    pub authors: Vec<String>,
    /// Its title.
    pub title: String,
    /// Where it appeared: a journal with its volume, proceedings, a publisher; None for a preprint
    /// alone.
    pub venue: Option<String>,
    /// When.
    pub year: u16,
    /// Its number on arXiv.
    pub arxiv: Option<String>,
    /// Its address, where it has one of its own.
    pub url: Option<String>,
    /// What it is used for.
    pub used_for: Vec<String>,
    /// The entry in BibTeX.
    pub bibtex: String,
}

impl Citations {
    /// Lists the program and these publications, each once with all that it is used for.
    ///
    /// # Errors
    /// A bibliography that cannot be read; none is known to be.
    pub fn of(uses: &[Use]) -> Result<Citations, ParseError> {
        let ours = Bibliography::parse(OURS)?;
        let theirs = Bibliography::parse(PAPERS)?;
        let texts: BTreeMap<&str, &str> = PAPERS
            .split("\n\n")
            .filter_map(|entry| Some((entry.split_once('{')?.1.split_once(',')?.0, entry.trim())))
            .collect();
        let program = ours
            .iter()
            .map(|entry| describe(entry, OURS, ["the program".into()].into()));
        let mut citations: Vec<Citation> = program.collect();
        for (paper, used_for) in uses {
            let key = paper.name();
            let entry = theirs.get(key).zip(texts.get(key));
            match citations.iter_mut().find(|known| known.key == key) {
                Some(known) if known.used_for.iter().any(|known| known == used_for) => {}
                Some(known) => known.used_for.push((*used_for).into()),
                None => citations.extend(
                    entry.map(|(entry, text)| describe(entry, text, vec![(*used_for).into()])),
                ),
            }
        }
        Ok(Citations { citations })
    }

    /// Returns a paragraph for each publication, and what it is used for.
    pub fn text(&self) -> String {
        let indented = Options::new(WIDTH).subsequent_indent("  ");
        let paragraphs = self.citations.iter().map(|one| {
            let authors = match &one.authors[..] {
                [first, .., last] if last == "others" => format!("{first} and others"),
                [first, _, _, _, ..] => format!("{first} and others"),
                authors => authors.join(", "),
            };
            let places = [
                one.venue.clone(),
                one.arxiv.as_ref().map(|number| format!("arXiv:{number}")),
                one.url.clone(),
            ];
            let places: Vec<String> = places.into_iter().flatten().collect();
            let mark = if one.title.ends_with('?') { "" } else { "." };
            let reference = format!(
                "{authors} ({}). {}{mark} {}.",
                one.year,
                one.title,
                places.join(". ")
            );
            let used_for = format!("  for: {}", one.used_for.join("; "));
            let deeper = Options::new(WIDTH).subsequent_indent("    ");
            format!(
                "{}\n{}\n",
                fill(&reference, &indented),
                fill(&used_for, deeper)
            )
        });
        paragraphs.collect::<Vec<_>>().join("\n")
    }

    /// Returns the entries in BibTeX, each with what it is used for in a comment above.
    pub fn bibtex(&self) -> String {
        let entries = self.citations.iter();
        let entries = entries.map(|one| format!("% {}\n{}\n", one.used_for.join("; "), one.bibtex));
        entries.collect::<Vec<_>>().join("\n")
    }

    /// Returns one JSON object.
    ///
    /// # Errors
    /// Those of the JSON writer; no list is known to cause one.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        json_text(self)
    }
}

/// Returns the facts of an entry.
fn describe(entry: &Entry, bibtex: &str, used_for: Vec<String>) -> Citation {
    let field = |key: &str| entry.get(key).map(|chunks| chunks.format_verbatim());
    let authors: Vec<Person> = entry.author().unwrap_or_default();
    let author = |person: &Person| match person.given_name.as_str() {
        "" => person.name.clone(),
        given => format!("{given} {}", person.name),
    };
    let journal = field("journal").map(|journal| match field("volume") {
        Some(volume) => format!("{journal} {volume}"),
        None => journal,
    });
    let venue = journal
        .or_else(|| field("booktitle"))
        .or_else(|| field("publisher"))
        .or_else(|| field("institution"))
        .or_else(|| field("school"))
        .or_else(|| field("note"));
    Citation {
        key: entry.key.clone(),
        authors: authors.iter().map(author).collect(),
        title: field("title").unwrap_or_default(),
        venue,
        year: field("year")
            .and_then(|year| year.parse().ok())
            .unwrap_or_default(),
        arxiv: field("eprint"),
        url: field("url"),
        used_for,
        bibtex: bibtex.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use strum::VariantArray;

    #[test]
    fn every_publication_has_an_entry_and_every_entry_a_publication() {
        let bibliography = Bibliography::parse(PAPERS).unwrap();
        let keys: BTreeSet<&str> = Paper::VARIANTS.iter().map(|paper| paper.name()).collect();
        let entries: BTreeSet<&str> = bibliography.keys().collect();
        assert_eq!(keys, entries);
        assert_eq!(bibliography.len(), entries.len(), "an entry stands twice");
    }

    #[test]
    fn every_entry_has_the_facts_of_a_reference_and_is_plain_bibtex() {
        let uses: Vec<_> = Paper::VARIANTS
            .iter()
            .map(|paper| (*paper, "a test"))
            .collect();
        let cited = Citations::of(&uses).unwrap();
        assert_eq!(cited.citations.len(), uses.len() + 1);
        for one in &cited.citations {
            assert!(!one.authors.is_empty() && !one.title.is_empty(), "{one:?}");
            assert!((1800..2100).contains(&one.year), "{one:?}");
            assert!(
                one.venue.is_some() || one.arxiv.is_some() || one.url.is_some(),
                "{one:?}"
            );
            assert!(!one.title.contains(['{', '\\']), "{one:?}");
        }
        let bibtex = cited.bibtex();
        assert!(bibtex.is_ascii(), "accents are commands");
        // What a parser reads of it is what was cited.
        let read = Bibliography::parse(&bibtex).unwrap();
        let keys: Vec<&str> = cited.citations.iter().map(|one| one.key.as_str()).collect();
        assert!(read.keys().eq(keys));
        assert!(read.iter().all(|entry| entry.to_bibtex_string().is_ok()));
    }

    #[test]
    fn a_publication_stands_once_with_all_that_it_is_used_for() {
        let uses = [
            (Paper::MtBench, "one thing"),
            (Paper::Swim, "who meets whom"),
            (Paper::MtBench, "another"),
            (Paper::MtBench, "one thing"),
        ];
        let cited = Citations::of(&uses).unwrap();
        let keys: Vec<&str> = cited.citations.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(
            keys,
            ["evenhand", "zheng2023judging", "xu2025investigating"]
        );
        assert_eq!(cited.citations[1].used_for, ["one thing", "another"]);
        // An accent is a letter for people.
        let text = cited.text();
        assert!(
            text.contains("Tim Rocktäschel") || text.contains("Yi Xu and others"),
            "{text}"
        );
        assert_eq!(cited.citations[2].authors[2], "Tim Rocktäschel");
        assert!(
            text.lines().all(|line| line.chars().count() <= WIDTH),
            "{text}"
        );
        assert!(text.contains("for: one thing; another"), "{text}");
    }

    #[test]
    fn the_program_is_cited_as_its_citation_file_says() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../CITATION.cff");
        let Ok(facts) = std::fs::read_to_string(file) else {
            eprintln!("skipped: {file} is not in a package");
            return;
        };
        let ours = &Citations::of(&[]).unwrap().citations[0];
        let fact = |name: &str| {
            let line = facts.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_default()
                .trim_matches([' ', ':', '"'])
                .to_string()
        };
        assert_eq!(ours.title, fact("title"));
        assert_eq!(ours.venue, Some(format!("Version {}", fact("version"))));
        assert_eq!(ours.year.to_string(), fact("date-released")[..4]);
        assert_eq!(ours.url, Some(fact("repository-code")));
        assert!(
            facts.contains(&format!("name: {}", ours.authors[0])),
            "{facts}"
        );
    }
}
