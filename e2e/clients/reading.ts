/** Reads additional members, which the clients' types lack, and each client's error class. */
import assert from "node:assert/strict";

export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined;
  return found;
}

/** The answer to one question in a body of either wire. */
export function answerIn(body: unknown, name: string): unknown {
  const answers = memberOf(body, "answers");
  return Array.isArray(answers) ? answers.find((entry) => memberOf(entry, "name") === name) : memberOf(answers, name);
}

/** Status and message of a client's error. */
export async function refusalOf(pending: PromiseLike<unknown>): Promise<{ status: unknown; message: string }> {
  const error: unknown = await pending.then(
    (answer) => assert.fail(`answered, where a refusal was due: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error);
  return { status: memberOf(error, "status") ?? memberOf(error, "statusCode"), message: error.message };
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
