/** Starts every service and runs the stories, directly or through a proxy in front of each service. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  directoryContract,
  gatewayContract,
  panelContract,
  railContract,
  type ServiceContract,
} from "@triptych/contracts";
import { startForge } from "@triptych/fake-forge";
import { routerContract } from "../../services/router/src/contract.ts";
import { openInstallation, type Installation, type Product } from "../../test/support/product.ts";
import { createCall, type Call, type Exchange, type Proxy } from "./calls.ts";
import { openMailbox } from "./mailbox.ts";
import { panelStory } from "./panel-story.ts";
import { manualPaymentStory, walletStory, webhookStory } from "./rail-stories.ts";
import { decisionStory, directoryStory, headStory } from "./stories-small.ts";

export interface StoriesOptions {
  readonly observe: (exchange: Exchange) => void;
  /** Starts the proxy that is called instead of the service. */
  readonly through?: (contract: ServiceContract, url: string) => Promise<Proxy>;
}

interface Stage {
  readonly product: Product;
  readonly installation: Installation;
  /** Addresses and folders of these processes, mapped to their replacements in examples. */
  readonly texts: Map<string, string>;
  call(contract: ServiceContract, common?: Readonly<Record<string, string>>): Promise<Call>;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  panel: 7001,
  directory: 7002,
  gateway: 7003,
  router: 7004,
  rail: 7005,
};

/** Returns the addresses and secrets of these processes, mapped to their replacements in examples. */
export async function runStories(options: StoriesOptions): Promise<{ readonly texts: ReadonlyMap<string, string> }> {
  const texts = new Map<string, string>();
  {
    await using installation = await openInstallation();
    const product = await installation.start({ PANEL_CHECK_REPOS: "0" });
    const stage = stageOf({ installation, product, texts, options });
    const credentials = JSON.parse(await readFile(join(installation.folder, "data", "credentials.json"), "utf8"));
    await directoryStory(await stage.call(directoryContract, { "X-API-Key": credentials.directory.pro_key }));
    const router = await stage.call(routerContract);
    await decisionStory(router);
    await headStory(router);
    const { admin_token: admin, service_token: service } = credentials.rail;
    const rail = await stage.call(railContract);
    await hostedStory(stage, rail);
    await walletStory(rail, { admin, service });
    await panelOnStage(stage, credentials.panel.pro);
  }
  await manualPayments(texts, options);
  await webhook(texts, options);
  return { texts };
}

/** Decisions and heads for a wallet with paid money. */
async function hostedStory(stage: Stage, rail: Call): Promise<void> {
  const wallet = (await rail("createWallet", { body: { email: "grace@example.org" } })).json;
  const headers = { "X-Rail-Wallet": String(wallet.wallet_token) };
  await rail("createTopup", { headers, body: { amount_micro: 100_000_000 } });
  await rail("createPurchase", { headers, body: { sku: "custom-head", ref: "support_desk" } });
  const gateway = await stage.call(gatewayContract, headers);
  await decisionStory(gateway);
  await headStory(gateway);
}

async function panelOnStage({ installation, product, texts, call }: Stage, account: PanelAccount): Promise<void> {
  const { folder } = installation;
  const token = "token-of-the-git-host";
  await using forge = await startForge({ folder: join(folder, "forge"), token });
  texts.set(forge.url, "https://git.example.org");
  texts.set(token, "…");
  const [, file = ""] = /the link is in (\S+)/.exec(product.errorLog()) ?? [];
  const [, signInToken = ""] = /\/login#(\S+)/.exec(await readFile(file, "utf8")) ?? [];
  await panelStory(await call(panelContract, { Authorization: `Bearer ${account.access_token}` }), {
    url: product.addressOf("panel"),
    account,
    signInToken,
    forge: { url: forge.url, bare: join(forge.folder, "acme", "sum.git"), token },
    folder,
  });
}

interface PanelAccount {
  readonly email: string;
  readonly password: string;
  readonly access_token: string;
  readonly license_key: string;
}

async function manualPayments(texts: Map<string, string>, options: StoriesOptions): Promise<void> {
  await using mailbox = await openMailbox();
  await using installation = await openInstallation();
  const product = await installation.startOnly(["rail"], { RAIL_PROVIDER: "manual", RAIL_SMTP_URL: mailbox.url });
  const credentials = JSON.parse(await readFile(join(installation.folder, "data", "credentials.json"), "utf8"));
  const stage = stageOf({ installation, product, texts, options });
  await manualPaymentStory(await stage.call(railContract), credentials.rail.admin_token, mailbox);
}

async function webhook(texts: Map<string, string>, options: StoriesOptions): Promise<void> {
  const secret = "whsec_of_the_example";
  await using installation = await openInstallation();
  const variables = { RAIL_STRIPE_SECRET_KEY: "sk_test_of_the_example", RAIL_STRIPE_WEBHOOK_SECRETS: secret };
  const product = await installation.startOnly(["rail"], { RAIL_PROVIDER: "stripe", ...variables });
  const stage = stageOf({ installation, product, texts, options });
  await webhookStory(await stage.call(railContract), secret);
}

interface StageParts extends Pick<Stage, "installation" | "product" | "texts"> {
  readonly options: StoriesOptions;
}

function stageOf({ installation, product, texts, options }: StageParts): Stage {
  texts.set(installation.folder, "/srv/triptych");
  for (const [service, port] of Object.entries(DEFAULT_PORTS)) {
    const url = product.addressOf(service);
    if (url !== "") texts.set(url, `http://127.0.0.1:${port}`);
  }
  return {
    installation,
    product,
    texts,
    async call(contract, common = {}) {
      const url = product.addressOf(contract.name);
      const proxy = await options.through?.(contract, url);
      return createCall({ contract, url, observe: options.observe, ...(proxy !== undefined && { proxy }) }, common);
    },
  };
}
