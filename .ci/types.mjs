// Compiles a sample project under strict TypeScript against the packed package, as its users do. The project has the
// package, TypeScript and the types of Node, and nothing else.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [prefix] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'hermes-types-'));

const SAMPLE = `
import { type AgentEvent, createRuntime, loadModels, loadSettings, openConversation, openServices, OWNER } from 'hermes-agent-ts';
import { createProviderServer, type ProviderScript } from 'hermes-agent-ts/testing';

export async function ask(prompt: string): Promise<string> {
  const settings = await loadSettings({ home: './home', env: process.env });
  const turns: number = settings.maxTurns;
  const describe = (event: AgentEvent): string => (event.type === 'text-delta' ? event.text : event.type);
  // @ts-expect-error A number is not a prompt.
  await ask(turns);
  return prompt + String(describe);
}
export const used = [createRuntime, loadModels, openConversation, openServices, OWNER, createProviderServer];
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
