// Prints every secret of a seed in every form, as a leaking agent. Lives in a test repository, so it imports nothing
// from this project and contains no secret itself.
import { createHmac } from "node:crypto";

const SHAPES = ["ghp_", "sk-", "glpat-", "AKIA"];

/** The worker knows half of them from its environment; the others only by their shape. */
export function secretOf(seed, number) {
  const text = createHmac("sha256", seed).update(String(number)).digest("base64url").replaceAll(/[-_]/g, "x");
  if (number % 2 === 0) return { isRegistered: true, value: `${text.slice(0, 12)}/+&=${text.slice(12, 30)}` };
  const shape = SHAPES[((number - 1) / 2) % SHAPES.length];
  return {
    isRegistered: false,
    value: shape === "AKIA" ? shape + text.slice(0, 16).toUpperCase() : `${shape}1${text.slice(0, 36)}`,
  };
}

export function encodingsOf({ value, isRegistered }) {
  const inBase64 = Buffer.from(`user:${value}`).toString("base64");
  return isRegistered ? [value, encodeURIComponent(value), inBase64] : [value];
}

async function leak(seed, count) {
  for (let number = 0; number < count; number++) {
    const secret = secretOf(seed, number);
    const stream = number % 3 === 0 ? process.stderr : process.stdout;
    for (const form of encodingsOf(secret)) stream.write(`${number}: ${form}\n`);
    if (number % 8 > 1) continue;
    // In two separate writes.
    stream.write(`in two: ${secret.value.slice(0, 9)}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
    stream.write(`${secret.value.slice(9)}\n`);
  }
}

const [seed, count] = process.argv.slice(2);
if (count !== undefined) await leak(seed, Number(count));
