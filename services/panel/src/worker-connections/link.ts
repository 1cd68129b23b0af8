/**
 * A worker's socket with its timeout. Commands wait for their acknowledgement in a bounded outbox. Replies are bounded by the frames that
 * the worker sends: a worker that does not read is not read from. It has no timer: the channel checks all links once a second.
 */
import type { PanelFrame } from "@triptych/contracts";
import type { WebSocket } from "ws";
import { OUTBOX_COMMANDS } from "../domain/workers.ts";

type Command = Extract<PanelFrame, { readonly cid: string }>;
export type CommandFrame = Command extends infer C ? (C extends Command ? Omit<C, "cid"> : never) : never;
export type AnswerFrame = Exclude<PanelFrame, { readonly cid: string }>;

const BUFFERED_BYTES_MAX = 1024 * 1024;
const PING_INTERVAL_MS = 15_000;
/** Staggers the pings, so that a thousand workers that connect together are not pinged together. */
const PING_STRIDE_MS = 6_151;
let opened = 0;
const SILENCE_TIMEOUT_MS = 45_000;
const FULL_TIMEOUT_MS = 30_000;

export type DisconnectReason = "well" | "silent" | "full";

export class WorkerConnection {
  readonly #socket: WebSocket;
  readonly #outbox = new Outbox();
  readonly #unsent: string[] = [];
  #seenAt: number;
  #pingedAt: number;
  #fullSince: number | null = null;
  #rttMs: number | null = null;

  constructor(socket: WebSocket, now: number) {
    this.#socket = socket;
    this.#seenAt = now;
    this.#pingedAt = now - ((opened++ * PING_STRIDE_MS) % PING_INTERVAL_MS);
  }

  get seenAt(): number {
    return this.#seenAt;
  }

  get rttMs(): number | null {
    return this.#rttMs;
  }

  get pending(): number {
    return this.#outbox.pending;
  }

  /** Any frame counts as a heartbeat. */
  markSeen(now: number): void {
    this.#seenAt = now;
  }

  ponged(now: number): void {
    this.#rttMs = now - this.#pingedAt;
    this.markSeen(now);
  }

  acknowledge(cid: string): void {
    this.#outbox.acknowledge(cid);
    this.#fullSince = null;
  }

  answer(frame: AnswerFrame): void {
    this.flush();
    this.#socket.send(JSON.stringify(frame));
    if (this.#socket.bufferedAmount <= BUFFERED_BYTES_MAX || this.#socket.isPaused) return;
    this.#socket.pause();
    // The callback runs when everything sent before the ping has left.
    this.#socket.ping(undefined, undefined, () => this.#socket.resume());
  }

  /** Returns the command's id, or null if the outbox is full and the command was not sent. */
  command(frame: CommandFrame, now: number): string | null {
    const cid = this.take(frame, now);
    this.flush();
    return cid;
  }

  /** Like `command`, but queued until `flush` or the next send. */
  take(frame: CommandFrame, now: number): string | null {
    const cid = this.#outbox.nextId();
    const text = JSON.stringify({ ...frame, cid });
    const bytes = Buffer.byteLength(text);
    const isOpen = this.#socket.readyState === this.#socket.OPEN;
    if (!isOpen || this.#socket.bufferedAmount > BUFFERED_BYTES_MAX || !this.#outbox.hasCapacityFor(bytes)) {
      this.#fullSince ??= now;
      return null;
    }
    this.#outbox.add(cid, bytes);
    this.#unsent.push(text);
    return cid;
  }

  flush(): void {
    for (const text of this.#unsent.splice(0)) this.#socket.send(text);
  }

  check(now: number): DisconnectReason {
    if (now - this.#seenAt > SILENCE_TIMEOUT_MS) return "silent";
    if (this.#outbox.pending === 0 && this.#socket.bufferedAmount <= BUFFERED_BYTES_MAX) this.#fullSince = null;
    if (this.#fullSince !== null && now - this.#fullSince >= FULL_TIMEOUT_MS) return "full";
    if (now - this.#pingedAt >= PING_INTERVAL_MS) {
      this.#pingedAt = now;
      this.#socket.ping();
    }
    return "well";
  }

  close(code: number, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
  }

  cut(): void {
    this.#socket.terminate();
  }
}

const OUTBOX_BYTES_MAX = 256 * 1024;

export class Outbox {
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;
  #lastId = 0;

  get pending(): number {
    return this.#bytesOf.size;
  }

  nextId(): string {
    this.#lastId += 1;
    return `c${this.#lastId}`;
  }

  hasCapacityFor(bytes: number): boolean {
    return this.#bytesOf.size < OUTBOX_COMMANDS && this.#bytes + bytes <= OUTBOX_BYTES_MAX;
  }

  add(id: string, bytes: number): void {
    this.#bytesOf.set(id, bytes);
    this.#bytes += bytes;
  }

  acknowledge(id: string): void {
    this.#bytes -= this.#bytesOf.get(id) ?? 0;
    this.#bytesOf.delete(id);
  }
}
