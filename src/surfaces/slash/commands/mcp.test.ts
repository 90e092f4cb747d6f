import { OWNER } from '../../../base/index.ts';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../../../test/support/dose.ts';
import { type Clock, type JsonObject, systemClock } from '../../../base/index.ts';
import { loadSettings } from '../../../config/index.ts';
import { createRuntime } from '../../../runtime/index.ts';
import { createTemporaryHome, type ModelReply, type ModelScript } from '../../../testing/index.ts';
import { routeTo } from '../../../../test/support/conversation-fixture.ts';
import { createBackgroundRuns, createSlashRegistry, SLASH_COMMANDS, type SlashContext } from '../index.ts';

const SERVER = join(import.meta.dirname, '../../../../test/support/mcp-server.ts');
const program = (...words: string[]) => ({ command: process.execPath, args: [SERVER, ...words] });

const NO_MODEL: ModelScript = () => Promise.reject(new Error('offline'));

/** A chat with a real runtime and real MCP servers, whose model is called only by background turns. */
async function openChat(
  servers: Record<string, object>,
  { clock = systemClock, script = NO_MODEL }: { clock?: Clock; script?: ModelScript } = {},
) {
  const home = await createTemporaryHome();
  const configure = (entries: Record<string, object>) =>
    home.write('config.yaml', JSON.stringify({ mcp_servers: entries }));
  await configure(servers);
  const settings = await loadSettings({ home: home.path, env: { PATH: process.env['PATH'] } });
  const options = {
    settings,
    routes: [routeTo(script)],
    workingDirectory: home.workspace,
    source: 'cli',
    attended: true,
  };
  const runtime = await createRuntime({ ...options, clock });
  onTestFinished(async () => {
    await runtime.close();
    await home.remove();
  });
  const registry = createSlashRegistry(SLASH_COMMANDS);
  let opened = await runtime.openAgent();
  const session = {
    opened: () => opened,
    async reopen() {
      opened = await runtime.openAgent();
    },
  } as unknown as SlashContext['session'];
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const ended = Promise.withResolvers<string>();
  const background = createBackgroundRuns({ runtime, now: Date.now, announce: (_, answer) => ended.resolve(answer) });
  onTestFinished(async () => void (await background.close()));
  const parts = { surface: 'terminal', actor: OWNER, registry, runtime, session, print, background };
  const context = parts as unknown as SlashContext;
  return {
    runtime,
    registry,
    context,
    configure,
    toolNames: () => opened.toolNames(),
    /** Runs a background turn and returns its answer. */
    async runInBackground(prompt: string): Promise<string> {
      await background.start(prompt);
      return ended.promise;
    },
    async run(line: string): Promise<string> {
      printed = '';
      await registry.runSlashCommand(line, context);
      return printed;
    },
  };
}

describe('/mcp', () => {
  it('says that no servers are configured, and loads nothing', async () => {
    const { run, runtime } = await openChat({});
    expect(await run('/mcp')).toContain('No MCP servers are configured. Add one with `hermes mcp add`');
    expect(await run('/reload-mcp')).toContain('No MCP servers are configured.');
    expect(runtime.servers.sources().flatMap((source) => source.tools())).toEqual([]);
  });

  verifies(['SURF-3', 'SURF-8'], 'lists every server with its state, and one server with its tools', async () => {
    const { run, registry, context } = await openChat({
      good: { ...program('--lies'), tools: { include: ['echo', 'note', 'attack'] } },
      broken: program('--crash'),
      unused: { ...program(), enabled: false },
    });
    const shown = await run('/reload-mcp');
    expect(shown).toMatch(/^ {2}good +connected \(version 1\.2\.3\), 2 tools$/m);
    expect(shown).toMatch(/^ {2}broken +failed: .*the disk is on fire/m);
    expect(shown).toMatch(/^ {2}unused +disabled$/m);
    expect(shown).toContain('The tools changed');
    expect(await run('/mcp')).toContain(shown.slice(0, shown.indexOf('\n')));
    expect(await run('/tools')).toMatch(/^\d+ tools: (?!.*mcp__).*\nmcp-good: mcp__good__echo, mcp__good__note\n/);
    const one = await run('/mcp good');
    expect(one).toContain('    mcp__good__echo\n    mcp__good__note\n');
    expect(one).toMatch(/- attack +\S/);
    expect(await run('/mcp godo')).toBe('Unknown MCP server "godo". Did you mean good?\n');
    expect(await run('/mcp zzzzzzzz')).toContain('Configured servers: good, broken, unused');
    expect(await registry.completeArgument('mcp', 'g', context)).toEqual([{ value: 'good' }]);
  });
});

describe('/reload-mcp', () => {
  verifies(['SURF-3', 'SURF-8'], 'gives the session the tools of the current servers', async () => {
    const { run, configure, toolNames } = await openChat({ one: program() });
    await run('/reload-mcp');
    expect(await toolNames()).toContain('mcp__one__echo');
    // Nothing has changed, so the provider's cache stays valid.
    expect(await run('/reload-mcp')).not.toContain('The tools changed');
    await configure({ two: program() });
    expect(await run('/reload-mcp')).toMatch(/^ {2}two +connected.*\nThe tools changed/);
    const names = await toolNames();
    expect(names).toContain('mcp__two__echo');
    expect(names.join(' ')).not.toContain('mcp__one__');
  });

  verifies(['SURF-3', 'SURF-8'], 'reaches background turns that are running', fullDoseOnly, async () => {
    const results: string[] = [];
    const ask = (name: string, args: JsonObject): ModelReply => ({ toolCalls: [{ name, arguments: args }] });
    const echo = (server: string) => ask(`mcp__${server}__echo`, { value: server });
    const steps: (() => ModelReply | Promise<ModelReply>)[] = [
      () => echo('one'),
      async () => {
        await chat.configure({ one: program(), two: program() });
        await chat.run('/reload-mcp');
        return echo('one');
      },
      () => ask('tool_search', { query: 'two echo' }),
      () => ask('tool_call', { name: 'mcp__two__echo', arguments: { value: 'two' } }),
      async () => {
        await chat.configure({ two: program() });
        // The call comes during the reload and waits for the new connection.
        void chat.run('/reload-mcp');
        return ask('tool_call', { name: 'mcp__two__echo', arguments: { value: 'again' } });
      },
      () => echo('one'),
      () => ({ text: 'done' }),
    ];
    const offered = new Set<string>();
    const chat = await openChat(
      { one: program() },
      {
        script({ messages, tools }) {
          results.push(messages.at(-1)?.content ?? '');
          offered.add(JSON.stringify(tools));
          return steps.shift()?.() ?? { text: 'too many requests' };
        },
      },
    );
    expect(await chat.runInBackground('go')).toBe('done');
    const found = ['echo one', 'echo one', 'mcp__two__echo: Says it again.', 'echo two', 'echo again'];
    for (const [index, text] of found.entries()) expect(results[index + 1]).toContain(text);
    expect(results[6]).toContain('mcp__one__echo is not available: the MCP server one is not connected');
    // The definitions do not change during a turn, so that the provider's cache stays valid.
    expect(offered.size).toBe(1);
  });

  it('stops no server if the settings are invalid', async () => {
    const { run, configure } = await openChat({ one: program() });
    await run('/reload-mcp');
    await configure({ one: { ...program(), timeout: -1 } });
    await expect(run('/reload-mcp')).rejects.toThrow('mcp_servers.one.timeout');
    expect(await run('/mcp')).toContain('one  connected');
  });

  it('does not prevent the process from exiting', async () => {
    // The server never answers, and both timeouts are an hour, so neither ends during the test.
    const clock: Clock = {
      now: systemClock.now,
      sleep: (milliseconds, signal) => systemClock.sleep(milliseconds === 10_000 ? 3_600_000 : milliseconds, signal),
    };
    const { run, runtime } = await openChat({ mute: { ...program('--mute'), connect_timeout: 3600 } }, { clock });
    const reloading = run('/reload-mcp');
    await runtime.close();
    await reloading;
    expect(runtime.servers.states()[0]?.report?.state).not.toBe('ready');
  });
});
