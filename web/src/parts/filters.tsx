import { useEffect, useRef } from "preact/hooks";
import { usePage } from "../context";
import { changeQuery, linkTo } from "../route";
import { plainText, Shown } from "../text/visible";

/** Keys of the query that are no filters. */
const NO_FILTERS = new Set(["sort", "offset", "limit", "at", "as"]);

export function filtersOf(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams(
    Array.from(query).filter(([key]) => !["offset", "limit", "at", "as"].includes(key)),
  );
}

function useChange(): (changes: Record<string, string | null>) => void {
  const { route } = usePage();
  return (changes) => {
    location.hash = linkTo(
      route,
      "judgments",
      changeQuery(route.query, { ...changes, offset: null, at: null }),
    );
  };
}

export function FilterBar() {
  const { overview, route } = usePage();
  const change = useChange();
  const { query } = route;
  const pick = (key: string, label: string, options: [string, string][]) => (
    <label>
      <span>{label}</span>
      <select
        name={key}
        value={query.get(key) ?? ""}
        onChange={(event) => change({ [key]: event.currentTarget.value })}
      >
        <option value="">{key === "sort" ? "as planned" : "any"}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {plainText(text)}
          </option>
        ))}
      </select>
    </label>
  );
  const names = (list: string[]): [string, string][] => list.map((name) => [name, name]);
  const toggle = (key: string, label: string) => (
    <label class="check">
      <input
        type="checkbox"
        name={key}
        checked={query.get(key) === "1"}
        onChange={(event) => change({ [key]: event.currentTarget.checked ? "1" : null })}
      />{" "}
      {label}
    </label>
  );
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filter judgments"
      onSubmit={(event) => event.preventDefault()}
    >
      <TextBox name="text" label="Text" placeholder="in texts, replies" />
      {pick("system", "System", names(overview.systems))}
      {pick("winner", "Winner", names(overview.systems))}
      {overview.categories.length > 0 && pick("category", "Category", names(overview.categories))}
      {pick("outcome", "Outcome", [
        ["a", "first of the pair (A)"],
        ["b", "second of the pair (B)"],
        ["tie", "tie"],
        ["none", "no verdict"],
      ])}
      {pick("people", "People", [
        ["agree", "agree"],
        ["disagree", "disagree"],
        ["any", "labelled"],
      ])}
      {pick("failure", "Failure", [
        ["any", "any kind"],
        ...names(Object.keys(overview.counts.failures)),
      ])}
      <TextBox name="item" label="Item" placeholder="id" />
      <TextBox name="confidence" label="Confidence" placeholder="0..0.2" />
      <TextBox name="cost" label="Cost (USD)" placeholder="0.01.." />
      {pick("sort", "Sort", [
        ["confidence", "least certain first"],
        ["-confidence", "most certain first"],
        ["-cost", "dearest first"],
        ["cost", "cheapest first"],
        ["item", "by item"],
      ])}
      {toggle("flipped", "order flips")}
      {toggle("split", "split vote")}
    </form>
  );
}

function TextBox({
  name,
  label,
  placeholder,
}: {
  name: string;
  label: string;
  placeholder: string;
}) {
  const { route } = usePage();
  const change = useChange();
  const input = useRef<HTMLInputElement>(null);
  const value = route.query.get(name) ?? "";
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = value;
  }, [value]);
  return (
    <label>
      <span>{label}</span>
      <input
        ref={input}
        type="search"
        name={name}
        defaultValue={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        onChange={(event) => change({ [name]: event.currentTarget.value })}
        onKeyDown={(event) =>
          event.key === "Enter" && change({ [name]: event.currentTarget.value })
        }
      />
    </label>
  );
}

/** The filters in force, each with a button that takes it away. */
export function Chips() {
  const { route } = usePage();
  const change = useChange();
  const set = Array.from(route.query).filter(([key]) => !NO_FILTERS.has(key));
  if (!set.length) return null;
  return (
    <ul class="chips" aria-label="Filters in force">
      {set.map(([key, value]) => (
        <li key={key}>
          <button
            type="button"
            onClick={() => change({ [key]: null })}
            aria-label={plainText(`Remove the filter ${key} ${value}`)}
          >
            {key}: <Shown text={value} /> ×
          </button>
        </li>
      ))}
      {set.length > 1 && (
        <li>
          <a href={linkTo(route, "judgments")}>remove all</a>
        </li>
      )}
    </ul>
  );
}
