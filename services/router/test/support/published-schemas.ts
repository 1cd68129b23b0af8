/** The schemas in `/openapi.json` as validators of requests and responses. */
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { Fixture } from "./create-fixture.ts";

interface Media {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly requestBody?: Media;
  readonly responses: Readonly<Record<string, Media>>;
}
interface Document {
  readonly components: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export async function publishedSchemas(fixture: Fixture) {
  const document: Document = (await fixture.ask("/openapi.json")).json();
  const ajv = addFormats.default(new Ajv({ allErrors: true, strict: false }));
  const compiled = new Map<object, ValidateFunction>();

  return {
    /** Issues of a request body; empty when the schema accepts it. */
    ofRequest: (path: string, body: unknown) => issues(operation(path).requestBody, body),
    /** Issues of a response. */
    ofAnswer: (path: string, status: number, body: unknown) => issues(operation(path).responses[status], body),
  };

  function operation(path: string): Operation {
    const { post, get } = document.paths[path] ?? {};
    const found = post ?? get;
    if (found === undefined) throw new Error(`${path} is not in the document`);
    return found;
  }

  function issues(media: Media | undefined, body: unknown): string[] {
    const schema = media?.content?.["application/json"]?.schema;
    if (schema === undefined) throw new Error("no schema is published for this");
    const check = compiled.get(schema) ?? ajv.compile({ ...schema, components: document.components });
    compiled.set(schema, check);
    return check(body) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}
