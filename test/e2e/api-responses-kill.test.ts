import OpenAI from 'openai';
import { describe, expect } from 'vitest';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderScript,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { collect } from '../support/api-fixture.ts';

const KEY = 'a-key-of-the-user-with-more-than-32-characters';
const KILLS = 20;
const REQUEST = { model: 'hermes-agent', input: 'Find the walrus', background: true, stream: true } as const;
const LAST = 'I found the walrus on the beach, where it had been all the time. '.repeat(5);

type StreamEvent = OpenAI.Responses.ResponseStreamEvent;
/** An event that the package passes on without knowing it. */
type Discarded = { type: 'keepalive'; hermes: { items: object[] } };

/** Calls a tool and answers, or streams the answer until its reader is gone. */
const script =
  (isStalled: () => boolean): ProviderScript =>
  ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== 'tool') return { text: 'I look.', toolCalls: [{ name: 'todo', arguments: {} }] };
    return isStalled() ? { text: LAST, fault: { type: 'stall', afterEvents: 6 } } : { text: LAST };
  };

/** The numbers of all events, which must be those of one stream. */
function expectWhole(events: readonly StreamEvent[]): void {
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
}

describe('a server that is killed', () => {
  verifies(
    ['SURF-5', 'API-1'],
    'continues the streams of background responses where they were',
    fullDoseOnly,
    async () => {
      let isStalled = true;
      await using provider = await createProviderServer({ script: script(() => isStalled) });
      await using home = await createTemporaryHome({
        'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.url}/v1, api_key: k }
auxiliary: { title_generation: { enabled: false } }
terminal: { backend: local }
`,
      });
      const start = async () => {
        const process = startHermes(['serve', '--port', '0'], { home, env: { API_SERVER_KEY: KEY } });
        const baseURL = (await process.waitForOutput(/http:\/\/\S+\/v1/)).trim();
        return { process, client: new OpenAI({ apiKey: KEY, baseURL, maxRetries: 0 }) };
      };
      let server = await start();
      for (let kill = 0; kill < KILLS; kill += 1) {
        isStalled = true;
        const seen: StreamEvent[] = [];
        let id = '';
        const read = async () => {
          for await (const event of await server.client.responses.create(REQUEST)) {
            if (event.type === 'response.created') id = event.response.id;
            seen.push(event);
            // Each round dies at another event; the last ones are text of the answer.
            if (seen.length === 4 + ((kill * 11) % 15)) server.process.kill('SIGKILL');
          }
        };
        await expect(read()).rejects.toThrow();
        await server.process.exited;
        server = await start();
        const { client } = server;
        const rest = await collect(
          await client.responses.retrieve(id, { stream: true, starting_after: seen.at(-1)?.sequence_number ?? 0 }),
        );
        expectWhole([...seen, ...rest]);
        const all = await collect(await client.responses.retrieve(id, { stream: true }));
        expect(all).toEqual([...seen, ...rest]);
        const stored = await client.responses.retrieve(id);
        expect(stored).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
        expect(all.at(-1)).toMatchObject({ type: 'response.failed', response: { output: stored.output } });
        const texts = all.filter((event) => event.type === 'response.output_text.delta').map(({ delta }) => delta);
        const discarded = (all as (StreamEvent | Discarded)[]).find((event) => event.type === 'keepalive');
        // What was streamed and is not part of the output was discarded.
        expect(discarded !== undefined).toBe(texts.join('') !== stored.output_text);
        const final = await client.responses.stream({ response_id: id }).finalResponse();
        expect(final.output_text).toBe(stored.output_text);
        isStalled = false;
        const next = { ...REQUEST, background: false, stream: false, previous_response_id: id } as const;
        expect(await client.responses.create(next)).toMatchObject({
          status: 'completed',
          output_text: `I look.${LAST}`,
        });
      }
      // A client that waits is gone with the connection, and the response says why there is no answer.
      isStalled = true;
      let lost = '';
      const wait = async () => {
        for await (const event of await server.client.responses.create({ ...REQUEST, background: false })) {
          if (event.type === 'response.created') lost = event.response.id;
          if (event.type === 'response.function_call_arguments.done') server.process.kill('SIGKILL');
        }
      };
      await expect(wait()).rejects.toThrow();
      await server.process.exited;
      server = await start();
      expect(await server.client.responses.retrieve(lost)).toMatchObject({ status: 'failed', output_text: 'I look.' });
      server.process.kill();
      await server.process.exited;
    },
  );
});
