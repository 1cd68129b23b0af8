/** The context of commands that reach no server. */
export const offlineContext = {
  stderr: { write: () => undefined },
  connect: () => {
    throw new Error("This command needs no server.");
  },
};
