/**
 * Commands use only the operator endpoints, so that each operation has one implementation. If a rail runs on the data
 * folder, commands call it over HTTP, because only that process may write there. Otherwise they call an app in this
 * process.
 */
import { resolve } from "node:path";
import { createClient, ProblemError, type Client } from "@triptych/client";
import { generateKey, SERVICE_FORM } from "@triptych/api-keys";
import { openRateWindows } from "@triptych/rate-limit";
import { readConfig } from "@triptych/config";
import { createLogger, installationSecrets, readCredentialsFile, type Server } from "@triptych/server";
import { ADMIN_FORM } from "../access.ts";
import { createApp } from "../app.ts";
import { RailConfig, testPaymentsRefusal } from "../config.ts";
import type { Caller } from "../http/identify.ts";
import { jumpText } from "../domain/ledger-clock.ts";
import { createRailMetrics } from "../metrics.ts";
import { openRail } from "../open-rail.ts";
import { paymentProvider } from "../payment-provider.ts";
import { isStoreLocked, openStore } from "../store/open-store.ts";
import { say, type CliContext } from "./cli-context.ts";

/** No automatic retries: if a money movement gets no response, the operator must check what happened. */
const RETRIES = 0;

export async function withOperator<T>(context: CliContext, work: (client: Client) => Promise<T>): Promise<T> {
  const config = readConfig(RailConfig, context.environment);
  const location = { dataFolder: resolve(config.TRIPTYCH_DATA), databaseUrl: config.DATABASE_URL };
  try {
    if (await isStoreLocked(location)) return await work(await runningRail(config, context));
    return await inOwnProcess(config, context, work);
  } catch (error) {
    if (error instanceof ProblemError) throw new Error(sentenceOf(error), { cause: error });
    throw error;
  }
}

/** The message, with the state members of the problem and all validation errors. */
function sentenceOf({ message, body, errors }: ProblemError): string {
  const states = ["topup_status", "state", "paid_micro"].flatMap((name) => {
    const value = body[name];
    return typeof value === "string" || typeof value === "number" ? [`${name}: ${value}`] : [];
  });
  return [message, ...states, ...errors.map((issue) => `${issue.path}: ${issue.message}`)].join("\n");
}

async function runningRail(config: RailConfig, { fetch }: CliContext): Promise<Client> {
  const credentials = await readCredentialsFile(resolve(config.TRIPTYCH_DATA), "rail");
  const url = config.RAIL_INTERNAL_URL ?? textOf(credentials?.["url"]) ?? config.RAIL_URL;
  const token = config.RAIL_ADMIN_TOKEN ?? textOf(credentials?.["admin_token"]);
  if (url === null || url === undefined || token === null)
    throw new Error(
      "A rail is running on this data folder. Set RAIL_ADMIN_TOKEN and RAIL_URL to send the command to it, or stop it first.",
    );
  return createClient({ url, headers: { Authorization: `Bearer ${token}` }, fetch, retries: RETRIES });
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

async function inOwnProcess<T>(
  config: RailConfig,
  { now, random, stderr }: CliContext,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const refusal = testPaymentsRefusal(config);
  if (refusal !== null) throw new Error(refusal);
  const dataFolder = resolve(config.TRIPTYCH_DATA);
  const isProduction = config.NODE_ENV === "production";
  const secret = await installationSecrets({ config, dataFolder, isProduction });
  await using store = await openStore({ dataFolder, databaseUrl: config.DATABASE_URL });
  const adminToken = generateKey(ADMIN_FORM, random);
  const url = config.RAIL_URL ?? `http://127.0.0.1:${config.RAIL_PORT}`;
  const rail = await openRail({
    ledger: store.ledger,
    windows: openRateWindows(store),
    provider: await paymentProvider(config, now),
    mailer: null,
    secret,
    serviceToken: generateKey(SERVICE_FORM, random),
    adminToken,
    process: "operator",
    customHeadMicro: config.RAIL_PRICE_CUSTOM_HEAD_MICRO,
    algorithm: config.RAIL_RECEIPT_ALGORITHM,
    now,
    monotonic: () => performance.now(),
    random,
    url: () => url,
  });
  const jump = rail.clock.jump();
  if (jump !== null) say(stderr, `${jumpText(jump)}: triptych rail clock confirm`);
  const logger = createLogger({ service: "rail", level: "silent" });
  const app = await createApp({ logger, publicUrl: url, ofProcess: false, metrics: createRailMetrics() }, rail);
  try {
    const headers = { Authorization: `Bearer ${adminToken}` };
    return await work(createClient({ url, headers, fetch: fetchOf(app), retries: RETRIES }));
  } finally {
    await app.stop();
  }
}

function fetchOf(app: Server<Caller>): typeof fetch {
  return async (input, { method = "GET", headers, body } = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const answer = await app.fastify.inject({
      method: method as "GET" | "POST",
      url: pathname + search,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === "string" && { payload: body }),
    });
    const media = answer.headers["content-type"] ?? "application/json";
    return new Response(answer.body, { status: answer.statusCode, headers: { "content-type": media } });
  };
}
