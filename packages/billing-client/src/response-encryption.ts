/**
 * Encrypts responses (AES-256-GCM, key derived from the installation secret), because the rail stores them for replays.
 * The binding (wallet, operation, key, request) is authenticated. Format, in base64url: version byte, 5-byte key ID
 * (version 2 only), 12-byte nonce, ciphertext, 16-byte tag. For version 1, every key is tried.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

const VERSION = 1;
const VERSION_WITH_ID = 2;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = "triptych gateway answers v1";

export interface ResponseEncryption {
  /** `binding` identifies the call of the response. */
  seal(answer: string | Uint8Array, binding: string): string;
  /** Null if the text was sealed with another key, belongs to another call, or is incomplete. */
  open(sealed: string, binding: string): Uint8Array | null;
}

/** Newest first: the first key encrypts, all keys decrypt. `reload` rereads them immediately. */
export type ResponseKeys = (reload?: "reload") => readonly ResponseKey[];

interface ResponseKey {
  /** Hexadecimal, 5 bytes. */
  readonly id: string;
  readonly secret: string;
}

const KEY_ID_BYTES = 5;

/** `random` provides the nonces: 96 random bits suffice for 2^32 responses per secret. */
export function createResponseEncryption(
  secret: string | Uint8Array | ResponseKeys,
  random: (count: number) => Uint8Array,
): ResponseEncryption {
  const keys = typeof secret === "function" ? secret : () => [];
  const single = typeof secret === "function" ? null : derive(secret);
  const derived = new Map<string, Uint8Array>();
  const bytesOf = ({ id, secret: text }: ResponseKey) => {
    const bytes = derived.get(id) ?? derive(text);
    derived.set(id, bytes);
    return bytes;
  };
  return {
    seal(answer, binding) {
      const [newest] = keys();
      if (newest === undefined)
        return encode(Uint8Array.of(VERSION), encrypt(single ?? none(), { answer, binding, random }));
      const head = Buffer.concat([Uint8Array.of(VERSION_WITH_ID), Buffer.from(newest.id, "hex")]);
      return encode(head, encrypt(bytesOf(newest), { answer, binding, random }));
    },
    open(sealed, binding) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes[0] === VERSION_WITH_ID) {
        const id = bytes.subarray(1, 1 + KEY_ID_BYTES).toString("hex");
        const find = (list: readonly ResponseKey[]) => list.find((key) => key.id === id);
        const key = find(keys()) ?? find(keys("reload"));
        return key === undefined ? null : decrypt(bytesOf(key), bytes.subarray(1 + KEY_ID_BYTES), binding);
      }
      if (bytes[0] !== VERSION) return null;
      for (const key of single === null ? keys().map(bytesOf) : [single]) {
        const answer = decrypt(key, bytes.subarray(1), binding);
        if (answer !== null) return answer;
      }
      return null;
    },
  };
}

function none(): never {
  throw new Error("There is no key to encrypt responses with.");
}

function derive(secret: string | Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), PURPOSE, 32));
}

interface Plain {
  readonly answer: string | Uint8Array;
  readonly binding: string;
  readonly random: (count: number) => Uint8Array;
}

/** Nonce, ciphertext and tag. */
function encrypt(key: Uint8Array, { answer, binding, random }: Plain): Uint8Array {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(binding));
  return Buffer.concat([nonce, cipher.update(answer), cipher.final(), cipher.getAuthTag()]);
}

function encode(head: Uint8Array, content: Uint8Array): string {
  return Buffer.concat([head, content]).toString("base64url");
}

function decrypt(key: Uint8Array, content: Uint8Array, binding: string): Uint8Array | null {
  if (content.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, content.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(binding)).setAuthTag(content.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(content.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
