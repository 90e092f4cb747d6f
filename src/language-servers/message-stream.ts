import { isJsonObject, type JsonObject, parseJson } from '../base/index.ts';

/** Why the output of a server is not the protocol, phrased as the end of a sentence. */
export class ProtocolFault extends Error {}

const MAX_HEADER_BYTES = 4096;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const SEPARATOR = '\r\n\r\n';

/** Frames a message with its length in bytes. */
export function encodeMessage(message: JsonObject): string {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return `Content-Length: ${Buffer.byteLength(body)}${SEPARATOR}${body}`;
}

/**
 * Returns a function that takes the output of a server in any pieces and passes on its messages. It throws
 * `ProtocolFault` if the output is no protocol or a message is too long.
 */
export function createMessageReader(onMessage: (message: JsonObject) => void): (text: string) => void {
  let waiting: Buffer[] = [];
  let size = 0;
  /** The length of the message whose header was read. */
  let expected: number | undefined;

  /** Takes bytes from the front; joins the pieces only once they are complete. */
  function take(length: number): Buffer {
    const all = Buffer.concat(waiting);
    const rest = all.subarray(length);
    waiting = rest.length === 0 ? [] : [rest];
    size = rest.length;
    return all.subarray(0, length);
  }

  function readHeader(): boolean {
    if (size === 0) return false;
    const all = Buffer.concat(waiting);
    waiting = [all];
    const end = all.indexOf(SEPARATOR);
    if (end > MAX_HEADER_BYTES || (end < 0 && size > MAX_HEADER_BYTES)) throw new ProtocolFault('sent no valid header');
    if (end < 0) return false;
    const [, length] = /^Content-Length: *(\d{1,12})\s*$/im.exec(take(end + SEPARATOR.length).toString('latin1')) ?? [];
    if (length === undefined) throw new ProtocolFault('sent no valid header');
    expected = Number(length);
    if (expected > MAX_MESSAGE_BYTES) throw new ProtocolFault(`sent a message of ${expected} bytes`);
    return true;
  }

  return (text) => {
    const bytes = Buffer.from(text);
    waiting.push(bytes);
    size += bytes.length;
    while (expected !== undefined || readHeader()) {
      if (expected === undefined || size < expected) return;
      const message = parseJson(take(expected).toString());
      expected = undefined;
      if (!isJsonObject(message)) throw new ProtocolFault('sent a message that is not a JSON object');
      onMessage(message);
    }
  };
}
