//! JSON and CSV as texts.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Returns a report as commands print it as JSON: indented, with a line end.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn json_text<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value).map(|text| text + "\n")
}

/// An object with a member for each name, in the order given.
pub(crate) struct ByName<'a, V>(Vec<(&'a str, V)>);

impl<'a, V> FromIterator<(&'a str, V)> for ByName<'a, V> {
    fn from_iter<I: IntoIterator<Item = (&'a str, V)>>(members: I) -> Self {
        ByName(members.into_iter().collect())
    }
}

impl<V: Serialize> Serialize for ByName<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, member)| (name, member)))
    }
}

impl<V: JsonSchema> JsonSchema for ByName<'_, V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("ByNameOf{}", V::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <BTreeMap<String, V>>::json_schema(generator)
    }
}

/// Writes CSV that a spreadsheet shows and does not run: everything of ours that is CSV goes
/// through here.
pub struct SheetWriter<W: Write> {
    out: csv::Writer<W>,
    /// Whether records have had their header.
    headed: bool,
}

impl<W: Write> SheetWriter<W> {
    pub(crate) fn new(out: W) -> SheetWriter<W> {
        SheetWriter {
            out: csv::Writer::from_writer(out),
            headed: false,
        }
    }

    /// Writes a row of cells.
    pub(crate) fn write_row<C: AsRef<str>>(
        &mut self,
        cells: impl IntoIterator<Item = C>,
    ) -> io::Result<()> {
        for cell in cells {
            let written = self.out.write_field(&*shown_cell(cell.as_ref()));
            written.map_err(error_of_file)?;
        }
        self.out.write_record(None::<&[u8]>).map_err(error_of_file)
    }

    /// Writes a record, before the first one the names of its fields.
    pub(crate) fn write_record<T: Serialize>(&mut self, record: &T) -> io::Result<()> {
        self.write_header(record)?;
        match serde_json::to_value(record)? {
            Value::Object(fields) => self.write_row(fields.values().map(value_cell)),
            _ => Ok(()),
        }
    }

    /// Writes the names of a record's fields, where no header is there yet.
    fn write_header<T: Serialize>(&mut self, record: &T) -> io::Result<()> {
        if self.headed {
            return Ok(());
        }
        if let Value::Object(fields) = serde_json::to_value(record)? {
            self.headed = true;
            self.write_row(fields.keys())?;
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the error of the file itself, which tells a reader that went away from a full disk.
fn error_of_file(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}

/// Returns a cell as a spreadsheet shows it: one that would be taken for a formula begins with an
/// apostrophe. Numbers stay numbers; names such as `@cf/meta/llama-3`, and answers that begin with
/// a dash, are no formulas.
fn shown_cell(cell: &str) -> Cow<'_, str> {
    let mut behind = cell.trim_start().chars();
    let is_formula = match behind.next() {
        // What stands behind a tab may land in the next cell.
        _ if cell.starts_with(['\t', '\r']) => true,
        Some('=' | '\u{ff1d}') => true,
        Some('+' | '-' | '@' | '\u{ff0b}' | '\u{ff0d}' | '\u{ff20}') => {
            let behind = behind.as_str();
            let has = |c: char| behind.contains(c);
            let calls = behind
                .match_indices('(')
                .any(|(at, _)| behind[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
            let is_sum = behind.contains(|c: char| c.is_ascii_digit())
                && behind.chars().all(|c| "0123456789+-*/^()%&. ".contains(c));
            cell.parse::<f64>().is_err()
                && (calls || is_sum || (has('!') && (has('|') || has('['))))
        }
        _ => false,
    };
    if is_formula {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}

/// Returns a header and rows of cells as CSV.
pub(crate) fn csv_text<H: AsRef<str>>(
    header: impl IntoIterator<Item = H>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Result<String, csv::Error> {
    let mut writer = SheetWriter::new(Vec::new());
    writer.write_row(header)?;
    for row in rows {
        writer.write_row(row)?;
    }
    written_text(writer)
}

/// Returns records as CSV under the names of their fields, which are those of `like` and stand
/// there without any record too.
pub(crate) fn csv_of_records<T: Serialize>(
    like: &T,
    records: impl IntoIterator<Item = T>,
) -> Result<String, csv::Error> {
    let mut writer = SheetWriter::new(Vec::new());
    writer.write_header(like)?;
    for record in records {
        writer.write_record(&record)?;
    }
    written_text(writer)
}

/// Returns a JSON value as a cell of CSV: texts without quotes, null as an empty cell.
pub(crate) fn value_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn written_text(writer: SheetWriter<Vec<u8>>) -> Result<String, csv::Error> {
    let bytes = writer.out.into_inner().map_err(|e| e.into_error())?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.into_owned())
}

/// Returns a CSV cell with a number, empty where there is none.
pub(crate) fn optional_cell<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Returns the CSV cell of an end of an interval, 0 its lower and 1 its upper one, empty where that
/// is open or missing.
pub(crate) fn end_cell<E: Into<Option<f64>>>(ci: Option<[E; 2]>, at: usize) -> String {
    optional_cell(ci.and_then(|ends| ends.map(E::into)[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers and names are left as they are; what a spreadsheet would run is shown.
    #[test]
    fn a_spreadsheet_runs_no_cell() {
        for cell in [
            "=HYPERLINK(\"http://x\",\"y\")",
            " =1+1",
            "=",
            "+1+cmd|' /C calc'!A0",
            "-2+3+cmd|' /C calc'!A0",
            "@SUM(1+1)*cmd|' /C calc'!A0",
            "\t=1",
            "\r-x",
            "\tx",
            "\n@SUM(A1)",
            "\u{ff1d}1",
            "-1+1",
            "+'\\\\host\\[a.xls]S'!A1",
        ] {
            assert_eq!(shown_cell(cell), format!("'{cell}"));
        }
        for cell in [
            "",
            "- one (first), two!",
            "+ yes",
            "-1",
            "+0.5",
            "-1e-9",
            "-inf",
            "a=b",
            "-",
            "-v2",
            "@cf/meta/llama-3.1-8b",
            "'=x",
            "v1",
            "- a",
            "\u{1f600}=",
        ] {
            assert_eq!(shown_cell(cell), cell);
        }
    }

    #[test]
    fn records_are_written_as_rows_are() {
        #[derive(Serialize)]
        struct Row {
            name: &'static str,
            value: f64,
        }
        let rows = ["=a,\"b\"\nc", "plain"].map(|name| Row { name, value: -1.5 });
        let records = csv_of_records(&&rows[0], &rows).unwrap();
        let cells = rows.map(|row| vec![row.name.to_string(), row.value.to_string()]);
        assert_eq!(records, csv_text(["name", "value"], cells).unwrap());
        assert_eq!(
            records,
            "name,value\n\"'=a,\"\"b\"\"\nc\",-1.5\nplain,-1.5\n"
        );
    }
}
