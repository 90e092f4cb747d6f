import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/index.ts';
import type { CodeService, CommandResult, ToolContext } from '../../contracts/index.ts';
import {
  createWorkTime,
  ToolDenied,
  ToolFailedOutput,
  ToolFailure,
  ToolInterrupted,
  type WorkTime,
} from '../../tools/index.ts';
import type { CodeArguments } from '../execute-code.ts';
import { type CodeLanguage, detectLanguage } from './detect-language.ts';
import { RUNNER_SOURCE } from './runner-source.ts';
import { createScriptCalls } from './script-calls.ts';
import { JAVASCRIPT_CLIENT, PYTHON_CLIENT } from './script-clients.ts';
import { createOutputWatch, readOutput, type ScriptReport } from './script-output.ts';
import { openToolServer } from './tool-server.ts';

/** Of what a script prints, with what it complains about. */
const MAX_OUTPUT = 50_000;
/** The part of it that complaints may take: they stand at its end, of which more than half is kept. */
const ERROR_SHARE = 0.2;
/** Room in a result for what we say about it. */
const NOTICE_ROOM = 400;
/** Our own time is shorter; this one only has to be longer, whatever the person takes to answer. */
const NEVER_MS = 86_400_000;

/** Does what a call of `execute_code` asks for. Of the calls that the script makes, the model sees nothing by itself. */
export async function runCode({ code, language: wanted }: CodeArguments, context: ToolContext): Promise<string> {
  const service = context.services.code;
  if (service === undefined) throw new ToolFailure('Scripts run only on this machine. Nothing was run.');
  if (code.includes('\0')) throw new ToolFailure('The code has a NUL character in it. Nothing was run.');
  const language = wanted === 'auto' ? detectLanguage(code) : wanted;
  await requireApproval(code, language, context);
  const folder = service.newFolder();
  const time = createWorkTime(
    service.timeoutSeconds * 1000,
    systemClock,
    () => new Error('the time of a script is over'),
  );
  try {
    writeScript(folder.path, code, language);
    return await time.during(() => runScript({ folder: folder.path, language, service, time }, context));
  } finally {
    folder.remove();
  }
}

/** The code is judged like a command that has it as an argument; what it calls is judged again when it does. */
async function requireApproval(code: string, language: CodeLanguage, context: ToolContext): Promise<void> {
  const { approvals, environment } = context;
  const program = language === 'python' ? 'python3 -c' : 'node -e';
  const command = `${program} ${quote(code)}`;
  const judgement = await approvals.judgeCommand(command, environment.currentDirectory());
  const decision = await approvals.decide({ toolName: 'execute_code', subject: code, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}

function writeScript(folder: string, code: string, language: CodeLanguage): void {
  const files =
    language === 'python'
      ? { 'script.py': code, 'hermes_tools.py': PYTHON_CLIENT }
      : { 'script.ts': code, 'tools.mjs': JAVASCRIPT_CLIENT };
  for (const [name, text] of Object.entries({ ...files, 'runner.mjs': RUNNER_SOURCE })) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
}

type Script = { folder: string; language: CodeLanguage; service: CodeService; time: WorkTime };

async function runScript({ folder, language, service, time }: Script, context: ToolContext): Promise<string> {
  const { environment, tools, progress, maxResultCharacters } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, time.signal, stop.signal]);
  const interaction = time.patient(context.interaction);
  const calls = createScriptCalls({ tools, signal, interaction, maxCalls: service.maxCalls });
  const [token, mark] = [randomBytes(32).toString('hex'), `${randomBytes(16).toString('hex')} `];
  const path = join(folder, 's');
  const server = await openToolServer({ path, token, answer: calls.answer });
  try {
    const maxOutput = Math.min(MAX_OUTPUT, maxResultCharacters - NOTICE_ROOM);
    const errorLimit = Math.floor(maxOutput * ERROR_SHARE);
    const setup = { socket: path, token, mark, language, folder, errorLimit };
    const result = await environment.run(runnerCommand(folder), {
      ...{ signal, timeoutMs: NEVER_MS, stdin: JSON.stringify(setup) },
      maxOutput,
      onOutput: createOutputWatch(mark, progress),
    });
    // A script ends with all it started.
    await result.left?.kill();
    return conclude(result, readOutput(result.output, mark), { seconds: service.timeoutSeconds, time });
  } finally {
    // What it asked for and did not wait for is not wanted any more.
    stop.abort();
    server.close();
    await calls.settled();
  }
}

/** The very Node that runs this program; inside of a sandbox another one may be all there is. */
function runnerCommand(folder: string): string {
  const [node, runner] = [quote(process.execPath), quote(join(folder, 'runner.mjs'))];
  return `if [ -x ${node} ]; then ${node} ${runner}; else node ${runner}; fi`;
}

function conclude(
  result: CommandResult,
  { printed, report }: ReturnType<typeof readOutput>,
  { seconds, time }: { seconds: number; time: WorkTime },
): string {
  const stopped = result.ended === 'interrupted';
  const ending = stopped
    ? time.isOver()
      ? `stopped after ${seconds} s: its time was over`
      : 'interrupted'
    : undefined;
  const errors = report?.errors.trim() ?? '';
  const notes = [ending, report?.problem, ending === undefined ? describeEnd(report, result) : undefined];
  const parts = [
    printed.trimEnd(),
    errors === '' ? '' : `[stderr]\n${errors}`,
    ...notes.flatMap((note) => (note === undefined ? [] : [`[${note}]`])),
  ];
  const text = parts.filter((part) => part !== '').join('\n') || '(it printed nothing)';
  if (stopped && !time.isOver()) throw new ToolInterrupted(text);
  if (stopped || report?.code !== 0) throw new ToolFailedOutput(text);
  return text;
}

function describeEnd(report: ScriptReport | undefined, { exitCode, signalName }: CommandResult): string | undefined {
  if (report === undefined) return `it could not be run: ${signalName ?? `exit code ${exitCode}`}`;
  if (report.signal !== undefined) return `ended by ${report.signal}`;
  return report.code === 0 || report.problem !== undefined ? undefined : `exit code ${report.code}`;
}

/** Text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
