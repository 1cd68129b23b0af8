/** Mails that the rail sends: links that are good once, and a warning. Absent where no mail server is configured. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Hands the mail over and returns; what fails is logged, without the address. */
  send(mail: Mail): void;
  /** Waits for what was handed over. */
  close(): Promise<void>;
}
