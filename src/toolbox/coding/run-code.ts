import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unlessIsolated } from '../../approvals/index.ts';
import { isJsonObject, parseJson, systemClock } from '../../base/index.ts';
import type { CodeService, CommandResult, ConfinementProblem, ToolContext } from '../../contracts/index.ts';
import {
  createWorkTime,
  ToolDenied,
  ToolFailedOutput,
  ToolFailure,
  ToolInterrupted,
  type WorkTime,
} from '../../tools/index.ts';
import { quoteShellWord } from '../../util/index.ts';
import type { CodeArguments } from '../execute-code.ts';
import { recordWhileRunning } from '../record-command.ts';
import { explainScriptSandbox } from '../sandbox-hints.ts';
import { JAVASCRIPT_CLIENT, PYTHON_CLIENT, RUNNER_SOURCE } from './script-sources.ts';
import { createScriptCalls, openToolServer } from './tool-server.ts';

/** Limit of stdout and stderr together. */
const MAX_OUTPUT = 50_000;
/**
 * The share of `MAX_OUTPUT` that stderr may take. Stderr comes last, and truncation keeps more of the end than of the
 * beginning.
 */
const ERROR_SHARE = 0.2;
/** Reserved for the notices after the output. */
const NOTICE_ROOM = 400;
/**
 * The timeout passed to the environment, which is never reached: `WorkTime` enforces the real one and pauses during
 * approvals.
 */
const NEVER_MS = 86_400_000;

/** Runs a script for `execute_code`. The model sees only its output, not the tool calls it makes. */
export async function runCode({ code, language: wanted }: CodeArguments, context: ToolContext): Promise<string> {
  const service = context.services.code;
  if (service === undefined) throw new ToolFailure('Scripts cannot run in this environment. Nothing was run.');
  if (code.includes('\0')) throw new ToolFailure('The code contains a NUL character. Nothing was run.');
  const language = wanted === 'auto' ? detectLanguage(code) : wanted;
  await requireApproval(code, language, context);
  const unconfined = await context.environment.confinementProblem?.();
  const folder = service.newFolder();
  const time = createWorkTime(service.timeoutSeconds * 1000, systemClock, () => new Error('the script timed out'));
  try {
    writeScript(folder.path, code, language);
    const script = { folder: folder.path, language, service, time, isConfined: unconfined === undefined };
    return await time.run(() => runScript({ ...script, notice: noticeOnce(unconfined, context) }, context));
  } finally {
    folder.remove();
  }
}

/** Says once per environment that scripts run without the sandbox. */
function noticeOnce(problem: ConfinementProblem | undefined, { logger }: ToolContext): string | undefined {
  if (!problem?.isFirst) return undefined;
  logger.warn('scripts of execute_code run without the sandbox', { reason: problem.reason });
  return `scripts run without the sandbox here: ${problem.reason}`;
}

/** The code is judged like `node -e CODE` or `python3 -c CODE`. Its tool calls are judged separately. */
async function requireApproval(code: string, language: CodeLanguage, context: ToolContext): Promise<void> {
  const { approvals, environment } = context;
  const program = language === 'python' ? 'python3 -c' : 'node -e';
  const command = `${program} ${quoteShellWord(code)}`;
  const judged = await approvals.judgeCommand(command, environment.currentDirectory(), environment);
  const judgement = unlessIsolated(judged, environment);
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

type Script = {
  folder: string;
  language: CodeLanguage;
  service: CodeService;
  time: WorkTime;
  isConfined: boolean;
  notice: string | undefined;
};

async function runScript(script: Script, context: ToolContext): Promise<string> {
  const { folder, language, service, time, isConfined, notice } = script;
  const { environment, tools, progress, maxResultCharacters } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, time.signal, stop.signal]);
  const interaction = time.pauseWhileAsking(context.interaction);
  const calls = createScriptCalls({ tools, signal, interaction, maxCalls: service.maxCalls });
  const [token, mark] = [randomBytes(32).toString('hex'), `${randomBytes(16).toString('hex')} `];
  const path = join(folder, 's');
  const server = await openToolServer({ path, token, answer: calls.answer });
  try {
    const maxOutput = Math.min(MAX_OUTPUT, maxResultCharacters - NOTICE_ROOM);
    const errorLimit = Math.floor(maxOutput * ERROR_SHARE);
    const setup = { socket: path, token, mark, language, folder, errorLimit };
    const recorded = { command: `execute_code (${language})`, workingDirectory: environment.currentDirectory() };
    const recording = recordWhileRunning(recorded, context.processes);
    const options = {
      signal,
      timeoutMs: NEVER_MS,
      stdin: JSON.stringify(setup),
      maxOutput,
      confined: isConfined,
      onOutput: createOutputWatch(mark, progress),
      onBegun: recording.begun,
    };
    const result = await environment.run(runnerCommand(folder), options).finally(recording.ended);
    // Kill the processes the script left running.
    await result.orphaned?.kill();
    const output = readOutput(result.output, mark);
    const isExplained = isConfined && environment.confinementProblem !== undefined;
    const explain = (errors: string) =>
      isExplained ? explainScriptSandbox(errors, environment.workingDirectory) : undefined;
    return buildResult(result, output, { seconds: service.timeoutSeconds, time, notice, explain });
  } finally {
    // Abort tool calls that the script did not await.
    stop.abort();
    server.close();
    await calls.settled();
  }
}

/** The Node that runs Hermes, or the one in PATH inside a sandbox that does not have it. */
function runnerCommand(folder: string): string {
  const [node, runner] = [quoteShellWord(process.execPath), quoteShellWord(join(folder, 'runner.mjs'))];
  return `if [ -x ${node} ]; then ${node} ${runner}; else node ${runner}; fi`;
}

type Ending = {
  seconds: number;
  time: WorkTime;
  /** A note for every result. */
  notice: string | undefined;
  /** The likely cause of an error. */
  explain(errors: string): string | undefined;
};

function buildResult(
  result: CommandResult,
  { printed, report }: ReturnType<typeof readOutput>,
  { seconds, time, notice, explain }: Ending,
): string {
  const stopped = result.ended === 'interrupted';
  const ending = stopped ? (time.isExpired() ? `timed out after ${seconds} s` : 'interrupted') : undefined;
  const errors = report?.errors.trim() ?? '';
  const end = ending === undefined ? describeEnd(report, result) : undefined;
  const cause = report?.code === 0 ? undefined : explain(errors);
  const notes = [ending, report?.problem, end, cause, notice];
  const parts = [
    printed.trimEnd(),
    errors === '' ? '' : `[stderr]\n${errors}`,
    ...notes.flatMap((note) => (note === undefined ? [] : [`[${note}]`])),
  ];
  const text = parts.filter((part) => part !== '').join('\n') || '(no output)';
  if (stopped && !time.isExpired()) throw new ToolInterrupted(text);
  if (stopped || report?.code !== 0) throw new ToolFailedOutput(text);
  return text;
}

function describeEnd(report: ScriptReport | undefined, { exitCode, signalName }: CommandResult): string | undefined {
  if (report === undefined) return `the script could not be started: ${signalName ?? `exit code ${exitCode}`}`;
  if (report.signal !== undefined) return `killed by ${report.signal}`;
  return report.code === 0 || report.problem !== undefined ? undefined : `exit code ${report.code}`;
}

/** The report that the runner prints after its marker when the script has exited. */
type ScriptReport = { code: number | undefined; signal: string | undefined; problem?: string; errors: string };

/** Splits the output of a script from the runner's report, which is missing if the runner failed. */
export function readOutput(output: string, marker: string): { printed: string; report: ScriptReport | undefined } {
  const at = output.lastIndexOf(marker);
  if (at < 0) return { printed: output, report: undefined };
  // The runner prints a newline before its marker.
  const printed = output.slice(0, at).replace(/\n$/, '');
  const parsed = parseJson(output.slice(at + marker.length).trim());
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

/** Forwards the output of a script while it runs, without the runner's report. */
export function createOutputWatch(marker: string, show: (text: string) => void): (text: string) => void {
  let held = '';
  let over = false;
  return (text) => {
    if (over) return;
    held += text;
    const at = held.indexOf(`\n${marker}`);
    over = at >= 0;
    // A chunk may end inside the marker.
    const sure = over ? at : Math.max(0, held.length - marker.length - 1);
    if (sure > 0) show(held.slice(0, sure));
    held = held.slice(sure);
  };
}

type CodeLanguage = 'javascript' | 'python';

/** Patterns that occur in only one of the two languages. */
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

/** Guesses the language of a script. The fallback is JavaScript, which is always available. */
export function detectLanguage(code: string): CodeLanguage {
  const count = (signs: readonly RegExp[]) => signs.filter((sign) => sign.test(code)).length;
  return count(PYTHON) > count(JAVASCRIPT) ? 'python' : 'javascript';
}
