import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises';
import { ConfigurationError, errorMessage, HermesError, isJsonObject, parseJson } from '../../base/index.ts';
import {
  describeLockHolder,
  fileErrorReason,
  LockTimeout,
  type RawLine,
  withFileLock,
  writeFileAtomic,
} from '../../util/index.ts';
import { splitLines } from '../check/check-lines.ts';
import { type CompressedLine, type CompressionGoal, compressLine, type LineCompression } from './compress-line.ts';

export type FileCompression = LineCompression & {
  input: string;
  output: string;
  /** Number of lines processed in parallel. */
  concurrency: number;
  signal: AbortSignal;
  onProgress?(totals: CompressionTotals): void;
  /** Called with each line that is omitted because it cannot be read. */
  onUnreadable?(line: number, reason: string): void;
};

/** After this many consecutive failures the provider is not called any more. */
const MAX_FAILURES = 5;
const STATE_EVERY_MS = 1_000;

/**
 * Compresses the lines of a file in order. The progress is saved in a state file next to the output, so that an
 * interrupted run can be resumed and a changed input is detected.
 */
export async function compressFile(work: FileCompression): Promise<CompressionTotals> {
  const { output } = work;
  try {
    return await withFileLock(`${output}.lock`, () => compressUnlocked(work), { timeoutMs: 0 });
  } catch (thrown) {
    if (thrown instanceof LockTimeout) {
      throw new ConfigurationError(`${output} has been in use by ${describeLockHolder(thrown.holder)}.`, {
        hint: 'Wait until that process has finished, or choose another output.',
      });
    }
    throw (thrown as NodeJS.ErrnoException).path === `${output}.lock` ? unwritable(output, thrown) : thrown;
  }
}

async function compressUnlocked(work: FileCompression): Promise<CompressionTotals> {
  const { output } = work;
  const state = await readState(output, work.goal);
  if (state === undefined && (await exists(output))) {
    throw new ConfigurationError(`${output} already exists; nothing was written.`, { hint: 'Choose another name.' });
  }
  const totals = state?.totals ?? newTotals();
  const input = createInput(work.input, state);
  const handle = await openOutput(work, { goal: work.goal, inputHash: input.digest(), totals }, state === undefined);
  try {
    if ((await handle.stat()).size < totals.bytes) {
      throw new ConfigurationError(`${output} is shorter than the last run left it.`, {
        hint: `Delete it and ${stateFileOf(output)} to start again, or choose another output.`,
      });
    }
    // Lines written after the last saved state are processed again.
    await handle.truncate(totals.bytes);
    await writeLines(work, { handle, totals, input });
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rm(stateFileOf(output), { force: true });
  return totals;
}

/** The state file is written first: an output without one belongs to somebody else. */
async function openOutput({ output }: FileCompression, first: CompressionState, isNew: boolean): Promise<FileHandle> {
  try {
    if (isNew) await writeState(output, first);
    return await open(output, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (thrown) {
    throw unwritable(output, thrown);
  }
}

type Writing = { handle: FileHandle; totals: CompressionTotals; input: ReturnType<typeof createInput> };

async function writeLines(work: FileCompression, { handle, totals, input }: Writing): Promise<void> {
  const { output, goal } = work;
  let noted = Date.now();
  const note = () => writeState(output, { goal, inputHash: input.digest(), totals });
  try {
    for await (const { raw, line } of compressInOrder(input.lines(totals.read), work)) {
      const bytes = Buffer.from('text' in line ? `${line.text}\n` : '');
      await writeAt(handle, bytes, totals.bytes, output);
      input.take(raw);
      count(totals, line, bytes.length, goal.targetTokens);
      if (line.status === 'unreadable') work.onUnreadable?.(raw.number, line.reason);
      work.onProgress?.(totals);
      if (Date.now() - noted < STATE_EVERY_MS) continue;
      await note();
      noted = Date.now();
    }
  } catch (thrown) {
    // While lines finished earlier are still being skipped, the old state stays valid and is not overwritten. An
    // error while saving the state must not hide the original one.
    if (input.isPassed()) await note().catch(() => undefined);
    throw thrown;
  }
}

async function writeAt(handle: FileHandle, bytes: Buffer, at: number, file: string) {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle
      .write(bytes, done, bytes.length - done, at + done)
      .catch((thrown: unknown) => {
        throw unwritable(file, thrown);
      });
    done += bytesWritten;
  }
}

/** The input lines, with a digest of those already processed. */
function createInput(file: string, state: { inputHash: string } | undefined) {
  const hash: Hash = createHash('sha256');
  const take = (raw: RawLine) => hash.update(raw.bytes ?? String(raw.length)).update('\n');
  const digest = () => hash.copy().digest('hex');
  let isPassed = false;
  return {
    take,
    digest,
    isPassed: () => isPassed,
    async *lines(done: number): AsyncGenerator<RawLine> {
      let passed = 0;
      const check = () => {
        isPassed = state === undefined || digest() === state.inputHash;
        if (isPassed) return;
        throw new ConfigurationError(`${file} has changed since the last run.`, {
          hint: 'Choose another output, or delete the incomplete one and its .state file.',
        });
      };
      if (done === 0) check();
      for await (const raw of splitLines(createReadStream(file))) {
        if (passed < done) {
          take(raw);
          passed += 1;
          if (passed === done) check();
        } else yield raw;
      }
      if (passed < done) check();
    },
  };
}

/** Processes several lines in parallel and yields them in input order. */
async function* compressInOrder(lines: AsyncGenerator<RawLine>, work: FileCompression) {
  const pending: { raw: RawLine; done: Promise<CompressedLine> }[] = [];
  let failures = 0;
  const next = async () => {
    const { raw, done } = pending.shift() as (typeof pending)[number];
    const line = await done;
    work.signal.throwIfAborted();
    const failure = 'failure' in line ? line.failure : undefined;
    if (failure !== undefined) failures += 1;
    else if (line.status === 'summarised') failures = 0;
    if (failures >= MAX_FAILURES) throw tooManyFailures(failure);
    return { raw, line };
  };
  try {
    for await (const raw of lines) {
      work.signal.throwIfAborted();
      const done = compressLine(raw, work);
      // The error is handled when the line is awaited.
      done.catch(() => undefined);
      pending.push({ raw, done });
      if (pending.length >= work.concurrency) yield await next();
    }
    while (pending.length > 0) yield await next();
  } finally {
    await Promise.allSettled(pending.map(({ done }) => done));
  }
}

function tooManyFailures(failure: unknown): HermesError {
  const reason = errorMessage(failure);
  return new HermesError(`${MAX_FAILURES} summaries in a row failed; the last error: ${reason}`, {
    hint: 'Finished lines are saved. Run the same command again to continue, or add --no-model to continue without summaries.',
  });
}

function unwritable(file: string, thrown: unknown): HermesError {
  return new HermesError(`${file} cannot be written: ${fileErrorReason(thrown)}.`, {
    hint: 'Free disk space or choose another output; the same command continues where it stopped.',
    cause: thrown,
  });
}

function count(totals: CompressionTotals, line: CompressedLine, bytes: number, target: number): void {
  totals.read += 1;
  totals.bytes += bytes;
  totals[line.status] += 1;
  if (line.status === 'unreadable') return;
  totals.tokensBefore += line.before;
  totals.tokensAfter += line.after;
  if (line.after > target) totals.stillOver += 1;
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

export type CompressionTotals = {
  /** Lines read from the input. */
  read: number;
  kept: number;
  summarised: number;
  /** Lines shortened without a model. */
  extracted: number;
  unreadable: number;
  /** Lines that are still longer than the target. */
  stillOver: number;
  tokensBefore: number;
  tokensAfter: number;
  /** Bytes of the output. */
  bytes: number;
};

/** The progress of a run, for resuming it. */
type CompressionState = { goal: CompressionGoal; inputHash: string; totals: CompressionTotals };

const FORMAT = 'hermes-trajectories-compress 1';

function newTotals(): CompressionTotals {
  const counts = { kept: 0, summarised: 0, extracted: 0, unreadable: 0, stillOver: 0 };
  return { read: 0, ...counts, tokensBefore: 0, tokensAfter: 0, bytes: 0 };
}

function stateFileOf(output: string): string {
  return `${output}.state`;
}

async function writeState(output: string, state: CompressionState): Promise<void> {
  await writeFileAtomic(stateFileOf(output), JSON.stringify({ format: FORMAT, ...state }));
}

/** The state of an earlier run; undefined if there is none. */
async function readState(output: string, goal: CompressionGoal): Promise<CompressionState | undefined> {
  const file = stateFileOf(output);
  const content = await readFile(file, 'utf8').catch(() => undefined);
  if (content === undefined) return undefined;
  const state = parseJson(content);
  if (!isJsonObject(state) || state['format'] !== FORMAT) {
    throw new ConfigurationError(`${file} is not a state file of this command.`, { hint: 'Choose another output.' });
  }
  const found = state as unknown as CompressionState;
  if (JSON.stringify(found.goal) === JSON.stringify(goal)) return found;
  const { targetTokens, summaryTokens, keepLast } = found.goal;
  throw new ConfigurationError(`${output} was started with other settings.`, {
    hint: `Continue with --target ${targetTokens} --summary ${summaryTokens} --keep-last ${keepLast}, or choose another output.`,
  });
}
