/** What of the network a run sees, by its policy: what each purpose has as its way out, and the door to the model among it. */
import { join } from "node:path";
import type { CapCode, ModelProxy, Provider } from "../model-proxy/model-proxy.ts";
import { createProxyServer } from "../model-proxy/proxy-server.ts";
import { createHostProxy, type AddressOf } from "../model-proxy/host-proxy.ts";
import type { ProxyFor } from "../model-proxy/upstream-proxy.ts";
import { createModelProxy, type ModelProxyHandler } from "../model-proxy/create-model-proxy.ts";
import { RunFault } from "../run-error.ts";
import type { SandboxRequest, LaunchPurpose } from "./sandbox-factory.ts";

export interface ModelAccess {
  readonly providers: readonly Provider[];
  readonly addressOf: AddressOf;
  /** The proxy of the worker's own network; absent: there is none. */
  readonly proxyFor?: ProxyFor;
}

export interface PurposeNetwork {
  /** The one way out, as a file; null: there is none, or it needs none. */
  readonly socket: string | null;
  readonly environment: Readonly<Record<string, string>>;
}

export interface RunNetwork extends AsyncDisposable {
  /** The network of the machine itself. */
  readonly isShared: boolean;
  readonly modelProxy: ModelProxy | null;
  of(purpose: LaunchPurpose): PurposeNetwork;
}

interface NetworkRequest extends SandboxRequest {
  /** For sockets: of this run alone, and short, because the name of a socket has at most 107 bytes. */
  readonly folder: string;
  /** Where an agent finds its way out inside. */
  readonly innerPort: number;
}

const NOTHING: PurposeNetwork = { socket: null, environment: {} };

/** In a sandbox. Setup and checks have no door to the model: only the allowed hosts, or nothing. */
export async function openNetwork(access: ModelAccess, request: NetworkRequest): Promise<RunNetwork> {
  const { network, allowHosts } = request.isolation;
  if (network === "open") return { ...(await openBeside(access, request)), isShared: true };
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

/** Where nothing holds an agent off the network: the door stands on a port of loopback, and only its pass opens it. */
export async function openBeside(access: ModelAccess, request: SandboxRequest): Promise<Omit<RunNetwork, "isShared">> {
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
    onBroken: (code) => onBroken(new RunFault(code, SAYS[code])),
  });
}

const SAYS: Readonly<Record<CapCode, string>> = {
  cost_cap: "the run has cost as much as its limits allow",
  token_cap: "the run has used as many tokens as its limits allow",
  turn_cap: "the run has asked its model as often as its limits allow",
};

/** Programs know their proxy by these names, in both cases; Node by one more. */
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
