/** Mails over SMTP. What cannot be sent is logged by its subject: an address never reaches a log. */
import type { Logger } from "pino";
import type { Mailer } from "./domain/mailer.ts";

export interface SmtpOptions {
  /** `smtp://user:password@host:587` or `smtps://…`. */
  readonly url: string;
  readonly from: string;
  readonly logger: Logger;
}

const TIMEOUT_MS = 20_000;
/** Mails that wait; beyond it the newest is dropped and the log says so. */
const WAITING_MOST = 1000;

/** The mail library is loaded here: a rail without a mail server starts without it. */
export async function createSmtpMailer({ url, from, logger }: SmtpOptions): Promise<Mailer> {
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
  return {
    send({ to, subject, text }) {
      if (underWay.size >= WAITING_MOST) {
        logger.error({ subject }, "too many mails wait: this one was dropped");
        return;
      }
      const sending = transport
        .sendMail({ from, to, subject, text })
        .then(
          () => logger.info({ subject }, "mail sent"),
          (error: unknown) => logger.error({ subject, reason: reasonOf(error) }, "a mail could not be sent"),
        )
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async close() {
      await Promise.allSettled(underWay);
      transport.close();
    },
  };
}

/** The message of a mail server may repeat the address it refuses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const response = "responseCode" in error && typeof error.responseCode === "number" ? ` ${error.responseCode}` : "";
  return code + response;
}
