/** Mails of the rail: one-time links and the low-balance warning. Absent without a mail server. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Queues the mail and returns. Failures are logged without the address. */
  send(mail: Mail): void;
  /** Waits for queued mails. */
  close(): Promise<void>;
}
