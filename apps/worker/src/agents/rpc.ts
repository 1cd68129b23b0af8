/** JSON-RPC 2.0 over lines: calls in both directions, matched by id. Other lines are passed to a callback. */
import { at, readObject, formatValue, textAt, type Json } from "../process/json-access.ts";

export interface Rpc {
  /** Rejects with `RpcError` if the peer refuses or is closed. */
  call(method: string, params: Json): Promise<unknown>;
  notify(method: string, params: Json): void;
  receive(line: string): void;
  /** Call this when the peer is closed: no more requests are answered. */
  close(): void;
}

export interface RpcOptions {
  readonly send: (line: string) => void;
  /** Returns undefined for an unknown method. */
  readonly onCall: (method: string, params: unknown) => Json | undefined;
  readonly onNotification: (method: string, params: unknown) => void;
  readonly onAside: (line: string) => void;
}

export class RpcError extends Error {
  override readonly name = "RpcError";
}

const NO_SUCH_METHOD = -32_601;

export function createRpc({ send, onCall, onNotification, onAside }: RpcOptions): Rpc {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let isClosed = false;

  return {
    call(method, params) {
      if (isClosed) return Promise.reject(gone());
      const answer = Promise.withResolvers<unknown>();
      waiting.set(++lastId, answer);
      say({ id: lastId, method, params });
      return answer.promise;
    },
    notify: (method, params) => say({ method, params }),
    receive(line) {
      const message = readObject(line);
      if (message === undefined) return onAside(line);
      const { id, method } = message;
      if (typeof method !== "string") settle(message);
      else if (id === undefined) onNotification(method, message["params"]);
      else answer(id, onCall(method, message["params"]));
    },
    close() {
      isClosed = true;
      for (const { reject } of waiting.values()) reject(gone());
      waiting.clear();
    },
  };

  function settle(message: Json): void {
    const { id, error } = message;
    const pending = typeof id === "number" ? waiting.get(id) : undefined;
    if (typeof id !== "number" || pending === undefined) return;
    waiting.delete(id);
    if (error === undefined) pending.resolve(message["result"]);
    else pending.reject(new RpcError(errorOf(error)));
  }

  function answer(id: unknown, result: Json | undefined): void {
    if (result === undefined) say({ id, error: { code: NO_SUCH_METHOD, message: "method not found" } });
    else say({ id, result });
  }

  function say(message: Json): void {
    if (!isClosed) send(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

function errorOf(error: unknown): string {
  const data = at(error, "data");
  return [textAt(error, "message"), data === undefined ? "" : formatValue(data)].filter(Boolean).join(": ");
}

function gone(): RpcError {
  return new RpcError("the agent exited before it responded");
}
