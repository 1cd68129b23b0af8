/** Email over SMTP. The mail library is loaded with the first email. */
import { isRecord } from "@triptych/util";
import type { Transporter } from "nodemailer";
import type { OutgoingMessage, Outcome } from "./target.ts";

const TIMEOUT_MS = 20_000;

export interface EmailOptions {
  /** `smtp://user:password@host:587` or `smtps://…`. */
  readonly smtp: string;
  readonly from: string;
  readonly to: readonly string[];
}

export function emailSender({ smtp, from, to }: EmailOptions) {
  let transport: Promise<Transporter> | null = null;
  return {
    async send({ event, link, now }: OutgoingMessage): Promise<Outcome> {
      try {
        transport ??= open(smtp);
        await (
          await transport
        ).sendMail({
          from,
          to: [...to],
          subject: event.title,
          text: textOf(event.text, link, event.type),
          date: new Date(now),
          // The same for each attempt, so that mail programs recognize a repeated message.
          messageId: `<${event.id}@triptych.invalid>`,
          headers: { "Auto-Submitted": "auto-generated" },
        });
        return { kind: "delivered" };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    /** `send` has already reported a transport that failed to open. */
    close: () => void transport?.then((opened) => opened.close()).catch(() => undefined),
  };
}

async function open(url: string): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function textOf(text: string, link: string, type: string): string {
  return `${text}\n\n${link}\n\n-- \nTriptych, ${type}\n`;
}

/**
 * A 5xx code rejects the email permanently (RFC 5321, 4.2.1). The server's text is omitted, because it may contain an
 * address.
 */
function outcomeOf(error: unknown): Outcome {
  const { responseCode, code: name } = isRecord(error) ? error : {};
  const status = typeof responseCode === "number" ? responseCode : null;
  const code = typeof name === "string" ? name : "SMTP error";
  const reason = status === null ? code : `${code} ${status}`;
  // Wrong credentials affect every mail.
  if (status !== null && status >= 500 && code !== "EAUTH") return { kind: "refused", error: reason };
  return { kind: "unavailable", error: reason, retryAfterMs: null };
}
