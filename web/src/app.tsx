import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAlive } from "./alive";
import { PageContext, useLoaded } from "./context";
import { ComparePage } from "./pages/compare";
import { FiguresPage } from "./pages/figures";
import { JudgmentPage } from "./pages/judgment";
import { JudgmentsPage } from "./pages/judgments";
import { MatrixPage } from "./pages/matrix";
import { RankingPage } from "./pages/ranking";
import { BlindReview, ReviewPage } from "./pages/review";
import { RunsPage } from "./pages/runs";
import { KeyHelp } from "./parts/keyhelp";
import { Notice } from "./parts/notice";
import { linkTo, type Route, useRoute } from "./route";
import type { ReviewSource, Source } from "./source/source";
import type { Overview } from "./source/types";
import { plainText, Shown } from "./text/visible";

export function App({ source, isFolder }: { source: Source; isFolder: boolean }) {
  const route = useRoute();
  // A folder has a list of runs, and no result of its own to ask for.
  const isList = isFolder && route.run === null;
  useEffect(() => {
    if (isList) document.title = "Evenhand";
  }, [isList]);
  if (isList) return <Folder source={source} route={route} error={null} />;
  return <Opened source={source} route={route} />;
}

function Opened({ source, route }: { source: Source; route: Route }) {
  const opened = useMemo(
    () => (route.run === null ? source : (source.openRun(route.run) ?? source)),
    [source, route.run],
  );
  const isOpened = useRef(false);
  const { version, gone } = useAlive(opened, isOpened);
  const { data, error } = useLoaded(() => opened.loadOverview(), [opened, version], [opened]);
  isOpened.current = data !== null;
  const title = data ? `${plainText(data.label ?? data.title)} – Evenhand` : "Evenhand";
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (route.page === "runs" || (error && !data && route.run === null))
    return <Folder source={source} route={route} error={error} />;
  if (error && !data)
    return (
      <Bare route={route}>
        <Notice kind="error">
          <Shown text={error} />
        </Notice>
      </Bare>
    );
  if (!data)
    return (
      <Bare route={route}>
        <p class="lead" role="status">
          Reading{route.run !== null && <Shown text={` ${route.run}`} />}…
        </p>
      </Bare>
    );
  return (
    <PageContext.Provider value={{ source: opened, overview: data, route }}>
      <Header overview={data} route={route} />
      {gone && (
        <div class="gone">
          <Notice kind="warning">{gone}</Notice>
        </div>
      )}
      <main id="main" tabIndex={-1}>
        <Page route={route} />
      </main>
      <Footer overview={data} />
      <KeyHelp />
    </PageContext.Provider>
  );
}

/** What people who judge see, and nothing else. */
export function ReviewApp({ review, decides }: { review: ReviewSource; decides: boolean }) {
  return (
    <>
      <header class="top">
        <span class="brand">Evenhand</span>
        <ThemeSwitch />
      </header>
      <main id="main">
        <BlindReview review={review} decides={decides} />
      </main>
      <KeyHelp />
    </>
  );
}

/** What stands around a page without a run that is open: the way back to the runs of the folder. */
function Bare({ route, children }: { route: Route; children: ComponentChildren }) {
  return (
    <>
      <header class="top">
        <a class="brand" href={linkTo({ run: null }, "ranking")}>
          Evenhand
        </a>
        {route.run !== null && (
          <nav aria-label="Pages">
            <a href="#/runs">All runs</a>
          </nav>
        )}
        <ThemeSwitch />
      </header>
      <main id="main">{children}</main>
    </>
  );
}

function Folder({ source, route, error }: { source: Source; route: Route; error: string | null }) {
  return (
    <>
      <Bare route={{ ...route, run: null }}>
        <RunsPage source={source} route={route} error={error} />
      </Bare>
      <KeyHelp />
    </>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case "ranking":
      return <RankingPage />;
    case "matrix":
      return <MatrixPage />;
    case "judgments":
      return <JudgmentsPage />;
    case "judgment":
      return <JudgmentPage />;
    case "figures":
      return <FiguresPage />;
    case "compare":
      return <ComparePage />;
    case "review":
      return <ReviewPage />;
    default:
      return <Notice kind="error">There is no such page. Use the links above.</Notice>;
  }
}

function pagesOf(overview: Overview): [string, string][] {
  const pages: [string, string][] = [["ranking", isRanking(overview) ? "Ranking" : "Result"]];
  if (overview.matrix.length) pages.push(["matrix", "Head to head"]);
  if (overview.counts.rows) pages.push(["judgments", "Judgments"]);
  if (overview.figures.length) pages.push(["figures", "Figures"]);
  if (overview.mode === "server") pages.push(["compare", "Compare"]);
  if (overview.review) pages.push(["review", "Review"]);
  return pages;
}

export function isRanking(overview: Overview): boolean {
  const { report } = overview;
  return (
    report !== null &&
    typeof report === "object" &&
    !Array.isArray(report) &&
    Array.isArray(report["ranking"])
  );
}

function Header({ overview, route }: { overview: Overview; route: Route }) {
  const current = route.page === "judgment" ? "judgments" : route.page;
  return (
    <header class="top">
      {/* biome-ignore lint/a11y/useValidAnchor: it goes there, and keeps the address. */}
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <a class="brand" href={linkTo(route, "ranking")}>
        Evenhand
      </a>
      <span class="title" title={plainText(overview.label ?? overview.title)}>
        <Shown text={overview.label ?? overview.title} />
      </span>
      <State overview={overview} />
      <nav aria-label="Pages">
        {pagesOf(overview).map(([page, label]) => (
          <a
            key={page}
            href={linkTo(route, page)}
            aria-current={page === current ? "page" : undefined}
          >
            {label}
          </a>
        ))}
        {overview.mode === "server" && route.run !== null && <a href="#/runs">All runs</a>}
        {overview.site === true && <a href="index.html">All pages</a>}
      </nav>
      <ThemeSwitch />
    </header>
  );
}

/** Green while a process holds the run; a run that is not at its end says so. */
function State({ overview }: { overview: Overview }) {
  if (overview.live)
    return (
      <span class="live" role="status">
        live
      </span>
    );
  const { state } = overview;
  return state === "stopped" || state === "failed" ? <span class="ended">{state}</span> : null;
}

function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

const THEMES = ["auto", "light", "dark"];
let theme = 0;

function ThemeSwitch() {
  const [chosen, setChosen] = useState(theme);
  const button = useRef<HTMLButtonElement>(null);
  const turn = () => {
    theme = (chosen + 1) % THEMES.length;
    document.documentElement.dataset["theme"] = THEMES[theme];
    setChosen(theme);
  };
  return (
    <button
      ref={button}
      class="theme"
      type="button"
      onClick={turn}
      title="Change between automatic, light and dark"
      aria-label={`Colours: ${THEMES[chosen]}`}
    >
      <span class="theme-name">Colours: </span>
      {THEMES[chosen]}
    </button>
  );
}

function Footer({ overview }: { overview: Overview }) {
  return (
    <footer>
      Made by <code>evenhand {plainText(overview.command)}</code> {plainText(overview.evenhand)}.
      <span class="keys">
        {" "}
        Press <kbd>?</kbd> for keys.
      </span>
    </footer>
  );
}
