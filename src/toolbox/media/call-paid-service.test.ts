import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { PNG } from '../../../test/support/sample-files.ts';
import { HermesError, type JsonObject } from '../../base/index.ts';
import type { ImageBackend, PaidCallLog, PaidCall, ChargedAmount } from '../../contracts/index.ts';
import { createWebServer } from '../web/web-server.fixture.ts';
import { createToolFixture, errorOf } from '../tools.fixture.ts';
import { IMAGE_SERVICES } from './image-services.ts';
import { SPEECH_SERVICES } from './speech-services.ts';

const MADE = { data: [{ b64_json: PNG.toString('base64') }] };

function createBook() {
  const begun: PaidCall[] = [];
  const paid: ChargedAmount[] = [];
  const mediaAccount: PaidCallLog = {
    async begin(call) {
      begun.push(call);
      return async (taken) => void paid.push(taken);
    },
  };
  return { begun, paid, mediaAccount };
}

async function draw(answer: JsonObject, mediaAccount: PaidCallLog, status = 200) {
  await using server = await createWebServer((_seen, response) => {
    response.statusCode = status;
    response.end(JSON.stringify(answer));
  });
  const imageMaker = { backend: 'openai', key: 'k', url: server.url, model: undefined } as const;
  await using fixture = await createToolFixture({
    set: { services: { imageService: imageMaker, paidCallLog: mediaAccount } },
  });
  return {
    ...(await fixture.run('image_generate', { prompt: 'a cat' })),
    url: server.url,
    asked: server.requests.length,
  };
}

describe('the cost of a paid call', () => {
  verifies('CALL-11', 'is recorded for the turn as the service reports it', async () => {
    const { begun, paid, mediaAccount } = createBook();
    const usage = { input_tokens: 12, output_tokens: 4000, total_tokens: 4012 };
    const { status, url } = await draw({ ...MADE, usage }, mediaAccount);
    expect(status).toBe('ok');
    const whom = { provider: 'openai', model: 'gpt-image-1', baseUrl: url, sessionId: 's', taskId: 't' };
    expect(begun).toEqual([{ purpose: 'image_generate', ...whom }]);
    expect(paid).toMatchObject([{ usage: { input: 12, output: 4000 } }]);
  });

  verifies('CALL-11', 'is recorded for an unusable response too, and not without a response', async () => {
    const { paid, mediaAccount } = createBook();
    expect(errorOf(await draw({ data: [] }, mediaAccount))).toContain('contains no image');
    expect(paid).toHaveLength(1);
    expect(errorOf(await draw({}, mediaAccount, 429))).toContain('status 429');
    expect(paid).toHaveLength(1);
  });

  verifies('CALL-11', 'does not discard the paid result if it cannot be recorded', async () => {
    const begin = async () => () => Promise.reject(new Error('the disk is full'));
    const { status, content } = await draw(MADE, { begin });
    expect([status, content]).toEqual(['ok', expect.stringContaining('.png')]);
  });

  verifies('LOOP-13', 'prevents the call if a spending limit is reached', async () => {
    const begin = () => Promise.reject(new HermesError('The limit limits.day_usd of 1 USD is reached.'));
    const outcome = await draw(MADE, { begin });
    expect(errorOf(outcome)).toBe('Nothing was generated. The limit limits.day_usd of 1 USD is reached.');
    expect(outcome.asked).toBe(0);
  });

  it('is parsed in the format of each service that reports it', () => {
    const image = (name: ImageBackend, answer: JsonObject) => IMAGE_SERVICES[name].chargedAmount?.(answer);
    expect(image('xai', { usage: { cost_in_usd_ticks: 200_000_000 } })).toEqual({ usd: 0.02 });
    const routed = { usage: { cost: 0.039, prompt_tokens: 8, completion_tokens: 1290 } };
    expect(image('openrouter', routed)).toMatchObject({ usd: 0.039, usage: { input: 8, output: 1290 } });
    expect(image('fal', { images: [] })).toBeUndefined();
    const spoken = { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 90 } };
    expect(SPEECH_SERVICES.gemini.chargedAmount?.(spoken)).toMatchObject({ usage: { input: 5, output: 90 } });
  });

  it('is ignored if it is impossible', () => {
    const services = [...Object.values(IMAGE_SERVICES), ...Object.values(SPEECH_SERVICES)];
    const figure = fc.oneof(fc.double(), fc.integer(), fc.jsonValue());
    const names = ['cost', 'cost_in_usd_ticks', 'input_tokens', 'output_tokens', 'prompt_tokens', 'promptTokenCount'];
    const said = fc.dictionary(fc.constantFrom(...names), figure);
    fc.assert(
      fc.property(said, fc.constantFrom('usage', 'usageMetadata'), (values, key) => {
        for (const service of services) {
          const { usd = 0, usage } = service.chargedAmount?.({ [key]: values as JsonObject }) ?? {};
          expect(usd >= 0 && usd <= 1e6).toBe(true);
          for (const count of Object.values(usage ?? {})) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
        }
      }),
    );
  });
});
