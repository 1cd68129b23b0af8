/** The rail's operator API: the HTTP counterpart of `triptych rail …`. Every movement records who made it and why. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { id, operator, reason, action, OPERATOR_ERRORS, CHANGE_ERRORS, IDEMPOTENT_ERRORS } from "./admin-schemas.ts";
import { EMAIL_MAX, LABEL_MAX, TOPUP_MAX_MICRO, TOPUP_STATES } from "./limits.ts";
import { Charge, strictObject, CreatedWallet, Topup, TopupsPage, Wallet } from "./schemas.ts";

export const adminCreateWallet = defineEndpoint({
  id: "adminCreateWallet",
  method: "POST",
  path: "/v1/admin/wallets",
  summary: "Create a wallet for a customer; no starter credit in mode live",
  description: "The token appears only in this response. Send it to the customer over a secure channel.",
  auth: "admin",
  idempotent: true,
  body: strictObject({
    email: Type.String({ format: "email", maxLength: EMAIL_MAX }),
    label: Type.Optional(Type.String({ maxLength: LABEL_MAX })),
  }),
  answers: { 201: { description: "the wallet and its token, which is shown once", schema: CreatedWallet } },
  problems: [...CHANGE_ERRORS, ...IDEMPOTENT_ERRORS],
});

export const adminGetWallet = defineEndpoint({
  id: "adminGetWallet",
  method: "GET",
  path: "/v1/admin/wallets/{id}",
  summary: "Get a wallet",
  description: "Returns the same fields that the owner sees; the email address stays masked.",
  auth: "admin",
  params: id,
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...OPERATOR_ERRORS, "wallet_not_found"],
});

export const adminFreezeWallet = defineEndpoint({
  id: "adminFreezeWallet",
  method: "POST",
  path: "/v1/admin/wallets/{id}/freeze",
  summary: "Freeze a wallet: no charges until it is unfrozen",
  description: "Charges, top-ups and purchases of a frozen wallet are rejected with `wallet_frozen`.",
  auth: "admin",
  params: id,
  body: action,
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...CHANGE_ERRORS, "wallet_not_found", "wallet_closed"],
});

export const adminUnfreezeWallet = defineEndpoint({
  id: "adminUnfreezeWallet",
  method: "POST",
  path: "/v1/admin/wallets/{id}/unfreeze",
  summary: "Unfreeze a wallet: charges are possible again",
  description: "Balance and tokens stay unchanged.",
  auth: "admin",
  params: id,
  body: action,
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...CHANGE_ERRORS, "wallet_not_found", "wallet_closed"],
});

export const adminAdjustWallet = defineEndpoint({
  id: "adminAdjustWallet",
  method: "POST",
  path: "/v1/admin/wallets/{id}/adjust",
  summary: "Add or remove paid money of a wallet",
  description: "The entry records the operator and the reason.",
  auth: "admin",
  idempotent: true,
  params: id,
  body: strictObject({
    amount_micro: Type.Integer({
      minimum: -TOPUP_MAX_MICRO,
      maximum: TOPUP_MAX_MICRO,
      description: "not 0; a negative amount is limited by the balance",
    }),
    operator,
    reason,
  }),
  answers: { 200: { description: "the wallet", schema: Wallet } },
  problems: [...CHANGE_ERRORS, "wallet_not_found", "wallet_closed", "balance_too_low", ...IDEMPOTENT_ERRORS],
});

export const adminListTopups = defineEndpoint({
  id: "adminListTopups",
  method: "GET",
  path: "/v1/admin/topups",
  summary: "List all top-ups, newest first",
  description: "Filter by status and wallet. Pages continue with `next_cursor`.",
  auth: "admin",
  query: strictObject({
    status: Type.Optional(Type.Array(Type.Enum([...TOPUP_STATES], { title: "TopupStatus" }), { maxItems: 7 })),
    wallet_id: Type.Optional(Type.String({ maxLength: 64 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  }),
  answers: { 200: { description: "a page", schema: TopupsPage } },
  problems: ["validation_failed", ...OPERATOR_ERRORS],
});

export const adminSettleTopup = defineEndpoint({
  id: "adminSettleTopup",
  method: "POST",
  path: "/v1/admin/topups/{id}/settle",
  summary: "Confirm the payment of a pending or reviewed top-up",
  description: "For a payment that the provider has not reported.",
  auth: "admin",
  params: id,
  body: action,
  answers: { 200: { description: "the top-up", schema: Topup } },
  problems: [...CHANGE_ERRORS, "topup_not_found", "topup_state"],
});

export const adminRefundTopup = defineEndpoint({
  id: "adminRefundTopup",
  method: "POST",
  path: "/v1/admin/topups/{id}/refund",
  summary: "Refund a top-up",
  description: "The money goes back to the payer through the provider.",
  auth: "admin",
  params: id,
  body: action,
  answers: { 200: { description: "the top-up", schema: Topup } },
  problems: [...CHANGE_ERRORS, "topup_not_found", "topup_state", "provider_unavailable"],
});

export const adminGetCharge = defineEndpoint({
  id: "adminGetCharge",
  method: "GET",
  path: "/v1/admin/charges/{id}",
  summary: "Get a charge",
  description: "Returns the same fields that the owner of the wallet sees, for any wallet.",
  auth: "admin",
  params: id,
  answers: { 200: { description: "the charge", schema: Charge } },
  problems: [...OPERATOR_ERRORS, "charge_not_found"],
});

export const adminRefundCharge = defineEndpoint({
  id: "adminRefundCharge",
  method: "POST",
  path: "/v1/admin/charges/{id}/refund",
  summary: "Refund a delivered charge, at most once",
  description: "Adds the price to the balance as a new entry.",
  auth: "admin",
  params: id,
  body: action,
  answers: { 200: { description: "the charge", schema: Charge } },
  problems: [...CHANGE_ERRORS, "charge_not_found", "charge_state"],
});
