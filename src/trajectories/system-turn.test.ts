import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { Message } from '../base/index.ts';
import type { ToolDefinition } from '../contracts/index.ts';
import { namedTemplate, readSystemTemplate, toConversations, toolsForSystemTurn } from './index.ts';

const TOOL: ToolDefinition = {
  name: 'terminal',
  description: 'Runs "commands" & </tools> é',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};

function templateFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-template-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'template.txt');
  writeFileSync(file, text);
  return file;
}

verifies('TRAJ-3', 'contains the protocol, the tools, the call schema and an example', () => {
  const [system] = toConversations({ messages: [], tools: [TOOL] }).conversations;
  expect(system?.from).toBe('system');
  const lines = (system?.value ?? '').split('\n');
  const between = lines.slice(lines.indexOf('<tools>') + 1, lines.indexOf('</tools>'));
  expect(between).toEqual([
    '[{"name": "terminal", "description": "Runs \\"commands\\" & \\u003c/tools> é", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}, "required": null}]',
  ]);
  expect(JSON.parse(between[0] ?? '')).toEqual([{ ...TOOL, required: null }]);
  expect(lines[0]).toMatch(/functions/);
  expect(lines.find((line) => line.startsWith('{"title": "FunctionCall"'))).toBeDefined();
  expect(lines.slice(-3)).toEqual(['<tool_call>', expect.stringContaining('"arguments"'), '</tool_call>']);
  const none = toConversations({ messages: [], tools: [] }).conversations[0]?.value;
  expect(none).toContain('<tools>\n[]\n</tools>');
});

verifies('TRAJ-3', 'has the wording of the original as a named template', () => {
  const template = namedTemplate('hermes');
  expect(namedTemplate('system.txt')).toBeUndefined();
  const [system] = toConversations({ messages: [], tools: [TOOL], ...(template && { template }) }).conversations;
  const tools = '\n<tools>\n[{"name": "terminal", "description": ';
  expect(system?.value).toContain(tools);
  expect(system?.value).toMatch(/^You are a function calling AI model\./);
  const ending = "\n<tool_call>\n{'name': <function-name>,'arguments': <args-dict>}\n</tool_call>";
  expect(system?.value.endsWith(ending)).toBe(true);
});

verifies('TRAJ-3', 'uses the wording of a template file', async () => {
  const file = templateFile('\ufeffTools: {{tools}}\n{{ call_example }} {{call_schema}} {x} {{ }} $&\n\n');
  const template = await readSystemTemplate(file);
  const value = toConversations({ messages: [], tools: [TOOL], template }).conversations[0]?.value ?? '';
  expect(value).toMatch(
    /^Tools: \[\{"name": "terminal".*\n<tool_call>\n.*\n<\/tool_call> \{"title".*\} \{x\} \{\{ \}\} \$&$/,
  );
});

it('names the file and the reason if a template cannot be used', async () => {
  const file = templateFile('{{tools}} {{tool_list}}');
  await expect(readSystemTemplate(file)).rejects.toThrow(
    `The template ${file} contains the unknown placeholder {{tool_list}}.`,
  );
  await expect(readSystemTemplate(templateFile(' \n'))).rejects.toThrow('is empty');
  await expect(readSystemTemplate('/nowhere/x')).rejects.toThrow(
    'The template /nowhere/x cannot be read: no such file or directory.',
  );
});

const tool = (name: string): ToolDefinition => ({ name, description: name, parameters: { type: 'object' } });
const calling = (name: string, given: object): { message: Message } => ({
  message: { role: 'assistant', content: '', toolCalls: [{ id: 'a', name, arguments: JSON.stringify(given) }] },
});

it('lists tools that were called through the bridge, instead of the bridge', async () => {
  const offered = ['terminal', 'tool_search', 'tool_describe', 'tool_call'].map(tool);
  const asked: string[][] = [];
  const describe = async (names: readonly string[]) => {
    asked.push([...names]);
    return [tool('mcp_look')];
  };
  const messages = [
    calling('terminal', {}),
    calling('tool_call', { name: 'mcp_look', arguments: {} }),
    calling('tool_call', { name: 'gone', arguments: '{}' }),
    calling('tool_call', { name: 'terminal' }),
  ];
  const names = (await toolsForSystemTurn(messages, offered, describe)).map(({ name }) => name);
  expect(names).toEqual(['terminal', 'tool_search', 'tool_describe', 'mcp_look']);
  expect(asked).toEqual([['gone', 'mcp_look']]);
  expect(await toolsForSystemTurn([], offered)).toHaveLength(3);
});
