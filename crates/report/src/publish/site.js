"use strict";
// Sorts the table by the column whose head is pressed, or that is chosen where a narrow screen has no
// heads, and shows the rows that have all words. All stand in the address (#q=WORDS&sort=COLUMN, and
// &down from the last to the first), so that a list can be linked.
const table = document.querySelector("table");
const body = table.tBodies[0];
const given = [...body.rows];
const heads = [...table.tHead.rows[0].cells];
const nameOf = (head) => head.textContent.trim();
const keyOf = (row, at) => row.cells[at].textContent;
const asked = () => new URLSearchParams(location.hash.slice(1));
const ask = (changes) => {
  const address = asked();
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === "") address.delete(key);
    else address.set(key, value);
  }
  // In its place: each letter of a filter is no step of the reader's way back.
  location.replace(`#${address}`);
};
const show = () => {
  const address = asked();
  const at = heads.findIndex((head) => nameOf(head) === address.get("sort"));
  const down = address.has("down");
  const order = (a, b) => keyOf(a, at).localeCompare(keyOf(b, at), "en", { numeric: true });
  const rows = at === -1 ? given : [...given].sort((a, b) => (down ? order(b, a) : order(a, b)));
  body.append(...rows);
  heads.forEach((head, place) => {
    if (place === at) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  column.value = at === -1 ? "" : nameOf(heads[at]);
  reversed.checked = at !== -1 && down;
  reversed.disabled = at === -1;
  const wanted = address.get("q") ?? "";
  // What is being typed stays as it is.
  if (field.value.trim() !== wanted.trim()) field.value = wanted;
  const words = wanted.toLowerCase().split(/\s+/);
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
  const found = rows.some((row) => !row.hidden);
  none.textContent = found ? "" : `No page has the words “${wanted.trim()}”.`;
};
const labelled = (words, input) => {
  const label = document.createElement("label");
  label.append(...words, input);
  table.parentElement.before(label);
  return label;
};
const column = document.createElement("select");
column.append(new Option("newest first", ""), ...heads.map((head) => new Option(nameOf(head))));
const reversed = document.createElement("input");
reversed.type = "checkbox";
for (const head of heads) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = nameOf(head);
  head.replaceChildren(button);
  head.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    ask({ sort: nameOf(head), down: down ? "1" : null });
  });
}
const field = document.createElement("input");
field.type = "search";
labelled(["Filter "], field);
labelled(["Sort by "], column).className = "sort";
labelled(["Reversed "], reversed).className = "sort";
const none = document.createElement("p");
none.setAttribute("role", "status");
table.parentElement.after(none);
field.addEventListener("input", () => ask({ q: field.value.trim() }));
column.addEventListener("change", () => ask({ sort: column.value, down: null }));
reversed.addEventListener("change", () => ask({ down: reversed.checked ? "1" : null }));
addEventListener("hashchange", show);
show();
