/**
 * Writes and reads bit-packed numbers, highest bit first, in three codes: of a fixed width, below a known limit
 * (truncated binary), and for numbers that are usually small (Rice 1979: the upper part in unary, then `low` lower
 * bits).
 */

export interface BitWriter {
  fixed(value: number, width: number): void;
  below(value: number, limit: number): void;
  rice(value: number, low: number): void;
  finish(): Uint8Array;
}

export function createBitWriter(): BitWriter {
  const bytes: number[] = [];
  let last = 0;
  let filled = 0;

  function bit(value: number): void {
    last = (last << 1) | value;
    filled++;
    if (filled < 8) return;
    bytes.push(last);
    last = 0;
    filled = 0;
  }

  function fixed(value: number, width: number): void {
    for (let position = width - 1; position >= 0; position--) bit((value >>> position) & 1);
  }

  return {
    fixed,
    below(value, limit) {
      const { width, short } = widthBelow(limit);
      if (value < short) fixed(value, width);
      else fixed(value + short, width + 1);
    },
    rice(value, low) {
      for (let ones = value >>> low; ones > 0; ones--) bit(1);
      bit(0);
      fixed(value, low);
    },
    finish() {
      while (filled > 0) bit(0);
      return Uint8Array.from(bytes);
    },
  };
}

export interface BitReader {
  /** Like the other methods, returns null when the bits are used up. */
  fixed(width: number): number | null;
  below(limit: number): number | null;
  rice(low: number): number | null;
  isAtEnd(): boolean;
}

export function createBitReader(bytes: Uint8Array): BitReader {
  const length = bytes.length * 8;
  let at = 0;

  function bit(): number {
    const value = (bytes[at >>> 3] >>> (7 - (at & 7))) & 1;
    at++;
    return value;
  }

  function fixed(width: number): number | null {
    if (at + width > length) return null;
    let value = 0;
    for (let position = 0; position < width; position++) value = value * 2 + bit();
    return value;
  }

  return {
    fixed,
    below(limit) {
      const { width, short } = widthBelow(limit);
      const value = fixed(width);
      if (value === null || value < short) return value;
      const more = fixed(1);
      return more === null ? null : value * 2 + more - short;
    },
    rice(low) {
      let ones = 0;
      for (;;) {
        const next = fixed(1);
        if (next === null) return null;
        if (next === 0) break;
        ones++;
      }
      const rest = fixed(low);
      return rest === null ? null : ones * 2 ** low + rest;
    },
    isAtEnd() {
      if (length - at >= 8) return false;
      while (at < length) if (bit() === 1) return false;
      return true;
    },
  };
}

/** The number of bits that a number would take. */
export function bitsBelow(value: number, limit: number): number {
  const { width, short } = widthBelow(limit);
  return value < short ? width : width + 1;
}

export function riceBits(value: number, low: number): number {
  return (value >>> low) + 1 + low;
}

function widthBelow(limit: number): { readonly width: number; readonly short: number } {
  const width = 31 - Math.clz32(limit);
  return { width, short: 2 ** (width + 1) - limit };
}

/** The number of lower bits that gives numbers with this mean the shortest code. */
export function riceBitsFor(mean: number): number {
  return mean < 1 ? 0 : Math.floor(Math.log2(mean * Math.LN2 + 1));
}
