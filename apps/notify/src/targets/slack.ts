/**
 * Slack incoming webhooks. Repository texts are sent as plain text: they cannot format the message or mention anyone.
 */
import { pullRequestIn } from "../event.ts";
import { postJson } from "./post.ts";
import type { OutgoingMessage, Outcome } from "./target.ts";

const EMOJI = { good: "✅", bad: "❌", attention: "⚠️" } as const;

export function slackSender({ url }: { readonly url: string }) {
  return (message: OutgoingMessage): Promise<Outcome> =>
    postJson({ url, body: JSON.stringify(slackBody(message)), now: message.now });
}

function slackBody({ event, link }: OutgoingMessage): object {
  const { title, text, type, id, data } = event;
  const links = [linkTo(link, "Open in Triptych")];
  const pr = pullRequestIn(data);
  if (pr !== null) links.unshift(linkTo(pr, "Pull request"));
  return {
    // Slack clients show this text in notifications and apply formatting to it.
    text: escapeSlack(title),
    blocks: [
      { type: "section", text: { type: "plain_text", text: `${markOf(type)} ${title}`, emoji: false } },
      ...(text === "" ? [] : [{ type: "section", text: { type: "plain_text", text, emoji: false } }]),
      { type: "context", elements: [{ type: "mrkdwn", text: `${links.join(" · ")} · ${type} · ${id}` }] },
    ],
  };
}

function linkTo(url: string, label: string): string {
  // A `|` would end the URL.
  return `<${escapeSlack(url).replaceAll("|", "%7C")}|${label}>`;
}

/** Slack's three control characters. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function markOf(type: OutgoingMessage["event"]["type"]): string {
  if (type === "run.pr_opened" || type === "candidate.proposed" || type === "notify.test") return EMOJI.good;
  return type === "run.failed" ? EMOJI.bad : EMOJI.attention;
}
