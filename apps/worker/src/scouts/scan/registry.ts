/** Client of an npm registry: versions, release dates and advisories. */
import { Type, type Static, type TSchema } from "typebox";
import { Value } from "typebox/value";

/** The part of the platform's `fetch` in use. */
export type AskRegistry = (url: string, options: RequestInit) => Promise<Pick<Response, "status" | "text">>;

const Packument = Type.Object({
  "dist-tags": Type.Object({ latest: Type.String() }),
  time: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  versions: Type.Record(
    Type.String(),
    Type.Object({
      deprecated: Type.Optional(Type.Unknown()),
      engines: Type.Optional(Type.Unknown()),
      peerDependencies: Type.Optional(Type.Unknown()),
      repository: Type.Optional(Type.Unknown()),
    }),
  ),
});
export type Packument = Static<typeof Packument>;

const Advisories = Type.Record(
  Type.String(),
  Type.Array(
    Type.Object({
      url: Type.String(),
      title: Type.String(),
      severity: Type.String(),
      vulnerable_versions: Type.String(),
    }),
  ),
);
export type Advisories = Static<typeof Advisories>;

export interface Registry {
  /** Null for an unknown package. Throws a message if it does not respond. */
  find(name: string): Promise<Packument | null>;
  /** Advisories by package name. Throws a message if it does not respond. */
  advisories(versions: Readonly<Record<string, readonly string[]>>): Promise<Advisories>;
}

const WAIT_MS = 15_000;
const RESPONSE_CHARACTERS_MAX = 32 * 1024 * 1024;

export function createRegistry(address: string, ask: AskRegistry): Registry {
  const root = address.replace(/\/+$/, "");
  return {
    async find(name) {
      const path = name.startsWith("@") ? name.replace("/", "%2f") : encodeURIComponent(name);
      return answered(`${root}/${path}`, Packument, {});
    },
    async advisories(versions) {
      const url = `${root}/-/npm/v1/security/advisories/bulk`;
      const headers = { "Content-Type": "application/json" };
      return (await answered(url, Advisories, { method: "POST", headers, body: JSON.stringify(versions) })) ?? {};
    },
  };

  async function answered<S extends TSchema>(url: string, schema: S, options: RequestInit): Promise<Static<S> | null> {
    const answer = await ask(url, { ...options, signal: AbortSignal.timeout(WAIT_MS) }).catch(() => null);
    if (answer === null) throw new Error("the npm registry is unreachable");
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new Error(`the npm registry responded with status ${answer.status}`);
    const text = await answer.text();
    const value: unknown = text.length > RESPONSE_CHARACTERS_MAX ? null : parsed(text);
    if (!Value.Check(schema, value)) throw new Error("the npm registry sent an invalid response");
    return value;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
