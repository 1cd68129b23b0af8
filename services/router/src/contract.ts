/** The routing contract as the appliance serves it: its credential and its authentication problems. */
import { routingContract, type ServiceContract } from "@triptych/contracts";

const contract = routingContract({
  name: "router",
  title: "Triptych router",
  description:
    "Which route a request takes, whether to hand it over, how complex it is: typed decisions with calibrated confidence, in well under a millisecond, on your own machine, without a network and free of charge. The hosted gateway answers the same API.",
  carriers: [
    { in: "bearer", description: "Authorization: Bearer <ROUTER_TOKEN>, where the router was started with one" },
  ],
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
