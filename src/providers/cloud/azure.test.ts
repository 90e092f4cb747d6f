import { chmod } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { readEvents, withRoutes } from '../../../test/support/agent-fixture.ts';
import { startLoopback, sendJson } from '../../llm/loopback.test-helper.ts';
import { diagnoseRoutes } from '../diagnosis/index.ts';
import { resolveRoutes } from '../resolve-routes.ts';
import { describeRoutes } from '../describe-routes.ts';
import { settingsWith } from '../settings.test-helper.ts';
import { ask, failureOf, openIn, recorded } from '../../../test/support/cloud-routes.ts';
import {
  type CloudHandler,
  type CloudReply,
  type CloudRequest,
  startCloud,
} from '../../../test/support/cloud-server.ts';

const CHOICE = { provider: 'azure', model: 'my-deployment' };
const RESOURCE = { AZURE_OPENAI_ENDPOINT: 'https://my-resource.openai.azure.com/' };
const TOKEN = 'eyJ0eXAi.entra-token-1.sig';
const CLIENT = { AZURE_TENANT_ID: 'tenant-1', AZURE_CLIENT_ID: 'client-1', AZURE_CLIENT_SECRET: 'client-secret-1' };
/** Nothing listens there, so that the metadata server of this machine is not asked. */
const NO_MACHINE = { AZURE_POD_IDENTITY_AUTHORITY_HOST: 'http://127.0.0.1:9' };

const azure =
  (header: Record<string, string>, login: CloudHandler = () => undefined): CloudHandler =>
  (request) => {
    if (!/\.openai\.azure\.(?:com|us)$/.test(request.host)) return login(request);
    const [[name, value] = ['', '']] = Object.entries(header);
    const credentials = ['authorization', 'api-key', 'x-api-key'].filter((one) => request.headers[one] !== undefined);
    const isRight = request.headers[name] === value && credentials.length === 1;
    if (!isRight)
      return { status: 401, body: { error: { code: '401', message: 'Access denied due to invalid credentials.' } } };
    const isSecond = request.body.includes('"role":"tool"');
    return {
      type: 'text/event-stream',
      body: recorded(request.body.includes('echo') && !isSecond ? 'chat-copilot-calls.sse' : 'chat-text.sse'),
    };
  };

function entra({ host, url, body }: CloudRequest): CloudReply | undefined {
  if (host !== 'login.microsoftonline.com' || url !== '/tenant-1/oauth2/v2.0/token') return undefined;
  const fields = Object.fromEntries(new URLSearchParams(body));
  const { grant_type: grant, client_id: client, scope, client_secret: secret, client_assertion: assertion } = fields;
  const isRight =
    grant === 'client_credentials' && client === 'client-1' && scope === 'https://cognitiveservices.azure.com/.default';
  if (!isRight || (secret !== 'client-secret-1' && assertion !== 'federated-jwt'))
    return {
      status: 401,
      body: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret provided.' },
    };
  return { body: { token_type: 'Bearer', expires_in: 3599, access_token: TOKEN } };
}

describe('Azure OpenAI', () => {
  verifies(['PROV-3', 'PROV-4'], 'signs in with a client secret, once until the token expires', async () => {
    await using cloud = await startCloud(azure({ authorization: `Bearer ${TOKEN}` }, entra));
    const route = await openIn(cloud, CHOICE, { ...RESOURCE, ...CLIENT });
    expect(route.baseUrl).toBe('https://my-resource.openai.azure.com/openai/v1');
    await ask(route);
    await ask(route);
    expect(cloud.requests.map(({ host }) => host)).toEqual([
      'login.microsoftonline.com',
      'my-resource.openai.azure.com',
      'my-resource.openai.azure.com',
    ]);
    expect(cloud.requests[1]?.url).toBe('/openai/v1/chat/completions');
    expect(JSON.parse(cloud.requests[1]?.body ?? '')).toMatchObject({ model: 'my-deployment', stream: true });
    expect(JSON.stringify(cloud.requests[1])).not.toContain('client-secret-1');
  });

  verifies('PROV-3', 'completes a conversation with a tool call', async () => {
    await using cloud = await startCloud(azure({ authorization: `Bearer ${TOKEN}` }, entra));
    const source = { ...CHOICE, open: () => openIn(cloud, CHOICE, { ...RESOURCE, ...CLIENT }) };
    await withRoutes([source], async ({ agent }) => {
      const { result } = await readEvents(agent.run({ userMessage: 'use the tool' }));
      expect(result).toMatchObject({ completed: true });
    });
    expect(cloud.requests.at(-1)?.body).toContain('"role":"tool"');
  });

  verifies('PROV-3', 'uses a federated token, a managed identity and the Azure command line', async () => {
    await using cloud = await startCloud(azure({ authorization: `Bearer ${TOKEN}` }, entra));
    const { AZURE_CLIENT_SECRET: _, ...workload } = CLIENT;
    const file = await cloud.write('token', 'federated-jwt\n');
    await ask(await openIn(cloud, CHOICE, { ...RESOURCE, ...workload, AZURE_FEDERATED_TOKEN_FILE: file }));

    const identity = await startLoopback((response, { request }) => {
      const url = new URL(request.url ?? '', 'http://x');
      const isService = url.pathname === '/msi' && request.headers['x-identity-header'] === 'identity-header-1';
      const isMachine = url.pathname === '/metadata/identity/oauth2/token' && request.headers['metadata'] === 'true';
      const isRight = url.searchParams.get('resource') === 'https://cognitiveservices.azure.com';
      const expires = String(Math.floor(Date.now() / 1000) + 3600);
      sendJson(response, isRight && (isService || isMachine) ? 200 : 400, { access_token: TOKEN, expires_on: expires });
    });
    const service = { IDENTITY_ENDPOINT: `${identity.url}/msi`, IDENTITY_HEADER: 'identity-header-1' };
    await ask(await openIn(cloud, CHOICE, { ...RESOURCE, ...service }));
    await ask(await openIn(cloud, CHOICE, { ...RESOURCE, AZURE_POD_IDENTITY_AUTHORITY_HOST: identity.url }));
    await identity.close();

    await cloud.write(
      'az',
      `#!/bin/sh\n[ "$1 $2" = "account get-access-token" ] || exit 1\n[ -z "$OPENAI_API_KEY" ] || exit 3\nprintf '{"accessToken":"${TOKEN}","expires_on":4070908800}'\n`,
    );
    await chmod(`${cloud.home}/az`, 0o755);
    await ask(await openIn(cloud, CHOICE, { ...RESOURCE, ...NO_MACHINE, OPENAI_API_KEY: 'sk-other-key-123456' }));
    expect(cloud.hosts().toSorted()).toEqual(['login.microsoftonline.com', 'my-resource.openai.azure.com']);
  });

  verifies('PROV-4', 'sends a key in its own header, and only to a host of Azure', async () => {
    await using cloud = await startCloud(azure({ 'api-key': 'azure-key-0123456789' }));
    const key = { AZURE_OPENAI_API_KEY: 'azure-key-0123456789' };
    await ask(await openIn(cloud, CHOICE, { ...RESOURCE, ...key }));
    await ask(await openIn(cloud, CHOICE, key, { providers: { azure: { resource: 'my-resource' } } }));
    await ask(await openIn(cloud, { ...CHOICE, baseUrl: 'https://my-resource.openai.azure.com/openai/v1' }, key));
    for (const endpoint of [
      'https://evil.example',
      'https://my.openai.azure.com.evil.example',
      'http://my.openai.azure.com',
    ]) {
      const failed = await failureOf(openIn(cloud, CHOICE, { ...key, AZURE_OPENAI_ENDPOINT: endpoint }));
      expect(failed.message).toContain('is not an https host of Azure OpenAI');
      const written = { ...CHOICE, baseUrl: `${endpoint}/openai/v1` };
      expect(() => openIn(cloud, written, key)).toThrow(/No API key was found/);
    }
    expect(cloud.hosts()).toEqual(['my-resource.openai.azure.com']);
  });

  verifies('PROV-4', 'still accepts a custom endpoint with its own key, or with the general one', async () => {
    await using cloud = await startCloud(azure({ 'api-key': 'own-key-0123456789' }));
    const baseUrl = 'https://my-resource.openai.azure.com/openai/v1';
    await ask(await openIn(cloud, { provider: 'custom', model: 'm', baseUrl, apiKey: 'own-key-0123456789' }));
    const general = { OPENAI_API_KEY: 'own-key-0123456789' };
    await ask(await openIn(cloud, { provider: 'custom', model: 'm', baseUrl, sharedKey: true }, general));
    expect(cloud.requests).toHaveLength(2);
  });

  it('uses the hosts of a sovereign cloud', async () => {
    await using cloud = await startCloud(
      azure({ authorization: `Bearer ${TOKEN}` }, ({ host, body }) =>
        host === 'login.microsoftonline.us' &&
        body.includes(encodeURIComponent('https://cognitiveservices.azure.us/.default'))
          ? { body: { access_token: TOKEN, expires_in: 3599 } }
          : undefined,
      ),
    );
    await ask(await openIn(cloud, CHOICE, { ...CLIENT, AZURE_OPENAI_ENDPOINT: 'https://gov.openai.azure.us' }));
    expect(cloud.hosts()).toEqual(['login.microsoftonline.us', 'gov.openai.azure.us']);
  });

  it('says what is missing, and repeats what Entra said without the secret', async () => {
    await using cloud = await startCloud(azure({ authorization: `Bearer ${TOKEN}` }, entra));
    const none = await failureOf(openIn(cloud, CHOICE, { ...RESOURCE, ...NO_MACHINE }));
    expect([none.message, none.hint].join(' ')).toMatch(/No Azure login was found for Azure OpenAI.*az login/);
    const wrong = await failureOf(
      openIn(cloud, CHOICE, { ...RESOURCE, ...CLIENT, AZURE_CLIENT_SECRET: 'wrong-secret-99' }),
    );
    expect(wrong.message).toContain('AADSTS7000215');
    expect(wrong.message).not.toContain('wrong-secret-99');
    await expect(openIn(cloud, CHOICE)).rejects.toThrow('No resource is set for Azure OpenAI');
    const incomplete = settingsWith({ home: cloud.home, model: CHOICE });
    expect(await diagnoseRoutes(incomplete, { offline: true })).toMatchObject([
      { status: 'wrong', message: 'No resource is set for Azure OpenAI.' },
    ]);
    const [described] = await describeRoutes(incomplete);
    expect([described?.baseUrl, described?.problem?.message]).toEqual([
      undefined,
      'No resource is set for Azure OpenAI.',
    ]);
  });

  it('is described with its real address, and sends the headers of the user there', async () => {
    await using cloud = await startCloud(azure({ 'api-key': 'azure-key-0123456789' }));
    const settings = settingsWith({
      home: cloud.home,
      model: CHOICE,
      variables: { ...cloud.variables, ...RESOURCE, AZURE_OPENAI_API_KEY: 'azure-key-0123456789' },
      providers: { azure: { request: { headers: { 'x-team': 'blue' }, secrets: [], location: 'config.yaml' } } },
    });
    expect(await describeRoutes(settings)).toMatchObject([
      { provider: 'azure', baseUrl: 'https://my-resource.openai.azure.com/openai/v1', apiMode: 'chat_completions' },
    ]);
    const route = await resolveRoutes(settings)?.routes[0]?.open();
    await ask(route as NonNullable<typeof route>);
    expect(cloud.requests[0]?.headers['x-team']).toBe('blue');
  });
});
