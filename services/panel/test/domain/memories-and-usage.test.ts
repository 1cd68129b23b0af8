import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as check, integer, property } from "fast-check";
import { chooseMemories } from "../../src/domain/select-memories.ts";
import type { MemoryRecord } from "../../src/domain/records.ts";
import { usageAfter } from "../../src/domain/run-usage.ts";

const DAY_MS = 86_400_000;
const NOW = 400 * DAY_MS;

function memory(id: string, more: Partial<MemoryRecord> = {}): MemoryRecord {
  const text = { text: "Use tabs.", normalised: "use tabs." };
  const about = { kind: "convention", source: "user", status: "active", pinned: false, scope: null } as const;
  return { id, repoId: "rep_1", ...text, ...about, hits: 0, lastUsedAt: null, createdAt: NOW, ...more };
}

const chosen = (memories: readonly MemoryRecord[], focus = "Tidy up.") =>
  chooseMemories(memories, { focus, now: NOW }).map(({ id }) => id);

test("orders memories: pinned, then those about a path of the focus, then by use; never pending ones", () => {
  const memories = [
    memory("often", { hits: 5, lastUsedAt: NOW - 30 * DAY_MS }),
    memory("lately", { hits: 3, lastUsedAt: NOW }),
    memory("about", { scope: "src/**/*.js" }),
    memory("pinned", { pinned: true, lastUsedAt: 0 }),
    memory("pending", { status: "pending", pinned: true }),
  ];
  assert.deepEqual(chosen(memories, "Fix src/lib/sum.js now."), ["pinned", "about", "lately", "often"]);
  assert.deepEqual(chosen(memories), ["pinned", "lately", "often", "about"]);
});

test("limits memories to 2,000 tokens, and skips a long one in favor of shorter ones after it", () => {
  const long = (id: string, length: number) => memory(id, { text: "x".repeat(length), pinned: true });
  assert.deepEqual(chosen([long("a", 7_990), long("b", 2_000), memory("c")]), ["a", "c"]);
  check(
    property(array(integer({ min: 1, max: 2_000 }), { maxLength: 30 }), (lengths) => {
      const memories = lengths.map((length, index) => long(`m${index}`, length));
      const chosen = chooseMemories(memories, { focus: "x", now: NOW });
      const size = chosen.reduce((sum, { text }) => sum + text.length, 0);
      assert.ok(size <= 8_000);
      const left = lengths.reduce((sum, length) => sum + length, 0) - size;
      assert.ok(left === 0 || size + Math.max(...lengths) > 8_000);
    }),
  );
});

const NOTHING = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost_micro: null, turns: 0 };
const UNUSED = { ...NOTHING, cost_source: "unknown" as const, by_role: {} };

test("sums the totals of roles, ignores repeated reports, and keeps those of earlier epochs", () => {
  const coder = {
    role: "coder",
    ...NOTHING,
    input_tokens: 10,
    cost_micro: 5,
    turns: 1,
    cost_source: "reported",
  } as const;
  const reviewer = { ...coder, role: "reviewer", input_tokens: 1, cost_micro: null } as const;
  const once = usageAfter(UNUSED, undefined, [coder, reviewer]);
  assert.deepEqual([once.input_tokens, once.cost_micro, once.turns, once.cost_source], [11, 5, 2, "reported"]);
  assert.deepEqual(usageAfter(once, undefined, [coder]), once);
  const later = usageAfter(once, once, [{ ...coder, input_tokens: 3 }]);
  assert.deepEqual([later.input_tokens, later.by_role.coder?.input_tokens], [14, 13]);
});
