import { render } from "preact";
import { App } from "./app";
import { FileSource } from "./source/file";
import { ServerSource } from "./source/server";
import type { Source } from "./source/source";
import "./style/base.css";
import "./style/pages.css";

async function openSource(): Promise<Source> {
  const element = document.getElementById("evenhand-data");
  if (element?.getAttribute("type") !== "application/octet-stream") return new ServerSource();
  const source = await FileSource.open(element.textContent ?? "");
  element.remove();
  return source;
}

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  try {
    const source = await openSource();
    root.replaceChildren();
    render(<App source={source} />, root);
  } catch (error) {
    root.textContent = `This report cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void start();
