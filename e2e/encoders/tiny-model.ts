/** A real ONNX model in a few lines: an embedding table, looked up by token (operator set 17). */

type Field = readonly [number: number, value: number | string | Uint8Array];

/** Protocol Buffers: numbers as varints, everything else with its length. */
function message(...fields: readonly Field[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === "number") return [varint(number * 8), varint(value)];
    const bytes = typeof value === "string" ? Buffer.from(value) : value;
    return [varint(number * 8 + 2), varint(bytes.length), bytes];
  });
  return Buffer.concat(parts);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

const [FLOAT, INT64] = [1, 7];

function valueInfo(name: string, type: number, axes: readonly string[]): Uint8Array {
  const shape = message(...axes.map((axis): Field => [1, message([2, axis])]));
  return message([1, name], [2, message([1, message([1, type], [2, shape])])]);
}

export function tinyModel(table: Float32Array, width: number): Uint8Array {
  const weights = message(
    [1, table.length / width],
    [1, width],
    [2, FLOAT],
    [8, "table"],
    [9, new Uint8Array(table.buffer, table.byteOffset, table.byteLength)],
  );
  const lookUp = message([1, "table"], [1, "input_ids"], [2, "last_hidden_state"], [3, "look_up"], [4, "Gather"]);
  const graph = message(
    [1, lookUp],
    [2, "tiny"],
    [5, weights],
    [11, valueInfo("input_ids", INT64, ["texts", "tokens"])],
    [12, valueInfo("last_hidden_state", FLOAT, ["texts", "tokens", "width"])],
  );
  return message([1, 8], [7, graph], [8, message([1, ""], [2, 17])]);
}
