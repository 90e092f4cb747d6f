import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentsOptions, BatchOptions } from '../batch-options.ts';
import type { RunManifest } from '../folder/run-folder.ts';
import { inspectInput, readPrompts } from '../prompts/read-prompts.ts';
import { describeRun, warnOverwrittenMetadata } from '../running/begin-run.ts';
import { openAgents } from '../running/open-agents.ts';
import { failedResult } from '../running/prompt-runner.ts';
import {
  type QueuedPrompt,
  type QueuedRun,
  queueName,
  savePrompts,
  saveQueuedResult,
  saveRun,
  setState,
  toStoredResult,
} from './queued-runs.ts';
import type { JobQueue } from './open-queue.ts';

type SubmitOptions = AgentsOptions &
  Pick<BatchOptions, 'input' | 'limit' | 'distribution' | 'seed' | 'partSize' | 'maxSpendUsd' | 'onNote'>;

/** Limits of one insert. */
const MAX_PROMPTS = 500;
const MAX_CHARACTERS = 4_000_000;
/** A prompt is abandoned after this many workers died on it. */
export const MAX_DEAD_WORKERS = 5;

/** Submits a run. Workers start only after all prompts are stored. */
export async function submitRun(queue: JobQueue, options: SubmitOptions): Promise<{ run: QueuedRun; prompts: number }> {
  const input = await inspectInput(options.input);
  warnOverwrittenMetadata(input, options);
  const manifest = await createManifest(options, input.metadataKeys);
  const run: QueuedRun = {
    id: manifest.id,
    state: 'submitting',
    manifest,
    createdAt: Date.now(),
    options: {
      maxTurns: options.maxTurns,
      ephemeralSystemPrompt: options.ephemeralSystemPrompt,
      prefillMessages: options.prefillMessages,
      redact: options.redact,
      template: options.template,
      inputFolder: dirname(options.input),
      maxSpendUsd: options.maxSpendUsd,
    },
  };
  await saveRun(queue, run);
  await queue.create(queueName(run), MAX_DEAD_WORKERS + 1);
  const prompts = await submitPrompts(queue, run, options);
  await setState(queue, run.id, 'open');
  return { run: { ...run, state: 'open' }, prompts };
}

/** Creates the manifest. The tool columns of all samples are those of the submitting machine. */
async function createManifest(options: SubmitOptions, metadataKeys: string[]): Promise<RunManifest> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-batch-'));
  try {
    const { runtime } = await openAgents(options, folder, { onAnswer: () => undefined, onGivenUp: () => undefined });
    try {
      return await describeRun(options, { input: { metadataKeys }, runtime, now: Date.now() });
    } finally {
      await runtime.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function submitPrompts(
  queue: JobQueue,
  run: QueuedRun,
  { input, limit = Infinity }: SubmitOptions,
): Promise<number> {
  let index = 0;
  let waiting: QueuedPrompt[] = [];
  let characters = 0;
  const flush = async () => {
    await savePrompts(queue, run.id, waiting);
    // An invalid line already has its result.
    await queue.add(
      queueName(run),
      waiting.flatMap(({ index: number, prompt }) => (prompt.text === '' ? [] : [number])),
    );
    [waiting, characters] = [[], 0];
  };
  for await (const line of readPrompts(input)) {
    if (index >= limit) break;
    if ('fault' in line) {
      const reason = `Line ${line.lineNumber}: ${line.fault}`;
      await saveQueuedResult(queue, run.id, toStoredResult(failedResult({ index }, { reason, kind: 'input' })));
    }
    const prompt = 'prompt' in line ? line.prompt : { text: '', attachments: [], metadata: {} };
    waiting.push({ index, key: line.key, prompt });
    characters += prompt.text.length;
    index += 1;
    if (waiting.length >= MAX_PROMPTS || characters >= MAX_CHARACTERS) await flush();
  }
  if (waiting.length > 0) await flush();
  return index;
}
