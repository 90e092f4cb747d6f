import { ServerFailure } from './server-failure.ts';

/** The largest message that is accepted. Reading stops as soon as this is exceeded. */
export const MAX_MESSAGE_SIZE = 16 * 1024 * 1024;

export function messageTooLarge(serverName: string): ServerFailure {
  const megabytes = MAX_MESSAGE_SIZE / 1024 / 1024;
  return new ServerFailure(
    'flood',
    `${serverName} sent a message larger than ${megabytes} MB; the connection was closed.`,
    {
      hint: 'Request less data at a time.',
      isOwnText: true,
    },
  );
}

/** Splits chunks into lines. Throws and discards the buffer as soon as a line is too long. */
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
      throw messageTooLarge(serverName);
    }
    if (rest.length > 0) pieces.push(rest);
  };
}

/**
 * Counts received bytes and throws if a message is too large. In an event stream each event is counted separately,
 * because the stream may stay open for days.
 */
export function createByteCounter(serverName: string, isEventStream: boolean): (chunk: Uint8Array) => void {
  let size = 0;
  let atLineStart = false;
  return (chunk) => {
    size += chunk.length;
    if (isEventStream) {
      for (let at = chunk.length - 1; at >= 0; at -= 1) {
        // An empty line ends an event; the bytes after the last one belong to the next event.
        if (chunk[at] === 10 && (at > 0 ? isLineEnd(chunk, at - 1) : atLineStart)) {
          size = chunk.length - at - 1;
          break;
        }
      }
      if (chunk.length > 0) atLineStart = chunk.at(-1) === 10;
    }
    if (size > MAX_MESSAGE_SIZE) throw messageTooLarge(serverName);
  };
}

/** `\n\n` or `\n\r\n`. */
function isLineEnd(chunk: Uint8Array, at: number): boolean {
  return chunk[at] === 10 || (chunk[at] === 13 && at > 0 && chunk[at - 1] === 10);
}
