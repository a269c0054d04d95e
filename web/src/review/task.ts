/** What the server hands out to be judged. */

import { listOf, membersOf, numberOf, textOf } from "../source/report";
import type { Json } from "../source/types";

export interface Side {
  text: string;
  turns: Json;
  trajectory: Json;
}

export interface Task {
  id: string;
  draw: string;
  item: {
    id: string;
    text: string;
    category: string | null;
    reference: string | null;
    turns: Json;
  };
  left: Side;
  right: Side;
  said: { annotator: string; choice: string; comment: string | null }[];
}

export interface Next {
  task: Task | null;
  /** The pairs that these are of. */
  queue: string;
  done: number;
  skipped: number;
  left: number;
  last: { key: string; choice: string } | null;
}

export function readNext(answer: Json): Next {
  const members = membersOf(answer);
  const last = membersOf(members["last"] ?? null);
  const key = textOf(last["key"]);
  const count = (name: string) => numberOf(members[name]) ?? 0;
  return {
    task: readTask(members["task"] ?? null),
    queue: textOf(members["queue"]) ?? "",
    done: count("done"),
    skipped: count("skipped"),
    left: count("left"),
    last: key === null ? null : { key, choice: textOf(last["choice"]) ?? "" },
  };
}

function readTask(value: Json): Task | null {
  const members = membersOf(value);
  const [id, draw] = [textOf(members["id"]), textOf(members["draw"])];
  if (id === null || draw === null) return null;
  const item = membersOf(members["item"]);
  return {
    id,
    draw,
    item: {
      id: textOf(item["id"]) ?? "",
      text: textOf(item["text"]) ?? "",
      category: textOf(item["category"]),
      reference: textOf(item["reference"]),
      turns: item["turns"] ?? null,
    },
    left: readSide(members["left"] ?? null),
    right: readSide(members["right"] ?? null),
    said: listOf(members["said"])
      .map(membersOf)
      .map((one) => ({
        annotator: textOf(one["annotator"]) ?? "?",
        choice: textOf(one["choice"]) ?? "?",
        comment: textOf(one["comment"]),
      })),
  };
}

function readSide(value: Json): Side {
  const members = membersOf(value);
  return {
    text: textOf(members["text"]) ?? "",
    turns: members["turns"] ?? null,
    trajectory: members["trajectory"] ?? null,
  };
}
