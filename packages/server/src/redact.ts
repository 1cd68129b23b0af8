/**
 * Last protection against secrets in log lines, errors and pages. Replaces anything that starts with a credential
 * prefix, even if it is mistyped.
 */
const SECRET = /\b(?:dir_(?:live|test)|pnl|lic|rail_(?:live|test|admin|svc))_[0-9A-Za-z]{6,}(?:_[0-9A-Za-z]{1,16})?/gi;

export function redact(text: string): string {
  return text.replaceAll(SECRET, (secret) => `${secret.slice(0, secret.lastIndexOf("_", 10) + 1)}[redacted]`);
}

export function holdsSecret(text: string): boolean {
  return text.search(SECRET) >= 0;
}
