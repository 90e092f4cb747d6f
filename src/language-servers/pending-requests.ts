import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';

/** An error response of a server. */
export class ResponseError extends Error {
  readonly code: number | undefined;
  constructor(message: string, code: number | undefined) {
    super(message);
    this.code = code;
  }
}

/** The requests that a server has not answered yet. */
export interface PendingRequests {
  /** Waits for the response to a request; `onAborted` is called if the signal is aborted first. */
  waitFor(id: number, signal: AbortSignal, onAborted: () => void): Promise<JsonValue | undefined>;
  /** Settles the request that a response belongs to. */
  settle(response: JsonObject): void;
  rejectAll(reason: string): void;
}

type Pending = { resolve(result: JsonValue | undefined): void; reject(error: Error): void };

export function createPendingRequests(): PendingRequests {
  const pending = new Map<number, Pending>();
  return {
    waitFor(id, signal, onAborted) {
      const { promise, resolve, reject } = Promise.withResolvers<JsonValue | undefined>();
      const abort = () => {
        if (!pending.delete(id)) return;
        reject(new Error('the server did not answer in time'));
        onAborted();
      };
      signal.addEventListener('abort', abort, { once: true });
      pending.set(id, { resolve, reject });
      if (signal.aborted) abort();
      return promise.finally(() => signal.removeEventListener('abort', abort));
    },
    settle({ id, result, error }) {
      const waiting = typeof id === 'number' ? pending.get(id) : undefined;
      if (waiting === undefined) return;
      pending.delete(id as number);
      if (isJsonObject(error)) waiting.reject(responseError(error));
      else waiting.resolve(result);
    },
    rejectAll(reason) {
      for (const { reject } of pending.values()) reject(new Error(`the server ${reason}`));
      pending.clear();
    },
  };
}

function responseError({ code, message }: JsonObject): ResponseError {
  const words = typeof message === 'string' ? message : 'an error';
  return new ResponseError(`the server answered: ${words}`, typeof code === 'number' ? code : undefined);
}
