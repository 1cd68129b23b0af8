/** The worker's log: text on a terminal, JSON lines elsewhere. */
export function createLog(): (text: string) => void {
  return (message) => {
    const time = new Date().toISOString();
    process.stdout.write(
      process.stdout.isTTY
        ? `${time.slice(11, 19)} ${message}\n`
        : `${JSON.stringify({ time, service: "worker", message })}\n`,
    );
  };
}
