/** Foreign text, shown so that nothing in it can hide or reorder what stands around it. */

import type { ComponentChildren } from "preact";

// Bidi controls, invisible characters, control characters but line ends and tabs, tags, lone
// surrogates.
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Returns text for places that take no elements: attributes, titles, labels of charts. */
export function plainText(text: unknown): string {
  return String(text ?? "").replace(HIDDEN, (char) => `\u27e8${codeOf(char)}\u27e9`);
}

/** Shows foreign text as text, apart from the direction of what surrounds it. */
export function Shown({ text }: { text: unknown }) {
  return <bdi>{marked(String(text ?? ""))}</bdi>;
}

// A name with a hyphen, a per cent and a p-value, each with the marks around it.
const WHOLE =
  /(?<!\S)(\(?p (?:< )?[\d.]+\S*|\(?[−-]?[\d.,]+ %[^\s\d]*|[^\s=/:-][^\s=/:]*-[^\s=/:]+)(?=\s|$)/;

/** Shows the words of a headline: names and figures break only where they are longer than a line,
 * and numbers have the minus sign of the tables below. */
export function ShownWhole({ text }: { text: string }) {
  const words = text.replace(/(?<=^|[\s([])-(?=\.?\d|inf)/g, "\u2212");
  return (
    <bdi>
      {words.split(WHOLE).map((part, at) =>
        at % 2 ? (
          <span key={at} class="unbroken">
            {marked(part)}
          </span>
        ) : (
          marked(part)
        ),
      )}
    </bdi>
  );
}

function marked(text: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    parts.push(breakable(text.slice(from, match.index)));
    parts.push(<span class="hidden-char">{codeOf(match[0])}</span>);
    from = match.index + match[0].length;
  }
  if (from === 0) return breakable(text);
  parts.push(breakable(text.slice(from)));
  return parts;
}

/** Texts up to so many letters may be names, or name something. */
const MOST_NAMES = 1000;

/** Long names of judges, protocols and constraints break between their parts, and not within. */
function breakable(text: string): ComponentChildren {
  if (text.length > MOST_NAMES || !/\S{16}/.test(text)) return text;
  return text
    .split(/(?<=\S[:/,_])(?=[^\s:/,_])/)
    .flatMap((part, at) => (at ? [<wbr key={at} />, part] : [part]));
}
