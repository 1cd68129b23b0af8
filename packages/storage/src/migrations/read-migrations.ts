/**
 * Reads the migrations of a component: `<directory>/<engine>/0001-what-it-does.sql`, numbered from 1 without gaps. Line
 * endings differ between checkouts, so checksums normalize them.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Engine } from "../database.ts";

/** Owner of the migrations. A package with its own tables in a service's store has its own component. */
export interface MigrationSource {
  readonly component: string;
  /** Ends with a slash; contains the folders `sqlite` and `postgres`. */
  readonly directory: URL;
}

export interface Migration {
  readonly component: string;
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly sql: string;
}

export async function readMigrations(source: MigrationSource, engine: Engine): Promise<Migration[]> {
  const { component } = source;
  const folder = new URL(`${engine}/`, withSlash(source.directory));
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const migrations: Migration[] = [];
  for (const name of names) {
    const found = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(name);
    if (found === null)
      throw new Error(`The migration ${component}/${engine}/${name} must be named like 0001-what-it-does.sql.`);
    const number = Number(found[1]);
    if (number !== migrations.length + 1) {
      throw new Error(
        `The migrations of ${component} for ${engine} must be numbered from 1 without gaps; ${name} is at position ${migrations.length + 1}.`,
      );
    }
    const sql = (await readFile(new URL(name, folder), "utf8")).replaceAll("\r\n", "\n");
    const checksum = createHash("sha256").update(sql).digest("hex");
    migrations.push({ component, number, name: found[2] ?? "", checksum, sql });
  }
  return migrations;
}

function withSlash(directory: URL): URL {
  return directory.href.endsWith("/") ? directory : new URL(`${directory.href}/`);
}
