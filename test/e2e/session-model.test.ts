import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { configFor } from '../support/provider-config.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';
import { waitUntil } from '../support/wait-until.ts';

const cli = useCliFixture();
const openTerminal = (...args: string[]) => startTerminal(cli.home, args);
const names = () => cli.server.requests.map(({ model }) => model);
const leave = async (chat: ReturnType<typeof openTerminal>) => {
  chat.type('\u0004');
  expect(await chat.exited).toBe(0);
};
/** A second custom endpoint at the same server. */
const lab = () => `custom_providers:\n  - { name: lab, base_url: "${cli.server.url}/v1", key_env: LAB_KEY }\n`;

describe('/model', () => {
  verifies(
    ['PROV-11', 'PROMPT-2'],
    'continues with the same history and another model, whose name is in the prompt; a resume reports it',
    async () => {
      await cli.configure(lab());
      await cli.home.write('.env', 'LAB_KEY=lab-key\n');
      cli.server.setScript((request) => ({ text: `I am ${request.model}.` }));
      const chat = openTerminal('chat', 'one');
      await chat.see('I am test-model.');
      chat.type('/model\r');
      await chat.see('test-model (custom)');
      chat.type('/model lab other-model\r');
      await chat.see('Now using other-model (lab) in this session.');
      await chat.see('does not list a model "other-model"');
      chat.type('two\r');
      await chat.see('I am other-model.');
      const [first, second] = cli.server.requests;
      expect(first?.system).toContain('Model: test-model, provider: custom.');
      expect(second?.system).toBe(first?.system.replace('test-model, provider: custom', 'other-model, provider: lab'));
      expect(second?.headers['authorization']).toBe('Bearer lab-key');
      expect(second?.rawBody).toContain('I am test-model.');
      await leave(chat);
      expect(await cli.home.read('config.yaml')).toContain('default: test-model');

      const later = openTerminal('--continue');
      await later.see('The model changed from other-model to test-model');
      later.type('/model lab/other-model\r');
      await later.see('Now using other-model (lab)');
      later.type('three\r');
      await later.see('I am other-model.');
      expect(cli.server.requests.at(-1)?.system).toBe(second?.system);
      expect(names()).toEqual(['test-model', 'other-model', 'other-model']);
      await leave(later);
    },
  );

  verifies('PROV-11', 'keeps the old model after an error', fullDoseOnly, async () => {
    await cli.configure();
    cli.server.setScript((request) => ({ text: `I am ${request.model}.` }));
    const chat = openTerminal('chat', 'one');
    await chat.see('I am test-model.');
    for (const [typed, words] of [
      ['/model anthropic claude-sonnet-5', 'No API key was found for Anthropic'],
      ['/model opnrouter x', '"opnrouter" is not a known provider'],
      ['/model a b c', 'Too many words: expected a provider and a model'],
      ['/model x --globl', 'Unknown option --globl'],
    ] as const) {
      chat.type(`${typed}\r`);
      await chat.see(words);
    }
    chat.type('two\r');
    await chat.see('I am test-model.');
    expect(names()).toEqual(['test-model', 'test-model']);
    await leave(chat);
  });

  verifies(
    ['PROV-8', 'PROV-11'],
    'auxiliary tasks follow the model, unless one is configured for them',
    fullDoseOnly,
    async () => {
      const titleModel = 'auxiliary: { title_generation: { provider: custom, model: title-model } }\n';
      for (const [config, expected] of [
        ['', ['other-model', 'other-model']],
        [titleModel, ['other-model', 'title-model']],
      ] as const) {
        await cli.home.write('config.yaml', `${configFor(cli.server)}${lab()}${config}`);
        await cli.home.write('.env', 'LAB_KEY=lab-key\n');
        cli.server.setScript((request) => ({ text: `I am ${request.model}.` }));
        const before = cli.server.requests.length;
        const chat = openTerminal();
        await chat.see('❯');
        chat.type('/model lab other-model\r');
        await chat.see('Now using other-model (lab) in this session.');
        chat.type('two\r');
        await chat.see('I am other-model.');
        await waitUntil(() => expect(names().slice(before)).toEqual(expected));
        await leave(chat);
      }
    },
  );

  verifies(
    'PROV-11',
    '--save also applies to later sessions, immediately and after a restart',
    fullDoseOnly,
    async () => {
      await cli.configure('# kept\n');
      cli.server.setScript((request) => ({ text: `I am ${request.model}.` }));
      const before = await cli.home.read('config.yaml');
      const chat = openTerminal('chat', 'one');
      await chat.see('I am test-model.');
      chat.type('/model second-model --save\r');
      await chat.see('Saved: second-model (custom).');
      expect(await cli.home.read('config.yaml')).toBe(before.replace('test-model', 'second-model'));
      chat.type('/new\r');
      await chat.see('Started a new session with second-model (custom)');
      chat.type('two\r');
      await chat.see('I am second-model.');
      expect(cli.server.requests.at(-1)?.headers['authorization']).toBe('Bearer test-key');
      await leave(chat);
      expect(await runHermes(['-z', 'hi'], { home: cli.home })).toMatchObject({ stdout: 'I am second-model.\n' });
    },
  );
});

describe('/reasoning and /fast', () => {
  it('set the parameters of the next request, report unsupported models, and can be saved', async () => {
    await cli.home.write(
      'config.yaml',
      `model:\n  provider: custom\n  default: gpt-5.4\n  base_url: ${cli.server.url}/v1\n  api_mode: codex_responses\n` +
        'auxiliary:\n  title_generation:\n    enabled: false\nagent: # mine\n  max_turns: 9\n',
    );
    const chat = openTerminal('chat', 'one');
    await chat.see('ok');
    chat.type('/reasoning\r');
    await chat.see('Reasoning effort: provider default.');
    chat.type('/reasoning lots\r');
    await chat.see('"lots" is not a known effort level');
    chat.type('/reasoning high\r');
    await chat.see('Reasoning effort: high, for this session.');
    chat.type('/fast on --save\r');
    await chat.see('Priority service tier: on, saved.');
    chat.type('two\r');
    await chat.see('ok');
    expect(JSON.parse(cli.server.requests.at(-1)?.rawBody ?? '')).toMatchObject({
      reasoning: { effort: 'high' },
      service_tier: 'priority',
    });
    expect(await cli.home.read('config.yaml')).toContain('agent: # mine\n  max_turns: 9\n  service_tier: fast\n');
    chat.type('/model gpt-4.1\r');
    await chat.see('Now using gpt-4.1 (custom)');
    chat.type('/reasoning low\r');
    await chat.see('gpt-4.1 does not support effort levels');
    chat.type('/fast off\r');
    await chat.see('Priority service tier: off, for this session.');
    await leave(chat);
  });
});
