import { StringDecoder } from 'node:string_decoder';
import type { CommandOptions, CommandResult } from '../contracts/index.ts';
import { createAnsiStripper, createHeadTailBuffer, joinCut } from '../util/index.ts';
import { createSpillFile } from './spill-file.ts';

type OutputOptions = Pick<CommandOptions, 'maxOutput' | 'spillFile' | 'onOutput'>;

/** Takes the bytes of a command's streams and keeps a bounded, readable text of them, in order of arrival. */
export interface OutputCollector {
  /** One entry per stream, because a character may be cut between two pieces of the same stream. */
  source(): (bytes: Uint8Array) => void;
  finish(): Pick<CommandResult, 'output' | 'omitted' | 'spilled'>;
}

export function createOutputCollector(options: OutputOptions): OutputCollector {
  const { maxOutput, spillFile, onOutput } = options;
  const buffer = createHeadTailBuffer(maxOutput);
  const spill = spillFile === undefined ? undefined : createSpillFile(spillFile, maxOutput);
  const endings: (() => void)[] = [];

  function keep(text: string): void {
    if (text === '') return;
    buffer.push(text);
    spill?.push(text);
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
      const kept = buffer.finish();
      return { output: joinCut(kept), omitted: kept.omitted, spilled: spill?.finish() };
    },
  };
}
