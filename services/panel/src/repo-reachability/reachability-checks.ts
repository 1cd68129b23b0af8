/** Checks repos when due: woken by a new repo or credential, and by slow polling. */
import { CHECK_LEASE_MS, type ContactRecord } from "../domain/reachability-checks.ts";
import type { PanelStore } from "../domain/repositories.ts";
import { every, type Alarms } from "../timers.ts";
import type { CheckRepo } from "./check-repo.ts";

export interface Contacts extends AsyncDisposable {
  poll(): Promise<void>;
}

interface ContactsOptions {
  readonly store: PanelStore;
  readonly check: CheckRepo;
  readonly now: () => number;
  readonly timers: Alarms;
  readonly onError: (error: unknown) => void;
}

const CONCURRENCY_MAX = 4;
const POLL_INTERVAL_MS = 1_000;

export async function openContacts({ store, check, now, timers, onError }: ContactsOptions): Promise<Contacts> {
  const stopped = new AbortController();
  let looking: Promise<void> | null = null;
  let isWoken = false;
  const poll = () => {
    isWoken = true;
    looking ??= pollWhileWoken().finally(() => (looking = null));
    return looking;
  };
  const wake = () => void poll().catch(onError);
  const unsubscribe = await store.listen((hint) => {
    if (hint === null || hint.type === "repo") wake();
  });
  const stopLooking = every(timers, POLL_INTERVAL_MS, wake);
  wake();
  return {
    poll,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      stopLooking();
      await unsubscribe();
      await looking;
    },
  };

  async function pollWhileWoken(): Promise<void> {
    while (isWoken && !stopped.signal.aborted) {
      isWoken = false;
      const due = await store.system.dueContacts(now(), CONCURRENCY_MAX);
      const done = await Promise.all(due.map(({ owner, repoId }) => handle(owner, repoId).catch(onFault)));
      // A failed check waits for the slow poll, because it would be due again immediately.
      if (due.length === CONCURRENCY_MAX && done.includes(true)) isWoken = true;
    }
  }

  function onFault(error: unknown): false {
    onError(error);
    return false;
  }

  async function handle(owner: string, repoId: string): Promise<boolean> {
    const claimed = await store.change(owner, async ({ contacts }): Promise<ContactRecord | null> => {
      const contact = await contacts.find(repoId);
      if (contact?.nextAt == null || contact.nextAt > now()) return null;
      // A lease: after it, another node may take over.
      const taken = { ...contact, nextAt: now() + CHECK_LEASE_MS };
      await contacts.save(taken);
      return taken;
    });
    if (claimed === null) return false;
    await check(owner, claimed);
    return true;
  }
}
