import { systemClock } from '../../base/index.ts';
import type { BackgroundProcess, StoredMessage } from '../../contracts/index.ts';
import { followMessages, type RunningSubagent } from '../../runtime/index.ts';
import { redactSecrets } from '../../util/index.ts';
import type { BackgroundRun, BackgroundRuns } from './background-runs.ts';
import type { SlashContext } from './slash-context.ts';

/** What can be shown of a job while it runs: a text that grows, or the messages of its session. */
export type JobOutput = {
  text(text: string): void;
  messages(messages: readonly StoredMessage[]): Promise<void>;
};

/** Work in the background of a chat: a process, a background turn or a subagent. */
export type Job = {
  id: string;
  kind: 'process' | 'turn' | 'subagent';
  title: string;
  startedAt: number;
  /** How it ended; undefined while it runs. */
  ended: string | undefined;
  /** Shows the output so far and what follows, until the job ends or the signal is aborted. */
  follow(output: JobOutput, signal: AbortSignal): Promise<void>;
  stop(): Promise<void> | void;
};

export type JobSources = Pick<SlashContext, 'runtime'> & {
  session: Pick<SlashContext['session'], 'id' | 'opened'>;
  background?: BackgroundRuns | undefined;
};

/** The jobs of a chat: processes, background turns and subagents, each oldest first. */
export async function listJobs({ runtime, session, background }: JobSources): Promise<Job[]> {
  const { environment } = session.opened();
  const processes = await runtime.processes.forSession(session.id(), environment).list();
  const runs = background?.list() ?? [];
  const subagents = runtime.delegations.list().filter(({ parentSessionId }) => parentSessionId === session.id());
  return [
    ...processes.map(processJob),
    ...runs.map((run) => turnJob(run, runtime, background)),
    ...subagents.map((subagent) => subagentJob(subagent, runtime)),
  ];
}

function processJob(process: BackgroundProcess): Job {
  return {
    id: process.id,
    kind: 'process',
    title: redactSecrets(process.command),
    startedAt: process.startedAt,
    ended: describeProcessEnd(process),
    follow: (output, signal) => followProcess(process, output, signal),
    stop: async () => void (await process.kill()),
  };
}

function describeProcessEnd(process: BackgroundProcess): string | undefined {
  const ending = process.ending();
  if (ending === undefined) return undefined;
  const { exitCode, signalName } = ending;
  return signalName === undefined ? `exit code ${exitCode ?? 'unknown'}` : `killed by ${signalName}`;
}

const POLL_MS = 200;

/** Reads the kept text instead of `readNew`, because the model reads the new output with that. */
async function followProcess(
  process: BackgroundProcess,
  { text: show }: JobOutput,
  signal: AbortSignal,
): Promise<void> {
  let shown = '';
  for (;;) {
    const hasEnded = process.ending() !== undefined;
    const text = process.output.text();
    const fresh = text.startsWith(shown) ? text.slice(shown.length) : afterOverlap(shown, text);
    // Only whole lines, because a line that is printed cannot be continued.
    const end = hasEnded ? fresh.length : fresh.lastIndexOf('\n') + 1;
    if (end > 0) show(redactSecrets(fresh.slice(0, end)));
    shown = text.slice(0, text.length - (fresh.length - end));
    if (hasEnded || signal.aborted) return;
    await systemClock.sleep(POLL_MS, signal).catch(() => undefined);
  }
}

/** The part of a text that follows what was shown, after its beginning was dropped. */
function afterOverlap(shown: string, text: string): string {
  const last = shown.slice(-200);
  const at = last === '' ? -1 : text.lastIndexOf(last);
  return at < 0 ? text : text.slice(at + last.length);
}

function turnJob(run: BackgroundRun, runtime: SlashContext['runtime'], background: BackgroundRuns | undefined): Job {
  return {
    id: `turn-${run.number}`,
    kind: 'turn',
    title: run.prompt,
    startedAt: run.startedAt,
    ended: run.ended,
    follow: (output, signal) => followSession(runtime, run.sessionId, output, signal),
    stop: () => void background?.stop(run.number),
  };
}

function subagentJob(subagent: RunningSubagent, runtime: SlashContext['runtime']): Job {
  return {
    id: `subagent-${subagent.number}`,
    kind: 'subagent',
    title: subagent.goal,
    startedAt: subagent.startedAt,
    ended: undefined,
    async follow(output, signal) {
      const sessionId = subagent.sessionId();
      if (sessionId === undefined) output.text('The subagent is starting.\n');
      else await followSession(runtime, sessionId, output, signal);
    },
    stop: subagent.stop,
  };
}

async function followSession(
  { store }: SlashContext['runtime'],
  sessionId: string,
  output: JobOutput,
  signal: AbortSignal,
): Promise<void> {
  let calls: StoredMessage[] = [];
  for await (const stored of followMessages({ store, clock: systemClock }, sessionId, { after: 0, signal })) {
    const { message } = stored;
    if (message.role === 'tool') {
      // Shown together with its call, which has the arguments.
      await output.messages([...calls, stored]);
      continue;
    }
    await output.messages([stored]);
    calls = message.role === 'assistant' ? [{ ...stored, message: { ...message, content: '' } }] : [];
  }
}
