/**
 * The part of MySQL's protocol that Sphinx needs: login without a password, a query, text rows. One query at a time per
 * connection.
 */
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";

export interface MysqlClient {
  /** Rows as strings, null for NULL. Throws the server's error message. */
  query(sql: string): Promise<(string | null)[][]>;
  close(): void;
}

const PROTOCOL_41 = 0x0200;
const SECURE_CONNECTION = 0x8000;
const COM_QUERY = 3;
const OK = 0x00;
const EOF = 0xfe;
const ERROR = 0xff;

export async function connectMysql(socketPath: string): Promise<MysqlClient> {
  const socket = createConnection(socketPath);
  await once(socket, "connect");
  const packets = readPackets(socket);
  const next = async () => {
    const { value } = await packets.next();
    if (value === undefined) throw new Error("the server closed the connection");
    if (value[0] === ERROR) throw new Error(value.toString("utf8", 3));
    return value;
  };
  await next();
  const login = Buffer.alloc(32 + "bench".length + 2);
  login.writeUInt32LE(PROTOCOL_41 | SECURE_CONNECTION, 0);
  login.writeUInt32LE(1 << 24, 4);
  login.write("bench", 32);
  send(socket, 1, login);
  await next();

  return {
    async query(sql) {
      send(socket, 0, Buffer.concat([Buffer.of(COM_QUERY), Buffer.from(sql)]));
      const head = await next();
      if (head[0] === OK) return [];
      while ((await next())[0] !== EOF);
      const rows: (string | null)[][] = [];
      for (let packet = await next(); !(packet[0] === EOF && packet.length < 9); packet = await next())
        rows.push(readRow(packet));
      return rows;
    },
    close: () => socket.destroy(),
  };
}

function send(socket: Socket, sequence: number, payload: Buffer): void {
  const header = Buffer.alloc(4);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence;
  socket.write(Buffer.concat([header, payload]));
}

async function* readPackets(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    // A socket without an encoding emits Buffers.
    buffer = Buffer.concat([buffer, chunk as Buffer]);
    while (buffer.length >= 4 && buffer.length >= 4 + buffer.readUIntLE(0, 3)) {
      const end = 4 + buffer.readUIntLE(0, 3);
      yield buffer.subarray(4, end);
      buffer = buffer.subarray(end);
    }
  }
}

function readRow(packet: Buffer): (string | null)[] {
  const row: (string | null)[] = [];
  for (let at = 0; at < packet.length;) {
    const first = packet[at++];
    if (first === 0xfb) {
      row.push(null);
      continue;
    }
    const width = first === 0xfc ? 2 : first === 0xfd ? 3 : 0;
    const length = width === 0 ? first : packet.readUIntLE(at, width);
    at += width;
    row.push(packet.toString("utf8", at, at + length));
    at += length;
  }
  return row;
}
