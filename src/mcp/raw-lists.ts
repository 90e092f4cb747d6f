import { isJsonObject, type JsonValue } from '../base/index.ts';

/** Where the tools of an answer are while the package looks at it. */
const ASIDE = 'hermes_tools';

type Receiving = { onmessage?: ((message: never, extra?: never) => void) | undefined };

/**
 * In newer versions of the protocol the package refuses a whole list for one bad tool. So the tools of an answer are put
 * aside before it looks, and are taken from there by `withTools`: each of them is judged by itself.
 */
export function keepRawLists<Kind extends Receiving>(transport: Kind): Kind {
  let current = transport.onmessage;
  return Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => current,
    set(handler: Receiving['onmessage']) {
      current = handler && ((message, extra) => handler(putAside(message) as never, extra));
    },
  });
}

function putAside(message: JsonValue): JsonValue {
  if (!isJsonObject(message) || !isJsonObject(message['result'] ?? null)) return message;
  const result = message['result'] as Record<string, JsonValue>;
  if (!Array.isArray(result['tools']) || ASIDE in result) return message;
  return { ...message, result: { ...result, tools: [], [ASIDE]: result['tools'] } };
}

/** An answer with its tools where they belong. */
export function withTools(answer: JsonValue): JsonValue {
  if (!isJsonObject(answer) || !(ASIDE in answer)) return answer;
  const { [ASIDE]: tools, ...rest } = answer;
  return { ...rest, tools: tools ?? [] };
}
