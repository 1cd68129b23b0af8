/** The columns that a mapping uses, with their locations in it, to check it against a file's header. */
import { nearestName } from "../reference.ts";
import type { ListFrom, Mapping, MappingIssue, TextFrom } from "./mapping.ts";
import { TEXT_FIELDS } from "./mapping.ts";

interface NamedColumn {
  readonly path: string;
  readonly column: string;
}

export function unknownColumns(mapping: Mapping, columns: readonly string[]): MappingIssue[] {
  const existing = new Set(columns);
  return namedColumns(mapping)
    .filter(({ column }) => !existing.has(column.normalize("NFC")))
    .map(({ path, column }) => {
      const near = nearestName(column, columns);
      const hint = near === null ? `the file has: ${columns.slice(0, 40).join(", ")}` : `did you mean "${near}"?`;
      return { path, message: `the file has no column "${column}"; ${hint}` };
    });
}

export function columnsOf(mapping: Mapping): string[] {
  return [...new Set(namedColumns(mapping).map((entry) => entry.column.normalize("NFC")))];
}

/** Column names inside a template; `{@commune}` is not a column. */
function templateColumns(template: string): string[] {
  return Array.from(template.matchAll(/\{([^{}@][^{}]*)\}/g), (match) => match[1]);
}

function namedColumns(mapping: Mapping): NamedColumn[] {
  const { id, location, address, commune, departement, region, type, managed_by, mentions } = mapping;
  const columnAt = (path: string, column: string | undefined): NamedColumn[] =>
    column === undefined ? [] : [{ path, column }];
  return [
    ...(typeof id === "string" ? columnAt("/id", id) : id.flatMap((column, index) => columnAt(`/id/${index}`, column))),
    ...TEXT_FIELDS.flatMap((field) => ofText(`/${field}`, mapping[field])),
    ...ofText("/address/rue", address?.rue),
    ...ofText("/address/code_postal", address?.code_postal),
    ...(location === undefined
      ? []
      : "lat" in location
        ? [...columnAt("/location/lat", location.lat), ...columnAt("/location/lon", location.lon)]
        : "from" in location
          ? columnAt("/location/from", location.from)
          : []),
    ...columnAt("/commune/from", commune?.from),
    ...columnAt("/commune/nom", commune?.nom),
    ...columnAt("/departement/from", departement?.from),
    ...columnAt("/region/from", region?.from),
    ...columnAt("/type/from", type?.from),
    ...(["tags", "images", "links", "same_as"] as const).flatMap((field) => ofList(`/${field}`, mapping[field])),
    ...columnAt("/managed_by/from", managed_by?.from),
    ...columnAt("/mentions/from", mentions?.from),
    ...(mapping.extra ?? []).flatMap((extra, index) =>
      typeof extra === "string" ? columnAt(`/extra/${index}`, extra) : columnAt(`/extra/${index}/from`, extra.from),
    ),
  ];
}

function ofText(path: string, from: TextFrom | undefined): NamedColumn[] {
  if (from === undefined) return [];
  if (typeof from === "string") return [{ path, column: from }];
  if ("join" in from) return from.join.map((column, index) => ({ path: `${path}/join/${index}`, column }));
  if ("template" in from) return templateColumns(from.template).map((column) => ({ path: `${path}/template`, column }));
  return from.first.flatMap((part, index) => ofText(`${path}/first/${index}`, part));
}

function ofList(path: string, from: ListFrom | undefined): NamedColumn[] {
  if (from === undefined) return [];
  if (typeof from === "string") return [{ path, column: from }];
  if (Array.isArray(from)) return from.flatMap((part, index) => ofList(`${path}/${index}`, part));
  return [{ path: `${path}/from`, column: from.from }];
}
