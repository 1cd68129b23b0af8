/**
 * The phrasings: templates with slots, per expert and language. Expansion is deterministic, and all texts of a
 * template stay on one side of every split.
 */
import { readFileSync } from "node:fs";
import { hashText } from "../src/text/rows.ts";

export interface PhrasedText {
  readonly text: string;
  readonly template: string;
  readonly route: string;
  readonly language: Language;
}

export type Language = "en" | "fr";
export const LANGUAGES: readonly Language[] = ["en", "fr"];
export type PhrasedExpert = "tools" | "helpdesk";

interface PhrasingFile {
  readonly slots: Readonly<Record<string, readonly string[]>>;
  readonly routes: Readonly<Record<string, readonly string[]>>;
}

const FOLDER = new URL("../../../services/router/phrasings/", import.meta.url);
const TEXTS_OF_TEMPLATE = 4;
/** One template in five is held back for evaluation. */
const HELD_OUT = 5;
const SPLIT_SEED = 0x1f83d9ab;
const SLOT_SEED = 0x5be0cd19;

export function readPhrasings(expert: PhrasedExpert, language: Language): readonly PhrasedText[] {
  const file = JSON.parse(readFileSync(new URL(`${language}/${expert}.json`, FOLDER), "utf8")) as PhrasingFile;
  return Object.entries(file.routes).flatMap(([route, templates]) =>
    templates.flatMap((template) =>
      expandTemplate(template, file.slots, TEXTS_OF_TEMPLATE).map((text) => ({
        text,
        template: `${language}:${template}`,
        route,
        language,
      })),
    ),
  );
}

export function isHeldOut({ template }: Pick<PhrasedText, "template">): boolean {
  return hashText(template, SPLIT_SEED) % HELD_OUT === 0;
}

/**
 * Whether the text is for evaluation only. The shipped experts are calibrated on the other half of the held-back
 * templates.
 */
export function isJudgedBy(text: Pick<PhrasedText, "template">): boolean {
  return isHeldOut(text) && Math.floor(hashText(text.template, SPLIT_SEED) / HELD_OUT) % 2 === 0;
}

/** Returns at most `count` texts of a template; fewer if its slots repeat values. */
export function expandTemplate(template: string, slots: PhrasingFile["slots"], count: number): readonly string[] {
  if (!template.includes("{")) return [template];
  const texts = Array.from({ length: count }, (_, index) =>
    template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const values = slots[name] ?? [];
      return values[hashText(`${index} ${name} ${template}`, SLOT_SEED) % values.length] ?? "";
    }),
  );
  return [...new Set(texts)];
}
