/** Ready heads: trained once per process, and imported as files for any owner. */
import { loadTrunk, trainHead } from "@triptych/decisions";
import { examples, TOPICS } from "../../../../packages/decisions/test/support/small-trunk.ts";
import { LOCAL_OWNER } from "../../src/domain/experts.ts";
import { importHead } from "../../src/domain/heads/import-head.ts";
import { factsOf } from "../../src/engine/head-facts.ts";
import { SERVICE_TOKEN, type Asking, type Fixture } from "./create-fixture.ts";
import { smallFiles } from "./small-artifacts.ts";

export interface BroughtHead {
  readonly owner?: string;
  readonly name?: string;
  /** Labels in another order: this head decides differently on every text. */
  readonly contrary?: boolean;
}

let ids = 0;

/** Live for a new name of the owner, otherwise the next version. */
export async function bringHead(
  fixture: Fixture,
  { owner = LOCAL_OWNER, name = "acme", contrary = false }: BroughtHead,
) {
  const bytes = fileOf({ contrary });
  const facts = factsOf(bytes, loadTrunk(smallFiles().get("trunk.tptk") ?? new Uint8Array()).sha256);
  const newId = () => `hed_${++ids}`;
  const parts = { store: fixture.store.heads, files: fixture.store.files, now: () => 0, newId };
  const head = await importHead(parts, { ...facts, owner, name, bytes });
  fixture.owned.experts.forget(owner);
  return head;
}

/** The fixture as one owner sees it, through a gateway. */
export function ofOwner(fixture: Fixture, owner: string) {
  const named = { authorization: `Bearer ${SERVICE_TOKEN}`, "x-router-owner": owner };
  return (url: string, { headers = {}, ...asking }: Asking = {}) =>
    fixture.ask(url, { ...asking, headers: { ...named, ...headers } });
}

const files = new Map<boolean, Uint8Array>();

function fileOf({ contrary }: { readonly contrary: boolean }): Uint8Array {
  const bytes = files.get(contrary) ?? train(contrary);
  files.set(contrary, bytes);
  return bytes;
}

function train(contrary: boolean): Uint8Array {
  const trunk = loadTrunk(smallFiles().get("trunk.tptk") ?? new Uint8Array());
  const names = Object.keys(TOPICS);
  const routeOf = (route: string | null) =>
    contrary && route !== null ? (names[(names.indexOf(route) + 1) % names.length] ?? null) : route;
  const taught = examples().map((example) => ({ ...example, route: routeOf(example.route) }));
  const routes = names.map((route) => ({ route, description: `Everything about ${route}` }));
  return trainHead(trunk, { name: "acme", routes, examples: taught }).bytes;
}
