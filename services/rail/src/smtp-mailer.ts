/**
 * Mails over SMTP. One that the server cannot take just now (it restarts, or asks to come again) is tried again some times; it is held in
 * memory meanwhile, and lost with the process. What cannot be sent is logged by its subject: an address never reaches a log.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { Mail, Mailer } from "./domain/mailer.ts";

export interface SmtpOptions {
  /** `smtp://user:password@host:587` or `smtps://…`. */
  readonly url: string;
  readonly from: string;
  readonly logger: Logger;
  /** Milliseconds before each further try of a mail. */
  readonly pausesMs?: readonly number[];
  /** How long `close` waits for what is being sent. */
  readonly closingMs?: number;
}

const TIMEOUT_MS = 20_000;
/** A restart takes seconds; whoever answers "come again" means minutes. */
const PAUSES_MS = [5000, 60_000, 300_000, 900_000];
/** A server that hangs must not keep the rail from stopping, which has 10 s for all it has under way. */
const CLOSING_MS = 5000;
/** Mails that wait; beyond it the newest is dropped and the log says so. */
const WAITING_MOST = 1000;

/** The mail library is loaded here: a rail without a mail server starts without it. */
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
      if (underWay.size >= WAITING_MOST) {
        logger.error({ subject: mail.subject }, "too many mails wait: this one was dropped");
        return;
      }
      const sending = deliver(mail).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async close() {
      closing.abort();
      const ended = Promise.allSettled(underWay);
      await Promise.race([ended, wait(closingMs, undefined, { ref: false })]);
      if (underWay.size > 0) logger.error({ mails: underWay.size }, "stopped while mails were being sent");
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
        const isLast = pauseMs === null || !isPassing(error) || closing.signal.aborted;
        if (isLast) return logger.error({ subject, reason }, "a mail could not be sent");
        logger.warn({ subject, reason, again_in_ms: pauseMs }, "a mail could not be sent yet");
        await wait(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }
}

/** Nobody answered, or the server says that it is not for good (RFC 5321, 4.2.1). */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = "responseCode" in error && typeof error.responseCode === "number" ? error.responseCode : 0;
  return status < 500;
}

/** The message of a mail server may repeat the address it refuses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const response = "responseCode" in error && typeof error.responseCode === "number" ? ` ${error.responseCode}` : "";
  return code + response;
}
