import { EXPLAIN_DEFAULT, MODEL_PREFIX, type BodyOf, type assess, type decide, type noul } from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import { isRecord } from "@triptych/util";
import type { OptionEntry } from "../../domain/engine.ts";
import type { DecisionRequest, Judged, Options, ThresholdInput } from "../../domain/decision-requests.ts";
import { economyOf } from "./read-economy.ts";
import { checkParameters, readParameters } from "./read-parameters.ts";
import { readSituation } from "./read-situation.ts";
import { escapePointer } from "./rules.ts";

/** Only two of the three endpoints have `economy`. */
export type DecisionBody = BodyOf<typeof assess> & Pick<BodyOf<typeof decide>, "economy">;
type OptionsSent = NonNullable<DecisionBody["options"]>;

export function readJudgement(body: BodyOf<typeof noul>, errors: ValidationErrors): Judged {
  return { ...readSituation(body, "", errors), explain: explainOf(body.explain) };
}

export function readDecision(body: DecisionBody, errors: ValidationErrors): DecisionRequest {
  const situation = readSituation(body, "", errors);
  const expert = readExpert(body, errors);
  if (expert !== null && isRecord(body.options))
    errors.add({
      path: body.expert === undefined ? "/model" : "/expert",
      reason: "not_together",
      message: "An expert decides among its own routes: omit `expert`, or send `options` as a list of its routes.",
    });
  if (isRecord(body.options))
    for (const [label, option] of Object.entries(body.options))
      if (isRecord(option))
        checkParameters(option["parameters"], `/options/${escapePointer(label)}/parameters`, errors);
  const options = body.options !== undefined && errors.isValid("/options") ? optionsOf(body.options) : null;
  const economy = body.economy !== undefined && errors.isValid("/economy") ? economyOf(body.economy) : null;
  return { ...situation, explain: explainOf(body.explain), options, expert, economy, ...floorsOf(body) };
}

function optionsOf(options: OptionsSent): Options {
  if (isList(options)) return { kind: "routes", labels: options };
  return { kind: "vocabulary", entries: Object.entries(options).map(optionOf) };
}

/** `Array.isArray` does not narrow readonly lists. */
function isList(options: OptionsSent): options is Extract<OptionsSent, readonly unknown[]> {
  return Array.isArray(options);
}

function optionOf([label, sent]: [string, Exclude<OptionsSent, readonly unknown[]>[string]]): OptionEntry {
  const { description, parameters, examples = [] } = typeof sent === "string" ? { description: sent } : (sent ?? {});
  return { label, description: description ?? "", parameters: readParameters(parameters), examples };
}

export function explainOf(explain: DecisionBody["explain"]): number {
  if (explain === true) return EXPLAIN_DEFAULT;
  return explain === undefined || explain === false ? 0 : explain;
}

export function floorsOf({ min_conf: minConf, max_error: maxError }: FloorsSent): ThresholdInput {
  return { minConf: minConf ?? null, maxError: maxError ?? null };
}

type FloorsSent = Pick<DecisionBody, "min_conf" | "max_error">;

/** Reads the expert from `expert` or `model`. */
export function readExpert({ expert, model }: ExpertSent, errors: ValidationErrors): string | null {
  const byModel =
    typeof model === "string" && model.startsWith(MODEL_PREFIX) && model !== MODEL_PREFIX
      ? model.slice(MODEL_PREFIX.length)
      : null;
  if (expert === undefined) return byModel;
  if (byModel !== null && byModel !== expert && errors.isValid("/expert"))
    errors.add({
      path: "/model",
      reason: "not_together",
      message: "`model` and `expert` name different experts.",
    });
  return expert;
}

type ExpertSent = Pick<DecisionBody, "expert" | "model">;
