import { readdir } from 'node:fs/promises';
import { HermesError } from '../../../base/index.ts';
import { appendWholeLine, toJsonLine } from '../../../trajectories/index.ts';
import { fileErrorReason } from '../../../util/index.ts';
import { cutTornLine, linesOf } from '../folder/line-file.ts';
import { partNumber, type RunPaths } from '../folder/run-paths.ts';
import { indexOfLine, partOf, type PromptResult } from './result-line.ts';

/** The results of a run on the disk. A prompt is done when its line is there, and at no other moment. */
export interface ResultFiles {
  /** Prompts that need not be run again: kept or dropped. Those that failed are tried again. */
  readonly done: ReadonlySet<number>;
  readonly kept: number;
  readonly dropped: number;
  /** In the file when the promise resolves. */
  save(result: PromptResult): Promise<void>;
}

/** The disk does not take results any more: nothing is worth running now. */
export class ResultsUnwritable extends HermesError {}

/** What is left of a line that a killed process was writing is cut off: its prompt is run again. */
export async function openResultFiles(paths: RunPaths, manifest: { partSize: number }): Promise<ResultFiles> {
  const parts = (await readdir(paths.folder)).filter((name) => partNumber(name) !== undefined);
  const files = [...parts.map((name) => paths.part(partNumber(name) ?? 0)), paths.failed, paths.dropped];
  for (const file of files) await cutTornLine(file).catch(ignoreMissing);
  const kept = new Set<number>();
  for (const name of parts) await collect(paths.part(partNumber(name) ?? 0), kept);
  const dropped = await collect(paths.dropped, new Set());
  const done = new Set([...kept, ...dropped]);
  let writing: Promise<void> = Promise.resolve();
  const write = async (result: PromptResult) => {
    // Whatever brought it here twice: one line for each prompt.
    if (done.has(result.index)) return;
    await appendWholeLine(fileOf(paths, manifest, result), textOf(result)).catch((thrown: unknown) => {
      throw unwritable(paths, thrown);
    });
    if (result.kind === 'failed') return;
    done.add(result.index);
    (result.kind === 'kept' ? kept : dropped).add(result.index);
  };
  return {
    done,
    get kept() {
      return kept.size;
    },
    get dropped() {
      return dropped.size;
    },
    save(result) {
      const mine = writing.then(() => write(result));
      writing = mine.catch(() => undefined);
      return mine;
    },
  };
}

async function collect(file: string, into: Set<number>): Promise<Set<number>> {
  for await (const line of linesOf(file)) {
    const index = indexOfLine(line);
    if (index !== undefined) into.add(index);
  }
  return into;
}

function fileOf(paths: RunPaths, manifest: { partSize: number }, { kind, index }: PromptResult): string {
  return kind === 'kept' ? paths.part(partOf(index, manifest)) : paths[kind];
}

function textOf(result: PromptResult): string {
  return result.kind === 'kept' ? result.line : toJsonLine(result.record);
}

function unwritable({ folder }: RunPaths, thrown: unknown): ResultsUnwritable {
  return new ResultsUnwritable(`A result could not be written to ${folder}: ${fileErrorReason(thrown)}.`, {
    hint: 'Make room or give rights there, then go on with --resume: what is done stays done.',
    cause: thrown,
  });
}

function ignoreMissing(thrown: unknown): void {
  if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
}
