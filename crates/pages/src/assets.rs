//! The built front end (`scripts/build-web`), for a server to send.

/// The page that a server sends; it asks for [`SCRIPT`] as `app.js` and [`STYLE`] as `app.css`.
pub const PAGE: &str = include_str!("../assets/index.html");

/// Whom [`PAGE`] is for, where it is not one run's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageMode {
    /// Who judges and sees nothing else.
    Review,
    /// Who decides where those who judge disagree, and sees nothing else.
    Adjudication,
    /// Who looks at a folder of runs, which has a list and no result of its own.
    Folder,
}

/// Returns [`PAGE`] in a mode.
pub fn page_in_mode(mode: PageMode) -> String {
    let said = match mode {
        PageMode::Review => r#"{"mode":"review"}"#,
        PageMode::Adjudication => r#"{"mode":"adjudication"}"#,
        PageMode::Folder => r#"{"mode":"folder"}"#,
    };
    PAGE.replacen(r#"{"mode":"server"}"#, said, 1)
}

/// The script of the pages.
pub const SCRIPT: &str = include_str!("../assets/app.js");
/// The style of the pages.
pub const STYLE: &str = include_str!("../assets/app.css");
/// Names what the page may load, as it stands in [`PAGE`].
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_a_review_and_of_a_folder_say_so() {
        assert!(page_in_mode(PageMode::Review).contains(r#"{"mode":"review"}"#));
        assert!(page_in_mode(PageMode::Adjudication).contains(r#"{"mode":"adjudication"}"#));
        assert!(page_in_mode(PageMode::Folder).contains(r#"{"mode":"folder"}"#));
    }
}
