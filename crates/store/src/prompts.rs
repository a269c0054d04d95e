//! Requests by the parts that repeat: each item's and response's text, each reply that a later call
//! shows, and the template around them are kept once.
//!
//! `calls.request` holds a request whole, or, where it begins with a digit, as a template's id and
//! the texts that stand in its gaps, in order: `3 i17 r58 r61 c904` is template 3 with the text of
//! item 17, of responses 58 and 61 and of the reply to call 904, each as it is written within a
//! JSON string. A gap is U+FFFC, so that a template is JSON, too. What was put together again is
//! what was asked only if its BLAKE3 is the call's key, which whoever uses it checks.

use crate::StoreError;
use crate::query::find_row;
use evenhand_core::{About, CallResult, Reply, Response};
use memchr::memmem;
use rusqlite::Connection;
use std::collections::HashMap;
use std::fmt::Write;

/// Stands for a text in a template.
const GAP: char = '\u{fffc}';

/// Shorter texts stay in the template: what stands for one would be no shorter, and they are found
/// where they are not meant.
const SHORTEST: usize = 24;

/// How many bytes of a text are looked for, and how often what begins like it may be another.
const BEGINNING: usize = 32;
const MOST_BEGINNINGS: usize = 8;

/// The most bytes of texts and of templates that are kept at hand.
const MOST_AT_HAND: usize = 8 << 20;

/// The longest request that is put together again: the parts of a foreign run may name a long text
/// a million times.
const LONGEST: usize = 1 << 28;

/// A text that requests show.
#[derive(Debug)]
struct Part {
    /// Such as `r58`.
    name: String,
    /// The text as it is written within a JSON string.
    json: String,
    /// Its beginning, ready to be looked for.
    beginning: memmem::Finder<'static>,
}

/// The parts of one item that are at hand.
#[derive(Debug, Default)]
struct PartsOfItem {
    /// None where the run does not keep its text.
    item: Option<Part>,
    /// By system; None where the run does not keep its response.
    responses: HashMap<String, Option<Part>>,
    /// Replies that later calls may show, with the systems that they speak of.
    replies: Vec<(Vec<String>, Part)>,
}

/// Takes requests apart.
#[derive(Debug, Default)]
pub(crate) struct Prompts {
    /// Requests are kept whole.
    pub(crate) whole: bool,
    /// Ids of templates, by text; None until they are read.
    templates: Option<HashMap<String, i64>>,
    parts: HashMap<String, PartsOfItem>,
    bytes_of_templates: usize,
    bytes_of_parts: usize,
}

impl Prompts {
    /// Returns what is kept of a request; None for all of it.
    pub(crate) fn take_apart(
        &mut self,
        db: &Connection,
        request: &str,
        about: &About,
    ) -> Result<Option<String>, StoreError> {
        if self.whole || about.item.is_empty() || request.contains(GAP) {
            return Ok(None);
        }
        let of_item = self.parts_of(db, about)?;
        let in_view = |system: &String| about.responses.iter().any(|one| *one.system == **system);
        let responses = about.responses.iter();
        let responses = responses.filter_map(|one| of_item.responses.get(&*one.system)?.as_ref());
        let replies = of_item.replies.iter();
        let replies = replies.filter(|(systems, _)| systems.iter().all(in_view));
        let mut parts: Vec<&Part> = (of_item.item.iter().chain(responses))
            .chain(replies.map(|(_, part)| part))
            .collect();
        // A text that holds another goes first.
        parts.sort_by_key(|part| std::cmp::Reverse(part.length()));
        let mut pieces = vec![Piece::Literal(request)];
        for part in parts {
            pieces = pieces
                .into_iter()
                .flat_map(|piece| piece.cut(part))
                .collect();
        }

        let (mut template, mut names) = (String::new(), String::new());
        for piece in &pieces {
            match piece {
                Piece::Literal(text) => template.push_str(text),
                Piece::Part(part) => {
                    template.push(GAP);
                    names.push(' ');
                    names.push_str(&part.name);
                }
            }
        }
        if names.is_empty() {
            return Ok(None);
        }
        let id = self.template_id(db, template)?;
        Ok(Some(format!("{id}{names}")))
    }

    /// Notes a reply that later calls about the same responses may show, as an analysis is shown to
    /// the judge that compares.
    pub(crate) fn note_reply(&mut self, about: &About, id: i64, result: &CallResult) {
        let (Ok(reply), Some(of_item)) = (result, self.parts.get_mut(&*about.item)) else {
            return;
        };
        if reply.text.len() < SHORTEST {
            return;
        }
        let part = Part::new('c', id, &reply.text);
        self.bytes_of_parts += part.length();
        let systems = about.responses.iter().map(|one| one.system.to_string());
        of_item.replies.push((systems.collect(), part));
    }

    /// Returns the parts of an item, among them those of these responses.
    fn parts_of(&mut self, db: &Connection, about: &About) -> Result<&PartsOfItem, StoreError> {
        if self.bytes_of_parts > MOST_AT_HAND {
            self.parts.clear();
            self.bytes_of_parts = 0;
        }
        let bytes = &mut self.bytes_of_parts;
        let mut find = |kind: char, sql: &str, names: &[&str]| -> Result<_, StoreError> {
            let names = rusqlite::params_from_iter(names);
            let found = find_row(db, sql, names, |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            })?;
            let part = found.map(|(id, text)| Part::new(kind, id, &text));
            let part = part.filter(|part| part.length() >= SHORTEST);
            *bytes += 64 + part.as_ref().map_or(0, |part| part.length());
            Ok(part)
        };
        if !self.parts.contains_key(&*about.item) {
            let sql = "SELECT id, text FROM items WHERE item = ?1";
            let of_item = PartsOfItem {
                item: find('i', sql, &[&about.item])?,
                ..PartsOfItem::default()
            };
            self.parts.insert(about.item.to_string(), of_item);
        }
        let of_item = self.parts.entry(about.item.to_string()).or_default();
        for response in &about.responses {
            if !of_item.responses.contains_key(&*response.system) {
                let sql = "SELECT id, text FROM responses WHERE item = ?1 AND system = ?2";
                let part = find('r', sql, &[&about.item, &response.system])?;
                of_item.responses.insert(response.system.to_string(), part);
            }
        }
        Ok(of_item)
    }

    /// Returns the id of a template, which is kept from now on.
    fn template_id(&mut self, db: &Connection, template: String) -> Result<i64, StoreError> {
        if self.templates.is_none() {
            let mut select = db.prepare("SELECT text, id FROM templates ORDER BY id LIMIT 1000")?;
            let known = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            self.templates = Some(known.collect::<rusqlite::Result<_>>()?);
        }
        let templates = self.templates.get_or_insert_default();
        if let Some(id) = templates.get(&template) {
            return Ok(*id);
        }
        db.prepare_cached("INSERT INTO templates (text) VALUES (?1)")?
            .execute([&template])?;
        let id = db.last_insert_rowid();
        // Where every request has a template of its own, none is worth the memory.
        if self.bytes_of_templates < MOST_AT_HAND {
            self.bytes_of_templates += template.len();
            templates.insert(template, id);
        }
        Ok(id)
    }
}

impl Part {
    fn length(&self) -> usize {
        self.json.len()
    }

    fn new(kind: char, id: i64, text: &str) -> Part {
        let json = within_json(text);
        let beginning = json.as_bytes().get(..BEGINNING).unwrap_or(json.as_bytes());
        Part {
            name: format!("{kind}{id}"),
            beginning: memmem::Finder::new(beginning).into_owned(),
            json,
        }
    }

    /// Finds where the text stands in another for the first time.
    ///
    /// Mostly what begins like it is it, and to look for a beginning needs no preparation. Texts
    /// that are made of one piece over and over are looked for in a way that takes no longer for
    /// them.
    fn find(&self, text: &[u8]) -> Option<usize> {
        let mut from = 0;
        for _ in 0..MOST_BEGINNINGS {
            let at = from + self.beginning.find(&text[from..])?;
            if text[at..].starts_with(self.json.as_bytes()) {
                return Some(at);
            }
            from = at + 1;
        }
        let at = memmem::find(&text[from..], self.json.as_bytes())?;
        Some(from + at)
    }
}

/// A part of a request.
enum Piece<'a> {
    Literal(&'a str),
    Part(&'a Part),
}

impl<'a> Piece<'a> {
    /// Cuts a part out of a literal, wherever it stands.
    fn cut(self, part: &'a Part) -> Vec<Piece<'a>> {
        let Piece::Literal(text) = self else {
            return vec![self];
        };
        let (mut pieces, mut begin, mut from) = (Vec::new(), 0, 0);
        while let Some(found) = part.find(&text.as_bytes()[from..]) {
            let at = from + found;
            from = at + part.length();
            // What follows a backslash may be half of what it escapes.
            if text[..at].ends_with('\\') {
                continue;
            }
            pieces.push(Piece::Literal(&text[begin..at]));
            pieces.push(Piece::Part(part));
            begin = from;
        }
        pieces.push(Piece::Literal(&text[begin..]));
        pieces
    }
}

/// Returns a text as it is written within a JSON string.
fn within_json(text: &str) -> String {
    // A text can be written, with a quote at either end.
    let mut quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.pop();
    quoted.drain(..quoted.len().min(1));
    quoted
}

/// Puts together what was taken apart, and says what it shows, so that another run can take it
/// apart, too; None where what is kept of it does not say how, or comes to more than 256 MB.
pub(crate) fn put_together(
    db: &Connection,
    kept: &str,
) -> rusqlite::Result<Option<(String, About)>> {
    let mut about = About::default();
    if !kept.starts_with(|first: char| first.is_ascii_digit()) {
        return Ok(Some((kept.to_owned(), about)));
    }
    let find = |sql: &str, id: &str| -> rusqlite::Result<Option<[Option<String>; 3]>> {
        match id.parse::<i64>() {
            Ok(id) => find_row(db, sql, [id], |row| {
                Ok([row.get(0)?, row.get(1)?, row.get(2)?])
            }),
            Err(_) => Ok(None),
        }
    };
    let mut names = kept.split(' ');
    let id = names.next().unwrap_or_default();
    let template = find("SELECT text, NULL, NULL FROM templates WHERE id = ?1", id)?;
    let Some([Some(template), ..]) = template else {
        return Ok(None);
    };
    let mut pieces = template.split(GAP);
    let mut request = pieces.next().unwrap_or_default().to_owned();
    for (piece, name) in pieces.by_ref().zip(names.by_ref()) {
        let sql = match name.chars().next() {
            Some('i') => "SELECT text, item, NULL FROM items WHERE id = ?1",
            Some('r') => "SELECT text, item, system FROM responses WHERE id = ?1",
            Some('c') => "SELECT reply, NULL, NULL FROM calls WHERE id = ?1",
            _ => return Ok(None),
        };
        let Some([Some(text), item, system]) = find(sql, &name[1..])? else {
            return Ok(None);
        };
        let text = match name.starts_with('c') {
            false => text,
            true => match serde_json::from_str::<Reply>(&text) {
                Ok(reply) => reply.text,
                Err(_) => return Ok(None),
            },
        };
        let _ = write!(request, "{}{piece}", within_json(&text));
        if request.len() > LONGEST {
            return Ok(None);
        }
        about.item = item.map_or(about.item, Into::into);
        let response = system.map(|system| Response::new(system, ""));
        about.responses.extend(response);
    }
    // As many texts as gaps.
    let is_whole = pieces.next().is_none() && names.next().is_none();
    Ok(is_whole.then_some((request, about)))
}

#[cfg(test)]
#[path = "tests/prompts.rs"]
mod tests;
