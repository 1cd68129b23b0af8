/**
 * Natural exponential and logarithm from IEEE 754 basic operations only: identical doubles on every platform, which
 * `Math.exp` and `Math.log` do not guarantee. Method and constants: fdlibm's e_exp.c and e_log.c (Sun Microsystems,
 * 1993), error below one ulp.
 */

const LN2_HIGH = 6.9314718036912381649e-1;
const LN2_LOW = 1.90821492927058770002e-10;
const INVERSE_LN2 = Math.LOG2E;
const OVERFLOW = 709.782712893383973096;
const UNDERFLOW = -745.13321910194110842;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);
const HIGH = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;

const LOWEST_POWER = -1021;
const HIGHEST_POWER = 1023;
/** Powers of two, read from memory, because assembling a number from two 32-bit halves stalls the processor. */
const POWERS = powersOfTwo();

function powersOfTwo(): Float64Array {
  const powers = new Float64Array(HIGHEST_POWER - LOWEST_POWER + 1);
  powers[-LOWEST_POWER] = 1;
  for (let k = 1; k <= HIGHEST_POWER; k++) powers[k - LOWEST_POWER] = 2 * powers[k - 1 - LOWEST_POWER];
  for (let k = -1; k >= LOWEST_POWER; k--) powers[k - LOWEST_POWER] = powers[k + 1 - LOWEST_POWER] / 2;
  return powers;
}

export function exp(x: number): number {
  if (x !== x) return x;
  if (x > OVERFLOW) return Infinity;
  if (x < UNDERFLOW) return 0;
  const k = (INVERSE_LN2 * x + (x < 0 ? -0.5 : 0.5)) | 0;
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  const t = r * r;
  const c =
    r -
    t *
      (1.66666666666666019037e-1 +
        t *
          (-2.77777777770155933842e-3 +
            t * (6.61375632143793436117e-5 + t * (-1.6533902205465251539e-6 + t * 4.13813679705723846039e-8))));
  const y = 1 - (low - (r * c) / (2 - c) - high);
  // Subnormal results apply the power in two steps, so that only the last one rounds.
  return k >= -1021 ? scaled(y, k) : scaled(y, k + 1000) * 9.3326361850321887899e-302;
}

export function log(x: number): number {
  if (x !== x || x === Infinity) return x;
  if (x <= 0) return x === 0 ? -Infinity : NaN;
  let k = 0;
  let value = x;
  if (value < 2.2250738585072014e-308) {
    value *= 18014398509481984;
    k = -54;
  }
  float[0] = value;
  k += (words[HIGH] >>> 20) - 1023;
  words[HIGH] = (words[HIGH] & 0x000fffff) | 0x3ff00000;
  let m = float[0];
  if (m > Math.SQRT2) {
    m /= 2;
    k += 1;
  }
  const f = m - 1;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const t1 = w * (3.999999999940941908e-1 + w * (2.222219843214978396e-1 + w * 1.531383769920937332e-1));
  const t2 =
    z *
    (6.66666666666673513e-1 +
      w * (2.857142874366239149e-1 + w * (1.818357216161805012e-1 + w * 1.479819860511658591e-1)));
  const half = 0.5 * f * f;
  return k * LN2_HIGH - (half - (s * (half + t1 + t2) + k * LN2_LOW) - f);
}

export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + exp(-x));
  const e = exp(x);
  return e / (1 + e);
}

/** y times 2 to the k, exactly: since y is near 1, no product in the normal range rounds. */
function scaled(y: number, k: number): number {
  return k <= HIGHEST_POWER ? y * POWERS[k - LOWEST_POWER] : 2 * y * POWERS[k - 1 - LOWEST_POWER];
}
