import { createInterface } from 'node:readline';
import { ConfigurationError, isJsonObject } from '../../../base/index.ts';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import type { ApprovalGuard, Judgement } from '../../../contracts/index.ts';
import { buildApprovalGuard } from '../../../runtime/index.ts';
import type { CliIo, OutputStream } from '../cli-io.ts';
import { jsonText } from '../output/json-lines.ts';
import { createStyle, type Style, printable } from '../style.ts';

export type CheckOptions = { stdin?: boolean; json?: boolean };

const EXIT_CODES: Record<Judgement['verdict'], number> = { allow: 0, ask: 3, block: 4 };
const VERDICT_TEXTS: Record<Judgement['verdict'], string> = {
  allow: 'allowed',
  ask: 'needs approval',
  block: 'blocked',
};

/**
 * Shows the judgement of the approval guard for a command. The approval mode is ignored; only the rules and the
 * allow-list count.
 */
export async function checkCommand(words: readonly string[], options: CheckOptions, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const approvals = { ...settings.approvals, mode: 'manual' as const, planMode: false };
  const guard = buildApprovalGuard({ settings: { ...settings, approvals }, source: 'cli', attended: true });
  if (options.stdin) return checkLines(guard, io);
  if (words.length === 0) {
    throw new ConfigurationError('No command was given.', {
      hint: "Pass it in quotes: hermes approvals check 'rm -rf build', or as JSON lines with --stdin.",
    });
  }
  const command = words.join(' ');
  const judgement = await guard.judgeCommand(command, io.workingDirectory);
  if (options.json) writeLine(io.stdout, describe(command, judgement));
  else io.stdout.write(formatJudgement(judgement, createStyle(io.stdout, io.env)));
  return EXIT_CODES[judgement.verdict];
}

/** Writes one result per input line immediately, because the caller may wait for each. */
async function checkLines(guard: ApprovalGuard, io: CliIo): Promise<number> {
  let exitCode = 0;
  for await (const line of createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    const command = readCommand(line);
    if (command === undefined) exitCode = 1;
    const answer =
      command === undefined
        ? { command: null, error: 'not a JSON object with a string in "command"' }
        : describe(command, await guard.judgeCommand(command, io.workingDirectory));
    writeLine(io.stdout, answer);
  }
  return exitCode;
}

function readCommand(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) && typeof value['command'] === 'string' ? value['command'] : undefined;
  } catch {
    return undefined;
  }
}

/** `matched` is the part of the command that matched the first rule. */
function describe(command: string, { verdict, reasons }: Judgement) {
  return {
    command,
    verdict,
    reasons: [...new Set(reasons.map(({ rule }) => rule))],
    matched: reasons[0]?.matched ?? null,
  };
}

function writeLine(stdout: OutputStream, value: object): void {
  stdout.write(`${jsonText(value)}\n`);
}

function formatJudgement({ verdict, reasons }: Judgement, style: Style): string {
  const paint = { allow: style.green, ask: style.yellow, block: style.red }[verdict];
  const lines = reasons.map(({ rule, matched, always }) => {
    const offer = always === undefined ? '' : style.dim(`  "always" would allow: ${printable(always)}\n`);
    return `  ${printable(rule)}: ${printable(matched)}\n${offer}`;
  });
  return `${paint(VERDICT_TEXTS[verdict])}\n${lines.join('')}`;
}
