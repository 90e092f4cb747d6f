import { StringDecoder } from 'node:string_decoder';
import { createAnsiStripper, createHeadTailBuffer } from '../util/index.ts';

/** Takes the bytes of a command's streams and keeps a bounded, readable text of them, in order of arrival. */
export interface OutputCollector {
  /** One entry per stream, because a character may be cut between two pieces of the same stream. */
  source(): (bytes: Uint8Array) => void;
  finish(): { output: string; omitted: number };
}

export function createOutputCollector(maxOutput: number, onOutput?: (text: string) => void): OutputCollector {
  const buffer = createHeadTailBuffer(maxOutput);
  const endings: (() => void)[] = [];

  function keep(text: string): void {
    if (text === '') return;
    buffer.push(text);
    onOutput?.(text);
  }

  return {
    source() {
      const decoder = new StringDecoder('utf8');
      const stripper = createAnsiStripper();
      // What is still held back at the end belongs to the output as well.
      endings.push(() => keep(stripper.push(decoder.end()) + stripper.end()));
      return (bytes) => keep(stripper.push(decoder.write(bytes)));
    },
    finish() {
      for (const end of endings) end();
      const { head, tail, omitted } = buffer.finish();
      if (omitted === 0) return { output: head, omitted };
      return { output: `${head}\n[… ${omitted} characters left out …]\n${tail}`, omitted };
    },
  };
}
