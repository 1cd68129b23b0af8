/**
 * Adds the request ID to every line. The pino child is created with the first line: most requests log once, and a child
 * per request would cost more than the line.
 */
import type { FastifyBaseLogger } from "fastify";
import type { Bindings } from "pino";

type Level = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

export class RequestLogger implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  #own: FastifyBaseLogger | null = null;

  constructor(parent: FastifyBaseLogger, bindings: Bindings) {
    this.#parent = parent;
    this.#bindings = bindings;
  }

  get level(): string {
    return this.#parent.level;
  }

  child(...args: Parameters<FastifyBaseLogger["child"]>): FastifyBaseLogger {
    return this.#made().child(...args);
  }

  fatal(...line: readonly unknown[]): void {
    this.#write("fatal", line);
  }

  error(...line: readonly unknown[]): void {
    this.#write("error", line);
  }

  warn(...line: readonly unknown[]): void {
    this.#write("warn", line);
  }

  info(...line: readonly unknown[]): void {
    this.#write("info", line);
  }

  debug(...line: readonly unknown[]): void {
    this.#write("debug", line);
  }

  trace(...line: readonly unknown[]): void {
    this.#write("trace", line);
  }

  silent(...line: readonly unknown[]): void {
    this.#write("silent", line);
  }

  #write(level: Level, line: readonly unknown[]): void {
    const own = this.#made();
    Reflect.apply(own[level], own, line);
  }

  #made(): FastifyBaseLogger {
    return (this.#own ??= this.#parent.child(this.#bindings));
  }
}
