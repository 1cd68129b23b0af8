/**
 * All services as one object whose methods are created from the endpoints: `triptych.directory.items.list({ q: "musée"
 * })`.
 */
import {
  directoryContract,
  gatewayContract,
  panelContract,
  railContract,
  routingEndpoints,
  type Endpoint,
  type EndpointModules,
} from "@triptych/contracts";
import { createClient, type ClientOptions } from "./client.ts";
import { isOnlyStream, isStream, streamEvents, type StreamOptions } from "./events.ts";
import { methodNames } from "./names.ts";
import { isPaged, iteratePages } from "./pages.ts";
import type { AnyInput, Reply, RequestOptions } from "./request.ts";
import type { Triptych } from "./service-methods.ts";

/** Addresses and credentials. Methods of a service without an address throw. */
export interface TriptychOptions extends Omit<ClientOptions, "url" | "headers"> {
  /** `key`: an API key, dir_live_… or dir_test_…. */
  readonly directory?: { readonly url: string; readonly key?: string | undefined };
  /** `token`: an access token, pnl_…. */
  readonly panel?: { readonly url: string; readonly token?: string | undefined };
  /** `wallet`: the token of a wallet; `admin`: an operator token. */
  readonly rail?: { readonly url: string; readonly wallet?: string | undefined; readonly admin?: string | undefined };
  readonly router?: { readonly url: string; readonly token?: string | undefined };
  readonly gateway?: { readonly url: string; readonly wallet?: string | undefined };
}

type ServiceName = keyof EndpointModules;

const ENDPOINTS: Readonly<Record<ServiceName, readonly Endpoint[]>> = {
  directory: directoryContract.endpoints,
  panel: panelContract.endpoints,
  rail: railContract.endpoints,
  router: routingEndpoints,
  gateway: gatewayContract.endpoints,
};
const INTERNAL_CREDENTIALS = new Set<string | null>(["worker", "run", "check", "service"]);

export function createTriptych(options: TriptychOptions): Triptych {
  const services = Object.fromEntries(
    (["directory", "panel", "rail", "router", "gateway"] as const).map((name) => [name, serviceOf(name, options)]),
  );
  // The types apply the same rules to the same endpoints.
  return services as unknown as Triptych;
}

interface Methods {
  [name: string]: unknown;
}

/** Endpoints of a service that have a method. */
export function publicEndpoints(service: ServiceName): readonly Endpoint[] {
  return ENDPOINTS[service].filter(
    ({ auth, rawBody, streamBody }) =>
      rawBody === undefined && streamBody === undefined && !INTERNAL_CREDENTIALS.has(auth),
  );
}

function serviceOf(service: ServiceName, options: TriptychOptions): Methods {
  const endpoints = publicEndpoints(service);
  const names = methodNames(endpoints.map(({ id }) => id));
  const root: Methods = {};
  for (const endpoint of endpoints) {
    const { path = [], method = endpoint.id } = names.get(endpoint.id) ?? {};
    let target = root;
    for (const name of path) target = (target[name] ??= {}) as Methods;
    const connection = connectionTo(service, endpoint, options);
    if (!isOnlyStream(endpoint)) target[method] = callOf(endpoint, connection);
    if (isPaged(endpoint)) target["iterate"] = iterationOf(endpoint, connection);
    if (isStream(endpoint)) target["stream"] = streamOf(endpoint, connection);
  }
  return root;
}

type Connection = () => ClientOptions;
type Parameters = Readonly<Record<string, unknown>>;

function connectionTo(service: ServiceName, { auth }: Endpoint, options: TriptychOptions): Connection {
  return () => {
    const { directory: _d, panel: _p, rail: _r, router: _o, gateway: _g, ...common } = options;
    const url = options[service]?.url;
    if (url === undefined)
      throw new TypeError(`The address of the ${service} is missing: pass { ${service}: { url } }.`);
    return { ...common, url, headers: auth === null ? {} : credentialOf(service, auth, options) };
  };
}

function credentialOf(service: ServiceName, auth: string, options: TriptychOptions): Readonly<Record<string, string>> {
  switch (service) {
    case "directory":
      return header("X-API-Key", options.directory?.key);
    case "panel":
      return bearer(options.panel?.token);
    case "rail":
      return auth === "admin" ? bearer(options.rail?.admin) : header("X-Rail-Wallet", options.rail?.wallet);
    case "router":
      return bearer(options.router?.token);
    case "gateway":
      return header("X-Rail-Wallet", options.gateway?.wallet);
  }
}

function bearer(token: string | undefined): Readonly<Record<string, string>> {
  return header("Authorization", token === undefined ? undefined : `Bearer ${token}`);
}

function header(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value };
}

function callOf(endpoint: Endpoint, connection: Connection) {
  return (parameters: Parameters = {}, requestOptions: RequestOptions = {}) => {
    const reply: Promise<Reply<Endpoint>> = call(endpoint, connection, parameters, requestOptions);
    const answer = reply.then(({ body }) => body);
    // With `withResponse`, nothing awaits this promise, so its rejection would end the process.
    answer.catch(() => undefined);
    return Object.assign(answer, { withResponse: () => reply });
  };
}

async function call(
  endpoint: Endpoint,
  connection: Connection,
  parameters: Parameters,
  requestOptions: RequestOptions,
) {
  return createClient(connection()).call(endpoint, { ...requestOptions, ...inputOf(endpoint, parameters) });
}

function iterationOf(endpoint: Endpoint, connection: Connection) {
  return (parameters: Parameters = {}, requestOptions: RequestOptions = {}) =>
    iteratePages(parameters, async (page) => (await call(endpoint, connection, page, requestOptions)).body);
}

function streamOf(endpoint: Endpoint, connection: Connection) {
  return (parameters: Parameters = {}, streamOptions: StreamOptions = {}) =>
    streamEvents(connection(), endpoint, { ...streamOptions, ...inputOf(endpoint, parameters) });
}

/** Assigns parameters by name to the path, then to the query; the rest goes into the body, if there is one. */
function inputOf(endpoint: Endpoint, parameters: Parameters): Pick<AnyInput, "params" | "query" | "body"> {
  const entries = Object.entries(parameters);
  const of = (group: string) => Object.fromEntries(entries.filter(([name]) => groupOf(endpoint, name) === group));
  return { params: of("params"), query: of("query"), ...(endpoint.body !== undefined && { body: of("body") }) };
}

function groupOf({ params, query, body }: Endpoint, name: string): "params" | "query" | "body" {
  if (Object.hasOwn(params?.properties ?? {}, name)) return "params";
  return body === undefined || Object.hasOwn(query?.properties ?? {}, name) ? "query" : "body";
}
