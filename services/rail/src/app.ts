import * as contract from "@triptych/contracts";
import * as charges from "./http/admin/charges.ts";
import * as clocks from "./http/admin/clock.ts";
import * as signing from "./http/admin/keys.ts";
import * as payments from "./http/admin/topups.ts";
import * as owners from "./http/admin/wallets.ts";
import * as gateway from "./http/gateway.ts";
import * as purchases from "./http/purchases.ts";
import * as recovery from "./http/recovery.ts";
import * as topups from "./http/topups.ts";
import * as tokens from "./http/wallet-tokens.ts";
import * as wallets from "./http/wallets.ts";
import { createServer, mapStorageError, type ConnectionLimits, type Server } from "@triptych/server";
import { classifyStorageError } from "@triptych/storage";
import type { Tracing } from "@triptych/tracing";
import type { Logger } from "pino";
import { LedgerDamaged } from "./domain/integrity.ts";
import type { Rail } from "./domain/rail.ts";
import { adminListActionsHandler } from "./http/admin/actions.ts";
import { adminCheckAnchorHandler, adminReadAnchorHandler, adminAuditHandler } from "./http/admin/audit.ts";
import { type Caller, admitAnonymousWith, createAuthenticate } from "./http/identify.ts";
import { getChargeHandler, getReceiptHandler } from "./http/charges.ts";
import { listEntriesHandler, usageHandler } from "./http/entries.ts";
import { jwksHandler, revokedKeysHandler } from "./http/jwks.ts";
import { mountPages } from "./http/pages.ts";
import type { RailMetrics } from "./metrics.ts";
import { watchCharges } from "./charge-metrics.ts";
import { readinessOf } from "./http/readiness.ts";
import { statementHandler } from "./http/statement.ts";
import { stripeWebhookHandler } from "./http/webhooks.ts";
import { railHome } from "./pages/home.ts";

export interface AppParts {
  readonly logger: Logger;
  readonly tracing?: Tracing | null;
  readonly publicUrl: string | undefined;
  readonly trustedProxies?: readonly string[];
  readonly connections?: ConnectionLimits;
  readonly ofProcess: boolean;
  readonly metrics: RailMetrics;
  /** Folder of the built wallet pages; null or absent if there is none. */
  readonly walletFolder?: Promise<string | null>;
  readonly viewerFolder?: Promise<string | null> | undefined;
}

export async function createApp(
  {
    logger,
    tracing,
    metrics,
    publicUrl,
    trustedProxies,
    connections,
    ofProcess,
    viewerFolder,
    walletFolder = Promise.resolve(null),
  }: AppParts,
  rail: Rail,
): Promise<Server<Caller>> {
  const server = await createServer<Caller>({
    contract: contract.railContract,
    logger,
    tracing,
    publicUrl,
    identify: createAuthenticate(rail.access),
    admitAnonymous: admitAnonymousWith(rail.access),
    readiness: readinessOf(rail, logger),
    readinessDetails: () => ({ ledger: rail.integrity.state() }),
    translate: mapStorageError(errorMessageOf, "The ledger is read-only. Nothing was charged."),
    home: railHome,
    viewerFolder,
    ofProcess,
    ...(trustedProxies && { trustedProxies }),
    ...(connections && { connections }),
  });
  metrics.showIn(server.metrics.registry);
  const watch = watchCharges(rail, { logger, metrics });
  mountWalletEndpoints(server, rail, { metrics, watch });
  mountGatewayEndpoints(server, rail, watch);
  mountOperatorEndpoints(server, rail);
  mountPages(server, walletFolder);
  return server;
}

function errorMessageOf(error: unknown) {
  return error instanceof LedgerDamaged ? "down" : classifyStorageError(error);
}

interface Watching {
  readonly metrics: RailMetrics;
  readonly watch: wallets.LevelWatch;
}

function mountWalletEndpoints(server: Server<Caller>, rail: Rail, { metrics, watch }: Watching): void {
  server.mount(contract.createWallet, wallets.createWalletHandler(rail));
  server.mount(contract.getWallet, wallets.getWalletHandler(rail));
  server.mount(contract.changeWallet, wallets.changeWalletHandler(rail, watch));
  server.mount(contract.closeWallet, wallets.closeWalletHandler(rail));
  server.mount(contract.rotateToken, wallets.rotateTokenHandler(rail));
  server.mount(contract.createWalletToken, tokens.createWalletTokenHandler(rail));
  server.mount(contract.listWalletTokens, tokens.listWalletTokensHandler(rail));
  server.mount(contract.revokeWalletToken, tokens.revokeWalletTokenHandler(rail));
  server.mount(contract.recoverWallet, recovery.recoverWalletHandler(rail));
  server.mount(contract.redeemRecovery, recovery.redeemRecoveryHandler(rail));
  server.mount(contract.verifyWallet, recovery.verifyWalletHandler(rail));
  server.mount(contract.listEntries, listEntriesHandler(rail));
  server.mount(contract.getWalletUsage, usageHandler(rail));
  server.mount(contract.getCharge, getChargeHandler(rail));
  server.mount(contract.getReceipt, getReceiptHandler(rail));
  server.mount(contract.getStatement, statementHandler(rail));
  server.mount(contract.createTopup, topups.createTopupHandler(rail));
  server.mount(contract.getTopup, topups.getTopupHandler(rail));
  server.mount(contract.listTopups, topups.listTopupsHandler(rail));
  server.mount(contract.getCatalog, purchases.catalogHandler(rail));
  server.mount(contract.createPurchase, purchases.createPurchaseHandler(rail));
  server.mount(contract.listEntitlements, purchases.listEntitlementsHandler(rail));
  server.mount(contract.getJwks, jwksHandler(rail.keys));
  server.mount(contract.getRevokedKeys, revokedKeysHandler(rail.keys));
  server.mount(contract.stripeWebhook, stripeWebhookHandler(rail, metrics));
}

function mountGatewayEndpoints(server: Server<Caller>, rail: Rail, watch: gateway.ChargeMetrics): void {
  server.mount(contract.helloInstance, gateway.helloHandler(rail, watch));
  server.mount(contract.resolveWallet, gateway.resolveWalletHandler(rail));
  server.mount(contract.chargeBatch, gateway.chargeBatchHandler(rail, watch));
  server.mount(contract.findDelivered, gateway.findDeliveredHandler(rail));
  server.mount(contract.checkEntitlement, purchases.checkEntitlementHandler(rail));
}

function mountOperatorEndpoints(server: Server<Caller>, rail: Rail): void {
  server.mount(contract.adminCreateWallet, owners.adminCreateWalletHandler(rail));
  server.mount(contract.adminGetWallet, owners.adminGetWalletHandler(rail));
  server.mount(contract.adminFreezeWallet, owners.adminSetFrozenHandler(rail, { frozen: true }));
  server.mount(contract.adminUnfreezeWallet, owners.adminSetFrozenHandler(rail, { frozen: false }));
  server.mount(contract.adminAdjustWallet, owners.adminAdjustWalletHandler(rail));
  server.mount(contract.adminListTopups, payments.adminListTopupsHandler(rail));
  server.mount(contract.adminSettleTopup, payments.adminSettleTopupHandler(rail));
  server.mount(contract.adminRefundTopup, payments.adminRefundTopupHandler(rail));
  server.mount(contract.adminGetCharge, charges.adminGetChargeHandler(rail));
  server.mount(contract.adminRefundCharge, charges.adminRefundChargeHandler(rail));
  server.mount(contract.adminListKeys, signing.adminListKeysHandler(rail));
  server.mount(contract.adminRotateKeys, signing.adminRotateKeysHandler(rail));
  server.mount(contract.adminRevokeKey, signing.adminRevokeKeyHandler(rail));
  server.mount(contract.adminGetClock, clocks.adminGetClockHandler(rail));
  server.mount(contract.adminConfirmClock, clocks.adminConfirmClockHandler(rail));
  server.mount(contract.adminListActions, adminListActionsHandler(rail));
  server.mount(contract.adminAudit, adminAuditHandler(rail));
  server.mount(contract.adminReadAnchor, adminReadAnchorHandler(rail));
  server.mount(contract.adminCheckAnchor, adminCheckAnchorHandler(rail));
}
