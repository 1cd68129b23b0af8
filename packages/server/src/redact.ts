/**
 * The last line of defence against a secret in a log line, an error or a page: every credential of the product has a readable
 * prefix, so whatever looks like one is replaced. It also catches mistyped ones (any symbols of about the right length).
 */
const SECRET = /\b(?:dir_(?:live|test)|pnl|lic|rail_(?:live|test|admin|svc))_[0-9A-Za-z]{6,}(?:_[0-9A-Za-z]{1,16})?/gi;

export function redact(text: string): string {
  return text.replaceAll(SECRET, (secret) => `${secret.slice(0, secret.lastIndexOf("_", 10) + 1)}[redacted]`);
}

export function holdsSecret(text: string): boolean {
  return text.search(SECRET) >= 0;
}
