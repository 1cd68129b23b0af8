import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEPARTEMENTS, REGIONS, departementByName, regionByName } from "../src/domain/reference.ts";

const bare = (name: string) => name.normalize("NFD").replaceAll(/\p{M}/gu, "");

/** Twenty real-world spellings of a name. */
const SPELLINGS: Readonly<Record<string, (name: string) => string>> = {
  "as it is": (name) => name,
  "lower case": (name) => name.toLowerCase(),
  "upper case": (name) => name.toUpperCase(),
  "without accents": bare,
  "lower case without accents": (name) => bare(name).toLowerCase(),
  "upper case without accents": (name) => bare(name).toUpperCase(),
  "decomposed accents": (name) => name.normalize("NFD"),
  "spaces for hyphens": (name) => name.replaceAll("-", " "),
  "hyphens for spaces": (name) => name.replaceAll(" ", "-"),
  "no separator": (name) => name.replaceAll(/[-' ]/g, ""),
  slug: (name) =>
    bare(name)
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, "-"),
  "slug with spaces": (name) =>
    bare(name)
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, " "),
  underscores: (name) => name.replaceAll(/[-' ]/g, "_"),
  "typographic apostrophe": (name) => name.replaceAll("'", "’"),
  "apostrophe and space": (name) => name.replaceAll("'", "' "),
  "space for the apostrophe": (name) => name.replaceAll("'", " "),
  "non-breaking spaces": (name) => name.replaceAll(/[- ]/g, "\u00a0"),
  "spaces around": (name) => `  ${name} `,
  "spaced hyphens": (name) => name.replaceAll("-", " - "),
  "non-breaking hyphens": (name) => name.replaceAll("-", "\u2011"),
};

describe("resolves a name in twenty spellings to the same département or région", () => {
  assert.equal(Object.keys(SPELLINGS).length, 20);
  for (const [spelling, write] of Object.entries(SPELLINGS)) {
    test(spelling, () => {
      for (const { code, nom } of DEPARTEMENTS) assert.equal(departementByName(write(nom))?.code, code, write(nom));
      for (const { code, nom } of REGIONS) assert.equal(regionByName(write(nom))?.code, code, write(nom));
    });
  }
});

test("folds no two names to the same key, and resolves no other text", () => {
  assert.equal(new Set(DEPARTEMENTS.map(({ nom }) => departementByName(nom)?.code)).size, 101);
  assert.equal(new Set(DEPARTEMENTS.map(({ slug }) => slug)).size, 101);
  for (const name of ["", "-", "Ain,Aisne", "Cote", "01", "Bretagne", "Hautes"])
    assert.equal(departementByName(name), undefined, name);
});
