//! JSON Schemas of what `--format json` prints, by the name of the command: `docs/schemas` holds
//! them, and a test keeps them true.

use crate::answer::Answered;
use crate::audit::{AuditEstimateJson, AuditJson};
use crate::check::CheckJson;
use crate::cite::Citations;
use crate::compare::CompareJson;
use crate::estimate::EstimateJson;
use crate::judgments::JudgmentLine;
use crate::kept::JudgmentRecord;
use crate::meta::{
    BencherJson, ConformalJson, ConsistencyJson, JudgesJson, PeopleJson, SelectionJson, StudyJson,
    TranslationsJson,
};
use crate::migrate::MigrationDocument;
use crate::models::ModelRow;
use crate::plan::PlanReport;
use crate::ranking::RankingJson;
use crate::rendered::{AlignmentLine, PromptLine};
use evenhand_engine::batch::{BatchRun, Exported, Imported};
use evenhand_engine::{HeadReport, Merged, RunRow};
use evenhand_pages::{Detail, Overview};
use evenhand_studies::self_preference::SelfPreferenceReport;
use evenhand_studies::tryout::TryReport;
use evenhand_studies::wordings::WordingReport;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// Returns the schema of each command's JSON, with the command's name. Of a command that prints
/// JSON lines, it is that of one line.
pub fn json_schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("rank", schema_of::<RankingJson>("rank, leaderboard")),
        ("judge", schema_of::<JudgmentLine>("judge, a line")),
        (
            "judgments",
            schema_of::<JudgmentRecord>("judgments, and judge with texts, a line"),
        ),
        ("show", schema_of::<Overview>("show RUN")),
        ("show-judgment", schema_of::<Detail>("show RUN JUDGMENT")),
        (
            "prompts-render",
            schema_of::<PromptLine>("prompts render, a line"),
        ),
        ("align", schema_of::<AlignmentLine>("align, a line")),
        ("estimate", schema_of::<EstimateJson>("estimate")),
        ("compare", schema_of::<CompareJson>("compare")),
        ("audit", schema_of::<AuditJson>("audit")),
        (
            "audit-estimate",
            schema_of::<AuditEstimateJson>("audit --estimate"),
        ),
        ("check", schema_of::<CheckJson>("check")),
        ("cite", schema_of::<Citations>("cite")),
        ("plan", schema_of::<Answered<PlanReport>>("plan")),
        ("runs", schema_of::<Vec<RunRow>>("runs")),
        ("merge", schema_of::<Merged>("merge")),
        ("migrate", schema_of::<MigrationDocument>("migrate")),
        ("models", schema_of::<Vec<ModelRow>>("models")),
        ("models-try", schema_of::<Answered<TryReport>>("models try")),
        ("batch-export", schema_of::<Exported>("batch export")),
        ("batch-import", schema_of::<Imported>("batch import")),
        ("batch-run", schema_of::<BatchRun>("batch run")),
        ("meta-judge", schema_of::<JudgesJson>("meta judge")),
        ("meta-fit", schema_of::<HeadReport>("meta fit")),
        ("meta-bencher", schema_of::<BencherJson>("meta bencher")),
        ("meta-study", schema_of::<StudyJson>("meta study")),
        ("meta-people", schema_of::<PeopleJson>("meta people")),
        (
            "meta-conformal",
            schema_of::<ConformalJson>("meta conformal"),
        ),
        ("meta-select", schema_of::<SelectionJson>("meta select")),
        (
            "meta-self-preference",
            schema_of::<Answered<SelfPreferenceReport>>("meta self-preference"),
        ),
        (
            "meta-translations",
            schema_of::<TranslationsJson>("meta translations"),
        ),
        (
            "meta-wordings",
            schema_of::<Answered<WordingReport>>("meta wordings"),
        ),
        (
            "meta-consistency",
            schema_of::<ConsistencyJson>("meta consistency"),
        ),
    ]
}

fn schema_of<T: JsonSchema>(command: &str) -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), json!(format!("evenhand {command}")));
    drop_unused_definitions(&mut schema);
    schema
}

/// Types whose members stand in others have definitions that nothing refers to.
fn drop_unused_definitions(schema: &mut Schema) {
    loop {
        let text = schema.as_value().to_string();
        let Some(Value::Object(definitions)) = schema.get_mut("$defs") else {
            return;
        };
        let before = definitions.len();
        definitions.retain(|name, _| text.contains(&format!("\"#/$defs/{name}\"")));
        let after = definitions.len();
        if after == 0 {
            schema.remove("$defs");
        }
        if after == before {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// `EVENHAND_WRITE_SCHEMAS=1 cargo test -p evenhand-report schemas` writes them anew.
    #[test]
    fn the_schemas_in_the_docs_are_those_of_the_types() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
        let writes = std::env::var_os("EVENHAND_WRITE_SCHEMAS").is_some();
        let mut expected: Vec<String> = Vec::new();
        for (command, schema) in json_schemas() {
            let name = format!("{command}.json");
            let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
            if writes {
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join(&name), &text).unwrap();
            }
            let kept = fs::read_to_string(folder.join(&name)).unwrap_or_default();
            assert!(
                kept == text,
                "docs/schemas/{name} is not true any more; write all of them anew with \
                 EVENHAND_WRITE_SCHEMAS=1 cargo test -p evenhand-report schemas"
            );
            expected.push(name);
        }
        let there = fs::read_dir(&folder).unwrap();
        let mut there: Vec<String> = there
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        expected.sort();
        there.sort();
        assert_eq!(there, expected, "docs/schemas holds nothing else");
    }
}
