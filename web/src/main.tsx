import { render } from "preact";
import { App, ReviewApp } from "./app";
import { FileSource } from "./source/file";
import { ServerSource } from "./source/server";
import type { Source } from "./source/source";
import "./style/base.css";
import "./style/pages.css";

async function openSource(element: HTMLElement | null): Promise<Source> {
  if (element?.getAttribute("type") !== "application/octet-stream") return new ServerSource();
  const source = await FileSource.open(element.textContent ?? "");
  element.remove();
  return source;
}

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  try {
    const element = document.getElementById("evenhand-data");
    // The server says so of an address that is for those who judge.
    const judges = ['{"mode":"review"}', '{"mode":"adjudication"}'].indexOf(
      element?.textContent ?? "",
    );
    const isFolder = element?.textContent === '{"mode":"folder"}';
    const source = await openSource(element);
    root.replaceChildren();
    render(
      judges >= 0 && source.review ? (
        <ReviewApp review={source.review} decides={judges === 1} />
      ) : (
        <App source={source} isFolder={isFolder} />
      ),
      root,
    );
  } catch (error) {
    root.textContent = `This report cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void start();
