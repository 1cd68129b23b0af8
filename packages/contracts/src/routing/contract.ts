/**
 * One routing contract, served by two processes: the free appliance and its hosted gateway. Each adds its own
 * credential problems (invalid token, insufficient balance) to authenticated endpoints.
 */
import type { CredentialSource, Endpoint, ServiceContract } from "../endpoint.ts";
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
  readonly carriers: readonly CredentialSource[];
  /** Added to authenticated endpoints. */
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
