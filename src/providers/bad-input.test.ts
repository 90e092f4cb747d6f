import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { ConfigurationError, HermesError } from '../base/index.ts';
import { normaliseUrl, findUrlProblem } from '../config/index.ts';
import { resolveRoutes } from './index.ts';
import { endpointOf, settingsWith } from './settings.test-helper.ts';

const atAddress = (url: string) => settingsWith({ variables: { OPENAI_BASE_URL: url, HERMES_INFERENCE_MODEL: 'm' } });

/** The message that the user sees. */
function reportOf(act: () => unknown): { message: string; hint: string } {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return { message: thrown.message, hint: thrown.hint ?? '' };
    throw thrown;
  }
  throw new Error('nothing was wrong');
}

describe('a base URL', () => {
  verifies('BOUND-2', 'without a scheme is rejected with a correction', () => {
    for (const [written, meant] of [
      ['localhost:1234/v1', 'http://localhost:1234/v1'],
      ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
      ['[::1]:8080/v1', 'http://[::1]:8080/v1'],
      ['gpu-box:8000/v1', 'http://gpu-box:8000/v1'],
      ['api.example.com/v1', 'https://api.example.com/v1'],
    ]) {
      const { message, hint } = reportOf(() => resolveRoutes(atAddress(written as string)));
      expect(message).toBe(
        `The base URL from OPENAI_BASE_URL in the environment must be a URL that includes its scheme: ${meant}.`,
      );
      expect(hint).toContain(`Write ${meant}`);
    }
    for (const written of ['nowhere', 'ftp://h/v1', '/v1', '://']) {
      expect(reportOf(() => resolveRoutes(atAddress(written))).message).toMatch(/must be a URL such as/);
    }
  });

  verifies('BOUND-2', 'with spaces or a line break is rejected', () => {
    for (const written of ['http://h/v1 ', ' http://h/v1', 'http://h/ v1', 'http://h\n/v1', 'http://h/v1\n']) {
      expect(reportOf(() => resolveRoutes(atAddress(written))).message).toMatch(/without spaces or line breaks/);
    }
  });

  verifies('BOUND-2', 'with the path of a call loses it with a warning, and determines the API mode', async () => {
    for (const [end, mode] of [
      ['/chat/completions', 'chat_completions'],
      ['/chat/completions/', 'chat_completions'],
      ['/responses', 'codex_responses'],
      ['/messages', 'anthropic_messages'],
    ]) {
      const settings = atAddress(`http://127.0.0.1:1/v1${end}`);
      const resolved = resolveRoutes(settings);
      expect(await resolved?.routes[0]?.open()).toMatchObject({ baseUrl: 'http://127.0.0.1:1/v1', apiMode: mode });
      expect(resolved?.warnings).toEqual([
        expect.stringMatching(
          /OPENAI_BASE_URL in the environment ends with .* Change it to http:\/\/127\.0\.0\.1:1\/v1\./,
        ),
      ]);
    }
    // The API mode of the provider table row and the query string are kept.
    const model = { provider: 'deepseek', model: 'm', apiKey: 'k', baseUrl: 'https://api.deepseek.com/v1/messages' };
    expect(endpointOf(settingsWith({ model })).providerApiMode).toBe('chat_completions');
    expect(normaliseUrl('https://h/v1/responses?api-version=1').baseUrl).toBe('https://h/v1?api-version=1');
    const lab = {
      name: 'lab',
      baseUrl: 'https://lab.example/v1/responses',
      model: 'm',
      apiMode: 'chat_completions',
    } as const;
    expect(endpointOf(settingsWith({ customProviders: [lab] }), { provider: 'lab' })).toMatchObject({
      baseUrl: 'https://lab.example/v1',
      providerApiMode: 'chat_completions',
    });
  });

  verifies('BOUND-2', 'is never shown if it may contain a password', () => {
    const word = fc.stringMatching(/^[a-z\d]{1,8}$/);
    const secret = fc.stringMatching(/^[A-Z\d]{12}$/);
    const around = fc.tuple(fc.constantFrom('', 'https://', 'http:', '//', 'ftp://', ' https://', 'h'), word, word);
    fc.assert(
      fc.property(around, secret, fc.boolean(), ([scheme, user, host], password, withUser) => {
        const address = `${scheme}${withUser ? `${user}:` : ''}${password}@${host}/v1`;
        const fault = findUrlProblem(address);
        expect(fault?.expected).toMatch(/without a user name or password/);
        expect(JSON.stringify(fault)).not.toContain(password);
      }),
    );
  });

  it('of any form is either valid or rejected with a message, and normalising it is idempotent', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true })), (text) => {
        if (findUrlProblem(text) !== undefined) return;
        const once = normaliseUrl(text);
        expect(findUrlProblem(once.baseUrl)).toBeUndefined();
        expect(normaliseUrl(once.baseUrl).baseUrl.length).toBeLessThanOrEqual(once.baseUrl.length);
      }),
    );
  });
});

describe('a key', () => {
  const wrong = [
    ['sk-line\nbreak', 'a line break'],
    ['sk-end\n', 'a line break'],
    ['sk with space', 'a space'],
    ['"sk-quoted"', 'quotes'],
    ["'sk-quoted", 'quotes'],
    ['sk-ünique', 'an invalid character'],
  ] as const;

  verifies('BOUND-2', 'that is invalid is reported with its location and never shown', () => {
    for (const [secret, problem] of wrong) {
      const variables = { DEEPSEEK_API_KEY: secret };
      const exported = reportOf(() => resolveRoutes(settingsWith({ variables }), { provider: 'deepseek' }));
      expect(exported.message).toBe(`The key from DEEPSEEK_API_KEY in the environment contains ${problem}.`);
      const savedVariables = new Set(['DEEPSEEK_API_KEY']);
      const saved = reportOf(() =>
        resolveRoutes(settingsWith({ variables, savedVariables }), { provider: 'deepseek' }),
      );
      expect(saved.message).toContain('DEEPSEEK_API_KEY in /home/of/hermes/.env contains');
      const model = { provider: 'openai', apiKey: secret, apiKeyLocation: 'config.yaml, line 3: model.api_key' };
      const written = reportOf(() => resolveRoutes(settingsWith({ model })));
      expect(written.message).toContain('config.yaml, line 3: model.api_key contains');
      expect(JSON.stringify([exported, saved, written])).not.toMatch(/sk[- ]|ünique|quoted/);
    }
  });
});

describe('the name of a provider', () => {
  verifies('BOUND-2', 'that is unknown is answered with similar names', () => {
    const hintFor = (provider: string) => {
      const lab = { name: 'lab', baseUrl: 'http://l/v1' };
      return reportOf(() => resolveRoutes(settingsWith({ customProviders: [lab] }), { provider })).hint;
    };
    expect(hintFor('opnrouter')).toMatch(/^Did you mean openrouter/);
    expect(hintFor('antropic')).toMatch(/^Did you mean anthropic/);
    expect(hintFor('labb')).toMatch(/^Did you mean lab/);
    expect(hintFor('zzzzzzzz')).toMatch(/^Known providers include lab, openrouter, .*Run `hermes setup` to see all/);
  });

  it('of any form gives a readable message', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (provider) => {
        // None of the results contains the key.
        const act = () => resolveRoutes(settingsWith(), { provider: `${provider} ` });
        expect(act).toThrow(HermesError);
      }),
    );
  });
});
