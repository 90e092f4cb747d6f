import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** As much as the file tools read. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Where the whole of an output goes that is longer than what is kept of it. */
export interface SpillFile {
  push(text: string): void;
  /** What is in the file; undefined where none was made, or where it could not be written. */
  finish(): 'whole' | 'beginning' | undefined;
}

/** Makes the file, readable for its owner only, when the output passes `after` characters; until then it costs nothing. */
export function createSpillFile(file: string, after: number, maxBytes = MAX_BYTES): SpillFile {
  const early: string[] = [];
  let length = 0;
  let bytes = 0;
  let handle: number | undefined;
  let state: 'waiting' | 'whole' | 'beginning' | 'failed' = 'waiting';

  // Written at once and not queued: a command that prints faster than the disk takes it must wait, not fill the memory.
  function write(text: string): void {
    const data = Buffer.from(text);
    const part = data.subarray(0, maxBytes - bytes);
    for (let at = 0; at < part.length; ) at += writeSync(handle as number, part, at);
    bytes += part.length;
    if (part.length < data.length) state = 'beginning';
  }

  function open(): void {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    handle = openSync(file, 'wx', 0o600);
    state = 'whole';
    write(early.splice(0).join(''));
  }

  return {
    push(text) {
      length += text.length;
      try {
        if (state === 'whole') write(text);
        if (state !== 'waiting') return;
        early.push(text);
        if (length > after) open();
      } catch {
        // A full disk must not cost the command; what is kept in memory is still given.
        state = 'failed';
      }
    },
    finish() {
      if (handle !== undefined) closeSync(handle);
      return state === 'whole' || state === 'beginning' ? state : undefined;
    },
  };
}
