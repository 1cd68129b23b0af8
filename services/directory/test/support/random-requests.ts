/** Random requests: every parameter valid, invalid, repeated, empty, unknown or oversized, in any combination. */
import type { Random } from "./random.ts";

const NAMES =
  "type departement departements region commune insee code_postal source bbox ids tag q near radius limit offset sort facets format fields correct strict synonyms since highlight key from to".split(
    " ",
  );
const VALUES: Readonly<Record<string, readonly string[]>> = {
  type: ["place", "actor,article", "-place", "actor,-article", "PLACE", "lieu"],
  departement: ["Ain", "cotes d armor", "La Réunion", "01", "Ain,Aisne"],
  departements: ["ain,aisne", "2A", "974", "20"],
  region: ["bretagne", "53", "Île-de-France", "outre-mer"],
  commune: ["Saint-Denis", "st etienne", "SAINTETIENNE", "Rennes", "Renes", "-Rennes", "Ελλάς", "la", "x".repeat(100)],
  insee: ["35238", "2a004,35238", "3523", "99999", "-35238", "75056,".repeat(99) + "75056", "97411,97411"],
  code_postal: ["35000", "35,2200", "1", "350000", "2A", "00,99", Array(101).fill("35").join(",")],
  source: [
    "triptych-sample",
    "Triptych sample",
    "-triptych-sample",
    "triptych-sample,-triptych-sample",
    "-",
    "nothing",
  ],
  bbox: [
    "-2.2,47.9,-1.4,48.3",
    "170,-30,-170,30",
    "-180,-90,180,90",
    "47.9,-2.2,48.3,-1.4",
    "0,10,0,-10",
    "1,2,3",
    "181,0,182,1",
    "-1.6,48.1,-1.6,48.1",
    "1e5,2,3,4",
  ],
  ids: [
    "place/rennes",
    "article/bretagne,place/rennes,place/rennes,place/nothing",
    "lieu/rennes",
    "place/",
    "place/Rennes",
    "-place/rennes",
    Array.from({ length: 101 }, (_, n) => `place/x-${n}`).join(","),
    `place/${"x".repeat(130)}`,
  ],
  tag: ["prefecture", "a,b", "littoral,ile", "-prefecture", "littoral,-ile", "-", "É"],
  q: [
    "rennes",
    "l'hôtel de ville",
    "prefectur",
    "musse",
    "eu",
    "de la",
    "œuvre",
    "🎭",
    "préfecture région mer montagne",
    "-",
    "'",
  ],
  near: ["48.1,-1.6", "90,0", "-90,180", "0,-180", "1,2,3", "200,1", "NaN,NaN", "1e5,2", "48.1;2"],
  radius: ["0.0001", "200", "201", "-5", "10.5", "abc"],
  limit: ["0", "1", "100", "101", "all", "-1", "9999999999999999999999"],
  offset: ["0", "10", "1000000000", "1000000001", "-3", "1.5"],
  sort: ["title", "relevance", "distance", "updated_at", "-updated_at", "size"],
  facets: ["commune,source", "type,tag,region,departement", "type,type", "x"],
  format: ["json", "csv", "geojson", "ndjson", "ld+json", "xml"],
  fields: ["title", "title,summary,tags", "location,extra,mentions", "distance_km", "title,highlights", "titel"],
  highlight: ["true", "false", "1"],
  since: ["1-4aba2542f746", "9-000000000000", "2026-11-20T08:00:00Z", "2026-11-20T08:00:00+01:00", "2026-11-20", "0-1"],
  correct: ["true", "false", "0"],
  strict: ["true", "false", "1"],
  synonyms: ["true", "false", "no"],
  key: ["x", "dir_test_00000000000000000000000000_0000000"],
  from: ["2026-11-01", "2026-13-40", "yesterday"],
  to: ["2026-11-30", "2020-01-01", ""],
};
const NASTY = [
  "",
  " ",
  "%",
  "%zz",
  "%00",
  "%F0%9F",
  "%C0%AF",
  "..",
  "__proto__",
  "constructor",
  "[object Object]",
  "'\"<script>",
  "a".repeat(300),
  "﷽".repeat(60),
  "1,".repeat(200),
  "null",
  "undefined",
  "%0d%0aSet-Cookie:x=1",
  "+",
  "&&==",
  "\u202e",
];
const PATHS = [
  "/api/items",
  "/api/items",
  "/api/items",
  "/api/items",
  "/api/items",
  "/api/items",
  "/api/item/place/rennes",
  "/api/item/article/bretagne",
  "/api/suggest",
  "/api/meta",
  "/api/usage",
  "/api",
  "/api/items/",
  "/api//items",
  "/api/item/place/",
  "/api/item/lieu/x",
  "/%61pi/items",
  "/docs",
  "/carte",
  "/problems/x",
  "/readyz",
  "/api/item/place/%2e%2e",
  "/api/item/place/%zz",
  "/nowhere",
];
const METHODS = ["GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE"] as const;
const ACCEPTS = [
  "*/*",
  "application/json",
  "text/csv",
  "application/geo+json;q=0.3, application/x-ndjson",
  "text/html",
  "application/ld+json",
  "garbage",
  "",
  "a/b;q=x",
];

export interface RandomRequest {
  readonly method: (typeof METHODS)[number];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function randomRequest(random: Random): RandomRequest {
  const pairs = Array.from({ length: random.pick([0, 1, 1, 2, 3, 4, 6]) }, () => randomPair(random));
  const query = pairs.length > 0 || random.chance(0.05) ? `?${pairs.join("&")}` : "";
  const path = random.pick(PATHS) + (random.chance(0.01) ? "x".repeat(random.below(9000)) : "");
  return { method: random.pick(METHODS), url: path + query, headers: randomHeaders(random) };
}

function randomPair(random: Random): string {
  const name = random.chance(0.05) ? random.pick(NASTY) : random.pick(NAMES);
  const value = random.chance(0.25)
    ? random.pick(NASTY)
    : random.pick(Object.hasOwn(VALUES, name) ? VALUES[name] : NASTY);
  const encoded = random.chance(0.8) && !value.includes("%") ? encodeURIComponent(value) : value;
  return random.chance(0.03) ? name : `${name}=${encoded}`;
}

function randomHeaders(random: Random): Record<string, string> {
  return {
    ...(random.chance(0.3) && { accept: random.pick(ACCEPTS) }),
    ...(random.chance(0.2) && { "if-none-match": random.pick(["*", "*", '"x"', "W/", "garbage", ","]) }),
    ...(random.chance(0.1) && { "x-request-id": random.pick(["ok-1", "not ok", "é", "a".repeat(200)]) }),
    ...(random.chance(0.1) && { "accept-encoding": random.pick(["gzip", "br", "identity;q=0", "garbage", "*;q=0"]) }),
    ...(random.chance(0.05) && { authorization: random.pick(["Bearer", "Bearer x y", "Basic eDp5", "bearer   "]) }),
  };
}
