//! The built front end (`scripts/build-web`), for a server to send.

/// The page that a server sends; it asks for [`SCRIPT`] as `app.js` and [`STYLE`] as `app.css`.
pub const PAGE: &str = include_str!("../assets/index.html");
/// Returns the page for who judges and sees nothing else: [`PAGE`] in the mode of a review.
pub fn review_page() -> String {
    PAGE.replacen(r#"{"mode":"server"}"#, r#"{"mode":"review"}"#, 1)
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
    fn the_page_of_a_review_says_so() {
        assert_ne!(review_page(), PAGE);
        assert!(review_page().contains(r#"{"mode":"review"}"#));
    }
}
