import fc from 'fast-check';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '../../../contracts/index.ts';
import { createTemporaryHome } from '../../../testing/index.ts';
import { findGatewayHooks, startGatewayHooks } from './gateway-hooks.ts';

async function openHome(files: Record<string, string> = {}) {
  const home = await createTemporaryHome();
  onTestFinished(() => home.remove());
  for (const [name, text] of Object.entries(files)) await home.write(`hooks/${name}`, text);
  const warnings: string[] = [];
  const logger = {
    ...silentLogger,
    warn: (message: string, fields?: object) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
  };
  const found = await findGatewayHooks(home.path);
  const hooks = startGatewayHooks(found, logger);
  return {
    home: home.path,
    found,
    hooks,
    warnings,
    read: (name: string) => readFile(join(home.path, 'hooks', name), 'utf8'),
  };
}

const RECORDER = `import { appendFile } from 'node:fs/promises';
export async function handle(event, context) {
  await appendFile(new URL('seen.txt', import.meta.url), event + ' ' + JSON.stringify(context) + '\\n');
}`;

it('passes events to modules and commands, in order and only those they want', async () => {
  const { hooks, read, warnings } = await openHome({
    'log/HOOK.yaml': 'name: logger\nevents: ["agent:start", "command:*"]\n',
    'log/handler.mjs': RECORDER,
    'shell/HOOK.yaml': 'events: ["session:start"]\ncommand: cat > seen.json\n',
  });
  hooks.emit('agent:start', { platform: 'test', message: 'hi' });
  hooks.emit('agent:end', { platform: 'test' });
  hooks.emit('command:new', { command: 'new', args: '' });
  hooks.emit('session:start', { session_id: 's' });
  await hooks.close();
  expect(await read('log/seen.txt')).toBe(
    'agent:start {"platform":"test","message":"hi"}\ncommand:new {"command":"new","args":""}\n',
  );
  expect(JSON.parse(await read('shell/seen.json'))).toEqual({ hook_event_name: 'session:start', session_id: 's' });
  expect(warnings).toEqual([]);
});

it('continues after a hook that fails, hangs or exports nothing', async () => {
  const { hooks, warnings } = await openHome({
    'a/HOOK.yaml': 'events: [x]\n',
    'a/handler.mjs': 'export function handle() { throw new Error("broken"); }',
    'b/HOOK.yaml': 'events: [x]\ntimeout: 0.05\n',
    'b/handler.js': 'exports.handle = () => new Promise(() => {});',
    'c/HOOK.yaml': 'events: [x]\n',
    'c/handler.mjs': 'export const other = 1;',
    'd/HOOK.yaml': 'events: [x]\ncommand: echo wrong >&2; exit 3\n',
  });
  hooks.emit('x', {});
  await vi.waitFor(() => expect(warnings).toHaveLength(4), 5000);
  for (const reason of ['broken', 'timed out', 'no function', 'exit code 3: wrong'])
    expect(warnings.join('\n')).toContain(reason);
  await hooks.close();
});

it('names the hooks that it does not run', async () => {
  const { found } = await openHome({
    'python/HOOK.yaml': 'events: [x]\n',
    'python/handler.py': 'def handle(event, context): pass',
    'empty/HOOK.yaml': 'events: [x]\n',
    'none/HOOK.yaml': 'events: []\n',
    'list/HOOK.yaml': '- a\n',
    'bad/HOOK.yaml': 'events: [',
    'other/README.md': 'not a hook',
  });
  expect(found.hooks).toEqual([]);
  expect(found.problems).toHaveLength(5);
  expect(found.problems.find((problem) => problem.includes('python'))).toContain('`command: python3 handler.py`');
});

it('reads any HOOK.yaml', async () => {
  const { home } = await openHome();
  const folder = join(home, 'hooks', 'any');
  await mkdir(folder, { recursive: true });
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((value) => `{"events":["x"],"command":${value},"timeout":${value}}`),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      await writeFile(join(folder, 'HOOK.yaml'), text);
      const { hooks, problems } = await findGatewayHooks(home);
      expect(hooks.length + problems.length).toBe(1);
    }),
    { numRuns: 200 },
  );
});
