//! A ranking as records of Every Eval Ever, the common format of evaluation results
//! (github.com/evaleval/every_eval_ever, schema 0.2.1): one record for each system.

use evenhand_pages::Overview;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The version of the schema that the records keep to.
const SCHEMA: &str = "0.2.1";

/// Who publishes a run, and what the schema wants to know of it beside the run.
#[derive(Clone, Debug)]
pub struct EveryEvalEver<'a> {
    /// The run, with its ranking.
    pub run: &'a Overview,
    /// When it was judged last, in seconds since 1970.
    pub judged_at: u64,
    /// The name of the input set.
    pub dataset: &'a str,
    /// Who evaluated.
    pub organization: &'a str,
    /// How the evaluator stands to the systems.
    pub relationship: Relationship,
}

/// How an evaluator stands to what is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relationship {
    /// The evaluator made the systems.
    FirstParty,
    /// Somebody else.
    ThirdParty,
    /// Both together.
    Collaborative,
    /// None of these, or not known.
    Other,
}

impl EveryEvalEver<'_> {
    /// Returns a record for each system with a score, under the system's name, in rank order. The
    /// schema has no place for a score that is infinite or undefined.
    pub fn records(&self) -> Vec<(String, Value)> {
        let metric = self.metric();
        let ranking = self.run.report["ranking"].as_array();
        let rows = ranking.into_iter().flatten();
        rows.filter_map(|row| self.record(row, &metric)).collect()
    }

    fn record(&self, row: &Value, metric: &Value) -> Option<(String, Value)> {
        let system = row["system"].as_str()?;
        let score = row["score"].as_f64()?;
        let mut details = self.limits();
        for name in ["rank", "rank_ci"] {
            if !row[name].is_null() {
                details.insert(name.into(), json!(row[name].to_string()));
            }
        }
        let mut found = json!({"score": score, "details": details});
        if let Some(uncertainty) = self.uncertainty(row) {
            found["uncertainty"] = uncertainty;
        }
        let record = json!({
            "schema_version": SCHEMA,
            "evaluation_id": format!("{}/{system}/{}", self.run.title, self.judged_at),
            "evaluation_timestamp": self.judged_at.to_string(),
            "retrieved_timestamp": self.judged_at.to_string(),
            "source_metadata": {
                "source_name": self.run.title,
                "source_type": "evaluation_run",
                "source_organization_name": self.organization,
                "evaluator_relationship": self.relationship,
            },
            "eval_library": {"name": "evenhand", "version": self.run.evenhand},
            "model_info": {"name": system, "id": system},
            "evaluation_results": [{
                "evaluation_name": self.run.title,
                "source_data": {"dataset_name": self.dataset, "source_type": "other"},
                "metric_config": metric,
                "score_details": found,
            }],
        });
        Some((system.to_owned(), record))
    }

    /// What the whole ranking says, and what limits it: a score alone does not.
    fn limits(&self) -> Map<String, Value> {
        let report = &self.run.report;
        let mut limits = Map::new();
        if let Some(answer) = report["answer"]["text"].as_str() {
            limits.insert("answer".into(), json!(answer));
        }
        let coverage = &report["coverage"];
        if let Some((verdicts, trials)) = coverage["verdicts"]
            .as_u64()
            .zip(coverage["trials"].as_u64())
        {
            limits.insert("verdicts".into(), json!(format!("{verdicts} of {trials}")));
        }
        let warnings = report["warnings"].as_array().into_iter().flatten();
        let warnings: Vec<&str> = warnings.filter_map(Value::as_str).collect();
        if !warnings.is_empty() {
            limits.insert("warnings".into(), json!(warnings.join("; ")));
        }
        limits
    }

    fn metric(&self) -> Value {
        let settings = &self.run.manifest;
        let setting = |name: &str| settings.get(name).map_or("", String::as_str);
        let judges = self.run.judges.iter();
        let judges = judges.map(|judge| json!({"model_info": {"name": judge, "id": judge}}));
        let mut metric = json!({
            "evaluation_description": self.run.report["unit"].as_str().unwrap_or("score"),
            "lower_is_better": false,
        });
        // Who judged the battles of a file is not known: it may have been people.
        if !settings.is_empty() {
            metric["llm_scoring"] = json!({
                "judges": judges.collect::<Value>(),
                // By its protocol and digest: the prompt's text holds instructions and responses.
                "input_prompt": format!(
                    "evenhand {}, prompts {}",
                    setting("protocol"),
                    setting("prompts")
                ),
                "additional_details": settings,
            });
        }
        metric
    }

    /// None where an end of the interval is open.
    fn uncertainty(&self, row: &Value) -> Option<Value> {
        let [lower, upper] = [0, 1].map(|end| row["ci"][end].as_f64());
        let ci = &self.run.report["ci"];
        let mut found = json!({"confidence_interval": {"lower": lower?, "upper": upper?}});
        if let Some(level) = ci["level"].as_f64() {
            found["confidence_interval"]["confidence_level"] = json!(level);
        }
        if let Some(method) = ci["method"].as_str() {
            found["confidence_interval"]["method"] = json!(method);
        }
        if let Some(count) = row["n"].as_u64() {
            found["num_samples"] = json!(count);
        }
        Some(found)
    }
}
