import { choosePrimary, listCatalogue } from '../../../providers/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import type { Completion, Completions } from './completions.ts';
import { listSlashCommands } from './slash-commands.ts';

const MOST = 50;

/** What can be completed in a chat: its commands and skills, and what some commands are about. */
export function createCompletions(runtime: Runtime): Completions {
  const sources: ReadonlyMap<string, (typed: string) => Promise<readonly Completion[]>> = new Map([
    ['resume', (typed) => recentSessions(runtime, typed)],
    ['model', (typed) => knownModels(runtime, typed)],
  ]);
  return {
    async commands() {
      const { skills } = await runtime.skills().inventory();
      return [...listSlashCommands(), ...skills.map(({ name, description }) => ({ value: name, about: description }))];
    },
    argumentsOf: async (command, typed) => (await sources.get(command)?.(typed)) ?? [],
  };
}

async function recentSessions({ store }: Runtime, typed: string): Promise<Completion[]> {
  const sessions = await store.listSessions({ limit: MOST });
  const all = sessions.map(({ id, title }) => ({ value: id, ...(title !== undefined && { about: title }) }));
  return all.filter(({ value, about = '' }) => `${value}\n${about}`.toLowerCase().includes(typed.toLowerCase()));
}

/** Those of the provider that is configured; nobody is asked over the network. */
async function knownModels({ settings }: Runtime, typed: string): Promise<Completion[]> {
  const provider = choosePrimary(settings, {})?.provider;
  const known = provider === undefined ? [] : await listCatalogue({ provider, home: settings.home });
  const fitting = known.filter(({ id }) => id.toLowerCase().includes(typed.toLowerCase()));
  return fitting.slice(0, MOST).map(({ id }) => ({ value: id }));
}
