import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { loadSettings } from '../../config/index.ts';
import { OWNER } from '../../base/index.ts';
import type { RouteSource } from '../../contracts/index.ts';
import { createRuntime } from '../../runtime/index.ts';
import { createTemporaryHome } from '../../testing/index.ts';
import { createSlashRegistry, SLASH_COMMANDS, type SlashContext } from './index.ts';

/** A chat with a real runtime, whose model is in the catalogue and is never called. */
async function openChat() {
  const home = await createTemporaryHome();
  await home.write('config.yaml', 'agent:\n  personalities: { robot: Beep. }\n');
  const settings = await loadSettings({ home: home.path, env: {} });
  const route: RouteSource = { provider: 'anthropic', model: 'x', open: () => Promise.reject(new Error('offline')) };
  const options = { settings, routes: [route], workingDirectory: home.workspace, source: 'cli', attended: true };
  const runtime = await createRuntime(options);
  onTestFinished(async () => {
    await runtime.close();
    await home.remove();
  });
  const opened = await runtime.openAgent();
  const registry = createSlashRegistry(SLASH_COMMANDS);
  const session = { id: () => opened.agent.sessionId, opened: () => opened } as unknown as SlashContext['session'];
  const context = { surface: 'terminal', actor: OWNER, registry, runtime, session } as unknown as SlashContext;
  const complete = async (name: string, typed: string) =>
    (await registry.completeArgument(name, typed, context)).map(({ value }) => value);
  return { runtime, complete };
}

verifies('SURF-3', 'completes arguments from sessions, models, tool sets, levels and names', async () => {
  const { runtime, complete } = await openChat();
  const { store } = runtime;
  await store.createSession({ id: 'one', source: 'cli', startedAt: 1, title: 'Moving house' });
  await store.createSession({ id: 'two', source: 'cli', startedAt: 2 });
  await store.appendMessages('two', [{ role: 'user', content: 'of pipes' }]);
  expect(await complete('resume', 'moving')).toEqual(['Moving house']);
  expect((await complete('resume', '')).sort()).toEqual(['Moving house', 'two']);
  expect(await complete('model', 'sonnet')).toContainEqual(expect.stringContaining('claude'));
  expect(await complete('toolsets', 'o')).toEqual(['on ', 'off ']);
  expect(await complete('toolsets', 'off term')).toEqual(['off terminal']);
  expect(await complete('personality', 'ro')).toEqual(['robot']);
  expect(await complete('verbose', '')).toEqual(['quiet', 'normal', 'full']);
  expect(await complete('fast', 'of')).toEqual(['off']);
  expect(await complete('compress', '--')).toEqual(['--preview']);
});

it('offers no completions for a command without an argument', async () => {
  const { complete } = await openChat();
  expect(await complete('usage', 'x')).toEqual([]);
});
