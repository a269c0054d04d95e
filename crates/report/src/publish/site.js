"use strict";
// Sorts the table by the column whose head is pressed, and shows the rows that have all words. Both
// stand in the address (#q=WORDS&sort=COLUMN, and &down from the last to the first), so that a list
// can be linked.
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
const label = document.createElement("label");
const field = document.createElement("input");
field.type = "search";
label.append("Filter ", field);
const none = document.createElement("p");
none.setAttribute("role", "status");
table.parentElement.before(label);
table.parentElement.after(none);
field.addEventListener("input", () => ask({ q: field.value.trim() }));
addEventListener("hashchange", show);
show();
