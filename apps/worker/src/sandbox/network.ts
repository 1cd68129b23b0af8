/** Network access of a run by its policy: the exit of each kind of process, including the model proxy. */
import { join } from "node:path";
import type { CapCode, ModelProxy, Provider } from "../model-proxy/model-proxy.ts";
import { createProxyServer } from "../model-proxy/proxy-server.ts";
import { createHostProxy, type AddressOf } from "../model-proxy/host-proxy.ts";
import type { ProxyFor } from "../model-proxy/upstream-proxy.ts";
import { createModelProxy, type ModelProxyHandler } from "../model-proxy/create-model-proxy.ts";
import { RunError } from "../run/run-error.ts";
import type { SandboxRequest, LaunchPurpose } from "./sandbox-factory.ts";

export interface ModelAccess {
  readonly providers: readonly Provider[];
  readonly addressOf: AddressOf;
  /** The proxy of the worker's network; absent if there is none. */
  readonly proxyFor?: ProxyFor;
}

export interface PurposeNetwork {
  /** The exit as a socket file; null if there is none, or none is needed. */
  readonly socket: string | null;
  readonly environment: Readonly<Record<string, string>>;
}

export interface RunNetwork extends AsyncDisposable {
  /** Whether the process has the network of the machine itself. */
  readonly isShared: boolean;
  readonly modelProxy: ModelProxy | null;
  of(purpose: LaunchPurpose): PurposeNetwork;
}

interface NetworkRequest extends SandboxRequest {
  /** For sockets of this run; short, because a socket path has at most 107 bytes. */
  readonly folder: string;
  /** The address inside the sandbox where an agent reaches its proxy. */
  readonly innerPort: number;
}

const NOTHING: PurposeNetwork = { socket: null, environment: {} };

/** Network access in a sandbox. Setup and checks have no model proxy, only the allowed hosts or nothing. */
export async function openNetwork(access: ModelAccess, request: NetworkRequest): Promise<RunNetwork> {
  const { network, allowHosts } = request.isolation;
  if (network === "open") return { ...(await openHostNetwork(access, request)), isShared: true };
  const hosts = network === "allow_list" ? createHostProxy(allowHosts, access.addressOf, access.proxyFor) : null;
  const modelProxy =
    network === "none" ? null : openModelProxy(access, request, `http://127.0.0.1:${request.innerPort}`);
  const opened = new AsyncDisposableStack();
  if (modelProxy !== null) opened.use(modelProxy);
  const way = async (name: string, beyond: { modelProxy: ModelProxyHandler | null; hosts: typeof hosts }) => {
    if (beyond.modelProxy === null && beyond.hosts === null) return NOTHING;
    const socket = join(request.folder, name);
    opened.use(await createProxyServer(socket, () => beyond));
    return { socket, environment: hosts === null ? {} : proxiesAt(request.innerPort) };
  };
  const forAgents = await way("agent", { modelProxy, hosts });
  const forCommands = await way("command", { modelProxy: null, hosts });
  return {
    isShared: false,
    modelProxy,
    of: (purpose) => (purpose === "agent" || purpose === "reader" ? forAgents : forCommands),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Network access without a sandbox. The model proxy listens on a loopback port and requires the run's token. */
export async function openHostNetwork(
  access: ModelAccess,
  request: SandboxRequest,
): Promise<Omit<RunNetwork, "isShared">> {
  if (access.providers.length === 0) return { modelProxy: null, of: () => NOTHING, async [Symbol.asyncDispose]() {} };
  const opened = new AsyncDisposableStack();
  let modelProxy: ModelProxyHandler | null = null;
  const { port } = opened.use(await createProxyServer(null, () => ({ modelProxy, hosts: null })));
  modelProxy = openModelProxy(access, request, `http://127.0.0.1:${port}`);
  if (modelProxy !== null) opened.use(modelProxy);
  return { modelProxy, of: () => NOTHING, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function openModelProxy({ providers }: ModelAccess, { limits, prices, onBroken }: SandboxRequest, address: string) {
  if (providers.length === 0) return null;
  return createModelProxy({
    providers,
    prices,
    caps: limits,
    address,
    onBroken: (code) => onBroken(new RunError(code, CAP_MESSAGES[code])),
  });
}

const CAP_MESSAGES: Readonly<Record<CapCode, string>> = {
  cost_cap: "the run has reached its cost limit",
  token_cap: "the run has reached its token limit",
  turn_cap: "the run has reached its turn limit",
};

/** The proxy variables in lower and upper case; Node needs one more. */
function proxiesAt(port: number): Readonly<Record<string, string>> {
  const address = `http://127.0.0.1:${port}`;
  const local = "127.0.0.1,localhost";
  return {
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    http_proxy: address,
    https_proxy: address,
    NO_PROXY: local,
    no_proxy: local,
    NODE_USE_ENV_PROXY: "1",
  };
}
