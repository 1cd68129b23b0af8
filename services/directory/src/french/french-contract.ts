/** The contract with its texts in French, for `/api` and the pages. Validation uses the English one. */
import { directoryContract, type ServiceContract } from "@triptych/contracts";
import { withFrenchSpaces } from "@triptych/server";
import { ENDPOINT_TEXTS } from "./endpoint-texts.ts";
import { RESPONSE_TEXTS } from "./response-texts.ts";

const TEXTS: Readonly<Record<string, string>> = { ...ENDPOINT_TEXTS, ...RESPONSE_TEXTS };

/** Null for a text without a French form. */
export function frenchText(english: string): string | null {
  const french = Object.hasOwn(TEXTS, english) ? TEXTS[english] : undefined;
  return french === undefined ? null : withFrenchSpaces(french);
}

export const frenchContract: ServiceContract = {
  ...translate(directoryContract),
  title: frenchText(directoryContract.title) ?? directoryContract.title,
};

/** Translates every description, summary and header. */
export function translate<T>(value: T): T;
export function translate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => translate(entry));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (name === "headers") return [name, translateHeaders(member)];
      const isText = typeof member === "string" && (name === "description" || name === "summary");
      return [name, isText ? (frenchText(member) ?? member) : translate(member)];
    }),
  );
}

function translateHeaders(headers: unknown): unknown {
  if (typeof headers !== "object" || headers === null) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]: [string, unknown]) => [
      name,
      typeof text === "string" ? (frenchText(text) ?? text) : text,
    ]),
  );
}
