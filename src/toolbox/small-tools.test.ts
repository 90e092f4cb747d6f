import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { builtInTools } from './index.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';

describe('todo', () => {
  const item = (id: string, status: string, content = `do ${id}`) => ({ id, content, status });

  it('sets, merges and returns the list', async () => {
    await using fixture = await createToolFixture();
    await fixture.run('todo', { todos: [item('1', 'in_progress'), item('2', 'pending'), item('1', 'completed')] });
    expect(fixture.state.todos).toEqual([item('1', 'completed'), item('2', 'pending')]);
    const merged = await fixture.run('todo', { todos: [item('2', 'in_progress'), item('3', 'pending')], merge: true });
    const read = await fixture.run('todo');
    expect(read.content).toBe(merged.content);
    expect(JSON.parse(read.content)).toEqual({
      todos: [item('1', 'completed'), item('2', 'in_progress'), item('3', 'pending')],
      summary: { total: 3, pending: 1, in_progress: 1, completed: 1, cancelled: 0 },
    });
  });

  it('truncates a long text at a character boundary', async () => {
    await using fixture = await createToolFixture();
    await fixture.run('todo', { todos: [item('1', 'pending', `${'x'.repeat(3999)}𐀀`)] });
    expect(fixture.state.todos[0]?.content).toBe('x'.repeat(3999));
  });

  it('limits the number of items', async () => {
    await using fixture = await createToolFixture();
    const many = Array.from({ length: 257 }, (_, index) => item(String(index), 'pending'));
    expect(errorOf(await fixture.run('todo', { todos: many }))).toContain('exceeds the maximum of 256');
    expect(fixture.state.todos).toEqual([]);
    expect((await fixture.run('todo', { todos: [item('1', 'sleeping')] })).status).toBe('invalid');
  });

  verifies('TOOLX-3', 'runs alone, because it changes the state of the agent', () => {
    const todo = builtInTools().find(({ name }) => name === 'todo');
    expect(todo?.concurrency).toBe('barrier');
  });

  verifies('TOOLX-5', 'fails without an agent', async () => {
    await using fixture = await createToolFixture();
    const outcome = await fixture.tools.dispatchWithoutAgent('todo', {});
    expect(outcome.status).toBe('error');
    expect(errorOf(outcome)).toContain('todo needs the state of an agent');
  });
});

describe('clarify', () => {
  it('returns the answer, or reports that no user is available', async () => {
    await using answered = await createToolFixture({ reply: 'the blue one' });
    expect((await answered.run('clarify', { question: 'Which?', choices: ['red', 'blue'] })).content).toBe(
      'the blue one',
    );
    await using declined = await createToolFixture({ reply: ' ' });
    expect((await declined.run('clarify', { question: 'Which?' })).content).toContain('No user is available');
    await using alone = await createToolFixture();
    expect((await alone.run('clarify', { question: 'Which?' })).content).toContain('No user is available');
  });
});

describe('all built-in tools', () => {
  it('stay below their token limit', async () => {
    await using fixture = await createToolFixture();
    const definitions = await fixture.tools.definitions();
    expect(JSON.stringify(definitions).length / 4).toBeLessThan(2100);
    expect(definitions.map(({ name }) => name)).toEqual(
      builtInTools()
        .filter(({ requiredServices = [] }) => requiredServices.length === 0)
        .map(({ name }) => name),
    );
  });

  it('have the parameters that skills and prompts rely on', async () => {
    await using fixture = await createToolFixture();
    const parameters = (await fixture.tools.definitions()).map(({ name, parameters: schema }) => [
      name,
      Object.keys(schema['properties'] ?? {}),
    ]);
    expect(Object.fromEntries(parameters)).toEqual({
      clarify: ['question', 'choices', 'plan'],
      process: ['action', 'session_id', 'data', 'timeout', 'offset', 'limit'],
      read_file: ['path', 'offset', 'limit', 'column'],
      patch: ['path', 'old_string', 'new_string', 'replace_all', 'patch'],
      search_files: ['pattern', 'target', 'path', 'file_glob', 'limit', 'offset', 'output_mode', 'context'],
      terminal: ['command', 'background', 'timeout', 'workdir', 'pty', 'notify_on_complete', 'watch_patterns'],
      todo: ['todos', 'merge'],
      write_file: ['path', 'content'],
    });
  });

  verifies('LOOP-12', 'declare reads and searches as read-only', async () => {
    await using fixture = await createToolFixture();
    const prepared = await fixture.tools.prepare([
      { id: '1', name: 'read_file', arguments: '{"path":"a"}' },
      { id: '2', name: 'search_files', arguments: '{"pattern":"a"}' },
      { id: '3', name: 'terminal', arguments: '{"command":"ls"}' },
    ]);
    expect(prepared.map((call) => call.status === 'ready' && call.readOnly)).toEqual([true, true, false]);
  });
});
