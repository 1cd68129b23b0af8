/**
 * Emails the owner once per threshold and window when spending approaches a cap. The decision uses the stored spending,
 * not a single charge, so a threshold that was passed while a process died is noticed at the next charge.
 */
import { DECISION_PRICE_MICRO, type CapName } from "@triptych/contracts";
import { budgetsOf, dayOf, monthOf, resetsAt, spentIn, type Budget } from "./caps.ts";
import { capAlertEmail } from "./email-templates.ts";
import type { Rail } from "./rail.ts";

/** Wallets without caps are not read again for this long. A change in this process applies immediately. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_MAX = 10_000;
const TEN_YEARS_MS = 3_650 * 86_400_000;

export interface CapAlerts {
  /** Called after a charge, and after a charge that a cap rejected. */
  charged(walletId: string, tokenId: string | null): Promise<void>;
  capsChanged(walletId: string): void;
}

export function watchCapAlerts({
  ledger,
  emails,
  mailer,
  clock,
  now,
  url,
}: Pick<Rail, "ledger" | "emails" | "mailer" | "clock" | "now" | "url">): CapAlerts {
  const uncapped = new Map<string, number>();
  let changes = 0;
  const running = new Map<string, { again: boolean }>();

  return {
    async charged(walletId, tokenId) {
      if (mailer === null || (tokenId === null && (uncapped.get(walletId) ?? 0) > now())) return;
      await coalesced(running, `${walletId} ${tokenId ?? ""}`, () => notify(walletId, tokenId));
    },
    capsChanged(walletId) {
      uncapped.delete(walletId);
      changes += 1;
    },
  };

  async function notify(walletId: string, tokenId: string | null): Promise<void> {
    const changesBefore = changes;
    const wallet = await ledger.wallet(walletId);
    const token = tokenId === null ? null : await ledger.subToken(tokenId);
    if (wallet === null || wallet.emailSealed === null) return;
    const budgets = budgetsOf(wallet, token);
    // A read that raced with a change may have returned the old caps.
    const isCurrent = changes === changesBefore;
    if (isCurrent && budgets.every(({ caps }) => Object.values(caps).every((limit) => limit === null)))
      remember(walletId);
    for (const budget of budgets) {
      const passed = passedThresholds(budget, wallet.alerts, clock.now());
      for (const [cap, percents] of passed) {
        const about = { cap, percents, id: budget.owner === "token" ? (tokenId ?? "") : walletId };
        const percent = await firstOf(about);
        if (percent === null) continue;
        const letter = { cap, percent, ...figuresOf(cap, budget, clock.now()), tokenId: tokenOf(budget, tokenId) };
        const to = emails.open(wallet.emailSealed, wallet.id);
        mailer?.send(capAlertEmail(url(), to, { wallet, passed: letter }));
      }
    }
  }

  function remember(walletId: string): void {
    if (uncapped.size >= REMEMBERED_MAX) uncapped.clear();
    uncapped.set(walletId, now() + REMEMBERED_MS);
  }

  /**
   * The highest threshold without an email so far. It is recorded on disk before sending, so each email is sent at most
   * once.
   */
  async function firstOf({ id, cap, percents }: Passed): Promise<number | null> {
    const at = clock.now();
    const window = cap === "total" ? "total" : cap === "per_day" ? dayOf(at) : monthOf(at);
    const expiresAt = (resetsAt(cap, at) ?? at + TEN_YEARS_MS) + REMEMBERED_MS;
    let highest: number | null = null;
    for (const percent of percents) {
      const once = { name: `cap alert ${id} ${cap} ${window} ${percent}`, payload: "", now: now(), expiresAt };
      const state = await ledger.once(once, () => Promise.resolve("sent"));
      if (state.kind === "first") highest = Math.max(percent, highest ?? 0);
    }
    return highest;
  }
}

/**
 * Runs work once at a time per name, and once more if it was requested in the meantime, so that many charges cause few
 * reads.
 */
async function coalesced(running: Map<string, { again: boolean }>, name: string, work: () => Promise<void>) {
  const current = running.get(name);
  if (current !== undefined) {
    current.again = true;
    return;
  }
  const check = { again: true };
  running.set(name, check);
  try {
    while (check.again) {
      check.again = false;
      await work();
    }
  } finally {
    running.delete(name);
  }
}

function tokenOf({ owner }: Budget, tokenId: string | null): string | null {
  return owner === "token" ? tokenId : null;
}

function figuresOf(cap: CapName, budget: Budget, at: number) {
  return { limitMicro: budget.caps[cap] ?? 0, spentMicro: spentUnder(cap, budget, at), resetsAt: resetsAt(cap, at) };
}

interface Passed {
  readonly id: string;
  readonly cap: CapName;
  readonly percents: readonly number[];
}

const WINDOWED = ["total", "per_month", "per_day"] as const satisfies readonly CapName[];

/**
 * 100 % is also reached if less than one decision is left, because a cap is not necessarily a multiple of the price.
 */
export function passedThresholds(
  budget: Budget,
  alerts: readonly number[],
  at: number,
): readonly (readonly [CapName, readonly number[]])[] {
  return WINDOWED.flatMap((cap) => {
    const limitMicro = budget.caps[cap];
    if (limitMicro === null) return [];
    const spentMicro = spentUnder(cap, budget, at);
    const isUsedUp = spentMicro > 0 && spentMicro + DECISION_PRICE_MICRO > limitMicro;
    const percents = alerts.filter((percent) => isUsedUp || spentMicro * 100 >= limitMicro * Math.max(percent, 1));
    return percents.length === 0 || spentMicro === 0 ? [] : [[cap, percents] as const];
  });
}

function spentUnder(cap: CapName, { spend }: Budget, at: number): number {
  if (cap === "total") return spend.totalMicro;
  return (cap === "per_day" ? spentIn(spend.day, dayOf(at)) : spentIn(spend.month, monthOf(at))) ?? 0;
}
