import { errorMessage, HermesError } from '../../base/index.ts';
import type { QuickCommand } from '../../config/index.ts';
import { redactSecrets } from '../../util/index.ts';
import { printable } from '../text/style.ts';
import type { SlashCommand } from './slash-command.ts';
import type { SlashContext } from './slash-context.ts';
import { parseSlashLine, type SlashRegistry } from './slash-registry.ts';

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 20_000;

const SURFACES = ['terminal', 'gateway'] as const;

/** Where the commands are added. */
type Target = { registry: SlashRegistry; surface: (typeof SURFACES)[number] };

/** Adds the quick commands of the owner. One that cannot be added is reported. */
export function addQuickCommands(
  { registry, surface }: Target,
  commands: readonly QuickCommand[],
  onProblem: (problem: string) => void,
): void {
  const isAlias = ({ type }: QuickCommand) => type === 'alias';
  const aliases = new Set(commands.filter(isAlias).map(({ name }) => name));
  // An alias needs to know how the command behaves that it stands for.
  for (const command of commands.toSorted((a, b) => Number(isAlias(a)) - Number(isAlias(b)))) {
    try {
      if (command.type === 'alias' && aliases.has(parseSlashLine(toLine(command.target)).name))
        throw new HermesError('An alias cannot stand for another alias.');
      registry.add(toSlashCommand(command, { registry, surface }));
    } catch (thrown) {
      onProblem(`quick_commands.${command.name}: ${errorMessage(thrown)}`);
    }
  }
}

function toSlashCommand(command: QuickCommand, { registry, surface }: Target): SlashCommand {
  const { name } = command;
  if (command.type === 'exec') {
    const about = `run ${printable(command.command)}`;
    const run = (context: SlashContext) => runInShell(context, command.command);
    return { name, group: 'tools', about, duringTurn: 'immediately', surfaces: SURFACES, run };
  }
  const target = toLine(command.target);
  return {
    name,
    group: 'tools',
    about: `the same as ${printable(target)}`,
    surfaces: SURFACES,
    duringTurn: registry.duringTurn(target, surface),
    // The registry of the context checks whether the sender may run the other command.
    run: (context, argument) =>
      context.registry.runSlashCommand(argument === '' ? target : `${target} ${argument}`, context),
  };
}

function toLine(target: string): string {
  return `/${target.trim().replace(/^\//, '')}`;
}

/** Runs a command of the owner, who wrote it, so it needs neither the sandbox nor an approval. */
async function runInShell({ session, print }: SlashContext, command: string): Promise<void> {
  const { environment } = session.opened();
  const outside = environment.sandbox?.outside ?? environment;
  const { output, ended, exitCode } = await outside.run(`(\n${command}\n)`, {
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
    signal: new AbortController().signal,
  });
  const text = printable(redactSecrets(output)).trim();
  const how =
    ended === 'timeout'
      ? `timed out after ${TIMEOUT_MS / 1000} s`
      : exitCode === 0
        ? ''
        : `exit code ${exitCode ?? 'unknown'}`;
  const state = how === '' ? '' : `[${how}]`;
  print([text, state].filter((part) => part !== '').join('\n') || 'The command printed nothing.');
}
