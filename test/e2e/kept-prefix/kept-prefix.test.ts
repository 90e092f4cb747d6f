import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/index.ts';
import { reasoningCommand } from '../../../src/runtime/models/index.ts';
import { createSchemaTool } from '../../../src/tools/index.ts';
import { verifies } from '../../spec/verifies.ts';
import {
  call,
  type ChatWorld,
  keptPart,
  keptUpTo,
  lastMisses,
  lastResult,
  mcpServer,
  openWorld,
  type Started,
} from './chat-fixture.ts';

/** Most of the prompt, so that a change in the tools is a miss. */
const LONG = 'a long story '.repeat(4000);

/** A row of the table in docs/economy.md, with what makes it happen. */
type Row = {
  event: string;
  kept: string;
  says: string;
  run(world: ChatWorld, one: Started): Promise<Started>;
  keptOf?(world: ChatWorld): string;
};

const keptAtFirst = ({ first }: ChatWorld) => keptPart(first);
/** The other model gets the conversation for the first time. */
const readByOther = ({ second }: ChatWorld) => (second.requests.length === 1 ? 'another model' : 'the same model');

type Changes = NonNullable<Parameters<ChatWorld['start']>[0]>;

/** Ends the process and continues the session in another one. */
async function resume(world: ChatWorld, one: Started, changes: Changes = {}) {
  await world.stop(one);
  const next = await world.start(changes);
  // A resumed session does not wait for its servers.
  await next.runtime.servers.connect();
  await next.say('again');
  return next;
}

/** A new session in a new process, with one turn. */
async function startNew(world: ChatWorld, one: Started, changes: Changes = {}): Promise<Started> {
  await world.stop(one);
  const next = await world.start(changes);
  await next.conversation.reset();
  await next.say(LONG);
  return next;
}

/** A tool of a program that embeds Hermes, in one of its versions. */
function embedded(description: string, parameters: JsonObject): Changes {
  const tool = createSchemaTool({
    name: 'count_words',
    toolset: 'words',
    description,
    parameters: { type: 'object', ...parameters },
    concurrency: { mode: 'parallel' },
    run: async () => '3',
  });
  return { toolSources: [{ name: 'words', kind: 'plugin', tools: () => [tool] }] };
}

const newestText = ({ first }: ChatWorld) => first.requests.at(-1)?.messages.at(-1)?.text ?? '';
const SKILL = '---\nname: fresh\ndescription: Something new.\n---\nDo it.\n';
const PLUGIN = `export function register(host) {
  host.registerTool({ name: 'count_words', description: 'Counts.', parameters: { type: 'object' }, run: () => '3' });
}`;

const TEXT = { text: { type: 'string' } };

async function useFallback(world: ChatWorld, one: Started): Promise<Started> {
  await world.stop(one);
  const next = await world.start({ routes: world.routes });
  world.first.setScript([{ fault: { type: 'status', status: 401 } }]);
  await next.say('fall');
  world.first.setScript(() => ({ text: 'Yes.' }));
  return next;
}

const ROWS: Row[] = [
  { event: 'resume in another process', kept: 'yes', says: '–', run: (world, one) => resume(world, one) },
  {
    event: 'resume after `config.yaml` got another effort, speed or list of tool sets',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      world.config = { agent: { reasoning_effort: 'high', service_tier: 'fast' }, toolsets: ['file', 'web'] };
      const next = await resume(world, one);
      expect(next.conversation.opened().preferences).toEqual({ effort: undefined, speed: undefined });
      return next;
    },
  },
  {
    event: '`/reasoning` or `/fast`, then a resume',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      await reasoningCommand({ runtime: one.runtime, opened: one.conversation.opened() }, 'high');
      const next = await resume(world, one);
      expect(world.first.requests.at(-1)?.body).toMatchObject({ reasoning_effort: 'high' });
      return next;
    },
  },
  {
    event: '`/model` to another model',
    kept: 'another model',
    keptOf: readByOther,
    says: 'model switched from first/gpt-5.4',
    async run(world, one) {
      one.conversation.opened().models.use(world.routes.slice(1));
      await one.say('again');
      return one;
    },
  },
  {
    event: '`/model` back to the first model',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      one.conversation.opened().models.use(world.routes.slice(1));
      await one.say('there');
      // A rebuilt prompt would contain this file.
      await world.home.write('SOUL.md', 'You are a cat.');
      one.conversation.opened().models.use(world.routes.slice(0, 1));
      await one.say('and back');
      return one;
    },
  },
  {
    event: 'fallback to another model',
    kept: 'another model',
    keptOf: readByOther,
    says: 'fallback from first/gpt-5.4',
    run: useFallback,
  },
  {
    event: 'return after a fallback',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      const next = await useFallback(world, one);
      await next.say('return');
      return next;
    },
  },
  {
    event: 'an MCP server that connects later',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      world.config = { mcp_servers: { it: mcpServer } };
      const next = await resume(world, one);
      expect(newestText(world)).toMatch(/\n\[Notice[^]*Tools now available through tool_search: .*mcp__it__echo, /);
      world.first.setScript([
        call('tool_call', { name: 'mcp__it__echo', arguments: { value: 'x' } }),
        { text: 'Said.' },
      ]);
      await next.say('use it');
      expect(lastResult(world.first)).toContain('echo x');
      // It is announced once.
      expect(world.first.requests.at(-1)?.rawBody.split('Tools now available')).toHaveLength(2);
      return next;
    },
  },
  {
    event: 'an MCP server that is gone',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      world.config = { mcp_servers: { it: mcpServer } };
      const before = await startNew(world, one);
      expect(world.first.requests.at(-1)?.toolNames).toContain('mcp__it__echo');
      world.config = {};
      world.first.setScript([call('mcp__it__echo', { value: 'x' }), { text: 'Sad.' }]);
      const next = await resume(world, before);
      expect(lastResult(world.first)).toContain('mcp__it__echo is not available: the MCP server it is not connected.');
      return next;
    },
  },
  {
    event: 'an MCP server that is gone and comes back',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      world.config = { mcp_servers: { it: mcpServer } };
      const before = await startNew(world, one);
      world.config = {};
      const without = await resume(world, before);
      world.config = { mcp_servers: { it: mcpServer } };
      const next = await resume(world, without);
      expect(newestText(world)).not.toContain('Tools now available');
      world.first.setScript([call('mcp__it__echo', { value: 'x' }), { text: 'Said.' }]);
      await next.say('use it');
      expect(lastResult(world.first)).toContain('echo x');
      return next;
    },
  },
  {
    event: '`/reload-mcp` with a new server',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      await world.home.write('config.yaml', JSON.stringify({ mcp_servers: { it: mcpServer } }));
      await one.runtime.servers.reload();
      await one.conversation.reopen();
      await one.say('again');
      expect(newestText(world)).toMatch(/Tools now available through tool_search: .*mcp__it__echo,/);
      return one;
    },
  },
  {
    event: 'a new skill or an edited context file',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      await world.home.write('skills/test/fresh/SKILL.md', SKILL);
      await world.home.write('SOUL.md', 'You are a cat.');
      return resume(world, one);
    },
  },
  {
    event: 'a new plugin',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      await world.home.write('plugins/words/plugin.yaml', 'name: words\nprovides_tools: [count_words]\n');
      await world.home.write('plugins/words/index.mjs', PLUGIN);
      world.config = { plugins: { enabled: ['words'] } };
      const next = await resume(world, one);
      expect(newestText(world)).toContain('Tools now available through tool_search: count_words');
      return next;
    },
  },
  {
    event: 'a new version that describes a tool in other words',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      const before = await startNew(world, one, embedded('Counts.', { properties: TEXT }));
      const next = await resume(world, before, embedded('Counts words.', { properties: TEXT }));
      expect(world.first.requests.at(-1)?.rawBody).toContain('"Counts."');
      return next;
    },
  },
  {
    event: 'a new version of a tool that takes other parameters',
    kept: 'no',
    says: 'tools changed: count_words',
    async run(world, one) {
      const before = await startNew(world, one, embedded('Counts.', { properties: TEXT }));
      return resume(world, before, embedded('Counts.', { properties: { words: TEXT.text }, required: ['words'] }));
    },
  },
  {
    event: '`/toolsets`, then a resume',
    kept: 'yes',
    says: '–',
    async run(world, one) {
      one.conversation.opened().choices.toolsets = { on: [], off: ['todo'] };
      await one.conversation.reopen();
      await one.say('again');
      const next = await resume(world, one);
      expect(world.first.requests.at(-1)?.toolNames).not.toContain('todo');
      return next;
    },
  },
  {
    event: '`/toolsets` switches a tool set',
    kept: 'no',
    says: 'tools changed: todo',
    async run(world, one) {
      one.conversation.opened().choices.toolsets = { on: [], off: ['todo'] };
      await one.conversation.reopen();
      await one.say('again');
      expect(world.first.requests.at(-1)?.toolNames).not.toContain('todo');
      return one;
    },
  },
  {
    event: 'resume with other `--toolsets`, `--allowed-tools` or `--disallowed-tools`',
    kept: 'no',
    says: 'tools changed: todo',
    run: (world, one) => resume(world, one, { disallowedTools: ['todo'] }),
  },
  {
    event: 'resume in another directory',
    kept: 'no',
    says: 'system prompt rebuilt',
    run: (world, one) => resume(world, one, { workingDirectory: world.home.userHome }),
  },
  {
    event: '`/undo`',
    kept: 'up to what was undone',
    says: '–',
    // The request before the undone turn.
    keptOf: ({ first }) => (keptPart(first, { from: -3 }) === 'yes' ? 'up to what was undone' : 'no'),
    async run(_, one) {
      await one.say('a mistake');
      await one.conversation.undo(1);
      await one.say('again');
      return one;
    },
  },
  {
    event: 'a pause of 90 minutes',
    kept: 'yes',
    says: 'expired after 90 minutes',
    async run(world, one) {
      world.pause(90);
      await one.say('again');
      return one;
    },
  },
  {
    event: 'old tool results are cleared, after an MCP server connected',
    kept: 'up to the first cleared result',
    says: '–',
    keptOf: ({ first }) => (keptUpTo(first, 'seq 1000') ? 'up to the first cleared result' : 'no'),
    async run(world, one) {
      world.config = { mcp_servers: { it: mcpServer } };
      const next = await resume(world, one);
      const offered = world.first.requests.at(-1)?.toolNames;
      const steps = Array.from({ length: 20 }, (_, step) =>
        call('terminal', { command: `seq ${step + 1}000 ${step + 2}000` }),
      );
      world.first.setScript([...steps, { text: 'Done.' }], { repeatLast: true });
      await next.say('count');
      const { rawBody = '', toolNames } = world.first.requests.at(-1) ?? {};
      expect([rawBody.includes('omitted to save context'), toolNames]).toEqual([true, offered]);
      expect(offered).not.toContain('mcp__it__echo');
      return next;
    },
  },
  {
    event: 'compression',
    kept: 'tools and system prompt',
    says: 'compression',
    async run(_, one) {
      for (const text of ['two ', 'three ', 'four ']) await one.say(text.repeat(5000));
      expect(await one.conversation.compress()).toMatchObject({ messagesAfter: expect.any(Number) });
      await one.say('again');
      return one;
    },
  },
];

const DOCUMENT = join(import.meta.dirname, '../../../docs/economy.md');

describe('the cached prefix', () => {
  for (const { event, kept, says, run, keptOf = keptAtFirst } of ROWS) {
    verifies('CACHE-4', `${event}: kept: ${kept}, /usage: ${says}`, async () => {
      const world = await openWorld();
      const one = await world.start();
      await one.say(LONG);
      expect(world.first.requests).toHaveLength(1);
      const last = await run(world, one);
      expect(await lastMisses(last)).toBe(says);
      expect(keptOf(world)).toBe(kept);
    });
  }

  it('is described by a table with these rows', async () => {
    const [section = ''] = (await readFile(DOCUMENT, 'utf8'))
      .split(/^## /m)
      .filter((part) => part.startsWith('Cache misses\n'));
    const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)].map(([, ...cells]) => cells).slice(1);
    expect(rows).toEqual(ROWS.map(({ event, kept, says }) => [event, kept, says === '–' ? says : `\`${says}\``]));
  });
});
