/**
 * `npm run make:communes`: generates the shipped list of communes from `@etalab/decoupage-administratif` (Code officiel
 * géographique and postal codes of La Poste). One line per commune: code, name, postal codes, present commune of a former
 * commune or an arrondissement, earlier codes. Compressed, because the text has a megabyte.
 */
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { brotliCompressSync, constants } from "node:zlib";
import { Type } from "typebox";
import { Value } from "typebox/value";

const Codes = Type.Optional(Type.Array(Type.String()));
const Listed = Type.Array(
  Type.Object({
    code: Type.String(),
    nom: Type.String(),
    type: Type.String(),
    codesPostaux: Codes,
    anciensCodes: Codes,
    chefLieu: Type.Optional(Type.String()),
    commune: Type.Optional(Type.String()),
  }),
);

const path = createRequire(import.meta.url).resolve("@etalab/decoupage-administratif/data/communes.json");
const listed = Value.Parse(Listed, JSON.parse(await readFile(path, "utf8")));
const rank = (type: string): number => (type === "commune-actuelle" ? 0 : 1);
const lines = listed
  .toSorted((a, b) => (a.code === b.code ? rank(a.type) - rank(b.type) : a.code < b.code ? -1 : 1))
  .map(({ code, nom, codesPostaux = [], chefLieu, commune, anciensCodes = [] }) =>
    [code, nom, codesPostaux.join(","), chefLieu ?? commune ?? "", anciensCodes.join(",")].join("\t").trimEnd(),
  );
const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
const packed = brotliCompressSync(lines.join("\n"), { params }).toString("base64");
await writeFile(new URL("../domain/communes.json", import.meta.url), `{ "brotli": "${packed}" }\n`);
