//! Which cells of a row are read, and what they may hold.

use super::columns::{Column, Columns, RankedRows};
use super::fault::Result;
use super::read_file::TableKind;
use crate::StyleCovariate;
use crate::error::DataProblem;
use crate::error::MOST_ERRORS;
use crate::filter::{Condition, Filter};
use crate::outcomes::{BattleOutcome, Spellings};
use crate::source::nearest::nearest;
use evenhand_core::Setting;
use std::borrow::Cow;

/// The most systems that a table may have.
pub const MAX_SYSTEMS: usize = 4096;

/// The purpose of a cell, which decides what it may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    System,
    Winner,
    Weight,
    Cluster,
    Covariate,
    /// A response, of which the style is counted.
    Text,
    /// A number of battles in a file of counts.
    Count,
    /// A value that decides whether the row is read.
    Filter,
    /// A value that is kept beside the row.
    Label,
    /// 1 if one outcome is the row's, else 0: a column for each outcome.
    Mark,
}

impl Part {
    pub(super) fn expected(self) -> &'static str {
        match self {
            Part::System => "a system's name",
            Part::Winner => "an outcome",
            Part::Weight => "a finite weight of at least 0",
            Part::Cluster => "a value to group rows by",
            Part::Covariate => "a finite number",
            Part::Text => "a response's text",
            Part::Count => "a finite count of at least 0",
            Part::Filter | Part::Label => "a value",
            Part::Mark => "1 or 0",
        }
    }

    /// Whether a cell may be of this kind.
    pub(super) fn takes(self, kind: ValueKind) -> bool {
        use ValueKind::{Decimal, Integer, List, Number, Object, Other, Text};
        match self {
            Part::Text => kind == Text,
            // A name may be a whole number.
            Part::System => matches!(kind, Text | Integer | Decimal),
            Part::Cluster => matches!(kind, Text | Integer | Decimal | Number),
            Part::Filter | Part::Label => !matches!(kind, List | Object | Other),
            Part::Winner | Part::Mark => !matches!(kind, Decimal | List | Object | Other),
            Part::Weight | Part::Covariate | Part::Count => matches!(kind, Integer | Number),
        }
    }

    /// The setting that names its column, where there is one alone.
    fn named_by(self) -> Option<Setting> {
        match self {
            Part::Weight => Some(Setting::Weight),
            Part::Cluster => Some(Setting::Cluster),
            _ => None,
        }
    }

    /// Whether it is written as a number.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Part::Weight | Part::Covariate | Part::Count)
    }
}

/// The kind of values of a column, or of one value in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A null of JSON.
    Null,
    Truth,
    Integer,
    /// A fraction that is kept as an integer.
    #[cfg_attr(
        not(feature = "parquet"),
        expect(dead_code, reason = "Parquet has them")
    )]
    Decimal,
    Number,
    Text,
    /// A list of JSON.
    List,
    /// An object of JSON.
    Object,
    /// What no cell may be in a table.
    #[cfg_attr(
        not(any(feature = "parquet", feature = "arrow")),
        expect(dead_code, reason = "Parquet and tables have such")
    )]
    Other,
}

impl ValueKind {
    /// Returns what such a value of JSON is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            ValueKind::Null => "null",
            ValueKind::Truth => "true or false",
            ValueKind::Integer | ValueKind::Decimal | ValueKind::Number => "a number",
            ValueKind::Text => "a string",
            ValueKind::List => "an array",
            ValueKind::Object => "an object",
            ValueKind::Other => "another value",
        }
    }
}

/// One column that is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) part: Part,
    /// Its position in the header.
    pub(super) column: usize,
    /// Whether a JSON object may lack it.
    pub(super) optional: bool,
    /// Where the name is a path: the field of the object that it begins in.
    pub(super) within: Option<String>,
}

impl Field {
    /// Returns the problem of a cell of another type, which is named as it is to be shown.
    pub(super) fn wrong_type(&self, found: &'static str) -> DataProblem {
        // As of an empty cell in CSV: there is a way to leave such rows out.
        if self.part == Part::Winner && found == ValueKind::Null.name() {
            return DataProblem::NoWinner {
                field: self.name.clone(),
            };
        }
        DataProblem::WrongType {
            field: self.name.clone(),
            expected: self.part.expected(),
            found: found.to_owned(),
        }
    }

    /// Returns the number, if its part allows it.
    pub(super) fn allow_number(&self, value: f64) -> Option<f64> {
        let is_allowed = value.is_finite() && (self.part == Part::Covariate || value >= 0.0);
        // Adding 0 makes a zero of -0.
        is_allowed.then_some(value + 0.0)
    }

    /// Returns the problem of a number that its part does not allow, or of what is none.
    pub(super) fn wrong_number(&self, found: String) -> DataProblem {
        DataProblem::Number {
            field: self.name.clone(),
            found,
            expected: self.part.expected(),
        }
    }

    /// Returns the problem of a column of another type.
    #[cfg(any(feature = "parquet", feature = "arrow"))]
    pub(super) fn wrong_column(&self, found: String) -> DataProblem {
        DataProblem::ColumnType {
            field: self.name.clone(),
            expected: if self.part.is_number() {
                "an integer or floating-point column"
            } else {
                "a column of text"
            },
            found,
        }
    }
}

/// The columns that are to be read from a file: the two systems, then the outcome, then the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) fields: Vec<Field>,
    /// How many columns the file has.
    pub(super) width: usize,
    /// The counts that are taken of each text.
    pub(super) counted: Vec<StyleCovariate>,
    pub(super) outcomes: Spellings,
    /// The conditions of the fields that decide whether a row is read, in their order.
    pub(super) filter: Filter,
    /// How many bad rows of a piece are looked for.
    pub(super) most_bad: u64,
    /// Of which rows the covariates and texts are read; None for all.
    pub(super) covariates_of: Option<RankedRows>,
    /// Whether a word leaves its rows out.
    pub(super) drops: bool,
    /// The outcome of each field that is a mark, which come after the two systems; none where one
    /// field has the outcome.
    pub(super) marks: Vec<BattleOutcome>,
    /// Whether rows may be counted while they are read, and not be kept one by one.
    pub(super) counting: bool,
    /// Whether no row may name an item, since the first one, which decides, does not.
    pub(super) without_items: bool,
}

/// Makes the plans of several files, in their order. The first file decides whether there is a
/// cluster: the later ones are held to a column of its name, or to have none.
pub(super) struct Planner {
    columns: Columns,
    kind: TableKind,
    /// Whether rows are wanted as counts.
    counting: bool,
    /// Whether a file before this one decided that there is a cluster, or none.
    decided: Option<bool>,
}

impl Planner {
    pub(super) fn new(columns: &Columns, kind: TableKind, counting: bool) -> Planner {
        Planner {
            columns: columns.clone(),
            kind,
            counting,
            decided: None,
        }
    }

    /// Makes the plan for the next file, which has this header; `json` for one of JSON objects.
    pub(super) fn plan(&mut self, header: &[String], json: bool) -> Result<Plan> {
        self.check_cluster(header, json)?;
        let plan = match self.kind {
            TableKind::Battles => plan_battles(&self.columns, header, json)?,
            TableKind::Counts => plan_counts(&self.columns, header, json)?,
        };
        let cluster = plan.position(Part::Cluster);
        if self.columns.cluster == Column::Auto {
            self.decided = Some(cluster.is_some());
        }
        self.columns.cluster = match cluster {
            Some(field) => Column::Named(plan.field_name(field)),
            None => Column::Ignored,
        };
        // Two systems and an outcome, of every row.
        let has_outcome = plan.position(Part::Winner).is_some() && plan.fields.len() == 3;
        let takes_all = plan.filter.is_empty() && !plan.drops;
        Ok(Plan {
            counting: self.counting && has_outcome && takes_all,
            without_items: self.decided == Some(false),
            ..plan
        })
    }

    /// Refuses a file whose rows belong together by an item where those of the files before do not,
    /// or the other way round: intervals would count battles of one item as independent, and which
    /// is meant would hang on the order of the files.
    fn check_cluster(&self, names: &[String], json: bool) -> Result {
        let header = Header { names, json };
        let (field, is_here) = match (self.decided, &self.columns.cluster) {
            (Some(true), Column::Named(name)) if !header.has(name) => (name.as_str(), false),
            (Some(false), _) => match CLUSTERS.into_iter().find(|name| header.has(name)) {
                Some(name) => (name, true),
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        Err(DataProblem::ItemsOfSome {
            field: field.to_owned(),
            is_here,
        })
    }
}

impl Plan {
    /// Returns the outcome that a word spells in every row, whatever its systems are called.
    #[inline]
    pub(super) fn fixed_outcome(&self, word: &[u8]) -> Option<BattleOutcome> {
        if self.outcomes.is_empty() {
            BattleOutcome::from_word(word)
        } else {
            None
        }
    }

    /// Whether the user says that a row with these cells is left out, for its outcome.
    pub(super) fn drops_row<'c>(&self, cell: impl Fn(usize) -> Cow<'c, [u8]>) -> Result<bool> {
        if !self.drops {
            Ok(false)
        } else if self.marks.is_empty() {
            // The outcome comes after the two systems.
            Ok(self.outcomes.drops(&String::from_utf8_lossy(&cell(2))))
        } else {
            Ok(self.outcomes.drops("") && self.marked(cell)?.is_none())
        }
    }

    /// Returns the outcome whose mark is 1, given the cell of each field; None where none is.
    pub(super) fn marked<'c>(
        &self,
        cell: impl Fn(usize) -> Cow<'c, [u8]>,
    ) -> Result<Option<BattleOutcome>> {
        let mut marked = Vec::new();
        for ((number, field), outcome) in self.fields.iter().enumerate().skip(2).zip(&self.marks) {
            let cell = cell(number);
            let word = String::from_utf8_lossy(&cell).trim().to_ascii_lowercase();
            match (word.as_str(), word.parse::<f64>()) {
                ("true", _) | (_, Ok(1.0)) => marked.push(*outcome),
                ("false" | "", _) | (_, Ok(0.0)) => {}
                _ => {
                    return Err(DataProblem::Mark {
                        field: field.name.clone(),
                        found: word,
                        marks: self.list_marks(),
                    });
                }
            }
        }
        match marked.as_slice() {
            [] => Ok(None),
            [outcome] => Ok(Some(*outcome)),
            several => Err(DataProblem::Marks {
                marks: self.list_marks(),
                found: several.len(),
            }),
        }
    }

    /// Lists the fields that are marks, for an error.
    pub(super) fn list_marks(&self) -> String {
        let marks = self.fields.iter().skip(2).take(self.marks.len());
        let names: Vec<&str> = marks.map(|field| field.name.as_str()).collect();
        names.join(", ")
    }

    /// Returns the name of the field of this number.
    pub(super) fn field_name(&self, field: usize) -> String {
        match self.fields.get(field) {
            Some(field) => field.name.clone(),
            None => String::new(),
        }
    }

    pub(super) fn too_many_systems(&self, field: usize) -> DataProblem {
        DataProblem::TooManySystems {
            limit: MAX_SYSTEMS,
            field: self.field_name(field),
        }
    }

    /// Counts the numbers of a row: one for each field that is a number, and the counts of each
    /// text.
    pub(super) fn count_numbers(&self) -> usize {
        let numbers = self.fields.iter().map(|field| self.width(field.part));
        numbers.sum()
    }

    /// Returns how many numbers a cell of this part is.
    pub(super) fn width(&self, part: Part) -> usize {
        match part {
            Part::Text => self.counted.len(),
            part => usize::from(part.is_number()),
        }
    }

    /// Returns the position among the fields of the one with this part.
    pub(super) fn position(&self, part: Part) -> Option<usize> {
        self.fields.iter().position(|field| field.part == part)
    }
}

/// The usual names of the two systems' columns.
pub(crate) const SYSTEMS: [(&str, &str); 3] = [
    ("model_a", "model_b"),
    ("left", "right"),
    ("system_a", "system_b"),
];
/// Words for the two sides in the names of columns, and the one that would follow them.
pub const SIDES: [[&str; 3]; 4] = [
    ["a", "b", "c"],
    ["left", "right", "middle"],
    ["1", "2", "3"],
    ["first", "second", "third"],
];
/// The usual names of a cluster's column.
pub(super) const CLUSTERS: [&str; 2] = ["question_id", "item"];
/// The columns of a file of counts; the last may be missing.
const COUNTS: [&str; 6] = ["model_a", "model_b", "wins_a", "wins_b", "ties", "both_bad"];

/// Makes the plan for a file of battles with this header. `json`: later records may have a weight
/// where the first has none.
pub(super) fn plan_battles(columns: &Columns, names: &[String], json: bool) -> Result<Plan> {
    let header = Header { names, json };
    let (mut fields, marks) = match header.marks(columns) {
        Some(found) => found,
        None => (header.outcome_fields(columns)?, Vec::new()),
    };
    let weight = header.optional_field(&columns.weight, &["weight"], Part::Weight)?;
    if json && columns.weight == Column::Auto {
        // Among JSON objects, later ones may have a weight, and any may lack it.
        fields.push(Field {
            name: "weight".to_owned(),
            part: Part::Weight,
            column: weight.map_or(usize::MAX, |field| field.column),
            optional: true,
            within: None,
        });
    } else {
        fields.extend(weight);
    }
    fields.extend(header.optional_field(&columns.cluster, &CLUSTERS, Part::Cluster)?);
    for name in &columns.covariates {
        if let Some(pair) = header.sides_of(name)
            && !pair.iter().all(|side| columns.covariates.contains(side))
        {
            return Err(DataProblem::OneSide {
                name: name.clone(),
                pair,
            });
        }
        fields.push(header.field(name, Part::Covariate)?);
    }
    for name in &columns.texts {
        fields.push(header.field(name, Part::Text)?);
    }
    Ok(Plan {
        counted: columns.counted.clone(),
        covariates_of: (columns.covariates_of != RankedRows::default())
            .then(|| columns.covariates_of.clone()),
        drops: columns.outcomes.drop_any(),
        outcomes: columns.outcomes.clone(),
        marks,
        ..header.plan(fields, columns)?
    })
}

/// The settings that name the columns of the systems and of the winner.
const NAMED_BY: [Setting; 3] = [Setting::Left, Setting::Right, Setting::Winner];

/// Returns the names of the systems' and the winner's columns: the user's, else the usual ones.
fn required_names(columns: &Columns, (left, right): (&str, &str)) -> [String; 3] {
    [
        (&columns.left, left),
        (&columns.right, right),
        (&columns.winner, "winner"),
    ]
    .map(|(named, usual)| named.clone().unwrap_or_else(|| usual.to_owned()))
}

/// Returns the columns that make a file one of battles, for an error.
pub(crate) fn spell_usual_columns() -> String {
    let systems = SYSTEMS.map(|(a, b)| format!("`{a}` and `{b}`"));
    format!("{}, and `winner`", systems.join(" or "))
}

/// Makes the plan for a file of counts with this header.
pub(super) fn plan_counts(columns: &Columns, names: &[String], json: bool) -> Result<Plan> {
    let header = Header { names, json };
    // The last may be missing.
    let missing = header.lacking(&COUNTS[..5]);
    if !missing.is_empty() {
        let needed = "`model_a`, `model_b`, `wins_a`, `wins_b` and `ties`".to_owned();
        return Err(header.missing_columns(missing, needed));
    }
    let [a, b, counts @ ..] = COUNTS;
    let mut fields = vec![
        header.field(a, Part::System)?,
        header.field(b, Part::System)?,
    ];
    for name in counts.into_iter().filter(|name| header.has(name)) {
        fields.push(header.field(name, Part::Count)?);
    }
    fields.extend(header.optional_field(&columns.cluster, &CLUSTERS, Part::Cluster)?);
    header.plan(fields, columns)
}

/// The columns of a file.
struct Header<'h> {
    names: &'h [String],
    /// Whether they are the fields of the first JSON object, and later ones may have others.
    json: bool,
}

impl Header<'_> {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|column| column == name) || self.within(name).is_some()
    }

    /// Returns the columns of both sides, where the file has this one for one of them and another
    /// for the other side: `tokens_left` and `tokens_right`. Of a row of numbered columns none is a
    /// side.
    fn sides_of(&self, name: &str) -> Option<[String; 2]> {
        let marks = ['_', '.'];
        SIDES.into_iter().find_map(|[left, right, third]| {
            [left, right].into_iter().find_map(|side| {
                let found = name.match_indices(side).find_map(|(at, _)| {
                    let (before, after) = (&name[..at], &name[at + side.len()..]);
                    let is_word = (before.is_empty() || before.ends_with(marks))
                        && (after.is_empty() || after.starts_with(marks))
                        && !(before.is_empty() && after.is_empty());
                    is_word.then_some((before, after))
                });
                let (before, after) = found?;
                let spell = |word: &str| format!("{before}{word}{after}");
                let pair = [left, right].map(spell);
                let is_row = self.names.contains(&spell(third));
                (pair.iter().all(|side| self.has(side)) && !is_row).then_some(pair)
            })
        })
    }

    /// Returns the field of JSON objects that a path begins in: the longest name that is there.
    fn within(&self, path: &str) -> Option<&String> {
        let names = self.names.iter().filter(|_| self.json);
        let begun = names.filter(|name| {
            let rest = path.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.starts_with('.') && rest.len() > 1)
        });
        begun.max_by_key(|name| name.len())
    }

    /// Returns the fields of the two systems and of a column for each outcome, and these outcomes,
    /// where the file has them in the place of one for the winner.
    fn marks(&self, columns: &Columns) -> Option<(Vec<Field>, Vec<BattleOutcome>)> {
        if columns.winner.is_some() || self.has("winner") {
            return None;
        }
        let wanted = SYSTEMS.map(|usual| required_names(columns, usual));
        wanted.iter().find_map(|[a, b, _]| {
            let marks = [
                (format!("winner_{a}"), BattleOutcome::A, true),
                (format!("winner_{b}"), BattleOutcome::B, true),
                ("winner_tie".to_owned(), BattleOutcome::Tie, false),
                ("winner_both_bad".to_owned(), BattleOutcome::BothBad, false),
            ];
            let mut fields = vec![
                self.field(a, Part::System).ok()?,
                self.field(b, Part::System).ok()?,
            ];
            let mut outcomes = Vec::new();
            for (name, outcome, is_needed) in marks {
                match self.field(&name, Part::Mark) {
                    Ok(field) => {
                        fields.push(field);
                        outcomes.push(outcome);
                    }
                    Err(_) if is_needed => return None,
                    Err(_) => {}
                }
            }
            Some((fields, outcomes))
        })
    }

    /// Returns those of the names that the file lacks.
    fn lacking<N: AsRef<str>>(&self, names: &[N]) -> Vec<String> {
        let names = names.iter().map(AsRef::as_ref);
        let missing = names.filter(|name| !self.has(name));
        missing.map(str::to_owned).collect()
    }

    fn missing_columns(&self, missing: Vec<String>, expected: String) -> DataProblem {
        DataProblem::Columns {
            missing,
            expected,
            has: self.names.to_vec(),
            settings: Vec::new(),
        }
    }

    /// Says that the file lacks a column that the user named by this setting, and that later JSON
    /// objects may have where it is optional.
    fn no_part(&self, setting: Setting, name: &str, optional: bool) -> DataProblem {
        let nearest = nearest(name, self.names).map(str::to_owned);
        DataProblem::NoPart {
            setting,
            name: name.to_owned(),
            nearest,
            has: self.names.to_vec(),
            in_records: self.json && optional,
        }
    }

    /// Returns the field of a column that the file must have, once.
    fn field(&self, name: &str, part: Part) -> Result<Field> {
        let columns = self.names.iter().enumerate();
        let mut columns = columns.filter(|(_, has)| *has == name).map(|(at, _)| at);
        let (column, within) = match (columns.next(), self.within(name)) {
            (Some(column), _) => (column, None),
            (None, Some(within)) => (usize::MAX, Some(within.clone())),
            (None, None) => {
                let expected = format!("{} under that name", part.expected());
                let unnamed = || self.missing_columns(vec![name.to_owned()], expected);
                let named = part.named_by();
                let named = named.map(|setting| self.no_part(setting, name, false));
                return Err(named.unwrap_or_else(unnamed));
            }
        };
        if columns.next().is_some() {
            return Err(DataProblem::TwiceInHeader(name.to_owned()));
        }
        Ok(Field {
            name: name.to_owned(),
            part,
            column,
            optional: false,
            within,
        })
    }

    /// Returns the fields of the two systems and the outcome: those that the user names, and for
    /// others the first usual ones that the file has.
    fn outcome_fields(&self, columns: &Columns) -> Result<Vec<Field>> {
        let named = [&columns.left, &columns.right, &columns.winner];
        for (name, setting) in named.into_iter().zip(NAMED_BY) {
            if let Some(name) = name.as_deref().filter(|name| !self.has(name)) {
                return Err(self.no_part(setting, name, false));
            }
        }
        let wanted = SYSTEMS.map(|usual| required_names(columns, usual));
        let found = wanted
            .iter()
            .find(|names| self.lacking(&names[..]).is_empty());
        let Some([a, b, winner]) = found else {
            // The error speaks of the naming that is nearest to what the file has.
            let lacking = wanted.iter().map(|names| {
                let named = names.iter().zip(NAMED_BY);
                let lacking = named.filter(|(name, _)| !self.has(name));
                let lacking = lacking.map(|(name, setting)| (name.clone(), setting));
                lacking.collect::<Vec<(String, Setting)>>()
            });
            let lacking = lacking.min_by_key(Vec::len).unwrap_or_default();
            let (missing, settings): (Vec<String>, Vec<Setting>) = lacking.into_iter().unzip();
            let spelled = wanted.iter();
            let mut spelled: Vec<String> = spelled
                .map(|[a, b, winner]| format!("`{a}`, `{b}` and `{winner}`"))
                .collect();
            // Where the user names all three, both namings are one.
            spelled.dedup();
            return Err(DataProblem::Columns {
                missing,
                expected: spelled.join(", or "),
                has: self.names.to_vec(),
                settings,
            });
        };
        Ok(vec![
            self.field(a, Part::System)?,
            self.field(b, Part::System)?,
            self.field(winner, Part::Winner)?,
        ])
    }

    /// Returns the field of a column that the file may lack, unless the user named it.
    fn optional_field(&self, column: &Column, usual: &[&str], part: Part) -> Result<Option<Field>> {
        let name = match column {
            Column::Ignored => None,
            Column::Named(name) => Some(name.as_str()),
            Column::Auto => usual.iter().find(|name| self.has(name)).copied(),
        };
        name.map(|name| self.field(name, part)).transpose()
    }

    /// Makes the plan of these columns, of those that decide whether a row is read, and of the one
    /// whose values are kept. A later JSON object may lack one of these: its value is then empty.
    fn plan(&self, mut fields: Vec<Field>, columns: &Columns) -> Result<Plan> {
        let asked = columns.filter.conditions().iter().map(Condition::field);
        let asked = asked.map(|name| (name, Part::Filter, Setting::Where));
        let label = columns.label.as_deref();
        let label = label.map(|name| (name, Part::Label, Setting::By));
        for (name, part, setting) in asked.chain(label) {
            if !self.has(name) {
                return Err(self.no_part(setting, name, true));
            }
            fields.push(Field {
                optional: self.json,
                ..self.field(name, part)?
            });
        }
        Ok(Plan {
            fields,
            width: self.names.len(),
            counted: Vec::new(),
            most_bad: columns.skip_bad.saturating_add(MOST_ERRORS as u64),
            covariates_of: None,
            drops: false,
            outcomes: Spellings::default(),
            filter: columns.filter.clone(),
            marks: Vec::new(),
            counting: false,
            without_items: false,
        })
    }
}
