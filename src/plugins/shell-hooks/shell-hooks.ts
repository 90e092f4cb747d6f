import type { ShellHookSettings } from '../../config/index.ts';
import { HOOK_EVENTS, type Hooks, type Logger, type ToolHookCall } from '../../contracts/index.ts';
import { limitHooks } from '../limit-hooks.ts';
import { type HookState, hookState } from './hook-consent.ts';
import { readAnswer } from './hook-answer.ts';
import { writePayload } from './hook-payload.ts';
import { runHook } from './run-hook.ts';

export type ShellHookParts = {
  home: string;
  workingDirectory: string;
  passedVariables: readonly string[];
  logger: Logger;
  signal: AbortSignal;
};

/** The command ends itself at its time; this is for what comes around it. */
const GRACE_MS = 2_000;

/** Commands of the configuration as hooks. One that was not allowed, or has changed since, is not run. */
export function createShellHooks(hooks: readonly ShellHookSettings[], parts: ShellHookParts): Hooks[] {
  return hooks.map((hook) => {
    const limits = { logger: parts.logger, limitMs: hook.timeoutSeconds * 1000 + GRACE_MS };
    return limitHooks(toHooks(hook, parts), limits);
  });
}

function toHooks(hook: ShellHookSettings, parts: ShellHookParts): Hooks {
  const { event, command, timeoutSeconds, matcher, key } = hook;
  const { home, workingDirectory, passedVariables, logger, signal } = parts;
  const matches = matcher === undefined ? undefined : new RegExp(`^(?:${matcher})$`);
  let told: HookState | undefined;

  async function call(...args: readonly unknown[]): Promise<unknown> {
    const { toolName, signal: turn } = args[0] as Partial<ToolHookCall>;
    if (matches !== undefined && toolName !== undefined && !matches.test(toolName)) return undefined;
    // Looked at each time: a script may be changed while the program runs.
    const state = await hookState(home, hook, workingDirectory);
    if (state !== 'allowed') {
      if (told !== state) logger.warn('a shell hook was not run', { hook: key, reason: WHY[state] });
      told = state;
      return undefined;
    }
    const payload = writePayload(event, args, workingDirectory);
    // An interrupt ends it as well.
    const stopped = turn === undefined ? signal : AbortSignal.any([signal, turn]);
    const run = { command, payload, workingDirectory, timeoutSeconds, passedVariables, signal: stopped };
    return readAnswer(event, await runHook(run));
  }
  return { name: key, [HOOK_EVENTS[event]]: call };
}

const WHY: Readonly<Record<Exclude<HookState, 'allowed'>, string>> = {
  new: 'nobody has allowed it',
  changed: 'it has changed since it was allowed',
};

/** A line for the person about each hook that is not run. */
export async function describeWaitingHooks(
  hooks: readonly ShellHookSettings[],
  { home, workingDirectory }: Pick<ShellHookParts, 'home' | 'workingDirectory'>,
): Promise<string[]> {
  const states = await Promise.all(hooks.map((hook) => hookState(home, hook, workingDirectory)));
  return hooks.flatMap(({ key }, index) => {
    const state = states[index] ?? 'new';
    if (state === 'allowed') return [];
    return [`${key} is not run: ${WHY[state]}. Look at it with \`hermes hooks list\`, then: hermes hooks allow ${key}`];
  });
}
