import { describe, expect, it } from 'vitest';
import type { Message } from '../../../base/index.ts';
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
  });
});
