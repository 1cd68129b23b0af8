/** The input of a batch: one state, or one request, per line. */
import { DECISION_BODY_BYTES, type ValidationIssue } from "@triptych/contracts";
import { compileBody } from "@triptych/server";
import { isRecord } from "@triptych/util";
import { readLines } from "../deciding/read-lines.ts";
import { ENDPOINTS, requestFor, type DecisionSettings } from "../deciding/wires.ts";

export interface InputLine {
  readonly number: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface InputIssue {
  readonly line: number;
  /** JSON pointer into the request; empty for the whole line. */
  readonly path: string;
  readonly message: string;
}

type LineReading = { readonly body: InputLine["body"] } | { readonly issues: readonly Omit<InputIssue, "line">[] };

export interface LineReader {
  readonly read: (text: string | null) => LineReading;
}

export function createLineReader(settings: DecisionSettings): LineReader {
  const check = compileBody(ENDPOINTS[settings.api].body ?? {});
  return {
    read(text) {
      if (text === null) return whole(`The line has more than ${DECISION_BODY_BYTES} bytes.`);
      if (text.trim() === "") return whole("The line is empty.");
      const value = parsed(text);
      if (value === undefined) return whole("The line is not valid JSON.");
      const body = bodyOf(value, settings);
      if (body === null) return whole("The line must be a text or an object: the state, or a request.");
      const issues = check(body);
      return issues.length > 0 ? { issues: issues.map(issueOf) } : { body };
    },
  };
}

function bodyOf(value: unknown, settings: DecisionSettings): InputLine["body"] | null {
  if (typeof value === "string") return requestFor({ state: value }, settings);
  if (!isRecord(value)) return null;
  const { api, expert, labels, minConf } = settings;
  return {
    ...(expert !== null && { expert }),
    ...(minConf !== null && { min_conf: minConf }),
    ...(api === "route" && labels !== null && { options: labels }),
    ...value,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function whole(message: string): LineReading {
  return { issues: [{ path: "", message }] };
}

function issueOf({ path, message }: ValidationIssue) {
  return { path, message };
}

/** Further issues are only counted. */
export const INPUT_ISSUES_MAX = 1000;

export interface InputCheck {
  readonly lines: number;
  readonly issues: readonly InputIssue[];
  readonly issueCount: number;
}

/** Reads the whole file: nothing may be paid for before every line has been checked. */
export async function checkInput(file: string, reader: LineReader): Promise<InputCheck> {
  const issues: InputIssue[] = [];
  let issueCount = 0;
  let lines = 0;
  for await (const { number, text } of readLines(file, DECISION_BODY_BYTES)) {
    lines = number;
    const reading = reader.read(text);
    if (!("issues" in reading)) continue;
    issueCount += reading.issues.length;
    for (const issue of reading.issues) if (issues.length < INPUT_ISSUES_MAX) issues.push({ line: number, ...issue });
  }
  return { lines, issues, issueCount };
}

/** Yields the lines. Throws if the file has changed since the check. */
export async function* inputLines(file: string, reader: LineReader): AsyncGenerator<InputLine> {
  for await (const { number, text } of readLines(file, DECISION_BODY_BYTES)) {
    const reading = reader.read(text);
    if ("issues" in reading) throw new Error(`Line ${number} of the input was changed during the run.`);
    yield { number, body: reading.body };
  }
}
