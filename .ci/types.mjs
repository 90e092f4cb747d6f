// Compiles a sample project under strict TypeScript against the packed package, as its users do. The project has the
// package, TypeScript and the types of Node, and nothing else.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [prefix] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'hermes-types-'));

const SAMPLE = `
import { type AgentEvent, createHermes, createMemoryStorage, defineTool, type Host, type SessionStorage } from 'hermes-agent-ts';
import { createProviderServer, type ProviderScript } from 'hermes-agent-ts/testing';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  run: async ({ a, b }) => String(Number(a) + Number(b)),
});
const storage: SessionStorage = createMemoryStorage();

export async function ask(prompt: string): Promise<string> {
  await using hermes = await createHermes({
    model: { provider: 'openrouter', model: 'm', apiKey: process.env['OPENROUTER_API_KEY'] },
    tools: [add],
    storage,
    onApproval: ({ toolName }) => (toolName === 'terminal' ? 'once' : { answer: 'deny', reason: 'no' }),
  });
  await using session = await hermes.openSession();
  const turn = session.send(prompt);
  const describe = (event: AgentEvent): string => (event.type === 'text-delta' ? event.text : event.type);
  for await (const event of turn) describe(event);
  const { finalResponse, usage } = await turn.result;
  // @ts-expect-error A number is not a prompt.
  await ask(usage.input);
  // @ts-expect-error There is no such option.
  await createHermes({ modell: 'm' });
  // @ts-expect-error A tool needs a function.
  defineTool({ name: 'x', description: 'x', parameters: {} });
  return finalResponse;
}
export const register = (host: Host): void => host.logger.info('loaded');
export const used = [createProviderServer];
export type Script = ProviderScript;
`;

function link(target, name) {
  mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true });
  symlinkSync(resolve(target), join(folder, 'node_modules', name), 'dir');
}

link(join(prefix, 'lib/node_modules/hermes-agent-ts'), 'hermes-agent-ts');
link('node_modules/@types/node', '@types/node');
link('node_modules/undici-types', 'undici-types');
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
writeFileSync(join(folder, 'sample.ts'), SAMPLE);
const compilerOptions = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  types: ['node'],
};
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['sample.ts'] }));
const { status } = spawnSync(resolve('node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' });
rmSync(folder, { recursive: true });
process.exitCode = status === 0 ? 0 : 1;
