import type { Database } from "@triptych/storage";
import type { Ledger } from "../domain/ledger.ts";
import { autoTopupVerbs } from "./auto-topups.ts";
import { chargingVerbs } from "./charge-queries.ts";
import { clockVerbs } from "./clock.ts";
import { engineOf } from "./engine.ts";
import { figureVerbs } from "./stats.ts";
import { headVerbs } from "./heads.ts";
import { installationVerbs } from "./installation.ts";
import { onceVerbs } from "./idempotency-records.ts";
import { operatorLogVerbs } from "./operator-log.ts";
import { purchaseVerbs } from "./purchases.ts";
import { readingVerbs } from "./reading.ts";
import { recentVerbs } from "./recent-heads.ts";
import { starterVerbs } from "./starter.ts";
import { streamVerbs } from "./streams.ts";
import { subTokenVerbs } from "./sub-tokens.ts";
import type { RailTables } from "./tables.ts";
import { topupVerbs } from "./topups.ts";
import { walletVerbs } from "./wallets.ts";

/** Disposal of the ledger closes the database. */
export function openLedger(database: Database<RailTables>): Ledger {
  const engine = engineOf(database);
  return {
    ...chargingVerbs(engine),
    ...walletVerbs(database),
    ...subTokenVerbs(database),
    ...starterVerbs(database),
    ...readingVerbs(database),
    ...topupVerbs(database),
    ...autoTopupVerbs(database),
    ...purchaseVerbs(database),
    ...installationVerbs(database),
    ...clockVerbs(database),
    ...operatorLogVerbs(database),
    ...onceVerbs(database),
    ...recentVerbs(database),
    ...headVerbs(database),
    ...figureVerbs(database),
    ...streamVerbs(engine),
    [Symbol.asyncDispose]: () => database.close(),
  };
}
