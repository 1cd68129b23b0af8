/** Unacknowledged commands of a worker: bounded, in memory, dropped with its connection. */
import { OUTBOX_COMMANDS } from "../domain/workers.ts";

const BYTES_MOST = 256 * 1024;

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
    return this.#bytesOf.size < OUTBOX_COMMANDS && this.#bytes + bytes <= BYTES_MOST;
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
