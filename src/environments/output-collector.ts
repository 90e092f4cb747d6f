import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { CommandOptions, CommandResult } from '../contracts/index.ts';
import { createAnsiStripper, createHeadTailBuffer, joinTruncated } from '../util/index.ts';

/** The maximum size of a spill file: the size limit of the file tools. */
const MAX_BYTES = 64 * 1024 * 1024;

type OutputOptions = Pick<CommandOptions, 'maxOutput' | 'spillFile' | 'excerpt' | 'onOutput'>;
type CollectedOutput = Pick<CommandResult, 'output' | 'omitted' | 'excerptOf' | 'spilled'>;

/** Decodes the output streams of a command into one text of limited length, in order of arrival. */
export interface OutputCollector {
  /** Each stream has its own decoder, because a character may be split between two chunks. */
  source(): (bytes: Uint8Array) => void;
  finish(): CollectedOutput;
}

export function createOutputCollector(options: OutputOptions): OutputCollector {
  const { maxOutput, spillFile, excerpt, onOutput } = options;
  const buffer = createHeadTailBuffer(maxOutput);
  const spill = spillFile === undefined ? undefined : createSpillFile(spillFile, maxOutput);
  const endings: (() => void)[] = [];

  function keep(text: string): void {
    if (text === '') return;
    buffer.push(text);
    spill?.push(text);
    excerpt?.push(text);
    onOutput?.(text);
  }

  return {
    source() {
      const decoder = new StringDecoder('utf8');
      const stripper = createAnsiStripper();
      // Flushes incomplete characters and escape sequences.
      endings.push(() => keep(stripper.push(decoder.end()) + stripper.end()));
      return (bytes) => keep(stripper.push(decoder.write(bytes)));
    },
    finish() {
      for (const end of endings) end();
      const selected = spill === undefined ? undefined : excerpt?.finish();
      const spilled = spill?.finish(selected !== undefined);
      if (selected !== undefined && spilled !== undefined) {
        const { text, omitted, total } = selected;
        return { output: text, omitted, excerptOf: total, spilled };
      }
      const kept = buffer.finish();
      return { output: joinTruncated(kept), omitted: kept.omitted, spilled };
    },
  };
}

/** The file that receives the full output when it is longer than what is kept in memory. */
interface SpillFile {
  push(text: string): void;
  /**
   * Returns how much of the output the file contains; undefined if no file was needed or writing failed. `isNeeded`
   * writes the file even if the output is short.
   */
  finish(isNeeded?: boolean): 'whole' | 'beginning' | undefined;
}

/** Creates the file, readable only by its owner, once the output exceeds `after` characters. */
export function createSpillFile(file: string, after: number, maxBytes = MAX_BYTES): SpillFile {
  const early: string[] = [];
  let length = 0;
  let bytes = 0;
  let handle: number | undefined;
  let state: 'waiting' | 'whole' | 'beginning' | 'failed' = 'waiting';

  // Written synchronously: a command that prints faster than the disk writes must wait, not fill the memory.
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

  function attempt(work: () => void): void {
    try {
      work();
    } catch {
      // A full disk must not fail the command; the part in memory is still returned.
      state = 'failed';
    }
  }

  return {
    push(text) {
      length += text.length;
      attempt(() => {
        if (state === 'whole') write(text);
        if (state !== 'waiting') return;
        early.push(text);
        if (length > after) open();
      });
    },
    finish(isNeeded = false) {
      if (isNeeded && state === 'waiting') attempt(open);
      if (handle !== undefined) closeSync(handle);
      return state === 'whole' || state === 'beginning' ? state : undefined;
    },
  };
}
