/** Environment variables of an image, merged into the environment of every command of a run. */
import { SANDBOX_GATE_PATH } from "../host-binaries.ts";
import { isSecretName, type Environment } from "../../process/environment.ts";

/** Locale and time zone depend on the system that reads them. */
const OF_SYSTEM: readonly string[] = ["LANG", "LC_ALL", "TZ"];
/** They would also load into the host programs that start everything inside. */
const REFUSED = /^(?:LD_PRELOAD|LD_AUDIT|GCONV_PATH|NODE_OPTIONS)$/;
const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** `said`: `NAME=value` entries of the image. Returns the variables to add or to replace. */
export function imageEnvironment(variables: readonly string[]): (environment: Environment) => Environment {
  const ofImage = new Map(variables.map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]));
  const PATH = `${SANDBOX_GATE_PATH}:${ofImage.get("PATH") ?? USUAL_PATH}`;
  const allowed = [...ofImage].filter(([name]) => name !== "" && !REFUSED.test(name) && !isSecretName(name));
  return (environment) => {
    const added = allowed.filter(([name]) => environment[name] === undefined || OF_SYSTEM.includes(name));
    return { ...Object.fromEntries(added), PATH };
  };
}
