import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/contracts/index.ts';
import { createAcpModelClient } from '../../src/llm/acp/index.ts';
import { compiledProgram } from './compiled-program.ts';

/** The test agent's reply to one prompt. `CODE` in its texts is replaced by the section marker of the conversation. */
export type AgentReply = {
  thoughts?: string[];
  text?: string[];
  /** Splits each text into chunks of this size. */
  chunkSize?: number;
  /** Requests permissions, files and terminals first. */
  asks?: true;
  /** Reports that it ran a tool of this kind without asking for permission. */
  runs?: 'execute' | 'read';
  garbage?: string;
  crash?: number;
  error?: { code: number; message: string; data?: unknown };
  hang?: 'forever' | 'until cancelled';
  stopReason?: string;
};

export type AgentPlan = {
  replies: AgentReply[];
  /** Printed to stdout and stderr before anything else. */
  greeting?: string;
  complaint?: string;
  /** Exits immediately. */
  exitCode?: number;
  version?: number;
  /** Additional fields of the response to a new session. */
  session?: object;
  sessionError?: { code: number; message: string };
  canDelete?: boolean;
  hangAtStart?: boolean;
  /** The file to which the agent writes the pid of a child process that it starts. */
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

/** A command that speaks ACP according to the plan, and a folder for its files. */
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
      // The agent waits for further prompts and does not exit on its own, so kill it.
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
    // The process group has already exited.
  }
  await untilGone(pid);
}

/** Whether a process is running; a zombie is not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') R');
    return !/^ ?[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1).trimStart());
  } catch {
    return false;
  }
}

/** Waits until a process has exited; limited by the test's timeout. */
export async function untilGone(pid: number): Promise<void> {
  while (await isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}
