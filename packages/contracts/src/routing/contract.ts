/**
 * One routing contract, served by two processes: the free router and the hosted gateway. Each adds its own credential
 * problems (invalid token, insufficient balance) to authenticated endpoints.
 */
import type { ContractTag, CredentialSource, Endpoint, ServiceContract } from "../endpoint.ts";
import type { ProblemCode } from "../problems.ts";
import { compatEndpoints } from "./compat-endpoints.ts";
import { decisionEndpoints } from "./decision-endpoints.ts";
import { headEndpoints } from "./head-endpoints.ts";
import { informationEndpoints } from "./information-endpoints.ts";

export const routingEndpoints: readonly Endpoint[] = [
  ...decisionEndpoints,
  ...compatEndpoints,
  ...headEndpoints,
  ...informationEndpoints,
];

export const routingTags: readonly ContractTag[] = [
  {
    name: "Decisions",
    description: "Route, escalation and complexity of a request, with calibrated confidence.",
    paths: ["/v1/route", "/v1/decide", "/v1/noul", "/v1/score", "/v1/assess"],
  },
  {
    name: "Compatible formats",
    description: "The same decisions for unmodified clients of other vendors.",
    paths: ["/v1/systemone", "/v1/decisions", "/v1/models"],
  },
  {
    name: "Heads",
    description: "Your own experts: train, inspect, shadow, promote, give feedback.",
    paths: ["/v1/heads", "/v1/feedback"],
  },
  {
    name: "Service",
    description: "Experts, health, prices and limits.",
    paths: ["/v1/experts", "/health", "/pricing"],
  },
];

export interface RoutingProcess {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly carriers: readonly CredentialSource[];
  /** Problems that the process adds to authenticated endpoints. */
  readonly problems: readonly ProblemCode[];
}

export function routingContract({ name, title, description, carriers, problems }: RoutingProcess): ServiceContract {
  return {
    name,
    title,
    description,
    version: "1",
    endpoints: routingEndpoints.map((endpoint) =>
      endpoint.auth === null ? endpoint : { ...endpoint, problems: [...problems, ...endpoint.problems] },
    ),
    tags: routingTags,
    credentials: { caller: carriers },
  };
}
