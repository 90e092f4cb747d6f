import type { Runtime } from '../../../runtime/index.ts';
import type { Completion, Completions } from './completions.ts';
import { listSlashCommands } from './slash-commands.ts';

const MOST_SESSIONS = 50;

/** What can be completed in a chat: its commands and skills, and what some commands are about. */
export function createCompletions(runtime: Runtime): Completions {
  const sources: Readonly<Record<string, () => Promise<readonly Completion[]>>> = {
    resume: () => recentSessions(runtime),
    model: () => knownModels(runtime),
  };
  return {
    async commands() {
      const { skills } = await runtime.skills().inventory();
      return [...listSlashCommands(), ...skills.map(({ name, description }) => ({ value: name, about: description }))];
    },
    argumentsOf: async (command) => (Object.hasOwn(sources, command) ? ((await sources[command]?.()) ?? []) : []),
  };
}

async function recentSessions({ store }: Runtime): Promise<Completion[]> {
  const sessions = await store.listSessions({ limit: MOST_SESSIONS });
  return sessions.map(({ id, title }) => ({ value: id, ...(title !== undefined && { about: title }) }));
}

/** Those of the chain, which are surely there to be used. */
async function knownModels({ settings }: Runtime): Promise<Completion[]> {
  return settings.model.model === undefined ? [] : [{ value: settings.model.model }];
}
