import { ServerFailure } from './server-failure.ts';

/** More than this is no message: it is not even gathered. */
export const MAX_MESSAGE_SIZE = 16 * 1024 * 1024;

export function tooLarge(serverName: string): ServerFailure {
  const megabytes = MAX_MESSAGE_SIZE / 1024 / 1024;
  return new ServerFailure('flood', `${serverName} sent a message of more than ${megabytes} MB, and was cut off.`, {
    hint: 'Ask it for less at a time.',
  });
}

/** Lines out of chunks; throws as soon as one is too long, with nothing of it kept. */
export function createLineReader(serverName: string, onLine: (line: string) => void): (chunk: Uint8Array) => void {
  let pieces: Uint8Array[] = [];
  let size = 0;
  return (chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8');
      pieces = [];
      size = 0;
      rest = rest.subarray(end + 1);
      onLine(line);
    }
    size += rest.length;
    if (size > MAX_MESSAGE_SIZE) {
      pieces = [];
      throw tooLarge(serverName);
    }
    if (rest.length > 0) pieces.push(rest);
  };
}

/**
 * Counts what comes in, and throws where one message has no end. Of a stream of events each is counted by itself: the
 * stream may be open for days.
 */
export function createByteCount(serverName: string, isEventStream: boolean): (chunk: Uint8Array) => void {
  let size = 0;
  let atLineStart = false;
  return (chunk) => {
    size += chunk.length;
    if (isEventStream) {
      for (let at = chunk.length - 1; at >= 0; at -= 1) {
        // An empty line ends an event; what stands behind the last one belongs to the next.
        if (chunk[at] === 10 && (at > 0 ? isLineEnd(chunk, at - 1) : atLineStart)) {
          size = chunk.length - at - 1;
          break;
        }
      }
      if (chunk.length > 0) atLineStart = chunk.at(-1) === 10;
    }
    if (size > MAX_MESSAGE_SIZE) throw tooLarge(serverName);
  };
}

/** `\n\n` or `\n\r\n`. */
function isLineEnd(chunk: Uint8Array, at: number): boolean {
  return chunk[at] === 10 || (chunk[at] === 13 && at > 0 && chunk[at - 1] === 10);
}
