//! Names that are close to a misspelt one.

/// Returns the name that is most like the wanted one; `None` where none is close. Of several the
/// first.
pub fn nearest<'a, S: AsRef<str> + 'a + ?Sized>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a S>,
) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for name in known.into_iter().map(AsRef::as_ref) {
        let lower = name.to_lowercase();
        // Two letters that changed places make short names look unlike.
        let is_swapped = wanted != lower && strsim::osa_distance(&wanted, &lower) == 1;
        let is_swapped = is_swapped && strsim::levenshtein(&wanted, &lower) == 2;
        // And one word of a name of several is most of it, whatever the others are.
        let is_word = wanted.len() > 3 && lower.split(['-', '_', ' ']).any(|word| word == wanted);
        let likeness = match strsim::jaro_winkler(&wanted, &lower) {
            likeness if is_swapped || is_word => likeness.max(0.9),
            likeness => likeness,
        };
        // Names that are less alike have little more than a few letters in common.
        if likeness > 0.75 && best.is_none_or(|(best, _)| likeness > best) {
            best = Some((likeness, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Returns the end of an error about an unknown name: which one was perhaps meant.
///
/// ```
/// # use evenhand_core::did_you_mean;
/// assert_eq!(did_you_mean("lenght", ["length", "bold"]), "; did you mean `length`?");
/// assert_eq!(did_you_mean("zebra", ["length", "bold"]), "");
/// ```
pub fn did_you_mean<'a, S: AsRef<str> + 'a + ?Sized>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a S>,
) -> String {
    match nearest(wanted, known) {
        Some(name) if name != wanted => format!("; did you mean `{name}`?"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let fields = ["question", "answer_v1", "answer_v2"];
        assert_eq!(nearest("anwser_v2", &fields), Some("answer_v2"));
        assert_eq!(nearest("QUESTOIN", &fields), Some("question"));
        assert_eq!(nearest("lang", &["language"]), Some("language"));
        assert_eq!(nearest("winner", &fields), None);
        assert_eq!(
            nearest("likert", &["pairwise-likert", "likelihood"]),
            Some("pairwise-likert")
        );
        assert_eq!(nearest("nwe", &["old", "new"]), Some("new"));
        assert_eq!(nearest("old", &["new", "odd one"]), None);
    }
}
