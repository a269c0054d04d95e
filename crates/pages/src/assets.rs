//! The built front end (`scripts/build-web`), for a server to send.

/// The page that a server sends; it asks for [`SCRIPT`] as `app.js` and [`STYLE`] as `app.css`.
pub const PAGE: &str = include_str!("../assets/index.html");
/// The script of the pages.
pub const SCRIPT: &str = include_str!("../assets/app.js");
/// The style of the pages.
pub const STYLE: &str = include_str!("../assets/app.css");
/// Names what the page may load, as it stands in [`PAGE`].
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'";
