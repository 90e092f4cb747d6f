import { createReadStream } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { HermesError } from '../../../base/index.ts';
import { appendWholeLine, toJsonLine } from '../../../trajectories/index.ts';
import { fileErrorReason, readLines } from '../../../util/index.ts';
import { partNumber, type RunPaths } from '../folder/run-folder.ts';
import { indexOfLine, partOf, type PromptResult } from './result-line.ts';

/** The result files of a run. A prompt is done exactly when its line is written. */
export interface ResultFiles {
  /** Kept and dropped prompts, which are not run again. Failed ones are retried. */
  readonly done: ReadonlySet<number>;
  readonly kept: number;
  readonly dropped: number;
  /** Resolves when the line is in the file. */
  save(result: PromptResult): Promise<void>;
}

/** Results cannot be written, so the run must stop. */
class ResultsUnwritable extends HermesError {}

/** Truncates partial lines that a killed process left; their prompts are run again. */
export async function openResultFiles(paths: RunPaths, manifest: { partSize: number }): Promise<ResultFiles> {
  const parts = (await readdir(paths.folder)).filter((name) => partNumber(name) !== undefined);
  const files = [...parts.map((name) => paths.part(partNumber(name) ?? 0)), paths.failed, paths.dropped];
  for (const file of files) await truncatePartialLine(file).catch(ignoreMissing);
  const kept = new Set<number>();
  for (const name of parts) await collect(paths.part(partNumber(name) ?? 0), kept);
  const dropped = await collect(paths.dropped, new Set());
  const done = new Set([...kept, ...dropped]);
  let writing: Promise<void> = Promise.resolve();
  const write = async (result: PromptResult) => {
    // At most one line per prompt.
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
  return new ResultsUnwritable(`Could not write a result to ${folder}: ${fileErrorReason(thrown)}.`, {
    hint: 'Free disk space or fix the permissions, then continue with --resume. Finished prompts are not repeated.',
    cause: thrown,
  });
}

function ignoreMissing(thrown: unknown): void {
  if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
}

const LINE_END = 10;
/** A safety limit for files without line breaks. */
const MAX_BYTES = 512 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** Truncates a partial last line. Returns whether there was one. */
export async function truncatePartialLine(file: string): Promise<boolean> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    const end = await findLastEnd(handle, size);
    if (end === size) return false;
    await handle.truncate(end);
    return true;
  } finally {
    await handle.close();
  }
}

/** Returns the offset after the last newline. */
async function findLastEnd(handle: Awaited<ReturnType<typeof open>>, size: number): Promise<number> {
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - BLOCK_BYTES);
    const { bytesRead } = await handle.read(block, 0, end - from, from);
    const found = block.subarray(0, bytesRead).lastIndexOf(LINE_END);
    if (found >= 0) return from + found + 1;
    end = from;
  }
  return 0;
}

/** The lines of a file; none if it does not exist. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    for await (const { bytes = NOTHING } of readLines(createReadStream(file), MAX_BYTES)) {
      if (bytes.length > 0) yield bytes.toString('utf8');
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
}
