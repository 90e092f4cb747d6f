import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/contracts/index.ts';
import { createAcpModelClient } from '../../src/llm/acp/index.ts';
import { compiledProgram } from './compiled-program.ts';

/** What the agent of the tests does with one prompt. `CODE` in its words becomes the mark of the conversation. */
export type AgentReply = {
  thoughts?: string[];
  text?: string[];
  /** Cuts each text into pieces of this size. */
  chunkSize?: number;
  /** Asks for permissions, files and terminals first. */
  asks?: true;
  /** Says that it ran a tool of this kind, without having asked. */
  runs?: 'execute' | 'read';
  garbage?: string;
  crash?: number;
  error?: { code: number; message: string; data?: unknown };
  hang?: 'for ever' | 'until cancelled';
  stopReason?: string;
};

export type AgentPlan = {
  replies: AgentReply[];
  /** Said on standard output before anything else, and on standard error. */
  greeting?: string;
  complaint?: string;
  /** Ends at once. */
  exitCode?: number;
  version?: number;
  /** More of the answer to a new session. */
  session?: object;
  sessionError?: { code: number; message: string };
  canDelete?: boolean;
  hangAtStart?: boolean;
  /** Where to write the id of a process that it starts. */
  child?: string;
};

export type LogEntry = { type: string; pid: number } & Record<string, unknown>;

export type ClientOptions = Partial<Parameters<typeof createAcpModelClient>[0]>;

const AGENT = compiledProgram(join(import.meta.dirname, 'acp-agent.ts'));

export type AcpFixture = AsyncDisposable & {
  command: string;
  args: string[];
  file(name: string): string;
  log(): Promise<LogEntry[]>;
  logged(type: string): Promise<LogEntry[]>;
  client(options?: ClientOptions): ReturnType<typeof createAcpModelClient>;
};

/** A command that speaks ACP as the plan says, and a folder for what it leaves. */
export async function createAcpFixture(plan: AgentPlan): Promise<AcpFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-acp-test-'));
  const file = (name: string) => join(folder, name);
  await writeFile(file('plan.json'), JSON.stringify(plan));
  const log = async () =>
    (await readFile(file('log.jsonl'), 'utf8').catch(() => ''))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogEntry);
  const command = process.execPath;
  const args = [AGENT, file('plan.json'), file('log.jsonl')];
  const hints = { install: 'install it', login: 'log in' };
  const env = { PATH: process.env.PATH ?? '' };
  const common = { baseUrl: 'acp://test', model: undefined, command, args, env, hints, stallTimeoutMs: 20_000 };
  return {
    command,
    args,
    file,
    log,
    logged: async (type) => (await log()).filter((entry) => entry.type === type),
    client: (options = {}) => createAcpModelClient({ ...common, ...options }),
    async [Symbol.asyncDispose]() {
      // An agent waits for more to do; the tests have no more.
      for (const { pid } of (await log()).filter((entry) => entry.type === 'start')) await endGroup(pid);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export function request(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'hello' }],
    tools: [{ name: 'echo', description: 'Says it again.', parameters: { type: 'object', properties: {} } }],
    toolChoice: 'auto',
    stream: true,
    ...changes,
  };
}

async function endGroup(pid: number): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended before.
  }
  await untilGone(pid);
}

/** Whether a process is there; one that has ended and was not yet collected is not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') R');
    return !/^ ?[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1).trimStart());
  } catch {
    return false;
  }
}

/** Waits until a process is gone; the test's own time limit ends the wait. */
export async function untilGone(pid: number): Promise<void> {
  while (await isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}
