/**
 * SQLite in a conventional design: FTS5 over words, an R*Tree with an exact test for points, a table of tags, b-trees
 * on filters in title order. In-process, as usual for SQLite.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { unitVector } from "../src/domain/geo.ts";
import type { PeerItem, PeerLoading, PeerQuery } from "./peers-query.ts";

const SCHEMA = `
  pragma journal_mode = off;
  pragma synchronous = off;
  pragma cache_size = -262144;
  pragma mmap_size = 8589934592;
  create table item (id integer primary key, type text not null, departement text, region text, title_rank integer not null) strict;
  create table body (id integer primary key, json text not null) strict;
  create table item_tag (tag text not null, title_rank integer not null, id integer not null, primary key (tag, title_rank)) strict, without rowid;
  create virtual table fulltext using fts5 (words, content = '', tokenize = "unicode61 remove_diacritics 0 tokenchars '_'");
  create virtual table place using rtree (id, south, north, west, east, +x real, +y real, +z real);`;

const INDEXES = `
  create index item_by_departement on item (type, departement, title_rank);
  create index item_by_region on item (region, title_rank);
  insert into fulltext (fulltext) values ('optimize');
  analyze;`;

const STATEMENTS_MAX = 1000;
const DEGREES_PER_KM = 180 / Math.PI / 6371;

export function loadSqlite(folder: string): PeerLoading {
  const name = "SQLite FTS5 + R*Tree";
  const path = join(folder, "peer.db");
  const database = new DatabaseSync(path);
  database.exec(SCHEMA);
  const add = adding(database);
  // Statements are cached: values are parameters, so there are few.
  const prepared = new Map<string, StatementSync>();
  const rows = (sql: string, parameters: readonly SQLInputValue[]) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    if (prepared.size < STATEMENTS_MAX) prepared.set(sql, statement);
    return statement.all(...parameters);
  };
  return {
    name,
    add(batch) {
      add(batch);
      return Promise.resolve();
    },
    finish() {
      database.exec(INDEXES);
      return Promise.resolve({
        name,
        bytes: statSync(path).size,
        search(query) {
          const { from, parameters, order, orderParameters } = compose(query);
          const [count] = rows(`select count(*) as total ${from}`, parameters);
          const page = rows(
            `select json from (select i.id as id ${from} order by ${order} limit ? offset ?) join body using (id)`,
            [...parameters, ...orderParameters, query.limit, query.offset],
          );
          return Promise.resolve({ total: Number(count["total"]), returned: page.length });
        },
      });
    },
    [Symbol.asyncDispose]() {
      database.close();
      return Promise.resolve();
    },
  };
}

function adding(database: DatabaseSync): (batch: readonly PeerItem[]) => void {
  const item = database.prepare("insert into item values (?, ?, ?, ?, ?)");
  const body = database.prepare("insert into body values (?, ?)");
  const tag = database.prepare("insert into item_tag values (?, ?, ?)");
  const words = database.prepare("insert into fulltext (rowid, words) values (?, ?)");
  const place = database.prepare("insert into place values (?, ?, ?, ?, ?, ?, ?, ?)");
  return (batch) => {
    database.exec("begin");
    for (const peerItem of batch) {
      item.run(peerItem.id, peerItem.type, peerItem.departement, peerItem.region, peerItem.titleRank);
      body.run(peerItem.id, peerItem.json);
      for (const slug of peerItem.tags) tag.run(slug, peerItem.titleRank, peerItem.id);
      words.run(peerItem.id, peerItem.terms.map(({ term }) => term).join(" "));
      if (peerItem.location === null) continue;
      const { lat, lon } = peerItem.location;
      const { x, y, z } = unitVector(lat, lon);
      place.run(peerItem.id, lat, lat, lon, lon, x, y, z);
    }
    database.exec("commit");
  };
}

interface Composed {
  readonly from: string;
  readonly parameters: readonly SQLInputValue[];
  readonly order: string;
  readonly orderParameters: readonly SQLInputValue[];
}

/** Every source is keyed by the item's id; the first one drives the query. */
function compose(query: PeerQuery): Composed {
  const joins: string[] = [];
  const conditions: string[] = [];
  const parameters: SQLInputValue[] = [];
  const within = (column: string, values: readonly string[]) => {
    if (values.length === 0) return;
    conditions.push(`${column} in (${values.map(() => "?").join(", ")})`);
    parameters.push(...values);
  };

  if (query.termGroups.length > 0) {
    joins.push("fulltext on fulltext.rowid = i.id");
    conditions.push("fulltext match ?");
    parameters.push(
      query.termGroups.map(({ any }) => `(${any.map((term) => `"${term}"`).join(" OR ")})`).join(" AND "),
    );
  }
  if (query.near !== null) {
    const { lat, lon, radiusKm, vector, bound } = query.near;
    const high = radiusKm * DEGREES_PER_KM * 1.001;
    const wide = high / Math.cos((Math.min(89, Math.abs(lat) + high) * Math.PI) / 180);
    joins.push("place on place.id = i.id");
    conditions.push("south <= ? and north >= ? and west <= ? and east >= ?", `${CHORD} <= ?`);
    parameters.push(lat + high, lat - high, lon + wide, lon - wide, ...chordParameters(vector), bound);
  }
  for (const [number, any] of query.tags.entries()) {
    joins.push(`item_tag t${number} on t${number}.id = i.id and t${number}.title_rank = i.title_rank`);
    within(`t${number}.tag`, any);
  }
  within("i.type", query.types);
  within("i.departement", query.departements);
  within("i.region", query.regions);
  // Without statistics the planner would scan all items: points come first if there is no word.
  const first = query.near !== null && query.termGroups.length === 0 ? "place cross join item i" : "item i";
  const rest = first === "item i" ? joins : joins.filter((join) => !join.startsWith("place "));
  if (first !== "item i") conditions.push("place.id = i.id");
  const from = `from ${first} ${rest.map((join) => `join ${join}`).join(" ")} where ${conditions.join(" and ") || "true"}`;
  if (query.sort === "distance" && query.near !== null)
    return { from, parameters, order: `${CHORD}, i.title_rank`, orderParameters: chordParameters(query.near.vector) };
  return { from, parameters, order: orderOf(query), orderParameters: [] };
}

function orderOf(query: PeerQuery): string {
  if (query.sort === "relevance") return "fulltext.rank, i.title_rank";
  return query.tags.length === 1 ? "t0.title_rank" : "i.title_rank";
}

const CHORD = "((x - ?) * (x - ?) + (y - ?) * (y - ?) + (z - ?) * (z - ?))";

function chordParameters({ x, y, z }: { x: number; y: number; z: number }): number[] {
  return [x, x, y, y, z, z];
}
