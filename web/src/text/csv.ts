/** Tables for spreadsheets. */

/** Returns a header and rows as CSV (RFC 4180). */
export function csvOf(rows: (string | number | null)[][]): string {
  return rows.map((row) => `${row.map(cellOf).join()}\r\n`).join("");
}

function cellOf(value: string | number | null): string {
  if (value === null) return "";
  const text = typeof value === "string" && isFormula(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a spreadsheet would run. Names such as `@cf/meta/llama-3` are none. */
function isFormula(text: string): boolean {
  if (/^[\t\r]|^\s*[=\uff1d]/.test(text)) return true;
  const [, behind] = /^\s*[+\-@\uff0b\uff0d\uff20](.*)$/su.exec(text) ?? [];
  return behind !== undefined && (/[(|[]/.test(behind) || /^[\d+\-*/^()%&. ]+$/.test(behind));
}

/** Names a file after what it is of: letters and digits, with dashes for all else. */
export function csvName(...parts: (string | null)[]): string {
  const name = parts
    .flatMap((part) => part ?? [])
    .join("-")
    .replace(/\.(csv|json|jsonl)\b/gi, "")
    .replace(/[^\p{L}\p{N}._=]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return `${name || "ranking"}.csv`;
}

/** Gives the reader a file. */
export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  // The browser reads it after this function.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
