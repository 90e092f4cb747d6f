import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { calling, readEvents, withRoutes } from '../../test/support/agent-fixture.ts';
import type { ApiMode, RouteSource } from '../contracts/index.ts';
import { createProviderServer, type ProviderServer, type ReceivedRequest } from '../testing/index.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';
import { findProvider, providerAt } from './find-provider.ts';
import { openRoute } from './route-candidate.ts';
import type { ProviderRow } from './provider-row.ts';
import { LOGINS } from './oauth/login-table.ts';
import { PROVIDERS } from './provider-table.ts';
import { settingsWith } from './settings.test-helper.ts';

const KEY = 'the-key-of-this-row';
/** The call path of each API mode, relative to the base URL. */
const PATHS: Record<ApiMode, string> = {
  chat_completions: '/chat/completions',
  codex_responses: '/responses',
  anthropic_messages: '/messages',
  ollama_chat: '/api/chat',
};

type Served = { row: ProviderRow; model: string; apiMode: ApiMode; title: string };

/**
 * Each row with its default model, and once more for each model rule. Those in a cloud are tested with their logins, in
 * `cloud/`.
 */
const SERVED: readonly Served[] = PROVIDERS.filter(
  (row) => row.authType !== 'command' && row.authType !== 'cloud',
).flatMap((row) => {
  const plain = { row, model: row.defaultModel ?? 'some-model', apiMode: row.apiMode ?? ('chat_completions' as const) };
  const models = (row.modelRules ?? []).flatMap((rule) =>
    rule.models.map((beginning) => ({ row, model: `${beginning}x`, apiMode: rule.apiMode ?? plain.apiMode })),
  );
  const isPlain = !row.modelRules?.some((rule) => rule.models.some((beginning) => plain.model.startsWith(beginning)));
  return [...(isPlain ? [plain] : []), ...models].map((one) => ({ ...one, title: `${row.id} with ${one.model}` }));
});

describe('every row of the table', () => {
  it('has a normalised URL by which it is found', () => {
    for (const { id, baseUrl, authType } of PROVIDERS) {
      if (baseUrl === undefined || authType === 'command') continue;
      expect([id, baseUrl.startsWith(new URL(baseUrl).origin)]).toEqual([id, true]);
      expect([id, providerAt(baseUrl)?.baseUrl]).toEqual([id, baseUrl]);
    }
  });

  for (const { row, model, apiMode, title } of SERVED) {
    verifies('PROV-3', `${title} completes a conversation with a tool call over ${apiMode}`, async () => {
      await using server = await createProviderServer({
        script: [calling('echo', { text: 'from the model' }), { text: 'All done.' }],
      });
      const endpoint = toEndpoint(settingsWith(), {
        provider: row.id,
        model,
        apiKey: KEY,
        baseUrl: row.baseUrl === undefined ? 'https://own.example/v1' : undefined,
      });
      await withRoutes([redirected(endpoint, server)], async ({ agent }) => {
        const { result } = await readEvents(agent.run({ userMessage: 'use the tool' }));
        expect(result).toMatchObject({ completed: true, finalResponse: 'All done.', model });
      });
      expect(server.requests).toHaveLength(2);
      for (const request of server.requests) expectAsTheRowSays(request, { row, model, apiMode });
      expect(server.requests[1]?.toolResults).toMatchObject([{ content: 'echo: from the model' }]);
    });
  }
});

/** The same endpoint on this machine: only host and port differ. */
function redirected(endpoint: Endpoint, server: ProviderServer): RouteSource {
  const { host } = new URL(server.url);
  const baseUrl = server.url + new URL(endpoint.baseUrl).pathname.replace(/\/$/, '');
  const credential = endpoint.credential && { ...endpoint.credential, hosts: [host] };
  return { ...endpoint, open: () => openRoute({ ...endpoint, baseUrl, credential }) };
}

function expectAsTheRowSays(request: ReceivedRequest, { row, model, apiMode }: Omit<Served, 'title'>): void {
  const { quirks = {}, headers = {}, baseUrl = 'https://own.example/v1' } = row;
  const base = new URL(baseUrl).pathname.replace(apiMode === 'ollama_chat' ? /\/v1$/ : /\/$/, '');
  const version = apiMode === 'anthropic_messages' && !base.endsWith('/v1') ? '/v1' : '';
  expect(request).toMatchObject({
    apiMode,
    path: `${base}${version}${PATHS[apiMode]}`,
    model,
    stream: true,
    faults: [],
  });
  const isBearer = (quirks.authHeader ?? (apiMode === 'anthropic_messages' ? 'x-api-key' : 'bearer')) === 'bearer';
  expect(request.headers.authorization).toBe(isBearer ? `Bearer ${KEY}` : undefined);
  expect(request.headers['x-api-key']).toBe(isBearer ? undefined : KEY);
  expect(request.headers).toMatchObject(headers);
  expect(request.toolNames).toEqual(['echo']);
  expect(request.system).toContain('Prompt for');
  // The key is only in the header and nowhere else in the request.
  expect(request.rawBody).not.toContain(KEY);
}

describe('the provider table', () => {
  verifies('PROV-3', 'has all documented providers, under each of their names', () => {
    const names = [
      'ai-gateway',
      'openrouter',
      'nous',
      'openai',
      'openai-codex',
      'copilot',
      'copilot-acp',
      'anthropic',
      'gemini',
      'alibaba',
      'deepseek',
      'zai',
      'kimi-coding',
      'minimax',
      'minimax-cn',
      'kilocode',
      'huggingface',
      'opencode-zen',
      'opencode-go',
      'xai',
      'ollama',
      'lmstudio',
      'llamacpp',
      'vllm',
      'custom',
      'openai-api',
      'claude',
      'codex',
      'dashscope',
      'qwen',
      'glm',
      'kimi',
      'moonshot',
      'kilo',
      'hf',
      'grok',
      'google',
      'kimi-coding-cn',
      'alibaba-coding-plan',
      'qwen-oauth',
      'minimax-oauth',
      'fireworks-ai',
      'novita-ai',
      'solar',
      'bedrock',
      'vertex',
      'azure',
    ];
    for (const name of names)
      expect(findProvider({ customProviders: [] }, name)).toMatchObject({ id: expect.any(String) });
  });

  it('has each name once, in lower case', () => {
    const names = PROVIDERS.flatMap((row) => [row.id, ...(row.aliases ?? [])]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => name !== name.toLowerCase())).toEqual([]);
  });

  it('is consistent', () => {
    for (const row of PROVIDERS) expect([row.id, faultsOf(row)]).toEqual([row.id, []]);
  });
});

/** Mistakes that would silently make a row useless. */
function faultsOf({ authType, keyVariables, sharedVariables = [], baseUrl, local, ...row }: ProviderRow): string[] {
  const url = URL.parse(baseUrl ?? '');
  const rules = row.modelRules?.flatMap((rule) => rule.models) ?? [];
  const found = {
    'a shared variable is not one of its own': !sharedVariables.every((name) => keyVariables.includes(name)),
    'it requires a key and has no variable': authType === 'api_key' && keyVariables.length === 0,
    'it requires a login that does not exist': authType === 'login' && !Object.hasOwn(LOGINS, row.id),
    'its cloud is not described': (authType === 'cloud') !== (row.cloud !== undefined),
    'it is a program and names none': (authType === 'command') !== (row.command !== undefined),
    'its address is not safe': url !== null && authType !== 'command' && url.protocol !== (local ? 'http:' : 'https:'),
    'its address ends with a slash': baseUrl?.endsWith('/') === true,
    'a rule would never fit': rules.some((name) => name !== name.toLowerCase()),
  };
  return Object.keys(found).filter((fault) => found[fault as keyof typeof found]);
}

describe('rows with model rules', () => {
  const servedAs = (provider: string, model: string) =>
    toEndpoint(settingsWith(), { provider, model, apiKey: KEY }).providerApiMode;

  it('serve each model family with the API of its vendor', () => {
    expect(servedAs('opencode-zen', 'claude-sonnet-5')).toBe('anthropic_messages');
    expect(servedAs('opencode-zen', 'gpt-5.6-terra')).toBe('codex_responses');
    expect(servedAs('opencode-zen', 'glm-5.3')).toBe('chat_completions');
    expect(servedAs('opencode-go', 'minimax-m3')).toBe('anthropic_messages');
    expect(servedAs('opencode-go', 'Qwen3.7-Plus')).toBe('anthropic_messages');
    expect(servedAs('copilot', 'gpt-5.4')).toBe('codex_responses');
    expect(servedAs('copilot', 'gpt-5-mini')).toBe('chat_completions');
    expect(servedAs('copilot', 'claude-sonnet-5')).toBe('chat_completions');
  });

  it('send the key in the right header', () => {
    const header = (provider: string) =>
      toEndpoint(settingsWith(), { provider, model: 'm', apiKey: KEY }).quirks?.authHeader;
    // The MiniMax providers use Anthropic's API but expect the key as a bearer token.
    for (const provider of ['minimax', 'minimax-cn', 'minimax-oauth']) expect(header(provider)).toBe('bearer');
    for (const provider of ['anthropic', 'kimi-code']) expect(header(provider)).toBeUndefined();
  });

  it('merge the quirks of a rule over those of the row, also at a configured address', () => {
    const baseUrl = 'https://api.openai.com/v1/';
    const saved = toEndpoint(settingsWith(), { provider: 'custom', model: 'GPT-5.6', baseUrl, apiKey: KEY });
    expect(saved).toMatchObject({
      providerApiMode: 'codex_responses',
      quirks: { systemRole: 'developer', toolResultImages: true },
    });
    const other = toEndpoint(settingsWith(), { provider: 'openai', model: 'gpt-4.1', apiKey: KEY });
    expect(other.quirks?.systemRole).toBeUndefined();
  });
});
