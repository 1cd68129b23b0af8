import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor, formatSecretLocation, findSecrets } from "../src/index.ts";

const redactor = createRedactor(new Map([["repo_credential", "correct-horse-battery"]]));

/** Deterministic symbols generated at run time, so that scanners see no token in this file. */
function symbols(length: number, alphabet: string): string {
  let state = length + alphabet.length;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return alphabet[Math.floor(state / 65_536) % alphabet.length];
  }).join("");
}
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const HEX = "0123456789abcdef";
const ALPHANUMERIC = `${LOWER}${LOWER.toUpperCase()}0123456789`;
const alphanumeric = (length: number) => symbols(length, ALPHANUMERIC);
const hex = (length: number) => symbols(length, HEX);
const upper = (length: number) => symbols(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
const digits = (length: number) => symbols(length, "123456789");

const TOKENS: readonly (readonly [what: string, token: string, kind: string])[] = [
  ["GitHub token", `ghp_${alphanumeric(36)}`, "github_token"],
  ["GitHub app token", `ghs_${alphanumeric(36)}`, "github_token"],
  ["GitHub fine-grained token", `github_pat_${alphanumeric(22)}_${alphanumeric(59)}`, "github_token"],
  ["GitLab token", `glpat-${alphanumeric(20)}`, "gitlab_token"],
  ["OpenAI key", `sk-proj-${alphanumeric(24)}7${alphanumeric(23)}`, "model_key"],
  ["Anthropic key", `sk-ant-api03-${alphanumeric(92)}7AA`, "model_key"],
  ["AWS key id", `AKIA${upper(16)}`, "aws_key"],
  ["AWS temporary key id", `ASIA${upper(16)}`, "aws_key"],
  ["AWS secret key", `aws_secret_access_key = ${alphanumeric(40)}`, "aws"],
  ["Google key", `AIza${alphanumeric(35)}`, "google_key"],
  ["Slack bot token", `xoxb-${digits(12)}-${digits(12)}-${alphanumeric(24)}`, "slack_token"],
  ["Slack user token", `xoxp-${digits(12)}-${digits(12)}-${digits(12)}-${hex(32)}`, "slack_token"],
  ["Slack webhook", `https://hooks.slack.com/services/T${upper(8)}/B${upper(10)}/${alphanumeric(24)}`, "slack"],
  ["npm token", `npm_${alphanumeric(36)}`, "npm_token"],
  ["JWT", `eyJ${alphanumeric(20)}.eyJ${alphanumeric(30)}.${alphanumeric(43)}`, "jwt"],
  ["RSA key", `-----BEGIN RSA PRIVATE KEY-----\n${alphanumeric(64)}\n-----END RSA PRIVATE KEY-----`, "private_key"],
  ["OpenSSH key", `-----BEGIN OPENSSH PRIVATE KEY-----\n${alphanumeric(64)}`, "private_key"],
  [
    "GCP service account",
    `{"private_key": "-----BEGIN PRIVATE KEY-----\\n${alphanumeric(64)}\\n-----END PRIVATE KEY-----"}`,
    "private_key",
  ],
  ["Stripe secret key", `sk_live_${alphanumeric(24)}`, "stripe_key"],
  ["Stripe restricted key", `rk_live_${alphanumeric(24)}`, "stripe_key"],
  ["Stripe webhook secret", `whsec_${alphanumeric(32)}`, "stripe_key"],
  ["SendGrid key", `SG.${alphanumeric(22)}.${alphanumeric(43)}`, "sendgrid_key"],
  ["Hugging Face token", `hf_${alphanumeric(34)}`, "huggingface_token"],
  ["PyPI token", `pypi-AgEIcHlwaS5vcmc${alphanumeric(140)}`, "pypi_token"],
  ["DigitalOcean token", `dop_v1_${hex(64)}`, "digitalocean_token"],
  ["DigitalOcean OAuth token", `doo_v1_${hex(64)}`, "digitalocean_token"],
  ["DigitalOcean refresh token", `dor_v1_${hex(64)}`, "digitalocean_token"],
  ["Docker token", `dckr_pat_${alphanumeric(27)}`, "docker_token"],
  ["Vault token", `hvs.${alphanumeric(90)}`, "vault_token"],
  ["Grafana token", `glsa_${alphanumeric(32)}_${hex(8)}`, "grafana_token"],
  ["Shopify token", `shpat_${hex(32)}`, "shopify_token"],
  ["Linear key", `lin_api_${alphanumeric(40)}`, "linear_key"],
  ["Telegram bot token", `${digits(10)}:AA${alphanumeric(33)}`, "telegram_token"],
  ["Twilio key", `SK${hex(32)}`, "twilio_sid"],
  ["Twilio auth token", `TWILIO_AUTH_TOKEN=${hex(32)}`, "twilio_key"],
  ["Twilio account", `twilio_account: AC${hex(32)}`, "twilio_key"],
  ["URL with a password", `https://deploy:${alphanumeric(16)}@git.company.dev/repo.git`, "basicauth"],
  ["PostgreSQL URL", `postgres://app:${alphanumeric(16)}@db.company.dev:5432/app`, "database_connection_string"],
  ["MySQL URL", `mysql://app:${alphanumeric(16)}@db.company.dev/app`, "database_connection_string"],
  ["MongoDB URL", `mongodb+srv://app:${alphanumeric(16)}@cluster.mongodb.net/app`, "database_connection_string"],
  ["Databricks token", `dapi${hex(32)}`, "databricks"],
  ["Figma token", `figd_${alphanumeric(40)}`, "figma"],
  ["Groq key", `gsk_${alphanumeric(52)}`, "groq"],
  ["Notion token", `ntn_${digits(11)}${alphanumeric(35)}`, "notion"],
  ["Tailscale key", `tskey-auth-${alphanumeric(12)}CNTRL-${alphanumeric(32)}`, "tailscale"],
  ["key of this product", `rail_live_${alphanumeric(32)}`, "triptych_key"],
  ["read token of the rail", `rail_read_${alphanumeric(26)}_${alphanumeric(7)}`, "triptych_key"],
  ["known credential", "correct-horse-battery", "repo_credential"],
];

for (const [what, token, kind] of TOKENS)
  test(`finds a ${what} as ${kind}, and reports its line but not its value`, async () => {
    const text = `first line\n  value: ${token}`;
    const locations = await findSecrets(redactor, [{ path: "src/a b.ts", text, lines: [7, 12] }]);
    assert.deepEqual(locations, [{ path: "src/a b.ts", line: 12, kind }]);
    assert.equal(locations.map(formatSecretLocation).join(), `"src/a b.ts":12 holds ${kind}`);
  });

const HARMLESS = [
  "git clone https://user:password@example.com/repo.git",
  "https://user:s3cr3t-value@git.example.org/x",
  "https://me:hunter22@[::1]:8080/",
  "postgres://app:app@db:5432/app",
  "postgres://postgres:postgres@localhost:5432/test",
  "mysql://user:${DB_PASSWORD}@db.company.dev/app",
  "postgres://<user>:<password>@<host>:<port>/<database>",
  "https://user:pass@10.0.0.1/",
  `commit ${hex(40)}`,
  `sha256-${alphanumeric(43)}=`,
  `"integrity": "sha512-${alphanumeric(86)}=="`,
  `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  "sk_live_… and rk_live_ are the prefixes of Stripe",
  "start_of_a_long_name_in_snake_case, hf_transfer, SG.md, pypi-publish",
  `color: #${hex(6)}; id: "${alphanumeric(20)}"`,
];
test("ignores examples, local addresses, digests and IDs", async () => {
  for (const text of HARMLESS)
    assert.deepEqual(await findSecrets(redactor, [{ path: "README.md", text, lines: [1] }]), [], text);
});

test("a comment in the change cannot disable the scan", async () => {
  const text = `/* secretlint-disable */\nurl=https://deploy:${alphanumeric(16)}@git.company.dev/\n`;
  assert.equal((await findSecrets(redactor, [{ path: "a", text, lines: [1, 2, 3] }])).length, 1);
});
