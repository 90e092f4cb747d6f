import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createProviderServer, createTemporaryHome, type ProviderScript } from '../../src/testing/index.ts';

const ROOT = join(import.meta.dirname, '../..');
const MODEL = /model: \{ provider: 'openrouter'.*\}/g;

/** The TypeScript examples of docs/sdk.md by name. */
async function readExamples(): Promise<Map<string, string>> {
  const page = await readFile(join(ROOT, 'docs/sdk.md'), 'utf8');
  return new Map(
    [...page.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, name = '', code = '']) => [name, code]),
  );
}

/** Runs an example as a program of its own, with the built package and a scripted model. */
async function runExample(code: string, script: ProviderScript): Promise<string> {
  await using server = await createProviderServer({ script });
  await using folder = await createTemporaryHome({});
  const model = `model: { provider: 'custom', model: 'm', baseUrl: '${server.url}/v1', apiKey: 'k' }`;
  await mkdir(join(folder.path, 'node_modules'));
  await symlink(ROOT, join(folder.path, 'node_modules/hermes-agent-ts'));
  await symlink(join(ROOT, 'node_modules/zod'), join(folder.path, 'node_modules/zod'));
  await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder.path, 'example.ts'), code.replaceAll(MODEL, model));
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], { cwd: folder.path });
  return stdout;
}

const callThenAnswer =
  (name: string, args: Record<string, string>): ProviderScript =>
  ({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool' ? { text: `It says ${last.text}` } : { toolCalls: [{ name, arguments: args }] };
  };

it.each<[string, ProviderScript, RegExp]>([
  ['weather.ts', callThenAnswer('weather', { city: 'Rome' }), /^It says .*"degrees":21/s],
  ['chat.ts', () => ({ text: 'Because of Rayleigh.' }), /^Because of Rayleigh\.\ncompleted, \d+ tokens in\n$/],
  ['approve.ts', callThenAnswer('deploy', { target: 'staging' }), /deployed to staging/],
  ['extract.ts', () => ({ text: '{"number":"2026-07","total":99.5}' }), /^2026-07 99\.5\n$/],
  ['storage.ts', ({ messages }) => ({ text: `${messages.length}` }), /^3\n$/],
])('docs/sdk.md: %s works as written', async (name, script, printed) => {
  const code = (await readExamples()).get(name);
  if (code === undefined) throw new Error(`docs/sdk.md has no example ${name}`);
  expect(await runExample(code, script)).toMatch(printed);
});

it('the library has short lines, because Node prints the line of an error that a program does not catch', async () => {
  const files = (await readdir(join(ROOT, 'dist'))).filter((name) => /^(?:index|library-.*)\.js$/.test(name));
  expect(files.length).toBeGreaterThan(10);
  const texts = await Promise.all(files.map((name) => readFile(join(ROOT, 'dist', name), 'utf8')));
  const longest = Math.max(...texts.flatMap((text) => text.split('\n')).map(({ length }) => length));
  expect(longest).toBeLessThan(4000);
});

it('docs/sdk.md has no example that is not run', async () => {
  expect([...(await readExamples()).keys()]).toEqual([
    'weather.ts',
    'chat.ts',
    'approve.ts',
    'extract.ts',
    'storage.ts',
  ]);
});
