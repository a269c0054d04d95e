/** Markdown of strangers: no links to follow, no pictures to load, no marks of theirs on
 * elements. */

import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { plainText, Shown } from "./visible";

const TAGS =
  "p br em strong s code pre blockquote ul ol li h4 h5 h6 table thead tbody tr th td hr u small".split(
    " ",
  );
const LIMIT = 100_000;

const reader = new MarkdownIt({
  html: false,
  // As where people chat with models: a single line end is one.
  breaks: true,
  linkify: false,
  typographer: false,
  maxNesting: 40,
} as object);
reader.renderer.rules["link_open"] = () => "<u>";
reader.renderer.rules["link_close"] = (tokens, index) =>
  `</u> <small>(${reader.utils.escapeHtml(addressBefore(tokens, index))})</small>`;
reader.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index]!;
  return `<small>[image: ${reader.utils.escapeHtml(`${token.content} ${String(token.attrGet("src") ?? "")}`)}]</small>`;
};
reader.renderer.rules["fence"] = (tokens, index) =>
  `<pre><code>${reader.utils.escapeHtml(tokens[index]!.content)}</code></pre>`;
reader.renderer.rules["heading_open"] = (tokens, index) => `<${headingTag(tokens[index]!.tag)}>`;
reader.renderer.rules["heading_close"] = (tokens, index) => `</${headingTag(tokens[index]!.tag)}>`;

type Tokens = { type: string; attrGet(name: string): string | number | null }[];

function addressBefore(tokens: Tokens, index: number): string {
  for (let at = index; at >= 0; at -= 1) {
    if (tokens[at]!.type === "link_open") return String(tokens[at]!.attrGet("href") ?? "");
  }
  return "";
}

function headingTag(tag: string): string {
  return `h${Math.min(6, Number(tag.slice(1)) + 3)}`;
}

/** A text of the data: as Markdown, or letter by letter. */
export function Written({ text, plain }: { text: string; plain: boolean }) {
  return plain ? <Plain text={text} /> : <Markdown text={text} />;
}

function Plain({ text }: { text: string }) {
  const holder = useRef<HTMLPreElement>(null);
  useTabStop(holder);
  return (
    <pre class="plain" ref={holder}>
      <Shown text={text} />
    </pre>
  );
}

/** A text that is longer than its box is scrolled by keys, too. */
function useTabStop(holder: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (element.scrollHeight > element.clientHeight + 1) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [holder]);
}

function Markdown({ text }: { text: string }) {
  const holder = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    holder.current?.replaceChildren(renderMarkdown(text));
  }, [text]);
  useTabStop(holder);
  return <div class="md" dir="auto" ref={holder} />;
}

function renderMarkdown(text: string): Node {
  if (text.length > LIMIT) return document.createTextNode(plainText(text));
  return DOMPurify.sanitize(reader.render(plainText(text)), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: [],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
