export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Queues the mail and returns. Failures are logged without the address. */
  send(mail: Mail): void;
  close(): Promise<void>;
}
