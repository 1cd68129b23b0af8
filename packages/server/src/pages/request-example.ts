/** Example request of an endpoint. Secrets and IDs are variables. */
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

/** The first source that is a header, because URLs end up in histories and logs. */
function carrierOf(carriers: readonly CredentialSource[]): RequestExample["carrier"] {
  const carrier = carriers.find((candidate) => candidate.in === "bearer" || candidate.in === "header");
  if (carrier === undefined) return null;
  const named = /<([A-Z_]+)>/.exec(carrier.description)?.[1];
  const variable = named ?? (carrier.description.includes("lic_") ? "LICENCE_KEY" : "ACCESS_TOKEN");
  return carrier.in === "bearer"
    ? { header: "Authorization", prefix: "Bearer ", variable }
    : { header: carrier.name ?? "Authorization", prefix: "", variable };
}
