import type { CommandResult, Environment } from '../../../contracts/index.ts';
import { redactForModel } from '../../../util/index.ts';
import { showable } from '../style.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import type { TurnRunner } from './turn-runner.ts';

/** Commands that the person runs in a chat: `!command` is told to the model with the next message, `!!command` is not. */
export interface ShellLines {
  run(line: string): Promise<void>;
  /** What goes to the model in the place of a message: the message, and before it what was run since the last one. */
  sendWith(message: string): string | undefined;
  /** The message was taken; what was run before it is told. */
  taken(): void;
}

type ShellOptions = {
  environment(): Environment;
  turns: Pick<TurnRunner, 'work'>;
  terminal: Pick<ChatTerminal, 'print' | 'style'>;
};

const TIMEOUT_MS = 600_000;
/** As much as the terminal tool keeps. */
const MAX_OUTPUT = 50_000;
/** Of all that was run since the last message; what is older than this falls away. */
const MAX_REPORTED = 100_000;
const TOLD = 'I ran this myself, and this is what it put out:';

export function isShellLine(line: string): boolean {
  return /^!!?\s*[^\s!]/.test(line);
}

export function createShellLines({ environment, turns, terminal }: ShellOptions): ShellLines {
  const { print, style } = terminal;
  let told: string[] = [];
  return {
    async run(line) {
      const isPrivate = line.startsWith('!!');
      const command = line.replace(/^!!?\s*/, '');
      const result = await turns.work(command, (signal) =>
        environment().run(command, { timeoutMs: TIMEOUT_MS, signal, maxOutput: MAX_OUTPUT }),
      );
      const text = redactForModel(describe(result));
      print(`${showable(text)}\n`);
      if (isPrivate) return print(style.dim('The model is not told of this.\n'));
      told.push(`${TOLD}\n\n$ ${redactForModel(command)}\n${text}`);
      return print(style.dim('It goes to the model with your next message; !! would keep it here.\n'));
    },
    sendWith(message) {
      if (told.length === 0) return undefined;
      const all = told.join('\n\n').slice(-MAX_REPORTED);
      return `${all}\n\n${message}`;
    },
    taken() {
      told = [];
    },
  };
}

function describe({ output, omitted, exitCode, ended }: CommandResult): string {
  const end =
    ended === 'exit' && exitCode !== undefined
      ? exitCode === 0
        ? []
        : [`(exit code ${exitCode})`]
      : [ended === 'timeout' ? '(stopped after ten minutes)' : '(stopped)'];
  const cut = omitted > 0 ? [`(${omitted} characters in the middle were left out)`] : [];
  return [output.trimEnd() || '(no output)', ...cut, ...end].join('\n');
}
