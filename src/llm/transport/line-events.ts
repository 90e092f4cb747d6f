import { parseJson } from '../../base/index.ts';
import { asObject } from '../json-access.ts';
import { brokenStream, type EventReader, LARGEST_EVENT, type StreamItem } from './stream-item.ts';

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
    if (rest.length > LARGEST_EVENT) items.push(brokenStream('a line is larger than 16 MB'));
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
