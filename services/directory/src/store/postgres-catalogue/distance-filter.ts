/**
 * Exact distances, computed in PostgreSQL: the squared chords of all items in a circle (prefiltered by a 3D box, so
 * poles and antimeridian need no special case) or of given ids. Same operations in the same order as `squaredChord`, so
 * equal to the last bit.
 */
import { readPrepared, sql } from "@triptych/storage";
import type { Near } from "../../domain/catalogue.ts";
import { chordBound, unitVector } from "../../domain/geo.ts";
import type { Db, Fragment, IndexTables } from "./index-tables.ts";
import { integerArray } from "./integer-array.ts";

/** The box is wider than the circle, because PostGIS stores its sides in single precision. */
const BOX_SLACK = 1e-6;
const ROW_BYTES = 12;
/** Above any row count; an id times this is still an exact integer. */
const INDEX_RANGE = 2 ** 25;

export interface Measured {
  readonly ids: Uint32Array;
  readonly chords: Float64Array;
}

/** `kinds`: only these; null for all. */
export interface Circle {
  readonly near: Near;
  readonly kinds: readonly number[] | null;
}

export function measureCircle(db: Db, tables: IndexTables, circle: Circle): Promise<Measured> {
  return measure(db, insideCircle(tables, circle));
}

export function measureSome(db: Db, tables: IndexTables, near: Near, ids: Uint32Array): Promise<Measured> {
  return measure(db, inside(tables, near, sql`one.id = any(${integerArray(ids)}::integer[])`));
}

export function insideCircle(tables: IndexTables, { near, kinds }: Circle): Fragment {
  const { x, y, z } = unitVector(near.lat, near.lon);
  const half = Math.sqrt(chordBound(near.radiusKm)) + BOX_SLACK;
  const corner = (sign: 1 | -1) =>
    sql`public.st_makepoint(${x + sign * half}::float8, ${y + sign * half}::float8, ${z + sign * half}::float8)`;
  const box = sql`one.point operator(public.&&&) public.st_3dmakebox(${corner(-1)}, ${corner(1)})::public.geometry`;
  const among = kinds === null ? sql`` : sql` and one.kind = any(${integerArray(kinds)}::smallint[])`;
  return inside(tables, near, sql`${box}${among}`);
}

function inside({ point }: IndexTables, near: Near, condition: Fragment): Fragment {
  const { x, y, z } = unitVector(near.lat, near.lon);
  const [dx, dy, dz] = [sql`(${x}::float8 - one.x)`, sql`(${y}::float8 - one.y)`, sql`(${z}::float8 - one.z)`];
  const chord = sql`((${dx} * ${dx} + ${dy} * ${dy}) + ${dz} * ${dz})`;
  return sql`
    select id, rank, chord from (select one.id, one.rank, ${chord} as chord from ${point} as one where ${condition} offset 0) as chords
     where chord <= ${chordBound(near.radiusKm)}::float8`;
}

async function measure(db: Db, chords: Fragment): Promise<Measured> {
  // One value for all rows: parsing many rows costs the client more than the query costs the server.
  const rows = await readPrepared(
    db,
    sql<{ measured: Uint8Array | null }>`
      select string_agg(int4send(id) || float8send(chord), ''::bytea) as measured from (${chords}) as inside`,
  );
  return sortById(rows[0]?.measured ?? new Uint8Array(0));
}

function sortById(measured: Uint8Array): Measured {
  const view = new DataView(measured.buffer, measured.byteOffset, measured.length);
  const count = measured.length / ROW_BYTES;
  // Packs id and position into one number: a numeric sort is much faster than a comparator.
  const sortKeys = Float64Array.from(
    { length: count },
    (_, index) => view.getUint32(index * ROW_BYTES) * INDEX_RANGE + index,
  );
  sortKeys.sort();
  const [ids, chords] = [new Uint32Array(count), new Float64Array(count)];
  for (let i = 0; i < count; i++) {
    const index = sortKeys[i] % INDEX_RANGE;
    ids[i] = (sortKeys[i] - index) / INDEX_RANGE;
    chords[i] = view.getFloat64(index * ROW_BYTES + 4);
  }
  return { ids, chords };
}
