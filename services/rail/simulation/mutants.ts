/**
 * Faults that the simulator must detect. Each one changes the source text of the product, or of the simulated rail
 * where the real one uses a disk. It is an error if the text of a mutant is no longer found, so this list cannot get
 * out of date.
 */
export interface Mutant {
  readonly name: string;
  readonly patches: readonly Patch[];
}

export interface Patch {
  /** Path relative to the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replacement: string;
}

const RULES = "services/rail/src/domain/charge-batch.ts";
const CLIENT = "packages/billing-client/src";

function mutant(name: string, ...patches: readonly Patch[]): Mutant {
  return { name, patches };
}

/** The twelve mutants that the contract names. */
export const NAMED: readonly Mutant[] = [
  mutant(
    "no balance guard",
    { file: RULES, find: "if (balanceMicro < ask.priceMicro)", replacement: "if (balanceMicro < -1e9)" },
    {
      file: "services/rail/src/domain/post-entry.ts",
      find: "if (paidMicro < 0 || promoMicro < 0)",
      replacement: "if (paidMicro < -1e9)",
    },
  ),
  mutant("no unique live key", {
    file: RULES,
    find: "if (same !== undefined) return replay(same, ask);",
    replacement: "void same;",
  }),
  mutant("void without reversal", {
    file: RULES,
    find: 'reverse(unit, wallet, { charge, kind: "void", context });',
    replacement: "",
  }),
  mutant("duplicate top-up credited", {
    file: "services/rail/src/domain/topup-state.ts",
    find: 'pending: { state: "succeeded", money: "credit" },',
    replacement:
      'pending: { state: "succeeded", money: "credit" }, succeeded: { state: "succeeded", money: "credit" },',
  }),
  mutant("acknowledgement before finish", {
    file: `${CLIENT}/client-instance.ts`,
    find: "openCharges.set(seq, { since: now(), abort });",
    replacement: 'openCharges.set(seq, { since: now(), abort }); finish(seq, "delivered");',
  }),
  mutant("a re-sent attempt treated as a client replay", {
    file: RULES,
    find: 'return before.state === "voided" ? IN_PROGRESS : resent(before, ask, unit.walletOf(ask.walletHash)?.id ?? null);',
    replacement: "return replay(before, ask);",
  }),
  mutant("a client replay treated as an attempt", {
    file: RULES,
    find: "{ status: 200, charge: same }",
    replacement: "{ status: 201, charge: same }",
  }),
  mutant("fencing off", {
    file: RULES,
    find: 'if (boot === undefined || boot.state === "fenced")',
    replacement: "if (boot === undefined)",
  }),
  mutant("sync off", {
    file: "services/rail/simulation/writer.ts",
    find: "const SYNC = true;",
    replacement: "const SYNC = false;",
  }),
  mutant("receipt before commit", {
    file: "services/rail/simulation/writer.ts",
    find: "const result = work.work(unit, at);",
    replacement: "const result = work.work(unit, at); answer.resolve(result);",
  }),
  mutant(
    "through swallowing a void",
    {
      file: `${CLIENT}/attempts.ts`,
      find: "voids: [...voids].map(",
      replacement: "voids: [...voids].filter(([seq]) => seq > through).map(",
    },
    {
      file: `${CLIENT}/attempts.ts`,
      find: "for (const { seq } of report.voids) voids.delete(seq);",
      replacement: "voids.clear();",
    },
  ),
  mutant("resolve cache keeping a refusal", {
    file: `${CLIENT}/wallets.ts`,
    find: "if (wallet !== null && allows(wallet)) keep(",
    replacement: "if (wallet !== null) keep(",
  }),
];

const CAPS = "services/rail/src/domain/caps.ts";

/** Mutants of caps and sub-tokens. */
export const CAPPED: readonly Mutant[] = [
  mutant("no cap", { file: RULES, find: "if (reached !== null)", replacement: "if (reached === undefined)" }),
  mutant("a cap counts only what was spent before", {
    file: CAPS,
    find: "spentMicro + amountMicro <= limitMicro",
    replacement: "spentMicro <= limitMicro",
  }),
  mutant("the spend of a token is not kept", {
    file: RULES,
    find: "if (token !== undefined) unit.saveSubToken(",
    replacement: "if (token === null) unit.saveSubToken(",
  }),
  mutant("a token pays from the cap of another", {
    file: RULES,
    find: "const token = unit.subTokenOf(ask.walletHash);",
    replacement: 'const token = unit.subTokenOf(ask.walletHash.replace(/b$/, "a"));',
  }),
  mutant("a void gives back to the window of now", {
    file: "services/rail/src/domain/reverse-charge.ts",
    find: "const spending = { ...wallet, spend: spendAfter(wallet.spend, -amountMicro, createdAt) };",
    replacement: "const spending = { ...wallet, spend: spendAfter(wallet.spend, -amountMicro, context.now) };",
  }),
  mutant("the day changes a second late", {
    file: CAPS,
    find: "return Math.floor(at / DAY_MS);",
    replacement: "return Math.floor((at - 1000) / DAY_MS);",
  }),
];

/** Mutants that the contract does not name. */
export const FURTHER: readonly Mutant[] = [
  mutant("a charge leaves the balance to the last guard", {
    file: RULES,
    find: "if (balanceMicro < ask.priceMicro)",
    replacement: "if (balanceMicro < -1e9)",
  }),
  mutant("a refused attempt is not voided", {
    file: `${CLIENT}/client-instance.ts`,
    find: 'finish(seq, "aborted");\n    settle({ kind: "answered", result });',
    replacement: 'finish(seq, "delivered");\n    settle({ kind: "answered", result });',
  }),
  mutant("what was given up is not voided", {
    file: `${CLIENT}/client-instance.ts`,
    find: 'else finish(pending.seq, "aborted");',
    replacement: 'else finish(pending.seq, "delivered");',
  }),
  mutant("an end is reported once, received or not", {
    file: `${CLIENT}/client-instance.ts`,
    find: "return { charges, report: attempts.report(), at: now() };",
    replacement: "const report = attempts.report(); attempts.confirm(report); return { charges, report, at: now() };",
  }),
  mutant("a refusal shared with a later call", {
    file: `${CLIENT}/wallets.ts`,
    find: "return shared !== null && allows(shared) ? shared : ask(walletHash);",
    replacement: "return shared !== null ? shared : ask(walletHash);",
  }),
  mutant("another number for an attempt that is sent again", {
    file: `${CLIENT}/client-instance.ts`,
    find: "if (pending.seq !== null) continue;",
    replacement: "",
  }),
  mutant("a waiting call takes the answer of one that failed", {
    file: `${CLIENT}/billing.ts`,
    find: "if (charge.end(reason)) run?.failed();",
    replacement: 'if (charge.end(reason)) run?.delivered({ kind: "replayed", ...billed, sealed });',
  }),
  mutant("a voided attempt is charged", {
    file: RULES,
    find: "if (ask.seq <= boot.through || unit.hasTombstone(attempt)) return IN_PROGRESS;",
    replacement: "",
  }),
  mutant("acknowledgements before voids", {
    file: RULES,
    find: "for (const { seq, reason } of batch.voids) voidAttempt(unit, { ...boot, seq }, { reason, context });\n",
    replacement: "queueMicrotask(() => {});\n",
  }),
  mutant("an old boot comes back", {
    file: RULES,
    find: 'if (existing?.state === "fenced") return null;',
    replacement: "",
  }),
  mutant("a lease never ends", {
    file: RULES,
    find: "if (boot.leaseUntil <= context.now) {",
    replacement: "if (boot.leaseUntil < 0) {",
  }),
];
