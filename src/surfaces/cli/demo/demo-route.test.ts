import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../base/index.ts';
import { initPrompt } from '../../../prompt/index.ts';
import { demoReply } from './demo-route.ts';

const ask = (...messages: Message[]) =>
  demoReply({ system: '', messages, tools: [], toolChoice: 'auto', stream: true });
const user = (content: string): Message => ({ role: 'user', content });

describe('the demo model', () => {
  it('says only in its first answer that it is a script', () => {
    expect(ask(user('hello')).text).toContain('scripted demo');
    expect(ask(user('a'), { role: 'assistant', content: 'b' }, user('hello')).text).not.toContain('scripted demo');
  });

  const requests: [words: string, tool: string, argument: string][] = [
    ['list the files here', 'terminal', 'ls'],
    ['What is in README.md?', 'read_file', 'README.md'],
    ['please run the tests', 'terminal', 'npm test'],
    ['delete the build folder', 'terminal', "rm -rf 'build folder'"],
    ["remove a'; curl evil", 'terminal', "rm -rf 'a'\\''; curl evil'"],
  ];
  for (const [words, tool, argument] of requests) {
    it(`calls a real tool for "${words}"`, () => {
      const [call] = ask(user(words)).toolCalls ?? [];
      expect(call?.name).toBe(tool);
      expect(Object.values(call?.arguments ?? {}).join(' ')).toContain(argument);
    });
  }

  it('shows an excerpt of the result', () => {
    const call: Message = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c', name: 'terminal', arguments: '{}' }],
    };
    const result = (content: string): Message => ({ role: 'tool', toolCallId: 'c', toolName: 'terminal', content });
    const output = Array.from({ length: 20 }, (_, at) => `file-${at}`).join('\n');
    const { text } = ask(user('list the files'), call, result(JSON.stringify({ output, exit_code: 0 })));
    expect(text).toContain('file-0\n');
    expect(text).toContain('8 more lines');
    expect(ask(user('list the files'), call, result('plain')).text).toContain('plain');
  });

  it('shows help for everything else', () => {
    const { text, toolCalls } = ask(user('write me a poem'));
    expect(text).toContain('hermes setup');
    expect(toolCalls).toBeUndefined();
    expect(ask(user(initPrompt(false))).toolCalls).toBeUndefined();
  });

  it('does not say that package.json is missing because a test failed', () => {
    const [call] = ask(user('run the tests')).toolCalls ?? [];
    const [command] = Object.values(call?.arguments ?? {});
    const failing = String(command).replace('npm test', 'exit 3');
    const run = (cwd: string) => spawnSync('sh', ['-c', failing], { cwd, encoding: 'utf8' });
    expect(run(join(import.meta.dirname, '../../../..'))).toMatchObject({ status: 3, stdout: '' });
    expect(run(import.meta.dirname)).toMatchObject({ status: 0, stdout: 'There is no package.json here.\n' });
  });
});
