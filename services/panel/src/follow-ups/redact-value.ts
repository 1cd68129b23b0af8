/** Redacts every text of a JSON value. */
export async function redactValue<T>(value: T, redact: (text: string) => Promise<string>): Promise<T> {
  // Only strings change, so the type stays the same.
  return (await redacted(value, redact)) as T;
}

/** Shorter texts cannot contain a secret. */
const SECRET_LENGTH_MIN = 8;

async function redacted(value: unknown, redact: (text: string) => Promise<string>): Promise<unknown> {
  if (typeof value === "string") return value.length < SECRET_LENGTH_MIN ? value : redact(value);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await redacted(item, redact));
    return items;
  }
  if (typeof value !== "object" || value === null) return value;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) members.push([name, await redacted(member, redact)]);
  return Object.fromEntries(members);
}
