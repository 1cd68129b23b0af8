/** Compares two OpenAPI documents of a service: requests of the older one, and responses of the newer one. */
import { misunderstandings, type Schema, type Side } from "./wire-compatibility.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content; readonly headers?: object }>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: object;
}

const METHODS = ["get", "put", "post", "delete", "patch"];

/** What a client of the older document would miss. */
export function brokenBy(older: Document, newer: Document): readonly string[] {
  return Object.entries(older.paths).flatMap(([path, operations]) =>
    METHODS.filter((method) => operations[method] !== undefined).flatMap((method) => {
      const name = `${method.toUpperCase()} ${path}`;
      const operation = newer.paths[path]?.[method];
      if (operation === undefined) return [`${name}: gone`];
      const sides = { older: sideOf(older), newer: sideOf(newer) };
      return [
        ...requestIssues(operations[method], operation, sides),
        ...responseIssues(operations[method], operation, sides),
      ].map((issue) => `${name} ${issue}`);
    }),
  );
}

type SideFor = (schema: Schema | undefined) => Side;
interface Sides {
  readonly older: SideFor;
  readonly newer: SideFor;
}

function sideOf(document: Document): SideFor {
  const resolve = (reference: string): Schema => {
    let found: unknown = document;
    for (const name of reference.replace(/^#\//, "").split("/"))
      found = (found as Readonly<Record<string, unknown>>)[name];
    return found as Schema;
  };
  return (schema) => ({ schema, resolve });
}

function requestIssues(before: Operation, after: Operation, { older, newer }: Sides): readonly string[] {
  const keyOf = ({ name, in: where }: Parameter) => `${where} ${name.toLowerCase()}`;
  const parametersOf = ({ parameters = [] }: Operation, side: SideFor) =>
    new Map(
      parameters.map((one) => {
        const parameter = one.$ref === undefined ? one : (side({}).resolve(one.$ref) as unknown as Parameter);
        return [keyOf(parameter), parameter];
      }),
    );
  const sent = parametersOf(before, older);
  const read = parametersOf(after, newer);
  const bodies = Object.entries(before.requestBody?.content ?? {});
  return [
    ...[...read]
      .filter(([key, { required }]) => required === true && sent.get(key)?.required !== true)
      .map(([key]) => `${key}: now required`),
    ...[...sent].flatMap(([key, { schema }]) => {
      const target = read.get(key);
      return target === undefined
        ? [`${key}: gone`]
        : misunderstandings(older(schema), newer(target.schema), "strict", key);
    }),
    ...(after.requestBody?.required === true && before.requestBody === undefined ? ["body: now required"] : []),
    ...bodies.flatMap(([media, { schema }]) => {
      const target = after.requestBody?.content?.[media];
      return target === undefined
        ? [`${media}: gone`]
        : misunderstandings(older(schema), newer(target.schema), "strict", "body");
    }),
  ];
}

function responseIssues(before: Operation, after: Operation, { older, newer }: Sides): readonly string[] {
  return Object.entries(before.responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, { content = {} }]) => {
      const target = after.responses[status];
      if (target === undefined) return [`${status}: gone`];
      return Object.entries(content).flatMap(([media, { schema }]) => {
        const written = target.content?.[media];
        return written === undefined
          ? [`${status} ${media}: gone`]
          : misunderstandings(newer(written.schema), older(schema), "loose", status);
      });
    });
}
