import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';

/** Cuts what an agent writes into messages, one per line. */
export type MessageLines = {
  /** The messages that are whole now, or what is wrong with what came. */
  feed(bytes: Uint8Array): { messages: JsonObject[]; fault?: string };
  /** What was said before the first message: not part of the protocol, but mostly the reason why there is none. */
  said(): string;
};

/** Far above any message; below what would hurt the process. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** More than any greeting: whatever says this much before its first message does not speak the protocol. */
const LONGEST_GREETING = 64 * 1024;

/**
 * A program may say something before it begins to speak the protocol. After that a line that is no message means that a
 * message was damaged, and an answer with a hole must not pass for a whole one.
 */
export function createMessageLines(): MessageLines {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  let begun = false;
  let said = '';

  function takeLine(line: string, messages: JsonObject[]): string | undefined {
    if (line.trim() === '') return undefined;
    const message = parseJson(line);
    if (isJsonObject(message) && message.jsonrpc === '2.0') {
      begun = true;
      messages.push(message);
      return undefined;
    }
    if (begun) return `a line that is no message: ${line.slice(0, 200)}`;
    said += `${line}\n`;
    return said.length > LONGEST_GREETING ? 'text instead of messages' : undefined;
  }

  return {
    feed(bytes) {
      const messages: JsonObject[] = [];
      const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
      parts.push(first);
      length += first.length;
      for (const next of others) {
        const fault = takeLine(parts.join(''), messages);
        if (fault !== undefined) return { messages, fault };
        parts = [next];
        length = next.length;
      }
      // A line is put together once, when it is whole: it may come in very many pieces.
      if (length > LONGEST_LINE) return { messages, fault: 'a message of more than 64 MB' };
      return { messages };
    },
    said: () => said,
  };
}
