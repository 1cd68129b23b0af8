/** The routing contract as the router serves it, with its credential and authentication problems. */
import { routingContract, type ServiceContract } from "@triptych/contracts";

const contract = routingContract({
  name: "router",
  title: "Triptych router",
  description:
    "Decides which route a request takes, whether to escalate it, and how complex it is. Typed decisions with calibrated confidence, in well under a millisecond, on your own machine, offline and free of charge. The hosted gateway has the same API.",
  carriers: [{ in: "bearer", description: "Authorization: Bearer <ROUTER_TOKEN>, if the router was started with one" }],
  problems: ["token_invalid", "rate_limited", "not_ready", "overloaded"],
});

/** `ROUTER_TOKEN` is optional: without it, the router accepts requests without a token and checks their Host header. */
export const routerContract: ServiceContract = {
  ...contract,
  endpoints: contract.endpoints.map((endpoint) => ({
    ...endpoint,
    problems: [...endpoint.problems, "misdirected_request"],
  })),
  optionalCredentials: ["caller"],
};
