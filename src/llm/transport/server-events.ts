import { createParser } from 'eventsource-parser';
import { parseJson } from '../../base/index.ts';
import { asObject } from '../json-access.ts';
import { END_MARK } from '../wire-format.ts';
import { brokenStream, type EventReader, LARGEST_EVENT, type StreamItem } from './stream-item.ts';

/** Server-sent events. */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder();
  let items: StreamItem[] = [];
  const parser = createParser({
    maxBufferSize: LARGEST_EVENT,
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
