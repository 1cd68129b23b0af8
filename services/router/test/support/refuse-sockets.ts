/**
 * Preloaded in each thread of a process. Blocks outgoing connections, datagrams and name lookups, and logs each load
 * and attempt to the file SOCKETS_SEEN. Listening is allowed.
 */
import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isIP, Socket } from "node:net";
import { isMainThread } from "node:worker_threads";

const seen = process.env["SOCKETS_SEEN"] ?? "";
const thread = isMainThread ? "main" : "thread";

function refuse(): never {
  appendFileSync(seen, `${thread} tried\n`);
  throw new Error("Outgoing connections are blocked.");
}

Socket.prototype.connect = refuse;
dgram.Socket.prototype.send = refuse;
dgram.Socket.prototype.connect = refuse;
// Listening looks up its own address without a DNS query.
const { lookup } = dns;
const lookupAddress = (name: string, ...more: unknown[]) =>
  isIP(name) === 0 ? refuse() : Reflect.apply(lookup, dns, [name, ...more]);
Object.assign(dns, { lookup: lookupAddress, resolve: refuse });
syncBuiltinESMExports();
appendFileSync(seen, `${thread} loaded\n`);
