/**
 * Creates an untrained trunk of the same size: a random projection. The same words have their own rows, so the trunks
 * differ only in training.
 */
import { readArtifact } from "../src/artifact/container.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { loadTrunk, writeTrunk, type Trunk } from "../src/trunk/trunk.ts";

const SEED = 0x3c6ef35f;
/** The section of a trunk file that lists the hashes with their own rows. */
const OWN = 3;

export function randomTrunkLike(bytes: Uint8Array): Trunk {
  const { header, sections } = readArtifact(bytes, "TPTK");
  const own = sections.get(OWN);
  const { dims, pieceWeight, pairWeight, contextWeight } = loadTrunk(bytes);
  const random = xorshift(SEED);
  const rows = Float32Array.from({ length: Number(header["rows"]) * dims }, () => random() - 0.5);
  const hashes = own === undefined ? new Uint32Array() : new Uint32Array(own.slice().buffer);
  return loadTrunk(writeTrunk(rows, hashes, { dims, pieceWeight, pairWeight, contextWeight }));
}
