/** `${NAME}` and `${file:PATH}` in the rules: values that should not be in the file itself. */
import { readFileSync } from "node:fs";
import type { Environment } from "@triptych/config";

const REFERENCE = /\$\{([^}]*)\}/g;
const WHOLE = /^\$\{[^}]+\}$/;
const FILE_BYTES_MAX = 16_384;

export function isReference(text: string): boolean {
  return WHOLE.test(text);
}

/** Calls `onIssue` for each reference without a value. Issues contain names, never values. */
export function resolveReferences(text: string, environment: Environment, onIssue: (issue: string) => void): string {
  return text.replaceAll(REFERENCE, (_, name: string) => {
    const value = name.startsWith("file:") ? valueInFile(name.slice("file:".length)) : environment[name];
    if (value !== undefined && value !== null && value !== "") return value;
    onIssue(
      name.startsWith("file:")
        ? `the file ${name.slice("file:".length)} cannot be read or is empty`
        : `the variable ${name} is not set`,
    );
    return "";
  });
}

function valueInFile(path: string): string | null {
  try {
    const text = readFileSync(path, "utf8");
    return text.length > FILE_BYTES_MAX ? null : text.trim();
  } catch {
    return null;
  }
}
