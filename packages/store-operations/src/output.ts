export function print(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`);
}

/** One updating line on a terminal; elsewhere only the result. */
export function showStep(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${step}`);
}

export function clearStep(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}
