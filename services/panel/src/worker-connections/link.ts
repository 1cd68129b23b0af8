/**
 * One worker's socket: what is sent through it, and how long it may be silent. Commands wait for their acknowledgement and are
 * bounded; answers to the worker's own frames are bounded by what it sends, so a worker that does not read is not read either.
 * There is no timer in it: the channel looks at all links once a second.
 */
import type { PanelFrame } from "@triptych/contracts";
import type { WebSocket } from "ws";
import { Outbox } from "./outbox.ts";

type Command = Extract<PanelFrame, { readonly cid: string }>;
/** A command before it has its number. */
export type CommandFrame = Command extends infer C ? (C extends Command ? Omit<C, "cid"> : never) : never;
export type AnswerFrame = Exclude<PanelFrame, { readonly cid: string }>;

const BUFFERED_MOST = 1024 * 1024;
const PING_EVERY_MS = 15_000;
/** Between the first pings of two links, so that a thousand workers that come at once are not pinged at once for ever. */
const PING_STRIDE_MS = 6_151;
let opened = 0;
const SILENT_MOST_MS = 45_000;
const FULL_MOST_MS = 30_000;

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
    this.#pingedAt = now - ((opened++ * PING_STRIDE_MS) % PING_EVERY_MS);
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

  /** Any frame is a sign of life. */
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
    if (this.#socket.bufferedAmount <= BUFFERED_MOST || this.#socket.isPaused) return;
    this.#socket.pause();
    // Called when all that was sent before it has left.
    this.#socket.ping(undefined, undefined, () => this.#socket.resume());
  }

  /** Its number, or null where the outbox has no room for it: then it was not sent. */
  command(frame: CommandFrame, now: number): string | null {
    const cid = this.take(frame, now);
    this.flush();
    return cid;
  }

  /** As `command`, but it waits in the outbox until `flush`, or until anything else is sent. */
  take(frame: CommandFrame, now: number): string | null {
    const cid = this.#outbox.nextId();
    const text = JSON.stringify({ ...frame, cid });
    const bytes = Buffer.byteLength(text);
    const isOpen = this.#socket.readyState === this.#socket.OPEN;
    if (!isOpen || this.#socket.bufferedAmount > BUFFERED_MOST || !this.#outbox.hasCapacityFor(bytes)) {
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

  /** Pings when it is time, and says what the worker's silence means. */
  check(now: number): DisconnectReason {
    if (now - this.#seenAt > SILENT_MOST_MS) return "silent";
    // Nothing is left that an acknowledgement could come for.
    if (this.#outbox.pending === 0 && this.#socket.bufferedAmount <= BUFFERED_MOST) this.#fullSince = null;
    if (this.#fullSince !== null && now - this.#fullSince >= FULL_MOST_MS) return "full";
    if (now - this.#pingedAt >= PING_EVERY_MS) {
      this.#pingedAt = now;
      this.#socket.ping();
    }
    return "well";
  }

  close(code: number, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
  }

  /** Without waiting for the other side. */
  cut(): void {
    this.#socket.terminate();
  }
}
