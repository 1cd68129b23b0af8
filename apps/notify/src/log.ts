/** Lines on stderr: time, message, fields. */
export type Log = (message: string, fields?: Readonly<Record<string, string | number>>) => void;

export function createLog(write: (text: string) => unknown, now: () => number): Log {
  return (message, fields = {}) => {
    const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${quoted(String(value))}`);
    write(`${new Date(now()).toISOString()} notify: ${message}${pairs.join("")}\n`);
  };
}

function quoted(value: string): string {
  return /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value);
}
