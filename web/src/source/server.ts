import { SourceError, type ReviewSource, type Source } from "./source";
import type { Detail, Json, Overview, Rows } from "./types";

/** Reads from the server that served the page; every address is relative to it. */
export class ServerSource implements Source {
  readonly mode = "server";
  readonly review: ReviewSource;
  private readonly base: string;

  constructor(base = "") {
    this.base = base;
    this.review = {
      get: (path, query) => fetchJson(`${base}api/review/${path}?${new URLSearchParams(query)}`),
      post: (path, body) => postJson(`${base}api/review/${path}`, body),
    };
  }

  loadOverview(): Promise<Overview> {
    return fetchJson(`${this.base}api/overview`);
  }

  loadRows(query: string): Promise<Rows> {
    return fetchJson(`${this.base}api/rows?${query}`);
  }

  loadJudgment(trial: number): Promise<Detail> {
    return fetchJson(`${this.base}api/judgment/${Math.trunc(trial)}`);
  }

  async loadRuns(): Promise<Json[] | null> {
    try {
      const found = await fetchJson<Json>("api/runs");
      return listOf(found);
    } catch (error) {
      if (error instanceof SourceError && error.status === 404) return null;
      throw error;
    }
  }

  async loadVersion(): Promise<string> {
    const found = await fetchJson<Json>(`${this.base}api/version`);
    if (found && typeof found === "object" && !Array.isArray(found))
      return String(found["version"]);
    return String(found);
  }

  openRun(name: string): Source {
    return new ServerSource(`run/${encodeURIComponent(name)}/`);
  }
}

function listOf(found: Json): Json[] {
  if (Array.isArray(found)) return found;
  if (found && typeof found === "object" && Array.isArray(found["runs"])) return found["runs"];
  return [];
}

async function fetchJson<T>(address: string): Promise<T> {
  return readJson(await reach(() => fetch(address, { headers: { accept: "application/json" } })));
}

async function postJson(address: string, body: Json): Promise<Json> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return readJson(await reach(() => fetch(address, init)));
}

async function reach(request: () => Promise<Response>): Promise<Response> {
  try {
    return await request();
  } catch {
    throw new SourceError("The server does not answer. Is `evenhand view` still running?");
  }
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok)
    throw new SourceError(
      errorOf(text) || `The server answered ${response.status}.`,
      response.status,
    );
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new SourceError("The server's answer is not JSON.", response.status);
  }
}

/** Returns the sentence in an error's body: JSON with `error`, or the text itself. */
function errorOf(text: string): string {
  try {
    const body = JSON.parse(text) as { error?: unknown };
    if (typeof body.error === "string") return body.error;
  } catch {
    // Not JSON: the text is the message.
  }
  return text.slice(0, 500);
}
