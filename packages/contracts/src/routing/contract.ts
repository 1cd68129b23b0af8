/**
 * Routing decisions as a whole: one contract that two processes serve, the free appliance and its hosted front. Each adds what its
 * callers may meet at its door (a wrong token, an empty wallet) to the problems of the endpoints that look at a caller.
 */
import type { CredentialCarrier, Endpoint, ServiceContract } from "../endpoint.ts";
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

export interface RoutingProcess {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly carriers: readonly CredentialCarrier[];
  /** Of endpoints that look at a caller. */
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
    credentials: { caller: carriers },
  };
}
