import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson, systemClock } from '../../base/index.ts';
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
import { JAVASCRIPT_CLIENT, PYTHON_CLIENT, RUNNER_SOURCE } from './script-sources.ts';
import { createScriptCalls, openToolServer } from './tool-server.ts';

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
      signal,
      timeoutMs: NEVER_MS,
      stdin: JSON.stringify(setup),
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

/** What the runner says at the end, behind its mark. */
export type ScriptReport = { code: number | undefined; signal: string | undefined; problem?: string; errors: string };

/** What a script printed, and how it ended; no report where the runner could not give one. */
export function readOutput(output: string, mark: string): { printed: string; report: ScriptReport | undefined } {
  const at = output.lastIndexOf(mark);
  if (at < 0) return { printed: output, report: undefined };
  // The runner begins a line of its own, which is no part of what was printed.
  const printed = output.slice(0, at).replace(/\n$/, '');
  const parsed = parseJson(output.slice(at + mark.length).trim());
  if (!isJsonObject(parsed)) return { printed, report: undefined };
  const { code, signal, problem, errors } = parsed;
  return {
    printed,
    report: {
      code: typeof code === 'number' ? code : undefined,
      signal: typeof signal === 'string' ? signal : undefined,
      ...(typeof problem === 'string' && { problem }),
      errors: typeof errors === 'string' ? Buffer.from(errors, 'base64').toString() : '',
    },
  };
}

/** Hands on what a script prints as it comes, without what the runner says at the end. */
export function createOutputWatch(mark: string, show: (text: string) => void): (text: string) => void {
  let held = '';
  let over = false;
  return (text) => {
    if (over) return;
    held += text;
    const at = held.indexOf(`\n${mark}`);
    over = at >= 0;
    // The beginning of the mark may be the end of this piece.
    const sure = over ? at : Math.max(0, held.length - mark.length - 1);
    if (sure > 0) show(held.slice(0, sure));
    held = held.slice(sure);
  };
}

export type CodeLanguage = 'javascript' | 'python';

/** What only one of the two has, as lines begin or end. */
const PYTHON: readonly RegExp[] = [
  /^\s*from\s+[\w.]+\s+import\s/m,
  /^\s*import\s+[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+)*\s*(?:#.*)?$/m,
  /^\s*(?:async\s+)?def\s+\w+\s*\(.*$/m,
  /^\s*(?:if|elif|else|for|while|with|try|except|finally|class)\b[^{}]*:\s*(?:#.*)?$/m,
  /^\s*print\s*\(/m,
  /^\s*#(?!!.*node)/m,
];
const JAVASCRIPT: readonly RegExp[] = [
  /^\s*(?:const|let|var)\s+[\w{[]/m,
  /^\s*import\s+(?:[\w*{][^\n]*\sfrom\s+)?['"]/m,
  /=>|\bconsole\.\w+\s*\(|\brequire\s*\(|\bawait\s+tools\.|;\s*$/m,
  /^\s*(?:async\s+)?function\b|^\s*\/\//m,
  /[{}]\s*$/m,
];

/** Which language a script is written in; JavaScript where nothing speaks for the other, because it is always there. */
export function detectLanguage(code: string): CodeLanguage {
  const count = (signs: readonly RegExp[]) => signs.filter((sign) => sign.test(code)).length;
  return count(PYTHON) > count(JAVASCRIPT) ? 'python' : 'javascript';
}
