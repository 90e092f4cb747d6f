import { hasRole, HermesError } from '../../base/index.ts';
import { callSkill } from '../../runtime/index.ts';
import { nearestNames } from '../../util/index.ts';
import { printable } from '../text/style.ts';
import type { Completion, DuringTurn, SlashCommand, SlashSurface } from './slash-command.ts';
import type { SlashContext } from './slash-context.ts';

/** All slash commands of a program, for all surfaces. */
export interface SlashRegistry {
  /** Lists the commands in the order of their groups; with a surface, only the commands of that surface. */
  listCommands(surface?: SlashSurface): readonly SlashCommand[];
  /** Finds a command of the surface by name, alias, or a prefix that no other command shares. */
  find(name: string, surface: SlashSurface): SlashCommand | undefined;
  /** What happens to a line that is typed during a turn. A skill or an unknown name waits for the end of the turn. */
  duringTurn(line: string, surface: SlashSurface): DuringTurn;
  /** Completions for the argument of a command as typed so far; empty if there are none. */
  completeArgument(name: string, typed: string, context: SlashContext): Promise<readonly Completion[]>;
  /** Runs the command or the skill that a line names, or suggests similar names. */
  runSlashCommand(line: string, context: SlashContext): Promise<void>;
  /** Used by plugins and other modules. Throws if a name is taken. The returned function removes the command. */
  add(command: SlashCommand): () => void;
}

const MAX_SUGGESTIONS = 3;
const SURFACE_NAMES: Readonly<Record<SlashSurface, string>> = {
  terminal: 'in the terminal',
  gateway: 'in a chat',
  acp: 'in an editor',
};
const NAME = /^(?:\?|[a-z0-9][a-z0-9._-]*)$/;

export function createSlashRegistry(commands: readonly SlashCommand[]): SlashRegistry {
  const all: SlashCommand[] = [];
  const byName = new Map<string, SlashCommand>();

  function add(command: SlashCommand): () => void {
    const names = namesOf(command);
    for (const name of names) assertFree(name, byName);
    for (const name of names) byName.set(name, command);
    all.push(command);
    return () => {
      const at = all.indexOf(command);
      if (at < 0) return;
      all.splice(at, 1);
      for (const name of names) byName.delete(name);
    };
  }

  for (const command of commands) add(command);

  const listCommands = (surface?: SlashSurface) =>
    surface === undefined ? [...all] : all.filter((command) => appliesTo(command, surface));
  const find = (typed: string, surface: SlashSurface) => {
    const name = typed.toLowerCase();
    const command = byName.get(name);
    if (command !== undefined && appliesTo(command, surface)) return command;
    const matches = listCommands(surface).filter((one) => namesOf(one).some((known) => known.startsWith(name)));
    return name !== '' && matches.length === 1 ? matches[0] : undefined;
  };
  return {
    listCommands,
    find,
    duringTurn: (line, surface) => find(parseSlashLine(line).name, surface)?.duringTurn ?? 'afterwards',
    async completeArgument(name, typed, context) {
      // A failed completion must not disturb typing.
      try {
        return (await find(name, context.surface)?.complete?.(context, typed)) ?? [];
      } catch (thrown) {
        context.runtime.logger.warn('completion failed', { command: name, reason: String(thrown) });
        return [];
      }
    },
    async runSlashCommand(line, context) {
      const { name, argument } = parseSlashLine(line);
      const command = find(name, context.surface);
      // A skill needs its whole name, because it starts a model call. It takes precedence over a prefix of a command.
      if (command === undefined || !namesOf(command).includes(name)) {
        const sent = await callSkill(context.runtime.skills(), line);
        if (sent !== undefined) return context.turns.send(line, sent);
      }
      if (command === undefined && byName.has(name))
        return context.print(`/${name} is not available ${SURFACE_NAMES[context.surface]}.\n`);
      if (command === undefined) return suggest(name, listCommands(context.surface), context);
      assertRole(command, context);
      return command.run(context, argument);
    },
    add,
  };
}

function namesOf({ name, aliases = [] }: SlashCommand): string[] {
  return [name, ...aliases];
}

function appliesTo({ surfaces }: SlashCommand, surface: SlashSurface): boolean {
  return surfaces === undefined || surfaces.includes(surface);
}

function assertRole({ name, requiredRole = 'user' }: SlashCommand, { actor }: SlashContext): void {
  if (hasRole(actor, requiredRole)) return;
  throw new HermesError(`/${name} requires the role ${requiredRole}; you have the role ${actor.role}.`, {
    hint: 'Ask the owner of this Hermes to run it, or to give you that role.',
  });
}

function assertFree(name: string, taken: ReadonlyMap<string, SlashCommand>): void {
  if (!NAME.test(name))
    throw new HermesError(`"${name}" is not a valid name for a slash command.`, {
      hint: 'Use lower-case letters, digits, hyphens, dots and underscores, and start with a letter or a digit.',
    });
  const other = taken.get(name);
  if (other !== undefined)
    throw new HermesError(`The slash command /${name} already exists (${other.name}: ${other.about}).`, {
      hint: 'Choose another name.',
    });
}

/** Suggests similar names. Commands come before skills. */
async function suggest(name: string, commands: readonly SlashCommand[], context: SlashContext): Promise<void> {
  const { skills } = await context.runtime.skills().inventory();
  const byName = new Map(commands.flatMap((command) => namesOf(command).map((known) => [known, command.name])));
  // A single letter is similar to nearly every name.
  const names = [...byName.keys(), ...skills.map((skill) => skill.name)].filter(({ length }) => length > 1);
  // A command is suggested once, even if several of its names match.
  const meant = nearestNames(name, names, MAX_SUGGESTIONS).map((near) => `/${byName.get(near) ?? near}`);
  const perhaps =
    meant.length === 0 ? 'Use /help and /skills to list all.' : `Did you mean ${[...new Set(meant)].join(' or ')}?`;
  context.print(context.style.yellow(`Unknown command or skill /${printable(name)}. ${perhaps}\n`));
}

/** A parsed slash line: the lower-case command name and the rest of the line. */
type SlashLine = { name: string; argument: string };

export function isSlashCommand(line: string): boolean {
  // A path such as /etc/hosts is not a command. Skill names may contain digits, hyphens and dots.
  return /^\/(?:\?|[a-z0-9][a-z0-9._-]*)(?:\s|$)/i.test(line);
}

export function parseSlashLine(line: string): SlashLine {
  const [name = ''] = line.slice(1).split(/\s/, 1);
  return { name: name.toLowerCase(), argument: line.slice(1 + name.length).trim() };
}
