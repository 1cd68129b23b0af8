/** The process: reads the panel, delivers messages, and ends on SIGTERM. */
import { setTimeout as sleep } from "node:timers/promises";
import { createTriptych, ProblemError } from "@triptych/client";
import { createRedactor } from "@triptych/redaction";
import { createDelivery, type Delivery } from "./delivery.ts";
import { follow } from "./follow.ts";
import { createLog, type Log } from "./log.ts";
import { createPanelReader } from "./panel-reader.ts";
import type { Rules } from "./rules.ts";
import { locationOf, lockOutbox, notifyStore, storeTargets } from "./store.ts";

export interface PanelAccess {
  readonly url: string;
  readonly secret?: string;
}

export interface NotifySettings {
  readonly access: PanelAccess;
  readonly rules: Rules;
  readonly dataFolder: string;
  readonly since: number | null;
  readonly signal: AbortSignal;
}

const POLL_MS = 1_000;
/** On SIGTERM, requests in progress and due messages get this time. */
const DRAIN_MS = 10_000;

/**
 * Resolves after the signal, when requests in progress have ended. Throws if the panel rejects the token at startup.
 */
export async function runNotify({ access, rules, dataFolder, since, signal }: NotifySettings): Promise<void> {
  const log = createLog((text) => process.stderr.write(text), Date.now);
  await using stack = new AsyncDisposableStack();
  stack.use(await lockOutbox(dataFolder));
  const database = stack.use(await notifyStore.open(locationOf(dataFolder)));
  await storeTargets(database, rules.targets.values());
  const { panel } = createTriptych({ panel: panelOf(access) });
  await checkAccess(access);
  const redactor = createRedactor(new Map(access.secret === undefined ? [] : [["panel_access_token", access.secret]]));
  const reader = createPanelReader({ panel, database, rules, redactor, log, now: Date.now, since });
  const delivery = createDelivery({
    database,
    targets: rules.targets.values().toArray(),
    log,
    now: Date.now,
    random: Math.random,
    panelUrl: rules.panelUrl ?? access.url,
  });
  log("started", { panel: access.url, rules: rules.rules.length, targets: rules.targets.size });
  const following = follow({
    reader,
    log,
    signal,
    wait: waitUntil,
    openChanges: changesOf(access),
    reasonOf,
  });
  await Promise.all([following, deliverUntil(delivery, { signal, log })]);
  for (const target of rules.targets.values()) target.close?.();
  log("stopped");
}

async function deliverUntil(delivery: Delivery, { signal, log }: { readonly signal: AbortSignal; readonly log: Log }) {
  while (!signal.aborted) {
    await delivery.sendDue(signal);
    await waitUntil(POLL_MS, signal);
  }
  const drained = new AbortController();
  const sending = delivery.sendDue(AbortSignal.timeout(DRAIN_MS)).finally(() => drained.abort());
  // The timeout of a request is longer.
  await Promise.race([sending, waitUntil(DRAIN_MS, drained.signal)]);
  log("drained");
}

/** This client only opens the stream, so its first response means that the panel reports changes from now on. */
function changesOf(access: PanelAccess) {
  return (onOpen: () => void, signal: AbortSignal) => {
    const onResponse: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.ok) onOpen();
      return response;
    };
    return createTriptych({ panel: panelOf(access), fetch: onResponse, retries: 0 }).panel.changes.stream(
      {},
      { signal },
    );
  };
}

function panelOf({ url, secret }: PanelAccess) {
  return { url, token: secret };
}

/** Retrying does not help against a wrong token, but a panel that is down may come up. */
async function checkAccess(access: PanelAccess): Promise<void> {
  try {
    await createTriptych({ panel: panelOf(access), retries: 0 }).panel.account.get();
  } catch (error) {
    if (!(error instanceof ProblemError) || (error.status !== 401 && error.status !== 403)) return;
    throw new Error(
      `The panel at ${access.url} rejects the access token. Set PANEL_ACCESS_TOKEN to one with the scope read.`,
      { cause: error },
    );
  }
}

/** Uses codes and titles only, because they never contain request values. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return `${error.status} ${error.code}`;
  if (!(error instanceof Error)) return "unknown error";
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.message;
}

async function waitUntil(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
