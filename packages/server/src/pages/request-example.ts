/** Example requests as a shell command and as JavaScript. Secrets and IDs are variables. */
import type { CredentialSource, Endpoint, ServiceContract } from "@triptych/contracts";
import { exampleValue } from "./example-value.ts";

export interface RequestExample {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Header for the credential, with the prefix of its value; null if no credential is needed. */
  readonly carrier: { readonly header: string; readonly prefix: string; readonly variable: string } | null;
}

export function requestExample(contract: ServiceContract, endpoint: Endpoint, path = endpoint.path): RequestExample {
  const body = endpoint.body ?? (endpoint.rawBody ? { type: "object" } : undefined);
  return {
    method: endpoint.method,
    path,
    body: body === undefined ? undefined : exampleValue(body),
    carrier: endpoint.auth === null ? null : carrierOf(contract.credentials[endpoint.auth] ?? []),
  };
}

/** The first carrier in a header: URLs end up in histories and logs. */
function carrierOf(carriers: readonly CredentialSource[]): RequestExample["carrier"] {
  const carrier = carriers.find((candidate) => candidate.in === "bearer" || candidate.in === "header");
  if (carrier === undefined) return null;
  const named = /<([A-Z_]+)>/.exec(carrier.description)?.[1];
  const variable = named ?? (carrier.description.includes("lic_") ? "LICENCE_KEY" : "ACCESS_TOKEN");
  return carrier.in === "bearer"
    ? { header: "Authorization", prefix: "Bearer ", variable }
    : { header: carrier.name ?? "Authorization", prefix: "", variable };
}

export function curlCommand(origin: string, { method, path, body, carrier }: RequestExample): string {
  const address = `${origin}${path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => `$${shellName(name)}`)}`;
  const parts = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${address}"`,
    ...(carrier === null ? [] : [`-H "${carrier.header}: ${carrier.prefix}$${carrier.variable}"`]),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`]),
  ];
  return parts.join(" \\\n  ");
}

export function javascriptCall(origin: string, { method, path, body, carrier }: RequestExample): string {
  const address = `${origin}${path}`;
  const hasBlanks = /\{\w+\}/.test(path);
  const quoted = hasBlanks ? `\`${address.replaceAll("{", "${")}\`` : JSON.stringify(address);
  const credential = carrier === null ? null : camelName(carrier.variable);
  const headers = [
    ...(carrier === null
      ? []
      : [
          `${/^\w+$/.test(carrier.header) ? carrier.header : JSON.stringify(carrier.header)}: ${carrier.prefix === "" ? credential : `\`${carrier.prefix}\${${credential}}\``}`,
        ]),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(", ")} },`]),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")}),`]),
  ];
  const call = options.length === 0 ? `fetch(${quoted})` : `fetch(${quoted}, {\n${options.join("\n")}\n})`;
  return `const response = await ${call};\nif (!response.ok) throw new Error((await response.json()).detail);`;
}

function shellName(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}

function camelName(variable: string): string {
  return variable.toLowerCase().replaceAll(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());
}
