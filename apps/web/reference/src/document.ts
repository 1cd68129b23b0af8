/** Changes that the viewer makes to the OpenAPI document of a service. */

export interface OpenApi {
  readonly info: { readonly title: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> };
}

interface SecurityScheme {
  /** Where an API key is sent; absent for a bearer token. */
  readonly in?: string;
  readonly name?: string;
}

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/**
 * Requests go to this origin. Credentials are typed once, and sent in headers only: URLs end up in histories and logs,
 * and the browser sends its cookies itself.
 */
export function viewedDocument(document: OpenApi, origin: string): OpenApi {
  const schemes = Object.entries(document.components.securitySchemes ?? {});
  const isTyped = (scheme: SecurityScheme) => scheme.in === undefined || scheme.in === "header";
  /** The first of equal schemes by the name of each: a service repeats the same one for each kind of caller. */
  const names = new Map(
    schemes
      .filter(([, scheme]) => isTyped(scheme))
      .map(([name, scheme]) => [name, schemes.find(([, other]) => isEqual(other, scheme))?.[0] ?? name]),
  );
  const rename = (requirement: Readonly<Record<string, readonly string[]>>) =>
    Object.fromEntries(Object.entries(requirement).map(([name, scopes]) => [names.get(name) ?? name, scopes]));
  const isUntyped = ({ in: place, name }: SecurityScheme) =>
    schemes.some(([, scheme]) => !isTyped(scheme) && scheme.in === place && scheme.name === name);
  const secured = ({ security = [], parameters = [], ...operation }: Operation): Operation => ({
    ...operation,
    parameters: parameters.filter((parameter) => !isUntyped(parameter)),
    security: security.filter((requirement) => Object.keys(requirement).every((name) => names.has(name))).map(rename),
  });
  const securitySchemes = schemes.filter(([name]) => names.get(name) === name);
  return {
    ...document,
    servers: [{ url: origin }],
    paths: mapValues(document.paths, (operations) => mapValues(pick(operations, hasEnd), secured)),
    components: { ...document.components, securitySchemes: Object.fromEntries(securitySchemes) },
  };
}

function isEqual(first: SecurityScheme, second: SecurityScheme): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** The viewer waits for the end of a response: it can show neither a WebSocket nor an endless stream. */
function hasEnd({ responses }: Operation): boolean {
  const [media] = Object.keys(responses["200"]?.content ?? {});
  return !("101" in responses) && media !== "text/event-stream";
}

function pick<Value>(values: Readonly<Record<string, Value>>, isPicked: (value: Value) => boolean) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isPicked(value)));
}

function mapValues<Value, Result>(values: Readonly<Record<string, Value>>, change: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
