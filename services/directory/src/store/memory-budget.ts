/** A share of the available memory: of the machine or of the container's limit. */
import { totalmem } from "node:os";

export function memoryShare(share: number): number {
  const granted = process.constrainedMemory();
  return Math.floor(Math.min(totalmem(), granted > 0 ? granted : Infinity) * share);
}
