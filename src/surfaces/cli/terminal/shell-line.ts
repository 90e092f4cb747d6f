import type { CommandResult, Environment } from '../../../contracts/index.ts';
import { redactForModel } from '../../../util/index.ts';
import { printable } from '../style.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import type { TurnRunner } from './turn-runner.ts';

/**
 * Shell commands that the user runs in a chat. The output of `!command` is sent to the model with the next message,
 * the output of `!!command` is not.
 */
export interface ShellLines {
  run(line: string): Promise<void>;
  /** Returns the message with the pending output of shell commands in front of it, or undefined if there is none. */
  withPendingOutput(message: string): string | undefined;
  /** Discards the pending output after the message was sent. */
  discardPendingOutput(): void;
}

type ShellOptions = {
  environment(): Environment;
  turns: Pick<TurnRunner, 'work'>;
  terminal: Pick<ChatTerminal, 'print' | 'style'>;
};

const TIMEOUT_MS = 600_000;
/** The same limit as in the terminal tool. */
const MAX_OUTPUT = 50_000;
/** The limit for all output since the last message; older output is dropped. */
const MAX_REPORTED = 100_000;
const OUTPUT_HEADING = 'I ran this command myself. Its output:';

export function isShellLine(line: string): boolean {
  return /^!!?\s*[^\s!]/.test(line);
}

export function createShellLines({ environment, turns, terminal }: ShellOptions): ShellLines {
  const { print, style } = terminal;
  let pending: string[] = [];
  return {
    async run(line) {
      const isPrivate = line.startsWith('!!');
      const command = line.replace(/^!!?\s*/, '');
      const result = await turns.work(command, (signal) =>
        environment().run(command, { timeoutMs: TIMEOUT_MS, signal, maxOutput: MAX_OUTPUT }),
      );
      const text = redactForModel(describe(result));
      print(`${printable(text)}\n`);
      if (isPrivate) return print(style.dim('This output is not sent to the model.\n'));
      pending.push(`${OUTPUT_HEADING}\n\n$ ${redactForModel(command)}\n${text}`);
      return print(style.dim('This output is sent to the model with your next message. Use !! to keep it private.\n'));
    },
    withPendingOutput(message) {
      if (pending.length === 0) return undefined;
      const all = pending.join('\n\n').slice(-MAX_REPORTED);
      return `${all}\n\n${message}`;
    },
    discardPendingOutput() {
      pending = [];
    },
  };
}

function describe({ output, omitted, exitCode, ended }: CommandResult): string {
  const end =
    ended === 'exit' && exitCode !== undefined
      ? exitCode === 0
        ? []
        : [`(exit code ${exitCode})`]
      : [ended === 'timeout' ? '(timed out after 10 minutes)' : '(stopped)'];
  const cut = omitted > 0 ? [`(${omitted} characters in the middle were omitted)`] : [];
  return [output.trimEnd() || '(no output)', ...cut, ...end].join('\n');
}
