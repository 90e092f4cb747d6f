import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { loadSettings } from '../src/config/index.ts';
import { measureFixedCost } from '../src/runtime/index.ts';
import { builtInTools } from '../src/toolbox/index.ts';
import { verifies } from './spec/verifies.ts';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

async function manifestOf(modules: Record<string, string>): Promise<{ text: string; warnings: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-manifest-'));
  try {
    for (const [name, text] of Object.entries(modules)) await writeFile(join(folder, name), text);
    const file = join(folder, 'manifest.ts');
    const { stderr } = await run(process.execPath, [join(ROOT, 'scripts/tool-manifest.mjs'), folder, file]);
    return { text: await readFile(file, 'utf8'), warnings: stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const toolModule = (name: string, more = '') => `
  import * as z from '${join(ROOT, 'node_modules/zod/mini/index.js')}';
  import { defineTool } from '${join(ROOT, 'src/tools/index.ts')}';
  export const helper = { name: 'not a tool' };
  export const theTool = defineTool({
    name: '${name}', toolset: 'test', description: 'Does ${name}.', parameters: z.object({ n: z.int() }),
    concurrency: { mode: 'parallel' }, readOnly: true, ${more} run: async () => '',
  });`;

describe('the tool manifest', () => {
  verifies('TOOL-1', 'contains every tool of a folder by name, without a list of them', async () => {
    const { text, warnings } = await manifestOf({
      'second-one.ts': toolModule('b_tool', "outsideText: true, isAvailable: () => true, requiredVariables: ['KEY'],"),
      'first.ts': toolModule('z_tool'),
      'helper.ts': 'export const helper = 1;',
      'first.test.ts': toolModule('a_test'),
      'tools.fixture.ts': toolModule('a_fixture'),
    });
    expect([...text.matchAll(/^ {4}name: "(\w+)",$/gm)].map((match) => match[1])).toEqual(['b_tool', 'z_tool']);
    expect(text).toContain("load: async () => (await import('./second-one.ts')).theTool");
    expect(text).toContain('"properties":{"n":{"type":"integer"}}');
    for (const trait of [
      'outsideText: true',
      'checked: true',
      'requiredVariables: ["KEY"]',
      'concurrency: "parallel"',
    ]) {
      expect(text.match(new RegExp(trait.replace(/[[\]]/g, '\\$&'), 'g')), trait).not.toBeNull();
    }
    expect(warnings).toBe('');
  });

  verifies('TOOL-1', 'skips a module that cannot be loaded, and says so', async () => {
    const { text, warnings } = await manifestOf({
      'throws.ts': 'throw new Error("on purpose");',
      'wrong.ts': 'const = 1;',
      'fine.ts': toolModule('fine'),
    });
    expect(text).toContain('name: "fine"');
    expect(text).not.toContain('throws.ts');
    expect(warnings).toContain('skipped src/toolbox/throws.ts: on purpose');
    expect(warnings).toContain('skipped src/toolbox/wrong.ts');
  });

  verifies('TOOL-1', 'matches the tools themselves, none of which is broken', async () => {
    const names = builtInTools().map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    for (const name of ['terminal', 'read_file', 'write_file', 'patch', 'search_files', 'todo', 'clarify']) {
      expect(names).toContain(name);
    }
    const { stderr } = await run(process.execPath, [join(ROOT, 'scripts/tool-manifest.mjs')]);
    expect(stderr).toBe('');
    for (const tool of builtInTools()) await expect(tool.load(), tool.name).resolves.toHaveProperty('run');
  });

  verifies('TOOL-4', 'has no description that mentions another tool outside a conditional passage', async () => {
    const names = builtInTools().map(({ name }) => name);
    for (const tool of builtInTools()) {
      const definition = JSON.stringify(await tool.definition());
      const text = definition.replace(/\{\{\w+: [^{}]*\}\}|"enum":\[[^\]]*\]/g, '');
      // An action of the tool may have the name of another tool, as `write_file` of `skill_manage` does.
      const actions = [...definition.matchAll(/"enum":\[[^\]]*\]/g)].join();
      // Only names with an underscore are checked: the others are ordinary words, so finding one does not mean a
      // reference to a tool.
      const isOther = (name: string) => name !== tool.name && !actions.includes(`"${name}"`);
      const others = names.filter((name) => name.includes('_') && isOther(name));
      expect(
        others.filter((name) => text.includes(name)),
        tool.name,
      ).toEqual([]);
    }
  });
});

describe('the fixed part of every call', () => {
  verifies('TOOL-8', 'is at most 4,500 tokens for the default tools of the command line', async () => {
    const home = await mkdtemp(join(tmpdir(), 'hermes-cost-'));
    try {
      const cost = await measureFixedCost(await loadSettings({ home, env: {} }), { workingDirectory: home });
      const fixed = [...cost.system.filter(({ isUserText }) => !isUserText), ...cost.tools];
      const pieces = fixed.map(({ name, text }) => ({ name, tokens: encode(text).length }));
      const tokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0);
      expect(cost.tools.length).toBeGreaterThanOrEqual(7);
      expect(tokens).toBeGreaterThan(500);
      expect(tokens, JSON.stringify(pieces)).toBeLessThanOrEqual(4500);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });

  it('does not mention a SOUL.md that does not exist', async () => {
    const home = await mkdtemp(join(tmpdir(), 'hermes-cost-'));
    try {
      const settings = await loadSettings({ home, env: {} });
      const names = async () =>
        (await measureFixedCost(settings, { workingDirectory: home })).system.map(({ name }) => name);
      expect(await names()).toEqual(['identity', 'guidance', 'skills', 'session', 'environment', 'surface']);
      await writeFile(join(home, 'SOUL.md'), 'You are Ada.');
      expect(await names()).toEqual(['SOUL.md', 'guidance', 'skills', 'session', 'environment', 'surface']);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
