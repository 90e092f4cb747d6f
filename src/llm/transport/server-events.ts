import { createParser } from 'eventsource-parser';
import { type JsonObject, parseJson } from '../../base/index.ts';
import type { FailureFacts } from '../failure/error-body.ts';
import { asObject } from '../json-access.ts';
import { DONE_EVENT } from '../wire-format.ts';

/** Server-sent events. */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder();
  let items: StreamItem[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_SIZE,
    onEvent: ({ event, data }) => items.push(readEvent(event, data)),
    onError: (error) => {
      // The format requires that unknown fields are ignored; only a full buffer is an error.
      if (error.type === 'max-buffer-size-exceeded') items.push(brokenStream('an event is larger than 16 MB'));
    },
  });
  const take = (text: string) => {
    items = [];
    parser.feed(text);
    return items;
  };
  return {
    feed: (bytes) => take(decoder.decode(bytes, { stream: true })),
    // An unreadable rest is dropped: it was truncated, and the decoder reports the truncation.
    end: () => take(`${decoder.decode()}\n\n`).filter((item) => 'event' in item),
  };
}

function readEvent(name: string | undefined, data: string): StreamItem {
  if (data.trim() === '[DONE]') return { event: DONE_EVENT };
  const value = asObject(parseJson(data));
  if (value === undefined) return brokenStream(`an event is not a JSON object: ${data.slice(0, 200)}`);
  // Some servers put the type only into the `event:` line, and send a bare error with the event name "error".
  if (name === 'error' && value.error === undefined && value.type === undefined) {
    return { event: { type: 'error', error: value } };
  }
  return { event: name !== undefined && value.type === undefined ? { ...value, type: name } : value };
}

/** Parses a stream in which each line is an event (NDJSON). Chunks may be split anywhere, even inside a character. */
export function createLineReader(): EventReader {
  const decoder = new TextDecoder();
  let rest = '';
  const take = (text: string): StreamItem[] => {
    // Only new text is searched for a line break, because a line may arrive in very many chunks.
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    const items = lines.filter((line) => line.trim() !== '').map(readLine);
    if (rest.length > MAX_EVENT_SIZE) items.push(brokenStream('a line is larger than 16 MB'));
    return items;
  };
  return {
    feed: (bytes) => take(decoder.decode(bytes, { stream: true })),
    // An unreadable rest is dropped: it was truncated, and the decoder reports the truncation.
    end: () => take(`${decoder.decode()}\n`).filter((item) => 'event' in item),
  };
}

function readLine(line: string): StreamItem {
  const event = asObject(parseJson(line));
  return event === undefined ? brokenStream(`a line is not a JSON object: ${line.slice(0, 200)}`) : { event };
}

/** One item of a stream: the data of an event, or a failure. */
export type StreamItem = { event: JsonObject } | { failure: FailureFacts };

/** Parses bytes into events. Chunks may be split anywhere, even inside a character. */
export type EventReader = {
  feed(bytes: Uint8Array): StreamItem[];
  /** Ends the stream: an event without its terminator counts if it is complete. */
  end(): StreamItem[];
};

/** Size limit for an event; no provider sends larger ones. */
const MAX_EVENT_SIZE = 16 * 1024 * 1024;

function brokenStream(what: string): StreamItem {
  return { failure: { kind: 'invalid_response', message: `The stream is invalid: ${what}` } };
}
