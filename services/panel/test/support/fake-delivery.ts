/** Fake delivery for the channel: bundles by run and epoch, judged by their head. */
import { createHmac } from "node:crypto";
import type { Delivery, Judgement } from "../../src/domain/delivery.ts";
import type { RunTokens } from "../../src/domain/worker-tokens.ts";

export interface UploadedBundles extends Delivery {
  set(runId: string, epoch: number, headSha: string): void;
  /** While true, the repository is unreachable. */
  isAway: boolean;
  readonly judged: readonly string[];
}

export function createUploadedBundles(): UploadedBundles {
  const heads = new Map<string, string>();
  const judged: string[] = [];
  return {
    isAway: false,
    judged,
    set: (runId, epoch, headSha) => void heads.set(`${runId} ${epoch}`, headSha),
    judge(_owner, { id, epoch }, { headSha }): Promise<Judgement> {
      judged.push(id);
      if (this.isAway) return Promise.resolve({ kind: "unreachable", message: "away" });
      const isThere = heads.get(`${id} ${epoch}`) === headSha;
      if (!isThere) return Promise.resolve({ kind: "refused", code: "bundle_invalid", message: "no such bundle" });
      const diff = { files: 1, insertions: 1, deletions: 1, patch_id: "9f" };
      const bundle = { sha256: "a".repeat(64), bytes: 9 };
      return Promise.resolve({ kind: "accepted", facts: { headSha, bundle, diff, warnings: [] } });
    },
  };
}

export function createRunTokens(secret: string): RunTokens {
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("base64url");
  return {
    mint({ owner, runId, epoch }, expiresAt) {
      const text = Buffer.from(JSON.stringify({ owner, runId, epoch, expiresAt })).toString("base64url");
      return `rt_${text}.${sign(text)}`;
    },
    read(token, now) {
      const [text = "", mark] = token.replace(/^rt_/, "").split(".");
      if (mark !== sign(text)) return null;
      const { expiresAt, ...scope } = JSON.parse(Buffer.from(text, "base64url").toString());
      return expiresAt > now ? scope : null;
    },
  };
}
