//! Responses without a text, which a judge reads as answers all the same.

use crate::Job;

/// From this share of a system's responses on, empty ones are more likely a wrong column than what
/// the system answered.
const MANY: f64 = 0.5;

/// Returns a warning about systems of which half or more of the responses are empty; None without.
pub fn empty_responses_warning(job: &Job) -> Option<String> {
    let dataset = &job.dataset;
    let mut said = Vec::new();
    for (system, name) in dataset.systems.iter().enumerate() {
        let (mut empty, mut all) = (0_u64, 0_u64);
        for item in 0..dataset.items.len() {
            let Ok(Some(response)) = dataset.response(item, system) else {
                continue;
            };
            all += 1;
            let is_empty = response.text.trim().is_empty() && response.trajectory.is_none();
            empty += u64::from(is_empty);
        }
        if empty > 0 && empty as f64 >= MANY * all as f64 {
            said.push(format!("{empty} of {all} responses of {name} are empty"));
        }
    }
    let why = "the judge is shown them as they are; look at the column that they come from";
    (!said.is_empty()).then(|| format!("{}: {why}", said.join("; ")))
}
