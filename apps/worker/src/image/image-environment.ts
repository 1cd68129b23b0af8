/** What an image says of its environment, on top of what is made for every command of a run. */
import { SANDBOX_GATE_PATH } from "../sandbox/host-binaries.ts";
import { isSecretName, type Environment } from "../process/environment.ts";

/** Words about language and time belong to the system that reads them. */
const OF_SYSTEM: readonly string[] = ["LANG", "LC_ALL", "TZ"];
/** They would be put into the programs of this machine as well, which begin everything inside. */
const REFUSED = /^(?:LD_PRELOAD|LD_AUDIT|GCONV_PATH|NODE_OPTIONS)$/;
const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** `said`: `NAME=value` as the image has it. Answers what is set inside besides what was asked for, or in its place. */
export function imageEnvironment(variables: readonly string[]): (environment: Environment) => Environment {
  const ofImage = new Map(variables.map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]));
  const PATH = `${SANDBOX_GATE_PATH}:${ofImage.get("PATH") ?? USUAL_PATH}`;
  const allowed = [...ofImage].filter(([name]) => name !== "" && !REFUSED.test(name) && !isSecretName(name));
  return (environment) => {
    const added = allowed.filter(([name]) => environment[name] === undefined || OF_SYSTEM.includes(name));
    return { ...Object.fromEntries(added), PATH };
  };
}
