/** Classifies an agent's error by its text: each CLI words errors differently, but there are few causes. */
import type { AgentError } from "./agent.ts";

/** The first match wins. A missing model often has the status of a wrong address, so it comes first. */
const SIGNS: readonly (readonly [AgentError["about"], RegExp])[] = [
  ["rate_limited", /\b429\b|rate.?limit|too many requests|quota|overloaded|resource.?exhausted/i],
  ["auth", /\b401\b|\b403\b|unauthori[sz]ed|authenticat|forbidden|api.?key|not logged in|log ?in|credential/i],
  [
    "model_not_found",
    /model.{0,80}(not found|not supported|does not exist|unknown|invalid|no access)|(unknown|invalid|no such) model|\b404\b/i,
  ],
  [
    "network",
    /ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|connect|network|fetch failed|socket|time.?out|timed out|stream disconnected|\b50[0234]\b/i,
  ],
];

const MESSAGE_LENGTH_MAX = 2_000;

export function toAgentError(message: string): AgentError {
  const [about] = SIGNS.find(([, sign]) => sign.test(message)) ?? ["other"];
  return { about, message: message.slice(0, MESSAGE_LENGTH_MAX) };
}
