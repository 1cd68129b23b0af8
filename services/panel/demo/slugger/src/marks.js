import { deprecate } from "node:util";

/** Removes diacritics: "é" becomes "e". */
export function foldMarks(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "");
}

/** The name of foldMarks before version 2. */
export const stripMarks = deprecate(
  foldMarks,
  "stripMarks() is deprecated: call foldMarks() instead.",
  "SLUGGER001",
);
