import { errorMessage, HermesError, type JsonObject, type RunResult } from '../../../base/index.ts';
import type { ToolDefinition } from '../../../contracts/index.ts';
import { openConversation } from '../../../conversations/index.ts';
import type { OpenedAgent, Runtime } from '../../../runtime/index.ts';
import { readOriginals, toConversations, toolsForSystemTurn, trajectoryTime } from '../../../trajectories/index.ts';
import type { AgentsOptions } from '../batch-options.ts';
import type { RunManifest } from '../folder/run-folder.ts';
import type { PromptLine } from '../prompts/read-prompts.ts';
import { type PromptResult, writeResultLine } from '../results/result-line.ts';
import { sampleToolsets } from '../toolsets/distributions.ts';
import { hintOf } from './stop-switch.ts';
import { createWorkspace, type WorkspaceOptions, type PromptWorkspace } from './prompt-workspace.ts';

/** A prompt to be run. */
export type Job = { index: number; key: string; prompt: PromptLine };

/**
 * The result and the turn, if there was one. `result` is undefined if the prompt was interrupted and has to be run
 * again.
 */
export type JobOutcome = { result: PromptResult | undefined; turn: RunResult | undefined };

export interface PromptRunner {
  /** Runs a prompt. The promise does not reject if the prompt fails, because a failure is a result. */
  run(job: Job, signal: AbortSignal): Promise<JobOutcome>;
}

export type PromptRunnerOptions = {
  runtime: Runtime;
  manifest: RunManifest;
  foldersOf(index: number): Omit<WorkspaceOptions, 'terminal'>;
} & Pick<AgentsOptions, 'template' | 'redact' | 'readAttachments' | 'ephemeralSystemPrompt' | 'prefillMessages'>;

/** All agents of a run have the same tool definitions, so each is serialized only once. */
type RunnerParts = PromptRunnerOptions & { writtenTools: WeakMap<ToolDefinition, string> };

const END_REASON = 'batch';

/** Runs each prompt as one unattended turn in its own session. */
export function createPromptRunner(given: PromptRunnerOptions): PromptRunner {
  const { runtime } = given;
  const options: RunnerParts = { ...given, writtenTools: new WeakMap() };
  return {
    async run(job, signal) {
      try {
        const places = { ...options.foldersOf(job.index), terminal: runtime.blueprint.settings.terminal };
        const workspace = await createWorkspace(job.prompt, places);
        try {
          return await runIn(workspace, job, options, signal);
        } finally {
          await workspace.remove().catch((thrown: unknown) => {
            runtime.logger.warn('could not remove the folder of a prompt', { reason: errorMessage(thrown) });
          });
        }
      } catch (thrown) {
        if (!(thrown instanceof HermesError)) runtime.logger.error('prompt failed', { index: job.index }, thrown);
        return { result: failedResult(job, { reason: errorMessage(thrown), hint: hintOf(thrown) }), turn: undefined };
      }
    },
  };
}

async function runIn(
  { workingDirectory, terminal }: PromptWorkspace,
  job: Job,
  options: RunnerParts,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const { runtime, manifest, ephemeralSystemPrompt, prefillMessages } = options;
  const { inputFolder } = options.foldersOf(job.index);
  const attachments = await options.readAttachments(job.prompt.attachments, inputFolder);
  const toolsets = sampleToolsets(manifest.distribution, { seed: manifest.seed, key: job.key });
  const conversation = await openConversation({
    services: runtime,
    blueprint: {
      ...runtime.blueprint,
      ephemeralSystemPrompt,
      prefillMessages,
      settings: { ...runtime.blueprint.settings, terminal },
      toolsets,
      workingDirectory,
    },
    isControllable: false,
  });
  try {
    const turn = await conversation.queue({ text: job.prompt.text, attachments, signal }).result;
    const opened = conversation.opened();
    const result = turn.interrupted ? undefined : await describe(job, { turn, toolsets, opened }, options);
    return { result, turn };
  } finally {
    await conversation.close();
    await endSession(runtime, conversation.sessionId);
  }
}

async function describe(
  job: Job,
  { turn, toolsets, opened }: { turn: RunResult; toolsets: readonly string[]; opened: OpenedAgent },
  options: RunnerParts,
): Promise<PromptResult> {
  const { runtime, manifest, template, redact = false, writtenTools } = options;
  const { sessionId, error } = turn;
  if (turn.failed) {
    const { message: reason = 'The turn failed.', kind, hint } = error ?? {};
    return failedResult(job, { reason, kind, hint, sessionId });
  }
  const messages = await readOriginals(runtime.store, sessionId);
  const tools = await toolsForSystemTurn(messages, await opened.tools.definitions(), opened.tools.describe);
  const source = { messages, tools, template, redact, writtenTools };
  const { conversations, hasReasoning, warnings } = toConversations(source);
  for (const warning of warnings) runtime.logger.warn(warning, { sessionId });
  if (!hasReasoning) {
    const record = { prompt_index: job.index, reason: 'no reasoning', api_calls: turn.apiCalls, session_id: sessionId };
    return { kind: 'dropped', index: job.index, record };
  }
  const { metadata } = job.prompt;
  const sample = { index: job.index, metadata, conversations, messages, toolsets, result: turn, now: Date.now() };
  return { kind: 'kept', index: job.index, line: writeResultLine(sample, manifest) };
}

type Failure = { reason: string; kind?: string | undefined; hint?: string | undefined; sessionId?: string };

/** The maximum length of the displayed prompt; the input contains all of it. */
const SHOWN_CHARACTERS = 200;

export function failedResult(
  { index, prompt }: Pick<Job, 'index'> & { prompt?: PromptLine },
  { reason, kind, hint, sessionId }: Failure,
): PromptResult {
  const record: JsonObject = {
    prompt_index: index,
    prompt: prompt?.text.slice(0, SHOWN_CHARACTERS) ?? null,
    reason,
    kind: kind ?? null,
    hint: hint ?? null,
    session_id: sessionId ?? null,
    timestamp: trajectoryTime(Date.now()),
  };
  return { kind: 'failed', index, record };
}

async function endSession({ store, logger }: Runtime, sessionId: string): Promise<void> {
  try {
    await store.endSession(sessionId, END_REASON);
  } catch (thrown) {
    logger.warn('could not end the session of a prompt', { sessionId, reason: errorMessage(thrown) });
  }
}
