/** Serializes a head for the API. Empty members are omitted. */
import { CONFIDENCE_FLOOR, type Head } from "@triptych/contracts";
import type { HeadMade, HeadRecord } from "./head.ts";
import { isUsable } from "./head-states.ts";
import { toShadowReport } from "./promotion-gate.ts";

type Body = Readonly<Record<string, unknown>>;

export function headBody(head: HeadRecord, url: string): Body {
  const { id, name, version, state, reason, settings, made, shadow } = head;
  const at = `${url}/v1/heads/${id}`;
  return {
    object: "head" satisfies Head["object"],
    id,
    name,
    version,
    state,
    ...(reason !== null && { reason }),
    created_at: timeText(head.createdAt),
    ...(head.trainedAt !== null && { trained_at: timeText(head.trainedAt) }),
    ...(head.trainingMs !== null && { training_ms: head.trainingMs }),
    routes: made?.routes ?? head.routes,
    ...(made !== null && madeBody(made, head)),
    ...(state === "shadow" && { shadow: toShadowReport(shadow) }),
    gate: settings.gate,
    auto: settings.auto,
    ...(settings.domain !== null && { domain: settings.domain }),
    languages: settings.languages,
    links: isUsable(state) ? { artifact: `${at}/artifact`, card: `${at}/card` } : {},
  };
}

function madeBody(made: HeadMade, { settings }: HeadRecord): Body {
  const { trunk, sha256, denseBytes, plusBytes, revision, temperature, qhat, report } = made;
  return {
    trunk: `sha256:${trunk}`,
    sha256,
    size: { dense_bytes: denseBytes, plus_bytes: plusBytes },
    calibration: { revision, temperature, qhat, alpha: settings.alpha, floor: settings.minConf ?? CONFIDENCE_FLOOR },
    report,
  };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
