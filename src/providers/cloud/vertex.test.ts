import { createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { readEvents, withRoutes } from '../../../test/support/agent-fixture.ts';
import { startLoopback, sendJson } from '../../llm/loopback.test-helper.ts';
import { redactSecrets } from '../../util/index.ts';
import { ask, failureOf, openIn, recorded } from '../../../test/support/cloud-routes.ts';
import {
  type CloudHandler,
  type CloudReply,
  type CloudRequest,
  startCloud,
} from '../../../test/support/cloud-server.ts';

const GEMINI = { provider: 'vertex', model: 'gemini-3.6-flash' };
const CLAUDE = { provider: 'vertex', model: 'claude-sonnet-4-5@20250929' };
const TOKEN = 'ya29.token-of-the-user-1234';
const PROJECT = { GOOGLE_CLOUD_PROJECT: 'my-project' };

const USER = {
  type: 'authorized_user',
  client_id: 'id.apps',
  client_secret: 'client-secret-1',
  refresh_token: '1//refresh-token-1',
};

/** Accepts the token, and only it, at the models; everything else goes to `login`. */
const vertex =
  (token: string, login: CloudHandler): CloudHandler =>
  (request) => {
    if (!request.host.endsWith('aiplatform.googleapis.com')) return login(request);
    if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, body: { error: { message: 'no' } } };
    const file = request.url.includes('anthropic') ? 'anthropic-text.sse' : 'chat-text.sse';
    return { type: 'text/event-stream', body: recorded(file) };
  };

/** The token endpoint for a refresh token. */
function refresh({ host, url, body }: CloudRequest): CloudReply | undefined {
  if (host !== 'oauth2.googleapis.com' || url !== '/token') return undefined;
  const fields = Object.fromEntries(new URLSearchParams(body));
  const { client_id, client_secret, refresh_token } = USER;
  const isRight =
    JSON.stringify(fields) === JSON.stringify({ grant_type: 'refresh_token', client_id, client_secret, refresh_token });
  return isRight
    ? { body: { access_token: TOKEN, expires_in: 3599 } }
    : { status: 400, body: { error: 'invalid_grant', error_description: 'Token has been revoked.' } };
}

describe('Google Vertex AI', () => {
  verifies(['PROV-3', 'PROV-4'], 'serves Gemini with the application default credentials of gcloud', async () => {
    await using cloud = await startCloud(vertex(TOKEN, refresh));
    await mkdir(`${cloud.home}/.config/gcloud`, { recursive: true });
    await cloud.write('.config/gcloud/application_default_credentials.json', { ...USER, quota_project_id: 'billed' });
    const route = await openIn(cloud, GEMINI);
    expect(route.baseUrl).toBe('https://aiplatform.googleapis.com/v1/projects/billed/locations/global');
    await ask(route);
    await ask(route);
    const calls = cloud.requests.filter(({ host }) => host === 'aiplatform.googleapis.com');
    expect(cloud.requests).toHaveLength(3);
    expect(calls[0]?.url).toBe('/v1/projects/billed/locations/global/endpoints/openapi/chat/completions');
    expect(calls[0]?.headers['x-goog-user-project']).toBe('billed');
    expect(JSON.parse(calls[0]?.body ?? '')).toMatchObject({ model: 'google/gemini-3.6-flash', stream: true });
    expect(cloud.hosts()).toEqual(['oauth2.googleapis.com', 'aiplatform.googleapis.com']);
    expect(JSON.stringify(calls)).not.toContain(USER.refresh_token);
    expect(redactSecrets(`token ${TOKEN}`)).not.toContain(TOKEN);
  });

  verifies('PROV-3', 'serves Claude through the path of its publisher, with the version in the body', async () => {
    await using cloud = await startCloud(vertex(TOKEN, refresh));
    const file = await cloud.write('adc.json', USER);
    const variables = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: file, GOOGLE_CLOUD_LOCATION: 'us-east5' };
    const route = await openIn(cloud, CLAUDE, variables);
    await ask(route);
    await ask(route, { stream: false }).catch(() => undefined);
    const [, streamed, whole] = cloud.requests;
    const path = '/v1/projects/my-project/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929';
    expect(streamed).toMatchObject({ host: 'us-east5-aiplatform.googleapis.com', url: `${path}:streamRawPredict` });
    expect(whole?.url).toBe(`${path}:rawPredict`);
    const body = JSON.parse(streamed?.body ?? '') as Record<string, unknown>;
    expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true });
    expect(body).not.toHaveProperty('model');
    expect(streamed?.headers).not.toHaveProperty('x-api-key');
  });

  for (const [choice, stream, result] of [
    [GEMINI, 'chat-gemini-signature.sse', '"role":"tool"'],
    [CLAUDE, 'anthropic-thinking-calls.sse', 'tool_result'],
  ] as const) {
    verifies('PROV-3', `completes a conversation with a tool call with ${choice.model}`, async () => {
      const text = choice === GEMINI ? 'chat-text.sse' : 'anthropic-text.sse';
      await using cloud = await startCloud((request) => {
        const login = refresh(request);
        if (login !== undefined) return login;
        if (request.headers.authorization !== `Bearer ${TOKEN}`) return { status: 401, body: {} };
        return { type: 'text/event-stream', body: recorded(request.body.includes(result) ? text : stream) };
      });
      const variables = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: await cloud.write('adc.json', USER) };
      const source = { ...choice, open: () => openIn(cloud, choice, variables) };
      await withRoutes([source], async ({ agent }) => {
        const { result: finished } = await readEvents(agent.run({ userMessage: 'use the tool' }));
        expect(finished).toMatchObject({ completed: true, model: choice.model });
      });
      expect(cloud.requests.at(-1)?.body).toContain(result);
    });
  }

  verifies('PROV-3', 'signs a JWT with the key of a service account', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const account = {
      type: 'service_account',
      project_id: 'service-project',
      private_key_id: 'kid-1',
      client_email: 'hermes@service-project.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      // A changed URL must not receive the assertion.
      token_uri: 'https://evil.hermes.test/token',
    };
    const exchange: CloudHandler = ({ host, body }) => {
      if (host !== 'oauth2.googleapis.com') return undefined;
      const [header = '', claims = '', signature = ''] = (new URLSearchParams(body).get('assertion') ?? '').split('.');
      const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
      const isValid = createVerify('RSA-SHA256')
        .update(`${header}.${claims}`)
        .verify(publicKey, signature, 'base64url');
      const { iss, aud, exp, scope } = read(claims);
      const isRight =
        iss === account.client_email &&
        aud === 'https://oauth2.googleapis.com/token' &&
        Number(exp) * 1000 > Date.now();
      if (!isValid || !isRight || read(header)['alg'] !== 'RS256' || !String(scope).includes('cloud-platform'))
        return { status: 400, body: {} };
      return { body: { access_token: TOKEN, expires_in: 3599 } };
    };
    await using cloud = await startCloud(vertex(TOKEN, exchange));
    const variables = { GOOGLE_APPLICATION_CREDENTIALS: await cloud.write('key.json', account) };
    const route = await openIn(cloud, GEMINI, variables, { providers: { vertex: { region: 'europe-west4' } } });
    expect(route.baseUrl).toContain('/projects/service-project/locations/europe-west4');
    await ask(route);
    expect(cloud.hosts()).toEqual(['oauth2.googleapis.com', 'europe-west4-aiplatform.googleapis.com']);
  });

  verifies(
    'PROV-3',
    'exchanges the token of another identity provider and impersonates a service account',
    async () => {
      const federation: CloudHandler = ({ host, url, body, headers }) => {
        const fields = new URLSearchParams(body);
        if (host === 'sts.googleapis.com' && fields.get('subject_token') === 'subject-token-7')
          return { body: { access_token: 'federated-token-1', expires_in: 3599 } };
        if (host !== 'iamcredentials.googleapis.com' || headers.authorization !== 'Bearer federated-token-1')
          return undefined;
        return url === '/v1/sa:generateAccessToken'
          ? { body: { accessToken: TOKEN, expireTime: '2099-01-01T00:00:00Z' } }
          : undefined;
      };
      await using cloud = await startCloud(vertex(TOKEN, federation));
      const file = await cloud.write('subject.json', { id_token: 'subject-token-7' });
      const external = {
        type: 'external_account',
        audience: '//iam.googleapis.com/x',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: 'https://sts.googleapis.com/v1/token',
        service_account_impersonation_url: 'https://iamcredentials.googleapis.com/v1/sa:generateAccessToken',
        credential_source: { file, format: { type: 'json', subject_token_field_name: 'id_token' } },
      };
      const variables = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: await cloud.write('external.json', external) };
      await ask(await openIn(cloud, GEMINI, variables));
      const evil = { ...external, token_url: 'https://sts.googleapis.com.evil.hermes.test/token' };
      const moved = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: await cloud.write('evil.json', evil) };
      expect((await failureOf(openIn(cloud, GEMINI, moved))).message).toContain('is not a host of Google');
      expect(cloud.hosts().every((host) => host.endsWith('.googleapis.com'))).toBe(true);
    },
  );

  verifies('PROV-3', 'uses the service account of a machine in Google Cloud', async () => {
    const metadata = await startLoopback((response, { request }) => {
      if (request.headers['metadata-flavor'] !== 'Google') return sendJson(response, 403, {});
      if (request.url === '/computeMetadata/v1/project/project-id') return void response.end('machine-project');
      return sendJson(response, 200, { access_token: TOKEN, expires_in: 3599 });
    });
    await using cloud = await startCloud(vertex(TOKEN, () => undefined));
    const route = await openIn(cloud, GEMINI, { NO_GCE_CHECK: '', GCE_METADATA_HOST: metadata.host });
    expect(route.baseUrl).toContain('/projects/machine-project/');
    await ask(route);
    await metadata.close();
  });

  verifies('PROV-4', 'sends no token to another host', async () => {
    await using cloud = await startCloud(vertex(TOKEN, refresh));
    const variables = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: await cloud.write('adc.json', USER) };
    for (const host of ['evil.example', 'aiplatform.googleapis.com.evil.example', 'storage.googleapis.com']) {
      const foreign = { ...GEMINI, baseUrl: `https://${host}/v1` };
      expect(() => openIn(cloud, foreign, variables)).toThrow(/which is not a host of Google Vertex AI/);
    }
    const region = await failureOf(openIn(cloud, GEMINI, { ...variables, GOOGLE_CLOUD_LOCATION: 'evil.example/x' }));
    expect(region.message).toContain('is not a valid Google Cloud location');
    expect(cloud.requests).toEqual([]);
  });

  it('gets a new token if one is rejected, and says what is wrong with the credentials', async () => {
    let valid = 'old-token-000001';
    let issued = 0;
    await using cloud = await startCloud((request) =>
      vertex(valid, () => ({
        body: { access_token: ++issued === 1 ? 'old-token-000001' : 'new-token-000002', expires_in: 3599 },
      }))(request),
    );
    const variables = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: await cloud.write('adc.json', USER) };
    const route = await openIn(cloud, GEMINI, variables);
    await ask(route);
    valid = 'new-token-000002';
    await expect(ask(route)).rejects.toMatchObject({ failure: { kind: 'auth', rotateCredential: true } });
    expect(await route.credentials?.refresh()).toBe(true);
    await ask(route);
    expect(await route.credentials?.refresh()).toBe(false);
    const none = await failureOf(openIn(cloud, GEMINI, PROJECT));
    expect([none.message, none.hint].join(' ')).toMatch(
      /No Google application default credentials.*gcloud auth application-default login/,
    );
    await expect(openIn(cloud, GEMINI)).rejects.toThrow('No project is set for Google Vertex AI');
  });
});
