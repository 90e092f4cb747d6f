import { createParser } from 'eventsource-parser';
import { type JsonObject, parseJson } from '../../base/index.ts';
import type { FailureFacts } from '../failure/error-body.ts';
import { asObject } from '../json-access.ts';
import { END_MARK } from '../wire-format.ts';

/** Server-sent events. */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder();
  let items: StreamItem[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_SIZE,
    onEvent: ({ event, data }) => items.push(readEvent(event, data)),
    onError: (error) => {
      // Fields that the format does not know are to be ignored; only a full buffer is the end.
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
    // What cannot be read at the very end was cut off, and the decoder will say so.
    end: () => take(`${decoder.decode()}\n\n`).filter((item) => 'event' in item),
  };
}

function readEvent(name: string | undefined, data: string): StreamItem {
  if (data.trim() === '[DONE]') return { event: END_MARK };
  const value = asObject(parseJson(data));
  if (value === undefined) return brokenStream(`an event is not a JSON object: ${data.slice(0, 200)}`);
  // Some servers name the event only in its `event:` line, and put a bare error under the name "error".
  if (name === 'error' && value.error === undefined && value.type === undefined) {
    return { event: { type: 'error', error: value } };
  }
  return { event: name !== undefined && value.type === undefined ? { ...value, type: name } : value };
}

/** Turns bytes into events where each line is one (NDJSON). Cuts may fall anywhere, even inside a character. */
export function createLineReader(): EventReader {
  const decoder = new TextDecoder();
  let rest = '';
  const take = (text: string): StreamItem[] => {
    // Only what is new is looked through: a line may come in very many pieces.
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    const items = lines.filter((line) => line.trim() !== '').map(readLine);
    if (rest.length > MAX_EVENT_SIZE) items.push(brokenStream('a line is larger than 16 MB'));
    return items;
  };
  return {
    feed: (bytes) => take(decoder.decode(bytes, { stream: true })),
    // What cannot be read at the very end was cut off, and the decoder will say so.
    end: () => take(`${decoder.decode()}\n`).filter((item) => 'event' in item),
  };
}

function readLine(line: string): StreamItem {
  const event = asObject(parseJson(line));
  return event === undefined ? brokenStream(`a line is not a JSON object: ${line.slice(0, 200)}`) : { event };
}

/** One piece of a stream: an event's data, or something that is no event. */
export type StreamItem = { event: JsonObject } | { failure: FailureFacts };

/** Turns bytes into events. Feed it as the bytes come; cuts may fall anywhere, even inside a character. */
type EventReader = {
  feed(bytes: Uint8Array): StreamItem[];
  /** The stream is over: an event without its closing mark counts if it is whole. */
  end(): StreamItem[];
};

/** No event of any provider comes near this. */
const MAX_EVENT_SIZE = 16 * 1024 * 1024;

function brokenStream(what: string): StreamItem {
  return { failure: { kind: 'invalid_response', message: `The stream cannot be read: ${what}` } };
}
