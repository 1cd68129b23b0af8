/** What an agent stumbled over, by what it says: every CLI has words of its own, the faults behind them are few. */
import type { AgentError } from "./agent.ts";

/** The first that fits. A model that is not there is often told with the same status as a wrong address, so it goes before it. */
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

const LONGEST = 2_000;

export function toAgentError(message: string): AgentError {
  const [about] = SIGNS.find(([, sign]) => sign.test(message)) ?? ["other"];
  return { about, message: message.slice(0, LONGEST) };
}
