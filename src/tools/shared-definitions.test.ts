import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../contracts/index.ts';
import { createPassageResolver } from './conditional-passages.ts';
import { createLazyTool } from './define-tool.ts';
import type { Tool } from './tool.ts';

const withPassage: ToolDefinition = {
  name: 'read',
  description: 'Read a file.{{search: To find one use search.}}',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string', description: 'from here{{list: , see list}}' } },
  },
};

describe('a definition with conditional passages', () => {
  it('is the same object for the same set of named tools', () => {
    const forCompany = createPassageResolver();
    const alone = forCompany(withPassage, new Set(['read']));
    const searching = forCompany(withPassage, new Set(['read', 'search']));
    expect(forCompany(withPassage, new Set(['read', 'write']))).toBe(alone);
    expect(forCompany(withPassage, new Set(['write', 'search', 'read']))).toBe(searching);
    expect([alone.description, searching.description]).toEqual([
      'Read a file.',
      'Read a file. To find one use search.',
    ]);
    expect(JSON.stringify(forCompany(withPassage, new Set(['list'])).parameters)).toContain('see list');
  });

  it('is returned as is if it names no other tool', () => {
    const plain: ToolDefinition = { name: 'todo', description: 'A list.', parameters: { type: 'object' } };
    expect(createPassageResolver()(plain, new Set())).toBe(plain);
  });
});

describe('a lazily loaded tool', () => {
  const handler = { run: async () => 'done' } as unknown as Awaited<ReturnType<Tool['load']>>;
  const lazyTool = (load: () => Promise<Tool>) =>
    createLazyTool({
      name: 'late',
      toolset: 'late',
      concurrency: 'barrier',
      load,
      definition: () => ({ name: 'late', description: '', parameters: { type: 'object' } }),
    });

  it('creates its definition on demand, once', async () => {
    let made = 0;
    const parameters = { type: 'object' };
    const late = createLazyTool({
      name: 'late',
      toolset: 'late',
      concurrency: 'barrier',
      load: () => Promise.reject(new Error('never')),
      definition: () => ({ name: `late ${++made}`, description: '', parameters }),
    });
    expect(made).toBe(0);
    expect(await late.definition()).toBe(await late.definition());
    expect(made).toBe(1);
  });

  it('imports its module once, and retries only after a failure', async () => {
    let asked = 0;
    const late = lazyTool(async () => {
      asked += 1;
      if (asked === 1) throw new Error('no such file');
      return { load: async () => handler } as unknown as Tool;
    });
    await expect(late.load()).rejects.toThrow('no such file');
    expect(await Promise.all([late.load(), late.load()])).toEqual([handler, handler]);
    expect(asked).toBe(2);
  });
});
