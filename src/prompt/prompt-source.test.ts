import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { PromptContext } from '../contracts/index.ts';
import { createPromptSource } from './prompt-source.ts';

const home = await mkdtemp(join(tmpdir(), 'hermes-prompt-'));
afterAll(() => rm(home, { recursive: true }));

const source = createPromptSource({ home, workingDirectory: '/work place', platform: 'linux', shell: '/bin/bash' });
const context: PromptContext = {
  model: 'some-model',
  provider: 'some-provider',
  toolNames: ['terminal'],
  systemMessage: undefined,
  now: new Date(2026, 0, 2, 13, 37).getTime(),
};

verifies('PROMPT-1', 'names date, model and place, and gives guidance only for tools that are there', async () => {
  const prompt = await source.build(context);
  for (const part of ['2026-01-02', 'some-model', 'some-provider', '/work place']) expect(prompt).toContain(part);
  expect(prompt).not.toContain('todo');
  expect(prompt).not.toMatch(/13.?37/);
  expect(await source.build({ ...context, toolNames: ['todo'] })).toContain('todo');
});

verifies('LOOP-1', 'a system message is one layer of the prompt, not a replacement of it', async () => {
  const plain = await source.build(context);
  const extended = await source.build({ ...context, systemMessage: 'Speak like a pirate.' });
  expect(extended).toContain('Speak like a pirate.');
  expect(extended).toContain(plain.split('\n')[0]);
});

verifies('PROMPT-1', 'SOUL.md takes the place of the built-in identity', async () => {
  await writeFile(join(home, 'SOUL.md'), 'You are Ada.\n');
  const prompt = await source.build(context);
  expect(prompt.startsWith('You are Ada.\n\n')).toBe(true);
  expect(prompt).not.toContain('You are Hermes');
});
