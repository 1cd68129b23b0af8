/** All French texts. English runs never load them. */
import type { Catalogue } from "../i18n.ts";
import { ACCOUNT } from "./account.ts";
import { frenchPanelText } from "./panel.ts";
import { FRAME } from "./frame.ts";
import { REPO } from "./repo.ts";
import { RUN } from "./run.ts";
import { RUNS } from "./runs.ts";
import { SETTINGS } from "./settings.ts";

const texts: Catalogue = { ...FRAME, ...RUNS, ...RUN, ...REPO, ...SETTINGS, ...ACCOUNT };

/** French sets a space before these signs; no line may break there. */
const unbroken = (text: string) => text.replaceAll(/ (?=[:;!?»%])|(?<=«) /g, "\u00A0");

/** Null for a text of the panel without a French form. */
export function translatePanelText(text: string): string | null {
  const french = frenchPanelText(text);
  return french === null ? null : unbroken(french);
}

export const FRENCH: Catalogue = Object.fromEntries(
  Object.entries(texts).map(([text, french]) => [
    text,
    typeof french === "string" ? unbroken(french) : [unbroken(french[0]), unbroken(french[1])],
  ]),
);
