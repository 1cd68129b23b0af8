/** `AsyncDisposableStack` for Node 22: the members that this program uses. */
globalThis.AsyncDisposableStack ??= class AsyncDisposableStack {
  #disposers = [];
  disposed = false;

  use(value) {
    if (value !== null && value !== undefined) {
      const dispose = value[Symbol.asyncDispose] ?? value[Symbol.dispose];
      if (typeof dispose !== "function") throw new TypeError("The value is not disposable.");
      this.#disposers.push(() => dispose.call(value));
    }
    return value;
  }

  adopt(value, onDispose) {
    this.#disposers.push(() => onDispose(value));
    return value;
  }

  defer(onDispose) {
    this.#disposers.push(() => onDispose());
  }

  move() {
    const moved = new AsyncDisposableStack();
    moved.#disposers = this.#disposers;
    this.#disposers = [];
    this.disposed = true;
    return moved;
  }

  async disposeAsync() {
    if (this.disposed) return;
    this.disposed = true;
    const errors = [];
    for (const dispose of this.#disposers.reverse()) {
      try {
        await dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors);
  }

  [Symbol.asyncDispose]() {
    return this.disposeAsync();
  }
};
