/**
 * What teaches escalation: questions that a weaker model got wrong (RouteLLM on MMLU), and what people say to the tools expert, where
 * only the route `escalate` is one.
 */
import type { Trunk } from "../src/trunk/trunk.ts";
import type { NoulRow } from "../src/signals/train-signals.ts";
import type { DataFolder } from "./data-folder.ts";
import { readPhrasings, isHeldBack } from "./phrasings.ts";

export interface SourcedNoulRow extends NoulRow {
  readonly source: string;
  /** Rows of one group stay in one fold. */
  readonly group: string;
}

interface AnsweredRow {
  readonly text: string;
  readonly subject: string;
  readonly weak_correct: boolean;
  readonly strong_correct: boolean;
}

export function readNoulRows(data: DataFolder, trunk: Trunk): readonly SourcedNoulRow[] {
  const answered = data
    .typed("escalate/routellm_mmlu_dev.jsonl.gz", "signals", isAnswered)
    .map(({ text, subject, weak_correct: right }) => rowOf(text, { source: "mmlu", group: subject, escalate: !right }));
  const phrased = (["tools", "helpdesk"] as const).flatMap((expert) =>
    (["en", "fr"] as const).flatMap((language) =>
      readPhrasings(expert, language)
        .filter((row) => !isHeldBack(row))
        .map(({ text, route, template }) =>
          rowOf(text, { source: `${expert} ${language}`, group: template, escalate: route === "escalate" }),
        ),
    ),
  );
  return [...answered, ...phrased];

  function rowOf(state: string, said: Pick<SourcedNoulRow, "source" | "group" | "escalate">): SourcedNoulRow {
    return { state, encoding: trunk.encode(state), confidence: 1, margin: 1, scope: null, ...said };
  }
}

function isAnswered(row: unknown): row is AnsweredRow {
  if (typeof row !== "object" || row === null) return false;
  const member = (name: string): unknown => Reflect.get(row, name);
  return (
    typeof member("text") === "string" &&
    typeof member("subject") === "string" &&
    typeof member("weak_correct") === "boolean" &&
    typeof member("strong_correct") === "boolean"
  );
}
