//! Which column of a file plays which part.

use super::error::Problem;
use super::outcomes::{Outcome, Spellings};
use crate::StyleCovariate;
use crate::records::{Filter, nearest};

/// A column that a file may have or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// By its usual name, where the file has it.
    #[default]
    Auto,
    /// Not read.
    Ignored,
    /// By this name; a file without it is an error.
    Named(String),
}

/// The names of the columns, and what their cells mean. The default finds them by their usual
/// names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The first system; by default `model_a`, else `left`.
    pub left: Option<String>,
    /// The second system; by default `model_b`, else `right`.
    pub right: Option<String>,
    /// Who won; by default `winner`.
    pub winner: Option<String>,
    /// How much the row counts, at least 0 and finite; by default `weight`, and 1 where there is
    /// none.
    pub weight: Column,
    /// What rows have in common that must be resampled together; by default `question_id`, else
    /// `item`.
    pub cluster: Column,
    /// Numbers to be read beside each row, finite.
    pub covariates: Vec<String>,
    /// Columns of responses' texts, which are counted while they are read and not kept; an empty
    /// text is one.
    pub texts: Vec<String>,
    /// What is counted in each of those.
    pub counted: Vec<StyleCovariate>,
    /// Spellings of outcomes beside those that are known.
    pub outcomes: Spellings,
    /// Which rows are read; all, where it is empty. Each of its fields is a column.
    pub filter: Filter,
}

/// What a cell is for, which decides what it may hold.
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
            Part::Filter => "a value",
        }
    }

    /// Whether it is written as a number.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Part::Weight | Part::Covariate | Part::Count)
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
}

/// The columns that are to be read from a file: the two systems, then the outcome, then the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) fields: Vec<Field>,
    /// How many columns the file has.
    pub(super) width: usize,
    /// What is counted in each text.
    pub(super) counted: Vec<StyleCovariate>,
    pub(super) outcomes: Spellings,
    /// The conditions of the fields that decide whether a row is read, in their order.
    pub(super) filter: Filter,
}

impl Plan {
    /// The outcome that a word spells in every row, whatever its systems are called.
    #[inline]
    pub(super) fn fixed(&self, word: &[u8]) -> Option<Outcome> {
        if self.outcomes.is_empty() {
            Outcome::read(word)
        } else {
            None
        }
    }

    /// The name of the field of this number.
    pub(super) fn name(&self, field: usize) -> String {
        self.fields
            .get(field)
            .map_or_else(String::new, |field| field.name.clone())
    }

    /// How many numbers a row has: one for each field that is a number, and the counts of each
    /// text.
    pub(super) fn numbers(&self) -> usize {
        let of = |part: Part| {
            if part == Part::Text {
                self.counted.len()
            } else {
                usize::from(part.is_number())
            }
        };
        self.fields.iter().map(|field| of(field.part)).sum()
    }

    /// The position among the fields of the one with this part.
    pub(super) fn position(&self, part: Part) -> Option<usize> {
        self.fields.iter().position(|field| field.part == part)
    }

    /// Each field's column and number, by column.
    pub(super) fn by_column(&self) -> Vec<(usize, usize)> {
        let mut order: Vec<_> = self
            .fields
            .iter()
            .enumerate()
            .map(|(number, field)| (field.column, number))
            .collect();
        order.sort_unstable();
        order
    }
}

/// The usual names of the two systems' columns.
const SYSTEMS: [(&str, &str); 2] = [("model_a", "model_b"), ("left", "right")];
/// The usual names of a cluster's column.
const CLUSTERS: [&str; 2] = ["question_id", "item"];
/// The columns of a file of counts; the last may be missing.
const COUNTS: [&str; 6] = ["model_a", "model_b", "wins_a", "wins_b", "ties", "both_bad"];

/// The plan for a file of battles with this header. `json`: later records may have a weight where
/// the first has none.
pub(super) fn battles(columns: &Columns, header: &[String], json: bool) -> Result<Plan, Problem> {
    let wanted: Vec<_> = SYSTEMS
        .iter()
        .map(|usual| required(columns, usual))
        .collect();
    let known = |names: &&[String; 3]| names.iter().all(|name| header.contains(name));
    let names = wanted
        .iter()
        .find(known)
        .ok_or_else(|| missing_battles(&wanted, header))?;
    let mut plan = Plan {
        fields: Vec::new(),
        width: header.len(),
        counted: columns.counted.clone(),
        outcomes: columns.outcomes.clone(),
        filter: columns.filter.clone(),
    };
    for (name, part) in names.iter().zip([Part::System, Part::System, Part::Winner]) {
        plan.fields.push(field(name, part, header)?);
    }
    plan.fields.extend(weight(&columns.weight, header, json)?);
    plan.fields.extend(optional(
        &columns.cluster,
        &CLUSTERS,
        Part::Cluster,
        header,
    )?);
    let covariates = columns
        .covariates
        .iter()
        .map(|name| (name, Part::Covariate));
    for (name, part) in covariates.chain(columns.texts.iter().map(|name| (name, Part::Text))) {
        plan.fields.push(field(name, part, header)?);
    }
    plan.fields.extend(filtered(&columns.filter, header, json)?);
    Ok(plan)
}

/// The columns that decide whether a row is read. A later JSON object may lack one: its value is
/// then empty.
fn filtered(filter: &Filter, header: &[String], json: bool) -> Result<Vec<Field>, Problem> {
    let of = |name: &str| {
        if !header.iter().any(|has| has == name) {
            let nearest = nearest(name, header).map(str::to_owned);
            return Err(Problem::NoFilterColumn {
                name: name.to_owned(),
                nearest,
                has: header.to_vec(),
            });
        }
        Ok(Field {
            optional: json,
            ..field(name, Part::Filter, header)?
        })
    };
    filter
        .conditions()
        .iter()
        .map(|condition| of(condition.field()))
        .collect()
}

fn required(columns: &Columns, usual: &(&str, &str)) -> [String; 3] {
    let name =
        |named: &Option<String>, usual: &str| named.clone().unwrap_or_else(|| usual.to_owned());
    [
        name(&columns.left, usual.0),
        name(&columns.right, usual.1),
        name(&columns.winner, "winner"),
    ]
}

/// Speaks of the naming that is nearest to what the file has.
fn missing_battles(wanted: &[[String; 3]], header: &[String]) -> Problem {
    let lacking = |names: &[String; 3]| {
        names
            .iter()
            .filter(|name| !header.contains(name))
            .cloned()
            .collect::<Vec<_>>()
    };
    let missing = wanted
        .iter()
        .map(lacking)
        .min_by_key(Vec::len)
        .unwrap_or_default();
    let mut spelled: Vec<_> = wanted
        .iter()
        .map(|[a, b, winner]| format!("`{a}`, `{b}` and `{winner}`"))
        .collect();
    spelled.dedup();
    Problem::Columns {
        missing,
        expected: spelled.join(", or "),
        has: header.to_vec(),
    }
}

fn weight(column: &Column, header: &[String], json: bool) -> Result<Option<Field>, Problem> {
    let found = optional(column, &["weight"], Part::Weight, header)?;
    let later = Field {
        name: "weight".to_owned(),
        part: Part::Weight,
        column: usize::MAX,
        optional: true,
    };
    Ok(match found {
        Some(field) => Some(Field {
            optional: json && *column == Column::Auto,
            ..field
        }),
        None => (json && *column == Column::Auto).then_some(later),
    })
}

fn optional(
    column: &Column,
    usual: &[&str],
    part: Part,
    header: &[String],
) -> Result<Option<Field>, Problem> {
    match column {
        Column::Ignored => Ok(None),
        Column::Named(name) => field(name, part, header).map(Some),
        Column::Auto => {
            let name = usual
                .iter()
                .find(|name| header.iter().any(|has| has == *name));
            name.map(|name| field(name, part, header)).transpose()
        }
    }
}

fn field(name: &str, part: Part, header: &[String]) -> Result<Field, Problem> {
    let mut places = header
        .iter()
        .enumerate()
        .filter(|(_, has)| *has == name)
        .map(|(column, _)| column);
    match (places.next(), places.next()) {
        (Some(_), Some(_)) => Err(Problem::TwiceInHeader(name.to_owned())),
        (Some(column), None) => Ok(Field {
            name: name.to_owned(),
            part,
            column,
            optional: false,
        }),
        (None, _) => {
            let expected = format!("{} under that name", part.expected());
            Err(Problem::Columns {
                missing: vec![name.to_owned()],
                expected,
                has: header.to_vec(),
            })
        }
    }
}

/// The plan for a file of counts with this header.
pub(super) fn counts(columns: &Columns, header: &[String], json: bool) -> Result<Plan, Problem> {
    let has = |name: &str| header.iter().any(|column| column == name);
    let missing: Vec<String> = COUNTS[..5]
        .iter()
        .filter(|name| !has(name))
        .map(|&name| name.to_owned())
        .collect();
    if !missing.is_empty() {
        let expected = "`model_a`, `model_b`, `wins_a`, `wins_b` and `ties`".to_owned();
        return Err(Problem::Columns {
            missing,
            expected,
            has: header.to_vec(),
        });
    }
    let parts = [
        Part::System,
        Part::System,
        Part::Count,
        Part::Count,
        Part::Count,
        Part::Count,
    ];
    let present = COUNTS.iter().zip(parts).filter(|(name, _)| has(name));
    let mut fields = present
        .map(|(name, part)| field(name, part, header))
        .collect::<Result<Vec<_>, _>>()?;
    fields.extend(filtered(&columns.filter, header, json)?);
    let (width, filter) = (header.len(), columns.filter.clone());
    Ok(Plan {
        fields,
        width,
        counted: Vec::new(),
        outcomes: Spellings::default(),
        filter,
    })
}
