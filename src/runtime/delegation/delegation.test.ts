import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';
import type { AgentEvent, InteractionAnswer, RunResult } from '../../base/index.ts';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderServer,
  type ReceivedRequest,
  type Reply,
  type TemporaryHome,
} from '../../testing/index.ts';
import { createRuntime, loadModels, type OpenedAgent, type Runtime, type RuntimeOptions } from '../index.ts';

type Task = { goal: string; context?: string; toolsets?: string[]; model?: string; output_schema?: object };
type Script = (request: ReceivedRequest, goal: string) => Reply | Promise<Reply>;
type SubagentEvent = Extract<AgentEvent, { type: 'subagent' }>;

const command = (text: string): Reply => ({ toolCalls: [{ name: 'terminal', arguments: { command: text } }] });
const delegate = (tasks: readonly Task[]): Reply => ({
  toolCalls: [{ name: 'delegate_task', arguments: JSON.stringify({ tasks }) }],
});
const hasResult = (request: ReceivedRequest) => request.messages.at(-1)?.role === 'tool';

describe('delegate_task', () => {
  let home: TemporaryHome;
  let server: ProviderServer;
  let runtime: Runtime;
  let opened: OpenedAgent;
  beforeEach(async () => {
    home = await createTemporaryHome();
    server = await createProviderServer({ models: ['test-model', 'other-model'] });
  });
  afterEach(async () => {
    await runtime.close();
    await server.close();
    await home.remove();
  });

  async function open(config = '', changes: Partial<RuntimeOptions> = {}) {
    const model = `model: { provider: custom, default: test-model, base_url: '${server.url}/v1', api_key: k }\n`;
    await home.write('config.yaml', model + config);
    const { settings, models } = await loadModels({ home: home.path, env: {} });
    const common = { workingDirectory: home.workspace, source: 'cli', attended: false };
    const { routes = [], auxiliaryRoutes } = models ?? {};
    runtime = await createRuntime({ settings, routes, auxiliaryRoutes, ...common, ...changes });
    opened = await runtime.openAgent();
    return opened.agent;
  }

  /** The chat delegates the tasks and ends with their reports; each subagent is answered according to its goal. */
  function hand(tasks: readonly Task[], script: Script): void {
    server.setScript((request) => {
      const { system, messages } = request;
      if (system.includes('another agent delegated')) return script(request, messages[0]?.text ?? '');
      if (system.startsWith('You check shell commands')) return { text: 'APPROVE' };
      if (!hasResult(request)) return delegate(tasks);
      return { text: 'all done' };
    });
  }

  async function run(
    agent: Awaited<ReturnType<typeof open>>,
    onEvent: (event: AgentEvent, turn: ReturnType<typeof agent.run>) => void = () => undefined,
  ): Promise<{ result: RunResult; events: AgentEvent[]; subagentEvents: SubagentEvent[]; reports: string }> {
    const events: AgentEvent[] = [];
    const result = await runtime.turns.run(agent.sessionId, 'cli', async (held) => {
      const turn = agent.run({ userMessage: 'go', ...held });
      for await (const event of turn) {
        events.push(event);
        onEvent(event, turn);
      }
      return turn.result;
    });
    const subagentEvents = events.filter((event) => event.type === 'subagent');
    const finished = events.find((event) => event.type === 'tool-finished');
    return { result, events, subagentEvents, reports: finished?.content ?? '' };
  }

  const children = async (id: string) => (await runtime.store.getDescendants(id)).filter((each) => each.isDelegated);

  verifies('TOOL-5', 'delegate_task runs each goal in its own agent and returns the reports in order', async () => {
    const agent = await open();
    const tasks = [{ goal: 'find the walrus', context: 'it is in the north' }, { goal: 'count the fish' }];
    hand(tasks, ({ messages }, goal) => {
      expect(messages[0]?.text.includes('go')).toBe(false);
      return { text: goal.startsWith('find') ? 'it is found' : 'there are 7' };
    });
    const { result, reports, subagentEvents } = await run(agent);
    expect(result).toMatchObject({ completed: true, finalResponse: 'all done' });
    expect(reports).toMatch(/Task 1 \(find the walrus\): completed.*\nit is found\n\n## Task 2 .*\nthere are 7$/);
    const sessions = await children(agent.sessionId);
    expect(sessions).toMatchObject([
      { source: 'subagent', parentSessionId: agent.sessionId, endReason: 'delegation', messageCount: 2 },
      { source: 'subagent', parentSessionId: agent.sessionId, endReason: 'delegation' },
    ]);
    expect(new Set(subagentEvents.map(({ sessionId, task }) => `${task} ${sessionId}`)).size).toBe(2);
    expect(subagentEvents.at(-1)?.event).toMatchObject({ type: 'ended', exitReason: 'completed', apiCalls: 1 });
    const first = await runtime.store.getMessages(sessions[0]?.id ?? '');
    expect(first[0]?.message.content).toContain('it is in the north');
    // The usage of the turn includes its subagents: four model calls, two of them by subagents.
    expect(result.apiCalls).toBe(2);
    const spent = await runtime.store.sessionSpending(agent.sessionId);
    const { input, output, cacheRead, cacheWrite } = result.usage;
    expect(input + output + cacheRead + cacheWrite).toBe(spent.tokens);
  });

  verifies('TOOL-5', 'runs three subagents in parallel while the others wait', async () => {
    const agent = await open();
    const goals = ['1', '2', '3', '4', '5'].map((number) => ({ goal: `task ${number}` }));
    const gates = new Map(goals.map(({ goal }) => [goal, Promise.withResolvers<void>()]));
    hand(goals, async (_request, goal) => {
      await gates.get(goal)?.promise;
      return { text: `${goal} is done` };
    });
    let [working, most] = [0, 0];
    const begun: number[] = [];
    const { reports } = await run(agent, (event) => {
      if (event.type !== 'subagent') return;
      if (event.event.type === 'ended') working -= 1;
      if (event.event.type !== 'started') return;
      begun.push(event.task);
      most = Math.max(most, ++working);
      // Tasks are released in another order than they started, once the maximum number is running.
      if (begun.length === 3) gates.get('task 3')?.resolve();
      if (begun.length === 4) gates.get('task 2')?.resolve();
      if (begun.length === 5) for (const gate of gates.values()) gate.resolve();
    });
    expect({ most, begun: begun.toSorted(), fourth: begun[3], fifth: begun[4] }).toEqual({
      most: 3,
      begun: [1, 2, 3, 4, 5],
      fourth: 4,
      fifth: 5,
    });
    expect(reports.match(/task \d is done/g)).toEqual(goals.map(({ goal }) => `${goal} is done`));
  });

  it('runs as many subagents in parallel as configured', async () => {
    const agent = await open('delegation: { max_concurrent_children: 1 }\n');
    hand([{ goal: 'a' }, { goal: 'b' }], (_request, goal) => ({ text: goal }));
    const { subagentEvents } = await run(agent);
    const order = subagentEvents.filter(({ event }) => event.type === 'started' || event.type === 'ended');
    expect(order.map(({ task, event }) => `${task} ${event.type}`)).toEqual([
      ...['1 started', '1 ended', '2 started', '2 ended'],
    ]);
  });

  verifies('TOOL-5', 'gives subagents the tools of the parent except the withheld ones', async () => {
    const agent = await open('toolsets: [file, terminal, clarify, delegation]\n');
    hand([{ goal: 'all' }, { goal: 'few', toolsets: ['file'] }, { goal: 'odd', toolsets: ['fils'] }], (_, goal) => ({
      text: goal,
    }));
    const { reports } = await run(agent);
    const namesFor = (goal: string) => server.requests.find(({ messages }) => messages[0]?.text === goal)?.toolNames;
    expect(namesFor('all')?.toSorted()).toEqual([
      ...['patch', 'process', 'read_file', 'search_files', 'terminal', 'write_file'],
    ]);
    expect(namesFor('few')?.toSorted()).toEqual(['patch', 'read_file', 'search_files', 'write_file']);
    expect(reports).toMatch(/Task 3 \(odd\): not started\nReason: .*"fils".*Did you mean file/);
    expect(await children(agent.sessionId)).toHaveLength(2);
  });

  verifies('LOOP-3', 'gives a subagent its own step budget and reports the result', async () => {
    const agent = await open('delegation: { max_iterations: 2 }\n');
    let number = 0;
    hand([{ goal: 'never ends' }], () => {
      number += 1;
      return number > 2 ? { text: 'this far I came' } : command(`echo ${number}`);
    });
    const { reports, result } = await run(agent);
    expect(reports).toMatch(/Task 1 \(never ends\): stopped: step limit reached.*\n[^]*this far I came/);
    expect([number, result.completed]).toEqual([3, true]);
    expect(reports).not.toContain('max_turns');
  });

  verifies('TOOL-5', 'reports the failure of a subagent while the others continue', async () => {
    const agent = await open();
    hand([{ goal: 'fails' }, { goal: 'loops' }, { goal: 'works' }], (_request, goal) => {
      if (goal === 'fails') return { fault: { type: 'status', status: 401, message: 'no such key' } };
      if (goal === 'loops') return { toolCalls: [{ name: 'read_file', arguments: { path: 'missing' } }] };
      return { text: `I ${goal}` };
    });
    const { reports, result } = await run(agent);
    expect(result.completed).toBe(true);
    expect(reports).toMatch(/Task 1 \(fails\): failed[^]*no such key/);
    expect(reports).toMatch(/Task 2 \(loops\): stopped: the subagent repeated the same calls/);
    expect(reports).toMatch(/Task 3 \(works\): completed.*\nI works/);
  });

  verifies('TOOL-5', 'stops a subagent that times out, and reports it', async () => {
    const agent = await open('delegation: { child_timeout_seconds: 0.2 }\n');
    hand([{ goal: 'hangs' }], () => ({ fault: { type: 'stall' } }));
    const { reports, result } = await run(agent);
    expect(result.completed).toBe(true);
    expect(reports).toMatch(/Task 1 \(hangs\): timed out[^]*Timed out after 0.2 s/);
  });

  it('changes nothing in plan mode', async () => {
    const agent = await open('', { plan: true });
    const write: Reply = { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] };
    hand([{ goal: 'write' }], (request) => (hasResult(request) ? { text: 'not done' } : write));
    const { subagentEvents } = await run(agent);
    expect(subagentEvents.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ type: 'tool-finished', name: 'write_file', status: 'denied' }),
    );
  });

  verifies('LOOP-13', 'counts subagents for the session limit, which stops them', async () => {
    const agent = await open('limits: { session_tokens: 5000 }\n');
    const usage = { input: 3000, output: 10 };
    const tasks = [{ goal: 'a' }, { goal: 'b' }];
    server.setScript((request) => {
      const isChat = !request.system.includes('another agent delegated');
      if (isChat && hasResult(request)) return { text: 'not reached' };
      if (isChat) return { ...delegate(tasks), usage };
      return { ...command('echo spent'), usage };
    });
    const { result, reports } = await run(agent);
    expect(reports).toMatch(/Task 1 \(a\): stopped: a spending limit was reached/);
    expect(reports).toMatch(/Task 2 \(b\): stopped: a spending limit was reached/);
    expect(result.exitReason).toBe('limit_reached');
    // Each subagent made at most one call near the limit, and none beyond it.
    expect(server.requests.length).toBeLessThanOrEqual(3);
  });

  verifies('LOOP-7', 'passes an interrupt on to subagents and their tools', async () => {
    const agent = await open();
    hand([{ goal: 'runs' }, { goal: 'waits' }, { goal: 'c' }, { goal: 'queued' }], (_request, goal) => {
      return goal === 'runs' ? command('echo $$ > pid; exec sleep 600') : { fault: { type: 'stall' } };
    });
    const { result, subagentEvents } = await run(agent, (event, turn) => {
      if (event.type === 'subagent' && event.event.type === 'tool-started') turn.interrupt();
    });
    expect(result.exitReason).toBe('interrupted');
    const ends = subagentEvents.filter(({ event }) => event.type === 'ended');
    expect(ends.map(({ event }) => 'exitReason' in event && event.exitReason)).toEqual([
      ...['interrupted', 'interrupted', 'interrupted'],
    ]);
    for (const { id } of await children(agent.sessionId)) {
      expect((await runtime.store.getSession(id))?.endReason).toBe('delegation');
      expect((await runtime.store.getTurns(id)).map(({ exitReason }) => exitReason)).toEqual(['interrupted']);
    }
  });

  verifies('APPR-3', 'denies approvals of subagents when unattended', async () => {
    const agent = await open();
    hand([{ goal: 'harm' }], (request) => (hasResult(request) ? { text: 'denied' } : command('rm -rf folder')));
    await mkdir(join(home.workspace, 'folder'));
    await run(agent);
    const results = server.requests.flatMap(({ toolResults }) => toolResults.map(({ content }) => content));
    expect(results[0]).toContain('no user is present');
  });

  verifies('APPR-3', 'asks for approval through the parent by name, and inherits no session approvals', async () => {
    const agent = await open('', { attended: true });
    const dangerous = 'rm -rf folder';
    const tasks = [{ goal: 'clean up the folder' }];
    server.setScript((request) => {
      if (request.system.includes('another agent delegated')) {
        return hasResult(request) ? { text: 'clean' } : command(dangerous);
      }
      if (!hasResult(request)) return command(dangerous);
      if (request.toolResults.length > 1) return { text: 'done' };
      return delegate(tasks);
    });
    const asked: string[] = [];
    const answers: InteractionAnswer[] = [
      { kind: 'approval', answer: 'session' },
      { kind: 'approval', answer: 'deny' },
    ];
    await run(agent, (event, turn) => {
      if (event.type !== 'request' || event.request.kind !== 'approval') return;
      asked.push(event.request.toolName);
      turn.respond(event.requestId, answers.shift() as InteractionAnswer);
    });
    expect(asked).toEqual(['terminal', 'terminal of subagent 1 (clean up the folder)']);
    const denied = server.requests
      .flatMap(({ toolResults }) => toolResults)
      .filter(({ content }) => /Not allowed/.test(content));
    expect(denied.length).toBeGreaterThan(0);
  });

  verifies('CALL-6', 'gives subagents the fallbacks of the chat', async () => {
    const second = await createProviderServer();
    second.setScript(() => ({ text: 'from the second' }));
    const entry = `{ provider: custom, model: other, base_url: '${second.url}/v1', api_key: k }`;
    const agent = await open(`fallback_providers:\n  - ${entry}\n`);
    hand([{ goal: 'a' }], () => ({ fault: { type: 'status', status: 401 } }));
    const { reports, subagentEvents } = await run(agent);
    expect(reports).toContain('from the second');
    expect(subagentEvents.some(({ event }) => event.type === 'fallback')).toBe(true);
    await second.close();
  });

  it('uses the model that a task names, and rejects an unknown one', async () => {
    const agent = await open();
    hand(
      [
        { goal: 'a', model: 'other-model' },
        { goal: 'b', model: 'no such model' },
      ],
      (_, goal) => ({ text: goal }),
    );
    const { reports } = await run(agent);
    expect(server.requests.find(({ messages }) => messages[0]?.text === 'a')?.model).toBe('other-model');
    expect(reports).toMatch(/Task 2 \(b\): not started\nReason: The model name "no such model" contains spaces/);
  });

  const CITY = {
    type: 'object',
    required: ['city', 'people'],
    additionalProperties: false,
    properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 0 } },
  };

  verifies('TOOL-5', 'returns only valid JSON for a task with a schema', async () => {
    const agent = await open();
    hand([{ goal: 'which city?', output_schema: CITY }, { goal: 'in words' }], (request, goal) => {
      if (goal === 'in words') return { text: 'Ulm it is' };
      expect(request.body['response_format']).toMatchObject({ json_schema: { schema: CITY } });
      expect(goal).toContain(JSON.stringify(CITY));
      return hasResult(request)
        ? { text: 'Here:\n```json\n{"city": "Ulm", "people": 7}\n```\nMore?' }
        : command('echo 7');
    });
    const { reports } = await run(agent);
    expect(reports).toMatch(/Task 1 .*: completed \(1 tool call, .*\n{"city": "Ulm", "people": 7}\n\n## Task 2/);
  });

  verifies('TOOL-5', 'asks once more in the same session if the answer does not match the schema', async () => {
    const agent = await open('approvals: { mode: smart }\n', { attended: true });
    const answers = ['{"city":"Bonn","people":-1}', '{"city":"Bonn","people":1}'];
    hand([{ goal: 'which?', output_schema: CITY }], (request) =>
      request.toolResults.length === 0 ? command('rm -rf build') : { text: answers.shift() ?? '' },
    );
    const { reports, subagentEvents, result } = await run(agent);
    expect(reports).toMatch(/Task 1 \(which\?\): completed.*\n{"city":"Bonn","people":1}$/);
    expect(await children(agent.sessionId)).toHaveLength(1);
    const asked = server.requests.findLast(({ system }) => system.includes('another agent delegated'))?.lastUserText;
    expect(asked).toMatch(/rejected it:\n- at \/people: /);
    // The subagent ran two turns, but its events show one start and one end with the totals of both.
    const marks = subagentEvents.filter(({ event }) => ['started', 'warning', 'ended'].includes(event.type));
    expect(marks.map(({ event }) => event.type)).toEqual(['started', 'warning', 'ended']);
    expect(marks[1]?.event).toMatchObject({ message: expect.stringContaining('at /people: ') });
    expect(marks[2]?.event).toMatchObject({ apiCalls: 3, toolCalls: 1, auxiliary: { calls: 1 } });
    const { input, output, cacheRead, cacheWrite } = result.usage;
    expect(input + output + cacheRead + cacheWrite).toBe((await runtime.store.sessionSpending(agent.sessionId)).tokens);
  });

  verifies('TOOL-5', 'fails after a second invalid answer, with the problems and the text', async () => {
    const agent = await open();
    hand([{ goal: 'refuses', output_schema: CITY }, { goal: 'works' }], (_, goal) => ({
      text: goal === 'works' ? 'done' : 'I would rather not.',
    }));
    const { reports } = await run(agent);
    expect(reports).toMatch(
      /Task 1 \(refuses\): failed.*\nReason: The answer does not match .*: the answer contains no JSON\.\nI would rather not\.\n/,
    );
    expect(reports).toMatch(/Task 2 \(works\): completed.*\ndone$/);
    expect(server.requests).toHaveLength(5);
  });

  verifies('TOOL-5', 'rejects an unusable schema before a subagent starts', async () => {
    const agent = await open();
    const wrong: [object, RegExp][] = [
      [
        { type: 'object', properties: { a: { type: 'strin' } } },
        /"strin" at \/properties\/a\/type is not a valid type/,
      ],
      [{ $ref: '#/$defs/missing' }, /is not a usable JSON Schema: .+/],
      [{ pattern: '(' }, /is not a usable JSON Schema: .+/],
      [{ $ref: '#' }, /is not a usable JSON Schema: .+/],
    ];
    const tasks = wrong.map(([schema], index) => ({ goal: `${index}`, output_schema: schema }));
    hand(tasks, () => ({ text: 'not reached' }));
    const { events, reports } = await run(agent);
    for (const [index, part] of reports.split('\n\n').entries()) {
      expect(part).toMatch(
        `## Task ${index + 1} (${index}): not started\nReason: output_schema is not a usable JSON Schema`,
      );
      expect(part).toMatch(wrong[index]?.[1] ?? /$never/);
    }
    expect(events.find((event) => event.type === 'tool-finished')).toMatchObject({ status: 'error' });
    expect(await children(agent.sessionId)).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  verifies('TOOL-5', 'saves long JSON reports to files instead of truncating them', async () => {
    const agent = await open();
    const json = JSON.stringify({ rows: Array.from({ length: 4000 }, (_, id) => ({ id })) });
    hand([{ goal: 'list', output_schema: { type: 'object' } }, { goal: 'short' }], (_, goal) => ({
      text: goal === 'short' ? 'three words only' : json,
    }));
    const { reports } = await run(agent);
    const [file = ''] = /\/\S+\.json/.exec(reports) ?? [];
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(json));
    expect(reports).toContain('It starts with: {"rows":[{"id":0}');
    expect(reports).toContain('three words only');
    expect(reports).not.toContain('[Truncated');
  });

  verifies('TOOL-5', 'truncates long reports to a fair share and saves them in full to a file', async () => {
    const agent = await open();
    hand([{ goal: 'short' }, { goal: 'long' }, { goal: 'longer' }], (_, goal) => ({
      text: goal === 'short' ? 'three words only' : `${goal} begins ${'x'.repeat(30_000)} ${goal} ends`,
    }));
    const { reports } = await run(agent);
    expect(reports.length).toBeLessThanOrEqual(24_000);
    for (const kept of ['three words only', 'long begins', 'long ends', 'longer begins', 'longer ends'])
      expect(reports).toContain(kept);
    const [file = ''] = /\/\S+\.txt/.exec(reports) ?? [];
    expect(await readFile(file, 'utf8')).toContain('x'.repeat(30_000));
  });

  verifies('STORE-5', 'continues a compressed subagent in its own lineage', fullDoseOnly, async () => {
    const agent = await open('compression: { threshold: 0.5 }\n', {});
    let reads = 0;
    server.setScript((request) => {
      // The summary of the removed messages.
      if (request.toolNames.length === 0) return { text: '## Goal\nread on' };
      const isChat = !request.system.includes('another agent delegated');
      if (isChat) return hasResult(request) ? { text: 'all done' } : delegate([{ goal: 'read a lot' }]);
      reads += 1;
      const usage = { input: reads === 6 ? 90_000 : 1_000 };
      return reads > 8
        ? { text: 'read' }
        : { ...command(`echo ${reads}; head -c 20000 /dev/zero | tr '\\0' x`), usage };
    });
    const { subagentEvents, reports } = await run(agent);
    expect(subagentEvents.map(({ event }) => event.type)).toContain('compressed');
    expect(reports).toMatch(/Task 1 \(read a lot\): completed.*\nread$/);
    const family = await runtime.store.getDescendants(agent.sessionId);
    expect(family.map(({ isDelegated, endReason, source }) => [isDelegated, endReason, source])).toEqual([
      [true, 'compression', 'subagent'],
      [false, 'delegation', 'subagent'],
    ]);
    expect((await runtime.store.newestInLineage(agent.sessionId))?.id).toBe(agent.sessionId);
    expect((await runtime.store.newestInLineage(family[0]?.id ?? ''))?.id).toBe(family[1]?.id);
  });

  it('passes the background processes of a subagent to its parent', async () => {
    const agent = await open();
    server.setScript((request) => {
      const isChat = !request.system.includes('another agent delegated');
      if (!isChat && hasResult(request)) return { text: 'started' };
      if (!isChat) return { toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 600', background: true } }] };
      if (request.toolResults.length === 2) return { text: 'done' };
      if (hasResult(request)) return { toolCalls: [{ name: 'process', arguments: { action: 'list' } }] };
      return delegate([{ goal: 'a' }]);
    });
    const { events } = await run(agent);
    const listed = events.filter((event) => event.type === 'tool-finished').at(-1);
    expect(listed?.content).toContain('sleep 600');
  });

  it('gives subagents neither memory nor context files nor a personality', async () => {
    await home.write('SOUL.md', 'You are a pirate.');
    await home.write('memories/MEMORY.md', 'The walrus is called Ivan.');
    await writeFile(join(home.workspace, 'AGENTS.md'), 'Use tabs.');
    const agent = await open();
    hand([{ goal: 'a' }], () => ({ text: 'ok' }));
    await run(agent);
    const [chat, subagent] = server.requests;
    for (const text of ['pirate', 'Ivan', 'Use tabs']) {
      expect(chat?.system).toContain(text);
      expect(subagent?.system).not.toContain(text);
    }
  });

  verifies('CALL-11', 'includes the auxiliary usage of a subagent in the result of the turn', async () => {
    const agent = await open('approvals: { mode: smart }\n', { attended: true });
    hand([{ goal: 'clean' }], (request) => (hasResult(request) ? { text: 'cleaned' } : command('rm -rf build')));
    const { result, subagentEvents } = await run(agent);
    expect(result).toMatchObject({ completed: true, apiCalls: 2, auxiliary: { calls: 1 } });
    expect(subagentEvents.at(-1)?.event).toMatchObject({ type: 'ended', auxiliary: { calls: 1 } });
    const { input, output, cacheRead, cacheWrite } = result.usage;
    expect(input + output + cacheRead + cacheWrite).toBe((await runtime.store.sessionSpending(agent.sessionId)).tokens);
  });

  it("changes files within the parent's turn, whose checkpoint restores them", fullDoseOnly, async () => {
    const agent = await open('', { checkpoints: true, yolo: true });
    await writeFile(join(home.workspace, 'notes.txt'), 'before');
    hand([{ goal: 'one' }, { goal: 'two' }], (request, goal) =>
      hasResult(request) ? { text: 'written' } : command(`echo ${goal} > notes.txt; touch ${goal}`),
    );
    await run(agent);
    const kept = await (await opened.checkpoints.open()).list();
    expect(kept).toMatchObject([{ sessionId: agent.sessionId }]);
    await opened.checkpoints.restore(agent.sessionId, kept[0]?.number ?? 0);
    expect(await readFile(join(home.workspace, 'notes.txt'), 'utf8')).toBe('before');
  });

  it("uses the default identity and not the user's personality", async () => {
    const agent = await open('display: { personality: pirate }\nagent: { personalities: { pirate: Say arrr. } }\n');
    const said: boolean[] = [];
    hand([{ goal: 'one' }], ({ system }) => {
      said.push(system.includes('Say arrr.'));
      return { text: 'done' };
    });
    await run(agent);
    expect([server.requests[0]?.system.includes('Say arrr.'), said]).toEqual([true, [false]]);
  });

  verifies('SURF-9', 'applies plugin hooks and shell hooks to subagents too', async () => {
    const heard = join(home.path, 'heard');
    const events = ['on_session_start', 'on_session_end', 'pre_llm_call', 'post_llm_call', 'pre_tool_call'];
    await home.write('plugins/ear/plugin.yaml', `name: ear\nprovides_hooks: [${events.join(', ')}]\n`);
    await home.write(
      'plugins/ear/index.mjs',
      `import { appendFileSync } from 'node:fs';
      export function register(host) {
        for (const event of ${JSON.stringify(events)})
          host.registerHook(event, async ({ sessionId, source, args }) => {
            appendFileSync(${JSON.stringify(heard)}, JSON.stringify({ event, sessionId, source }) + '\\n');
            if (args?.command === 'echo plugin') return { block: 'not past the plugin' };
          });
      }`,
    );
    const config =
      "plugins: { enabled: [ear] }\nhooks:\n  pre_tool_call:\n    - { matcher: todo, command: 'echo not past the file >&2; exit 2' }\n";
    const { allowHooks } = await import('../../plugins/index.ts');
    await open(config);
    await allowHooks(home.path, runtime.blueprint.settings.hooks ?? [], home.workspace);
    await runtime.close();
    const agent = await open(config);
    hand([{ goal: 'a' }], (request) => {
      const results = request.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
      if (results.length === 0) return command('echo plugin');
      if (results.length === 1) return { toolCalls: [{ name: 'todo', arguments: {} }] };
      return { text: results.join(' and ') };
    });
    const { reports } = await run(agent);
    expect(reports).toContain('not past the plugin');
    expect(reports).toContain('not past the file');
    const [child] = await children(agent.sessionId);
    await runtime.plugins.close();
    const subagentEvents = (await readFile(heard, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; sessionId: string; source?: string })
      .filter(({ sessionId }) => sessionId === child?.id);
    expect(subagentEvents.map(({ event }) => event)).toEqual([
      ...['on_session_start', 'pre_llm_call', 'pre_tool_call', 'pre_tool_call', 'post_llm_call', 'on_session_end'],
    ]);
    expect(subagentEvents.at(-1)?.source).toBe('subagent');
  });
});
