import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject } from '../base/index.ts';
import type { ToolServices } from '../contracts/index.ts';
import { createLocalEnvironment } from '../environments/index.ts';
import { createToolSet } from '../tools/index.ts';
import { builtInTools } from './index.ts';
import { createToolFixture } from './tools.fixture.ts';

/** Calls are only prepared here, so it is enough that the services exist. */
const services = Object.fromEntries(
  ['memory', 'delegation', 'webPages', 'webSearch', 'skills', 'code', 'sessions', 'removedMessages'].map((name) => [
    name,
    {},
  ]),
) as ToolServices;

const tools = createToolSet({
  tools: builtInTools(),
  environment: createLocalEnvironment({ workingDirectory: import.meta.dirname }),
  services,
});

async function prepare(name: string, args: JsonObject) {
  const [prepared] = await tools.prepare([{ id: '1', name, arguments: JSON.stringify(args) }]);
  return prepared;
}

type Row = [name: string, args: JsonObject, tool: string, expected: JsonObject];

const edits = [{ old_string: 'a', new_string: 'b' }];
const todo = { id: '1', content: 'build', status: 'pending' };

const ROWS: Row[] = [
  ['patch', { patch: '*** Begin Patch' }, 'patch', { patch: '*** Begin Patch' }],
  ...['file_path', 'filename', 'file'].flatMap((alias): Row[] => [
    ['patch', { [alias]: 'a.ts', old_string: 'x', new_string: 'y' }, 'patch', { path: 'a.ts', old_string: 'x' }],
    ['read_file', { [alias]: 'a.ts' }, 'read_file', { path: 'a.ts' }],
    ['write_file', { [alias]: 'a.ts', content: 'x' }, 'write_file', { path: 'a.ts', content: 'x' }],
  ]),
  ['patch', { path: 'a', edits }, 'patch', { path: 'a', edits }],
  ['patch', { path: 'a', edits: [{ oldText: 'a', newText: 'b' }] }, 'patch', { edits }],
  ['patch', { path: 'a', edits: [{ old_str: 'a', new_str: 'b' }] }, 'patch', { edits }],
  ['patch', { path: 'a', old_str: 'a', new_str: 'b' }, 'patch', { old_string: 'a', new_string: 'b' }],
  [
    'search_files',
    { pattern: 'x', glob: '*.ts', output_mode: 'files_with_matches', '-i': true, head_limit: 5, '-n': true },
    'search_files',
    { pattern: '(?i)x', file_glob: '*.ts', output_mode: 'files_only', limit: 5 },
  ],
  ['todo', { todos: [{ content: 'build', status: 'pending' }] }, 'todo', { todos: [todo] }],
  ['memory', { target: 'user', content: 'likes tea' }, 'memory', { action: 'add', content: 'likes tea' }],
  ['delegate_task', { goal: 'g', context: 'c' }, 'delegate_task', { tasks: [{ goal: 'g', context: 'c' }] }],
  ['web_extract', { url: 'https://example.com' }, 'web_extract', { urls: ['https://example.com'] }],
  ['terminal', { cmd: 'ls' }, 'terminal', { command: 'ls' }],
  ['terminal', { command: ['bash', '-lc', 'ls -l | wc'] }, 'terminal', { command: 'ls -l | wc' }],
  ['terminal', { command: ['echo', 'a b'] }, 'terminal', { command: "echo 'a b'" }],
  ['bash', { command: 'ls', description: 'list', run_in_background: true }, 'terminal', { background: true }],
  ['shell', { command: ['ls'], workdir: '/tmp' }, 'terminal', { command: 'ls', workdir: '/tmp' }],
  ['Bash', { command: 'ls' }, 'terminal', { command: 'ls' }],
  ['Read', { file_path: '/a', offset: 3, limit: 4 }, 'read_file', { path: '/a', offset: 3, limit: 4 }],
  ['read', { path: '/a', start_line: 3, end_line: 5 }, 'read_file', { offset: 3, limit: 3 }],
  ['read_many_files', { paths: ['/a', '/b'] }, 'read_file', { path: ['/a', '/b'] }],
  ['read_file', { files: [{ path: '/a' }, { file_path: '/b' }] }, 'read_file', { path: ['/a', '/b'] }],
  ['read_file', { path: '["/a", "/b"]' }, 'read_file', { path: ['/a', '/b'] }],
  ['read_file', { path: '[draft].md' }, 'read_file', { path: '[draft].md' }],
  ['Write', { file_path: '/a', content: 'x' }, 'write_file', { path: '/a', content: 'x' }],
  ['Edit', { file_path: '/a', old_string: 'x', new_string: 'y' }, 'patch', { path: '/a', new_string: 'y' }],
  ['str_replace_editor', { command: 'view', path: '/a', view_range: [2, 4] }, 'read_file', { offset: 2, limit: 3 }],
  ['str_replace_editor', { command: 'create', path: '/a', file_text: 'x' }, 'write_file', { content: 'x' }],
  [
    'str_replace_editor',
    { command: 'str_replace', path: '/a', old_str: 'x', new_str: 'y' },
    'patch',
    { old_string: 'x', new_string: 'y' },
  ],
  ['apply_patch', { input: '*** Begin Patch' }, 'patch', { patch: '*** Begin Patch' }],
  ['Grep', { pattern: 'x', type: 'ts' }, 'search_files', { pattern: 'x', file_glob: '*.ts', target: 'content' }],
  ['Grep', { pattern: 'x', '-A': 2, '-B': 5 }, 'search_files', { context: 5 }],
  ['exec_command', { cmd: 'make', yield_time_ms: 1000 }, 'terminal', { command: 'make', timeout: 180 }],
  ['Glob', { pattern: '**/*.ts' }, 'search_files', { pattern: '**/*.ts', target: 'files' }],
  ['LS', { path: '/tmp' }, 'search_files', { path: '/tmp', target: 'files', pattern: '*' }],
  ['WebFetch', { url: 'https://a.example', prompt: 'sum up' }, 'web_extract', { urls: ['https://a.example'] }],
  [
    'TodoWrite',
    { todos: [{ content: 'build', status: 'pending', activeForm: 'building' }] },
    'todo',
    { todos: [todo] },
  ],
  ['Task', { description: 'd', prompt: 'p', subagent_type: 'general' }, 'delegate_task', { tasks: [{ goal: 'p' }] }],
];

describe('calls as other agents know them', () => {
  for (const [name, args, tool, expected] of ROWS) {
    verifies('TOOLX-1', `${name} ${JSON.stringify(args)} is ${tool}`, async () => {
      const prepared = await prepare(name, args);
      expect(prepared).toMatchObject({ status: 'ready', toolName: tool, args: expected });
    });
  }

  it('names unknown arguments and lists the parameters', async () => {
    const prepared = await prepare('write_file', { path: 'a', content: 'x', encoding: 'utf-8' });
    expect(prepared).toMatchObject({
      status: 'invalid',
      message:
        'Invalid arguments for write_file: encoding is not a parameter. The call was not executed. write_file accepts these parameters: path, content.',
    });
  });

  it('reports a status that is the name of an inherited property', async () => {
    const prepared = await prepare('todo', { todos: [{ content: 'a', status: 'constructor' }] });
    expect(prepared).toMatchObject({ status: 'invalid', message: expect.stringContaining('"constructor"') });
  });

  it('prefers a real tool to an alias of the same name', async () => {
    const [readFile] = builtInTools().filter(({ name }) => name === 'read_file');
    const set = createToolSet({
      tools: [...builtInTools(), { ...(readFile as NonNullable<typeof readFile>), name: 'bash' }],
      environment: createLocalEnvironment({ workingDirectory: import.meta.dirname }),
    });
    const [prepared] = await set.prepare([{ id: '1', name: 'bash', arguments: '{"path":"a"}' }]);
    expect(prepared).toMatchObject({ status: 'ready', toolName: 'bash' });
  });
});

describe('what such calls do', () => {
  verifies('TOOLX-1', 'several edits of one file are applied together or not at all', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\ntwo\nthree\n');
    const [first, second] = await fixture.runAll([
      {
        name: 'Edit',
        args: {
          file_path: 'a.txt',
          edits: [
            { oldText: 'one', newText: '1' },
            { oldText: 'three', newText: '3' },
          ],
        },
      },
      {
        name: 'Edit',
        args: {
          file_path: 'a.txt',
          edits: [
            { oldText: 'two', newText: '2' },
            { oldText: 'four', newText: '4' },
          ],
        },
      },
    ]);
    expect(first).toMatchObject({ status: 'ok' });
    expect(second?.content).toContain('Edit 2 of 2: old_string was not found');
    expect(await fixture.get('a.txt')).toBe('1\ntwo\n3\n');
  });

  verifies('TOOLX-1', 'a unified diff is accepted as a patch', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\ntwo\nthree\n');
    const patch = [
      'diff --git a/a.txt b/a.txt',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,3 +1,3 @@',
      ' one',
      '-two',
      '+2',
      ' three',
      '--- /dev/null',
      '+++ b/new.txt',
      '@@ -0,0 +1 @@',
      '+hello',
      '',
    ].join('\n');
    const [outcome] = await fixture.runAll([{ name: 'patch', args: { patch } }]);
    expect(outcome).toMatchObject({ status: 'ok' });
    expect(await fixture.get('a.txt')).toBe('one\n2\nthree\n');
    expect(await fixture.get('new.txt')).toBe('hello\n');
  });

  verifies('TOOLX-1', 'a glob as the pattern of a search finds files, and the result says so', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.ts', 'x\n');
    const [outcome] = await fixture.runAll([{ name: 'search_files', args: { pattern: '*.ts' } }]);
    expect(outcome?.content).toContain('a.ts');
    expect(outcome?.content).toContain('not a valid regular expression');
  });

  verifies('TOOLX-1', 'a timeout over 1,000 is read as milliseconds, and the result says so', async () => {
    await using fixture = await createToolFixture();
    const [outcome] = await fixture.runAll([{ name: 'terminal', args: { command: 'echo hi', timeout: 120_000 } }]);
    expect(outcome).toMatchObject({ status: 'ok' });
    expect(outcome?.content).toContain(
      'hi\n[timeout 120000 was interpreted as milliseconds (120 s) because it is over 1,000. Specify timeout in seconds.]',
    );
  });
});
