/**
 * Email over SMTP. Temporary failures are retried from memory, so they are lost if the process exits. Permanent
 * failures are logged by subject; an address never reaches a log.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { Mail, Mailer } from "./domain/email.ts";

export interface SmtpOptions {
  /** `smtp://user:password@host:587` or `smtps://…`. */
  readonly url: string;
  readonly from: string;
  readonly logger: Logger;
  /** Milliseconds before each retry. */
  readonly pausesMs?: readonly number[];
  /** How long `close` waits for emails in transit. */
  readonly closingMs?: number;
}

const TIMEOUT_MS = 20_000;
/** A mail server restart takes seconds; greylisting takes minutes. */
const PAUSES_MS = [5000, 60_000, 300_000, 900_000];
/** A mail server that hangs must not block shutdown, which has 10 s in total. */
const CLOSING_MS = 5000;
/** Queue limit; beyond it, the newest email is dropped and logged. */
const WAITING_MAX = 1000;

/** Loads the mail library here, so that a rail without a mail server does not load it. */
export async function createSmtpMailer(options: SmtpOptions): Promise<Mailer> {
  const { url, from, logger, pausesMs = PAUSES_MS, closingMs = CLOSING_MS } = options;
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    url,
    pool: true,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  return {
    send(mail) {
      if (underWay.size >= WAITING_MAX) {
        logger.error({ subject: mail.subject }, "mail queue full; dropped");
        return;
      }
      const sending = deliver(mail).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async close() {
      closing.abort();
      const ended = Promise.allSettled(underWay);
      await Promise.race([ended, wait(closingMs, undefined, { ref: false })]);
      if (underWay.size > 0) logger.error({ mails: underWay.size }, "shutdown timeout; unsent mails dropped");
      transport.close();
    },
  };

  async function deliver({ to, subject, text }: Mail): Promise<void> {
    for (const pauseMs of [...pausesMs, null]) {
      try {
        await transport.sendMail({ from, to, subject, text });
        logger.info({ subject }, "mail sent");
        return;
      } catch (error) {
        const reason = reasonOf(error);
        const isLast = pauseMs === null || !isTemporary(error) || closing.signal.aborted;
        if (isLast) return logger.error({ subject, reason }, "sending mail failed");
        logger.warn({ subject, reason, again_in_ms: pauseMs }, "sending mail failed; retrying");
        await wait(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }
}

/** No response, or a transient error (RFC 5321, 4.2.1). */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = "responseCode" in error && typeof error.responseCode === "number" ? error.responseCode : 0;
  return status < 500;
}

/** A mail server's message may contain the rejected address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const response = "responseCode" in error && typeof error.responseCode === "number" ? ` ${error.responseCode}` : "";
  return code + response;
}
