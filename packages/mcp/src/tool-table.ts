/** The tools, one row each. Schema, validation and description come from the endpoint in the row. */
import * as contract from "@triptych/contracts";
import type { Endpoint } from "@triptych/contracts";

/** `decisions` is the gateway or the router: see `decisionsBy` in services.ts. */
export type ServiceName = "directory" | "panel" | "rail" | "decisions";

/** How the next page of a list is requested. */
export type Paging =
  | { readonly kind: "cursor"; readonly list: string }
  | { readonly kind: "offset"; readonly list: string }
  | { readonly kind: "after"; readonly list: string };

export interface ToolRow {
  readonly name: string;
  readonly service: ServiceName;
  readonly endpoint: Endpoint;
  /** Shown to the model before the description of the endpoint. */
  readonly purpose?: string;
  /** Listed and callable with `--allow-writes` only. */
  readonly writes?: true;
  /** Costs one decision if the gateway decides. */
  readonly paid?: true;
  /** The result contains text from third parties: items, repositories, agents. */
  readonly untrusted?: true;
  /** Arguments with a constant value, hidden from the caller. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Parameters that are not useful to a model, hidden from the caller. */
  readonly omitted?: readonly string[];
  /** Parameters that the endpoint does not require, but the tool does. */
  readonly required?: readonly string[];
  readonly paging?: Paging;
  /** Advice for the model if a result exceeds the size limit. */
  readonly narrow?: string;
}

const CREDENTIAL = "key";
const panelList = { kind: "cursor", list: "items" } as const;

export const TOOLS: readonly ToolRow[] = [
  {
    name: "directory_search",
    service: "directory",
    endpoint: contract.getItems,
    purpose: "Searches actors, places and articles of the French départements and régions.",
    untrusted: true,
    omitted: [CREDENTIAL, "format", "facets"],
    paging: { kind: "offset", list: "items" },
    narrow: "Request fewer `fields`, or a smaller `limit`.",
  },
  {
    name: "directory_suggest",
    service: "directory",
    endpoint: contract.suggest,
    purpose: "Completes titles, communes and tags of the directory, with typos corrected.",
    untrusted: true,
    omitted: [CREDENTIAL],
    narrow: "Use a smaller `limit`.",
  },
  {
    name: "directory_get",
    service: "directory",
    endpoint: contract.getItem,
    purpose: "Reads one item of the directory.",
    untrusted: true,
    omitted: [CREDENTIAL, "format"],
    narrow: "Request fewer `fields`.",
  },
  {
    name: "directory_facets",
    service: "directory",
    endpoint: contract.getItems,
    purpose: "Counts the items of the directory per value of a facet, without returning items.",
    untrusted: true,
    fixed: { limit: 0 },
    omitted: [CREDENTIAL, "format", "fields", "offset", "sort"],
    required: ["facets"],
    narrow: "Request fewer `facets`, or add a filter.",
  },
  {
    name: "directory_usage",
    service: "directory",
    endpoint: contract.getUsage,
    purpose: "Reads requests, items and cost of the directory key.",
    omitted: [CREDENTIAL],
    narrow: "Use a shorter period in `from` and `to`.",
  },
  { name: "decide_route", service: "decisions", endpoint: contract.route, paid: true },
  { name: "decide_escalation", service: "decisions", endpoint: contract.noul, paid: true },
  { name: "score_complexity", service: "decisions", endpoint: contract.score, paid: true },
  { name: "assess", service: "decisions", endpoint: contract.assess, paid: true },
  { name: "list_experts", service: "decisions", endpoint: contract.listExperts, untrusted: true },
  { name: "train_head", service: "decisions", endpoint: contract.createHead, writes: true },
  { name: "list_repos", service: "panel", endpoint: contract.listRepos, untrusted: true, paging: panelList },
  { name: "start_run", service: "panel", endpoint: contract.startRun, writes: true, untrusted: true },
  {
    name: "get_run",
    service: "panel",
    endpoint: contract.getRun,
    purpose: "Reads the state, result and usage of a run.",
    untrusted: true,
  },
  {
    name: "read_run_events",
    service: "panel",
    endpoint: contract.readBus,
    untrusted: true,
    paging: { kind: "after", list: "items" },
  },
  { name: "list_candidates", service: "panel", endpoint: contract.listCandidates, untrusted: true, paging: panelList },
  { name: "run_candidate", service: "panel", endpoint: contract.runCandidate, writes: true, untrusted: true },
  { name: "reject_candidate", service: "panel", endpoint: contract.rejectCandidate, writes: true, untrusted: true },
  { name: "follow_up", service: "panel", endpoint: contract.followUpRun, writes: true, untrusted: true },
  {
    name: "add_memory",
    service: "panel",
    endpoint: contract.addMemory,
    purpose: "Adds a memory: a note that agents receive with each run of a repository.",
    writes: true,
    untrusted: true,
  },
  {
    name: "wallet_balance",
    service: "rail",
    endpoint: contract.getWallet,
    purpose:
      "Reads the prepaid wallet: the balance, and the caps with the amounts spent. `decisions_remaining` is the number of decisions that this token can still buy within its caps. `token` describes the sub-token, if this is one.",
  },
  {
    name: "wallet_usage",
    service: "rail",
    endpoint: contract.getWalletUsage,
    purpose: "Reads decisions and their cost. `by` = `token` compares the tokens of the wallet; `token` selects one.",
    narrow: "Use a shorter period in `from` and `to`.",
  },
];
