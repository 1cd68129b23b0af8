/** `verify_receipt`: verifies a receipt on this machine with the published keys of the rail. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { verifyReceipt } from "@triptych/client";
import { getJwks, getRevokedKeys } from "@triptych/contracts";
import { toolError } from "./call-tool.ts";
import type { Arguments } from "./page-text.ts";
import { toErrorText } from "./problem-text.ts";
import type { ServiceAccess } from "./services.ts";
import type { ToolSchema } from "./tool-schema.ts";

export const VERIFY_RECEIPT = "verify_receipt";

export const verifyReceiptSchema: ToolSchema = {
  type: "object",
  properties: {
    receipt: { type: "string", description: "the compact JWS from the header X-Rail-Receipt" },
    body: { type: "string", description: "the exact text of the response, to check that the receipt belongs to it" },
  },
  required: ["receipt"],
  additionalProperties: false,
};

export const VERIFY_RECEIPT_DESCRIPTION =
  "Verifies the receipt of a paid decision: the signature (with the rail's published keys), the claims, and, if `body` is given, the response. Returns `isGood` with the claims, or `error`.";

export async function callVerifyReceipt(
  { receipt, body }: Arguments,
  { service, signal }: { readonly service: ServiceAccess; readonly signal: AbortSignal },
): Promise<CallToolResult> {
  if (typeof receipt !== "string" || (body !== undefined && typeof body !== "string"))
    return toolError(`Invalid arguments for ${VERIFY_RECEIPT}:\n- receipt: required, a text.\n- body: a text.`);
  try {
    const [jwks, revoked] = await Promise.all([
      service.client.call(getJwks, { signal }),
      service.client.call(getRevokedKeys, { signal }),
    ]);
    const evidence = { revoked: revoked.body, ...(body !== undefined && { body }) };
    const verdict = await verifyReceipt(receipt, jwks.body, evidence);
    return { content: [{ type: "text", text: JSON.stringify(verdict) }] };
  } catch (error) {
    return toolError(toErrorText(error, service));
  }
}
