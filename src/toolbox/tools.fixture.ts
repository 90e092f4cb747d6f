import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createApprovalGuard } from '../approvals/index.ts';
import type { ApprovalAnswer, ApprovalRequest, ChangedFile, JsonObject } from '../base/index.ts';
import type { AgentToolState, BatchContext, Environment, ToolOutcome, ToolServices } from '../contracts/index.ts';
import { createLocalEnvironment } from '../environments/index.ts';
import { createProcessTable } from '../processes/index.ts';
import { createToolSet } from '../tools/index.ts';
import { builtInTools } from './index.ts';

export type ToolFixtureOptions = {
  guard?: Parameters<typeof createApprovalGuard>[0];
  /** Answers to approval requests, in order; requests after the last one are denied. */
  answers?: ApprovalAnswer[];
  /** Called for every approval request before it is answered. */
  onAsked?(): Promise<void>;
  reply?: string;
  contextLength?: number;
  /** Wraps the real environment. */
  adapt?(environment: Environment): Environment;
  /** Options of the table of background processes. */
  table?: Parameters<typeof createProcessTable>[0];
  /** Limits of `execute_code`, which is unavailable without them. */
  code?: { timeoutSeconds?: number; maxCalls?: number };
  set?: Partial<Parameters<typeof createToolSet>[0]>;
};

/** All built-in tools on a temporary folder, called through the real dispatch path. */
export async function createToolFixture(options: ToolFixtureOptions = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-toolbox-')));
  const folder = join(root, 'project');
  const home = join(root, 'home');
  await mkdir(folder);
  await mkdir(home);
  const local = createLocalEnvironment({ workingDirectory: folder });
  const environment = options.adapt?.(local) ?? local;
  const approvals = createApprovalGuard({ home, hermesHome: join(home, '.hermes'), ...options.guard });
  const processes = createProcessTable(options.table);
  const services = codeFor(environment, options);
  const tools = createToolSet({ tools: builtInTools(), environment, approvals, processes, services, ...options.set });
  const recorded = createRecorder(options);

  async function runAll(calls: { name: string; args: JsonObject }[], signal = new AbortController().signal) {
    const outcomes: ToolOutcome[] = [];
    await tools.run(
      await tools.prepare(toToolCalls(calls, recorded.results.size)),
      recorded.batchContext(signal, outcomes),
    );
    return outcomes;
  }

  return {
    root,
    folder,
    home,
    tools,
    processes,
    environment,
    state: recorded.state,
    /** The results in the conversation, by call id. */
    results: recorded.results,
    asked: recorded.asked,
    progress: recorded.progress,
    changes: recorded.changes,
    runAll,
    async run(name: string, args: JsonObject = {}, signal?: AbortSignal): Promise<ToolOutcome> {
      const [outcome] = await runAll([{ name, args }], signal);
      return outcome as ToolOutcome;
    },
    async put(path: string, content: string | Uint8Array): Promise<void> {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    },
    get: (path: string) => readFile(join(folder, path), 'utf8'),
    async [Symbol.asyncDispose]() {
      await processes.close();
      await environment.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Answers approval requests as `options` say, and records everything the tools report. */
function createRecorder(options: ToolFixtureOptions) {
  const asked: Omit<ApprovalRequest, 'kind'>[] = [];
  const progress: string[] = [];
  const changes: ChangedFile[] = [];
  const results = new Map<string, string>();
  const state: AgentToolState = { todos: [], approvedRules: new Set(), resultOf: (callId) => results.get(callId) };
  const batchContext = (signal: AbortSignal, outcomes: ToolOutcome[]): BatchContext => ({
    sessionId: 's',
    taskId: 't',
    signal,
    state,
    contextLength: options.contextLength,
    interaction: {
      approve: async (request) => {
        asked.push(request);
        await options.onAsked?.();
        return options.answers?.shift() ?? 'deny';
      },
      clarify: async () => options.reply,
    },
    onStarted() {},
    onProgress: (_prepared, text) => progress.push(text),
    onFileChanged: (_prepared, change) => changes.push(change),
    onResult: async ({ call }, outcome) => {
      results.set(call.id, outcome.content);
      outcomes.push(outcome);
    },
  });
  return { asked, progress, changes, state, results, batchContext };
}

/** `execute_code` is available only in environments that can create private folders. */
function codeFor({ newFolder }: Environment, { code }: ToolFixtureOptions): ToolServices {
  return newFolder === undefined || code === undefined
    ? {}
    : { code: { timeoutSeconds: 60, maxCalls: 50, ...code, newFolder } };
}

/** The message of an outcome that is an error. */
export function errorOf(outcome: ToolOutcome): string {
  return (JSON.parse(outcome.content) as { error: string }).error;
}

/** Ids are unique, because tools recognise earlier results of the conversation by them. */
function toToolCalls(calls: { name: string; args: JsonObject }[], before: number) {
  return calls.map(({ name, args }, index) => ({ id: `c${before + index}`, name, arguments: JSON.stringify(args) }));
}
