/** Hands text on to whoever listens. */
export interface OutputListeners {
  push(text: string): void;
  listen(listener: (text: string) => void): () => void;
}

/** What is kept for the first listener, which comes right after the start; more than a pipe holds is not needed. */
const MAX_EARLY = 1_000_000;

export function createOutputListeners(): OutputListeners {
  const listeners = new Set<(text: string) => void>();
  let early: string[] | undefined = [];
  let length = 0;
  return {
    push(text) {
      if (text === '') return;
      for (const listener of listeners) listener(text);
      if (early === undefined || length > MAX_EARLY) return;
      early.push(text);
      length += text.length;
    },
    listen(listener) {
      const before = early?.join('') ?? '';
      early = undefined;
      listeners.add(listener);
      if (before !== '') listener(before);
      return () => void listeners.delete(listener);
    },
  };
}
