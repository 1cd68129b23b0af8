/** Schemas of the targets in the rules, and their senders. */
import { createHash } from "node:crypto";
import type { Environment } from "@triptych/config";
import { Type, type Static, type TObject } from "typebox";
import { isReference, resolveReferences } from "./references.ts";
import { emailSender } from "./targets/email.ts";
import { ntfySender } from "./targets/ntfy.ts";
import { slackSender } from "./targets/slack.ts";
import type { Target } from "./targets/target.ts";
import { keyOfSecret, webhookSender } from "./targets/webhook.ts";

const text = Type.String({ minLength: 1, maxLength: 2_000, description: "a text" });
const name = Type.Optional(Type.String({ minLength: 1, maxLength: 60, description: "1 to 60 characters" }));
const strict = { additionalProperties: false };

export const TARGET_SCHEMAS = {
  webhook: Type.Object({ type: Type.Literal("webhook"), name, url: text, secret: text }, strict),
  slack: Type.Object({ type: Type.Literal("slack"), name, url: text }, strict),
  ntfy: Type.Object(
    { type: Type.Literal("ntfy"), name, url: Type.Optional(text), topic: text, token: Type.Optional(text) },
    strict,
  ),
  email: Type.Object(
    {
      type: Type.Literal("email"),
      name,
      smtp: text,
      from: text,
      to: Type.Array(text, { minItems: 1, maxItems: 50, description: "1 to 50 addresses" }),
    },
    strict,
  ),
} as const satisfies Readonly<Record<string, TObject>>;

type TargetType = keyof typeof TARGET_SCHEMAS;
export type TargetConfig = { [T in TargetType]: Static<(typeof TARGET_SCHEMAS)[T]> }[TargetType];

/** Credentials: the file may only contain references to them. */
const SECRETS = { webhook: ["secret"], slack: ["url"], ntfy: ["token"], email: ["smtp"] } as const;

const NTFY_URL = "https://ntfy.sh";

export interface TargetContext {
  readonly environment: Environment;
  /** `path` of the property within the target, such as `.url`. */
  readonly onIssue: (path: string, issue: string) => void;
}

/** Returns null if an issue was reported. */
export function createTarget(config: TargetConfig, context: TargetContext): Target | null {
  let issues = 0;
  const onIssue = (path: string, issue: string) => {
    issues += 1;
    context.onIssue(path, issue);
  };
  for (const [property, value] of Object.entries(config))
    if (SECRETS[config.type].some((secret) => secret === property) && !isReference(String(value)))
      onIssue(`.${property}`, "is a secret: write `${NAME}` or `${file:PATH}`, and set the value there");
  const resolve = (property: string, value: string) =>
    resolveReferences(value, context.environment, (issue) => onIssue(`.${property}`, issue));
  const send = senderOf(config, { resolve, onIssue });
  if (issues > 0 || send === null) return null;
  return { id: idOf(config), label: labelOf(config, resolve), ...send };
}

interface SenderContext {
  readonly resolve: (property: string, value: string) => string;
  readonly onIssue: TargetContext["onIssue"];
}

function senderOf(config: TargetConfig, context: SenderContext): Pick<Target, "send" | "close"> | null {
  const { resolve, onIssue } = context;
  switch (config.type) {
    case "webhook": {
      const [url, secret] = [urlIn(config.url, context), resolve("secret", config.secret)];
      const key = keyOfSecret(secret);
      if (key === null && secret !== "")
        onIssue(".secret", "must be `whsec_` and 24 to 64 bytes in base64, as `openssl rand -base64 32` prints them");
      return url === null || key === null ? null : { send: webhookSender({ url, key }) };
    }
    case "slack": {
      const url = urlIn(config.url, context);
      return url === null ? null : { send: slackSender({ url }) };
    }
    case "ntfy": {
      const url = urlIn(config.url ?? NTFY_URL, context);
      const token = config.token === undefined ? null : resolve("token", config.token);
      const topic = resolve("topic", config.topic);
      if (!/^[\w-]{1,64}$/.test(topic)) onIssue(".topic", "must have 1 to 64 letters, digits, `_` and `-`");
      return url === null ? null : { send: ntfySender({ url, topic, token }) };
    }
    case "email": {
      const smtp = resolve("smtp", config.smtp);
      if (smtp !== "" && (!/^smtps?:\/\/[^/\s]+/.test(smtp) || !URL.canParse(smtp)))
        onIssue(".smtp", "must be an smtp:// or smtps:// URL");
      const from = resolve("from", config.from);
      const to = config.to.map((address, at) => resolve(`to[${at}]`, address));
      for (const [at, address] of to.entries())
        if (!isAddress(address)) onIssue(`.to[${at}]`, "must be an email address");
      if (!isAddress(from)) onIssue(".from", "must be an email address");
      return emailSender({ smtp, from, to });
    }
  }
}

function isAddress(text: string): boolean {
  return /^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(text);
}

function urlIn(value: string, { resolve, onIssue }: SenderContext): string | null {
  const resolved = resolve("url", value);
  const url = URL.parse(resolved);
  if (resolved === "") return null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url.href;
  onIssue(".url", "must be an http:// or https:// URL without user name and password");
  return null;
}

/** Hashes the text in the file, which contains references instead of secrets: rotating a secret keeps the ID. */
function idOf(config: TargetConfig): string {
  const address = Object.entries(config).filter(([property]) => property !== "name");
  const sorted = address.sort(([first], [second]) => first.localeCompare(second));
  return `tgt_${createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 20)}`;
}

function labelOf(config: TargetConfig, resolve: SenderContext["resolve"]): string {
  if (config.name !== undefined) return config.name;
  switch (config.type) {
    case "webhook":
      return `webhook ${new URL(resolve("url", config.url)).host}`;
    case "slack":
      return `slack ${config.url}`;
    case "ntfy":
      return `ntfy ${config.topic}`;
    case "email":
      return `email to ${config.to.length === 1 ? "1 address" : `${config.to.length} addresses`}`;
  }
}
