/**
 * Faults that the simulator must see: each is a change of the product's own text, or of the simulated rail's where the real one talks
 * to a disk. A mutant whose text is no longer found is an error, so this list cannot fall behind the sources.
 */
export interface Mutant {
  readonly name: string;
  readonly patches: readonly Patch[];
}

export interface Patch {
  /** From the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

const RULES = "services/rail/src/domain/charge-batch.ts";
const CLIENT = "packages/client/src/billing";

function mutant(name: string, ...patches: readonly Patch[]): Mutant {
  return { name, patches };
}

/** The twelve that the contract names. */
export const NAMED: readonly Mutant[] = [
  mutant(
    "no balance guard",
    { file: RULES, find: "if (balanceMicro < ask.priceMicro)", put: "if (balanceMicro < -1e9)" },
    {
      file: "services/rail/src/domain/post-entry.ts",
      find: "if (paidMicro < 0 || promoMicro < 0)",
      put: "if (paidMicro < -1e9)",
    },
  ),
  mutant("no unique live key", {
    file: RULES,
    find: "if (same !== undefined) return replay(same, ask);",
    put: "void same;",
  }),
  mutant("void without reversal", {
    file: RULES,
    find: 'reverse(book, wallet, { charge, kind: "void", context });',
    put: "",
  }),
  mutant("duplicate top-up credited", {
    file: "services/rail/src/domain/topup-state.ts",
    find: 'pending: { state: "succeeded", money: "credit" },',
    put: 'pending: { state: "succeeded", money: "credit" }, succeeded: { state: "succeeded", money: "credit" },',
  }),
  mutant("acknowledgement before finish", {
    file: `${CLIENT}/boot.ts`,
    find: "held.set(seq, { since: now(), abort });",
    put: 'held.set(seq, { since: now(), abort }); finish(seq, "delivered");',
  }),
  mutant("a re-sent attempt treated as a client replay", {
    file: RULES,
    find: 'return before.state === "voided" ? IN_PROGRESS : resent(before, ask, book.walletOf(ask.walletHash)?.id ?? null);',
    put: "return replay(before, ask);",
  }),
  mutant("a client replay treated as an attempt", {
    file: RULES,
    find: "{ status: 200, charge: same }",
    put: "{ status: 201, charge: same }",
  }),
  mutant("fencing off", {
    file: RULES,
    find: 'if (boot === undefined || boot.state === "fenced")',
    put: "if (boot === undefined)",
  }),
  mutant("sync off", {
    file: "services/rail/simulation/writer.ts",
    find: "const SYNC = true;",
    put: "const SYNC = false;",
  }),
  mutant("receipt before commit", {
    file: "services/rail/simulation/writer.ts",
    find: "const result = work.work(book, at);",
    put: "const result = work.work(book, at); answer.resolve(result);",
  }),
  mutant(
    "through swallowing a void",
    {
      file: `${CLIENT}/attempts.ts`,
      find: "voids: [...voids].map(",
      put: "voids: [...voids].filter(([seq]) => seq > through).map(",
    },
    {
      file: `${CLIENT}/attempts.ts`,
      find: "for (const { seq } of report.voids) voids.delete(seq);",
      put: "voids.clear();",
    },
  ),
  mutant("resolve cache keeping a refusal", {
    file: `${CLIENT}/wallets.ts`,
    find: "if (wallet !== null && allows(wallet)) keep(",
    put: "if (wallet !== null) keep(",
  }),
];

/** Others that were thought of while it was built. */
export const FURTHER: readonly Mutant[] = [
  mutant("a charge leaves the balance to the last guard", {
    file: RULES,
    find: "if (balanceMicro < ask.priceMicro)",
    put: "if (balanceMicro < -1e9)",
  }),
  mutant("a refused attempt is not voided", {
    file: `${CLIENT}/boot.ts`,
    find: 'finish(seq, "aborted");\n    settle({ kind: "answered", result });',
    put: 'finish(seq, "delivered");\n    settle({ kind: "answered", result });',
  }),
  mutant("what was given up is not voided", {
    file: `${CLIENT}/boot.ts`,
    find: 'else finish(pending.seq, "aborted");',
    put: 'else finish(pending.seq, "delivered");',
  }),
  mutant("an end is told once, heard or not", {
    file: `${CLIENT}/boot.ts`,
    find: "return { asked, report: attempts.report(), at: now() };",
    put: "const report = attempts.report(); attempts.confirm(report); return { asked, report, at: now() };",
  }),
  mutant("a refusal shared with a later call", {
    file: `${CLIENT}/wallets.ts`,
    find: "return shared !== null && allows(shared) ? shared : ask(walletHash);",
    put: "return shared !== null ? shared : ask(walletHash);",
  }),
  mutant("another number for an attempt that is sent again", {
    file: `${CLIENT}/boot.ts`,
    find: "if (pending.seq !== null) continue;",
    put: "",
  }),
  mutant("a waiting call takes the answer of one that failed", {
    file: `${CLIENT}/billing.ts`,
    find: "if (held.end(reason)) run?.failed();",
    put: 'if (held.end(reason)) run?.delivered({ kind: "replayed", ...billed, sealed });',
  }),
  mutant("a forestalled attempt is charged", {
    file: RULES,
    find: "if (ask.seq <= boot.through || book.isForestalled(attempt)) return IN_PROGRESS;",
    put: "",
  }),
  mutant("acknowledgements before voids", {
    file: RULES,
    find: "for (const { seq, reason } of batch.voids) voidAttempt(book, { ...boot, seq }, { reason, context });\n",
    put: "queueMicrotask(() => {});\n",
  }),
  mutant("an old boot comes back", {
    file: RULES,
    find: 'if (known?.state === "fenced") return null;',
    put: "",
  }),
  mutant("a lease never ends", {
    file: RULES,
    find: "if (boot.leaseUntil <= context.now) {",
    put: "if (boot.leaseUntil < 0) {",
  }),
];
