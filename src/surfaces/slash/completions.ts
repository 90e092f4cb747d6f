import { REASONING_EFFORTS } from '../../contracts/index.ts';
import { listCatalogue } from '../../providers/index.ts';
import { personalitiesOf } from '../../runtime/index.ts';
import type { Completion, SlashCommand } from './slash-command.ts';
import type { SlashContext } from './slash-context.ts';

/** The maximum number of completions; a screen cannot show more. */
const MAX_COMPLETIONS = 50;

/** Returns the words that start with the typed text. */
export function completeWord(words: readonly string[], typed: string): Completion[] {
  const beginning = typed.toLowerCase();
  return words.filter((word) => word.toLowerCase().startsWith(beginning)).map((value) => ({ value }));
}

export function completeLevel(typed: string): Completion[] {
  return completeWord([...REASONING_EFFORTS, 'default'], typed);
}

export function completeCommand(commands: readonly SlashCommand[], typed: string): Completion[] {
  const beginning = typed.replace(/^\//, '').toLowerCase();
  return commands.filter(({ name }) => name.startsWith(beginning)).map(({ name, about }) => ({ value: name, about }));
}

/** Completes from the model catalogue of the session's provider, without network requests. */
export async function completeModel({ runtime, session }: SlashContext, typed: string): Promise<Completion[]> {
  const provider = session.opened().models.routes()[0]?.provider;
  if (provider === undefined) return [];
  const { home, modelOverrides: overrides } = runtime.blueprint.settings;
  const known = await listCatalogue({ provider, home, overrides });
  const wanted = typed.toLowerCase();
  return known
    .flatMap(({ id }) => (id.toLowerCase().includes(wanted) ? [{ value: id }] : []))
    .slice(0, MAX_COMPLETIONS);
}

/** Completes recent sessions whose id or title contains the typed text, with the title or else the id. */
export async function completeSession({ runtime, session }: SlashContext, typed: string): Promise<Completion[]> {
  const wanted = typed.toLowerCase();
  const sessions = await runtime.store.listSessions({ limit: MAX_COMPLETIONS, newestOnly: true });
  return sessions
    .filter(({ id, title }) => id !== session.id() && `${id}\n${title?.toLowerCase() ?? ''}`.includes(wanted))
    .map(({ id, title, preview }) => ({ value: title ?? id, about: title === undefined ? preview : id }));
}

export function completePersonality({ runtime }: SlashContext, typed: string): Completion[] {
  const all = Object.entries({ ...personalitiesOf(runtime.blueprint.settings), none: 'no personality' });
  return all.filter(([name]) => name.startsWith(typed)).map(([value, about]) => ({ value, about }));
}

/** Completes `on` or `off`, then a tool set. */
export async function completeToolset({ session }: SlashContext, typed: string): Promise<Completion[]> {
  const [, way, beginning] = /^(on|off)\s+(\S*)$/i.exec(typed) ?? [];
  if (way === undefined || beginning === undefined) return completeWord(['on ', 'off '], typed);
  const { sets } = await session.opened().inspectTools();
  return sets
    .filter(({ name }) => name.startsWith(beginning) && !name.startsWith('hermes-'))
    .map(({ name, description }) => ({ value: `${way} ${name}`, about: description }));
}

export function completeServer({ runtime }: SlashContext, typed: string): Completion[] {
  const names = runtime.servers.states().map(({ name }) => name);
  return completeWord(names, typed);
}
