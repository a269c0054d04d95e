//! The page of a file: script, style and data in it, and a policy that lets nothing else in.

use crate::assets::{PAGE, POLICY, SCRIPT, STYLE};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

const STYLE_LINK: &str = r#"<link rel="stylesheet" href="app.css">"#;
const SCRIPT_LINK: &str = r#"<script src="app.js"></script>"#;
const DATA: &str =
    r#"<script type="application/json" id="evenhand-data">{"mode":"server"}</script>"#;

/// Writes the page of a file around its data, a JSON text, which it holds compressed. The page asks
/// nothing of any host, and runs the one script in it: its policy names the script's digest.
///
/// # Errors
/// Where `out` cannot be written.
pub fn write_page(data: &[u8], out: &mut impl Write) -> io::Result<()> {
    let source = script_source(SCRIPT);
    let policy = format!(
        "default-src 'none'; script-src {source}; style-src 'unsafe-inline'; \
         img-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'"
    );
    let page = PAGE.replace(POLICY, &policy);
    let (head, rest) = cut(&page, STYLE_LINK);
    let (body, rest) = cut(rest, DATA);
    let (between, end) = cut(rest, SCRIPT_LINK);
    write!(out, "{head}<style>{STYLE}</style>{body}")?;
    write!(
        out,
        r#"<script type="application/octet-stream" id="evenhand-data">"#
    )?;
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    packed.write_all(data)?;
    write!(out, "{}</script>{between}", BASE64.encode(packed.finish()?))?;
    write!(out, "<script>{SCRIPT}</script>{end}")
}

/// Returns how the policy of a page names a script in it, which alone may then run.
pub fn script_source(script: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(Sha256::digest(script)))
}

/// Cuts a text at a mark; all of it before the mark where there is none, which a test rules out.
fn cut<'a>(text: &'a str, mark: &str) -> (&'a str, &'a str) {
    text.split_once(mark).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_holds_each_part_once_and_links_to_nothing() {
        for mark in [POLICY, STYLE_LINK, SCRIPT_LINK, DATA] {
            assert_eq!(PAGE.matches(mark).count(), 1, "{mark}");
        }
        let mut out = Vec::new();
        write_page(b"{}", &mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(!page.contains("app.js") && !page.contains("app.css"));
        assert!(page.contains("connect-src 'none'") && page.ends_with("</html>\n"));
    }

    #[test]
    fn script_and_style_end_where_they_end() {
        assert!(!SCRIPT.to_lowercase().contains("</script"));
        assert!(!SCRIPT.contains("<!--") && !STYLE.to_lowercase().contains("</style"));
    }
}
