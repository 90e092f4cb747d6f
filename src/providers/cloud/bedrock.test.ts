import { createHash } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import aws4 from 'aws4';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { readEvents, withRoutes } from '../../../test/support/agent-fixture.ts';
import { startLoopback, sendJson } from '../../llm/loopback.test-helper.ts';
import { redactSecrets } from '../../util/index.ts';
import { diagnoseRoutes } from '../diagnosis/index.ts';
import { settingsWith } from '../settings.test-helper.ts';
import { ask, failureOf, openIn, recorded } from '../../../test/support/cloud-routes.ts';
import { type CloudReply, type CloudRequest, startCloud } from '../../../test/support/cloud-server.ts';
import type { AwsKeys } from './sign-aws.ts';

const STATIC: AwsKeys = { accessKeyId: 'AKIASTATIC', secretAccessKey: 'static/secret+0123456789' };
const ROLE: AwsKeys = {
  accessKeyId: 'ASIAROLE',
  secretAccessKey: 'role/secret+0123456789',
  sessionToken: 'role-token-123==',
};
/** Keys in a profile, which are valid only with their session token. */
const TEMPORARY: AwsKeys = {
  accessKeyId: 'ASIATEMPORARY',
  secretAccessKey: 'temporary/secret+012345',
  sessionToken: 'temporary-token-123==',
};
const VARIABLES = { AWS_ACCESS_KEY_ID: STATIC.accessKeyId, AWS_SECRET_ACCESS_KEY: STATIC.secretAccessKey };
const EVENT_STREAM = 'application/vnd.amazon.eventstream';
const LATER = '2099-01-01T00:00:00Z';

/** Whether a request is signed with one of these keys, computed by another implementation from what arrived. */
function isSigned({ host, url, method, headers, body }: CloudRequest, keys: AwsKeys, service: string): boolean {
  const region = host.split('.').at(-3) as string;
  const signed = aws4.sign(
    {
      host,
      path: url,
      method,
      headers: { 'Content-Type': headers['content-type'], 'X-Amz-Date': headers['x-amz-date'] as string },
      body,
      service,
      region,
      extraHeadersToIgnore: { 'content-length': true },
    } as Parameters<typeof aws4.sign>[0],
    keys,
  );
  const isRecent =
    Math.abs(Date.parse(String(headers['x-amz-date']).replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:')) - Date.now()) <
    300_000;
  return (
    isRecent &&
    headers.authorization === signed.headers?.['Authorization'] &&
    headers['x-amz-security-token'] === keys.sessionToken
  );
}

/** Answers signed Converse requests, and only those. */
const bedrock =
  (keys: AwsKeys) =>
  (request: CloudRequest): CloudReply | undefined => {
    if (!request.host.startsWith('bedrock-runtime.')) return undefined;
    if (!isSigned(request, keys, 'bedrock'))
      return { status: 403, body: { message: 'The request signature does not match.' } };
    return { type: EVENT_STREAM, body: recorded('bedrock-text.eventstream') };
  };

const CHOICE = { provider: 'bedrock', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' };

describe('Amazon Bedrock', () => {
  verifies(['PROV-3', 'PROV-4'], 'signs with the keys of the environment, and sends no key', async () => {
    await using cloud = await startCloud(bedrock(STATIC));
    const route = await openIn(cloud, CHOICE, { ...VARIABLES, AWS_REGION: 'eu-west-1' });
    expect(route).toMatchObject({
      apiMode: 'bedrock_converse',
      baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com',
    });
    expect(await ask(route)).toBe('Hello, wörld.');
    expect(cloud.requests[0]?.url).toBe('/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream');
    expect(JSON.stringify(cloud.requests)).not.toContain(STATIC.secretAccessKey);
    expect(cloud.hosts()).toEqual(['bedrock-runtime.eu-west-1.amazonaws.com']);
    expect(redactSecrets(`key ${STATIC.secretAccessKey}`)).not.toContain(STATIC.secretAccessKey);
  });

  verifies('PROV-3', 'completes a conversation with a tool call', async () => {
    await using cloud = await startCloud((request) => {
      if (!isSigned(request, STATIC, 'bedrock')) return { status: 403, body: { message: 'no' } };
      const isSecond = request.body.includes('toolResult');
      const file = isSecond ? 'bedrock-text.eventstream' : 'bedrock-thinking-calls.eventstream';
      return { type: EVENT_STREAM, body: recorded(file) };
    });
    const source = { provider: 'bedrock', model: CHOICE.model, open: () => openIn(cloud, CHOICE, VARIABLES) };
    await withRoutes([source], async ({ agent }) => {
      const { result } = await readEvents(agent.run({ userMessage: 'use the tool' }));
      expect(result).toMatchObject({ completed: true, finalResponse: 'Hello, wörld.', model: CHOICE.model });
    });
    const { messages } = JSON.parse(cloud.requests[1]?.body ?? '') as { messages: { content: object[] }[] };
    // The reasoning is sent back between the parts that it came from.
    expect(messages[1]?.content.map((block) => Object.keys(block)[0])).toEqual([
      ...['reasoningContent', 'text', 'reasoningContent'],
      ...['toolUse', 'toolUse', 'cachePoint'],
    ]);
  });

  verifies('PROV-3', 'uses the profile with its region, keys and session token', async () => {
    await using cloud = await startCloud(bedrock({ ...STATIC, sessionToken: 'tok+en==' }));
    await mkdir(`${cloud.home}/.aws`);
    await cloud.write('.aws/config', '[default]\nregion = us-east-1\n\n[profile work]\nregion=eu-central-1 # ours\n');
    await cloud.write(
      '.aws/credentials',
      `[work]\naws_access_key_id = ${STATIC.accessKeyId}\naws_secret_access_key=${STATIC.secretAccessKey}\naws_session_token = tok+en==\n`,
    );
    // The profile takes precedence over the keys of the environment, as in AWS's own programs.
    const others = { AWS_ACCESS_KEY_ID: 'AKIAOTHER', AWS_SECRET_ACCESS_KEY: 'other-secret-000' };
    expect(await ask(await openIn(cloud, CHOICE, { ...others, AWS_PROFILE: 'work' }))).toBe('Hello, wörld.');
    const configured = { providers: { bedrock: { profile: 'work' } } };
    expect(await ask(await openIn(cloud, CHOICE, others, configured))).toBe('Hello, wörld.');
    expect(cloud.hosts()).toEqual(['bedrock-runtime.eu-central-1.amazonaws.com']);
    const missing = await failureOf(openIn(cloud, CHOICE, { AWS_PROFILE: 'nosuch' }));
    expect(missing.message).toContain('The AWS profile "nosuch" does not exist');
  });

  verifies('PROV-3', 'assumes the role of a profile with signed keys, once until they expire', async () => {
    const sts = (request: CloudRequest): CloudReply | undefined => {
      if (request.host !== 'sts.us-east-1.amazonaws.com') return bedrock(ROLE)(request);
      const fields = new URLSearchParams(request.body);
      const isRight = fields.get('RoleArn') === 'arn:aws:iam::1:role/models' && fields.get('ExternalId') === 'ext';
      if (![STATIC, TEMPORARY].some((keys) => isSigned(request, keys, 'sts')) || !isRight)
        return { status: 403, body: '<Message>Not authorized.</Message>' };
      const keys = `<AccessKeyId>${ROLE.accessKeyId}</AccessKeyId><SecretAccessKey>${ROLE.secretAccessKey}</SecretAccessKey><SessionToken>${ROLE.sessionToken}</SessionToken>`;
      return { type: 'text/xml', body: `<R><Credentials>${keys}<Expiration>${LATER}</Expiration></Credentials></R>` };
    };
    await using cloud = await startCloud(sts);
    await mkdir(`${cloud.home}/.aws`);
    await cloud.write(
      '.aws/config',
      `[profile base]\naws_access_key_id=${STATIC.accessKeyId}\naws_secret_access_key=${STATIC.secretAccessKey}\n` +
        '[profile role]\nrole_arn=arn:aws:iam::1:role/models\nsource_profile=base\nexternal_id=ext\n' +
        '[profile loop]\nrole_arn=x\nsource_profile=loop2\n[profile loop2]\nrole_arn=x\nsource_profile=loop\n' +
        `[profile own]\nrole_arn=arn:aws:iam::1:role/models\nsource_profile=own\nexternal_id=ext\naws_access_key_id=${TEMPORARY.accessKeyId}\naws_secret_access_key=${TEMPORARY.secretAccessKey}\naws_session_token=${TEMPORARY.sessionToken}\n` +
        '[profile wrong]\nrole_arn=arn:wrong\nsource_profile=base\n[profile mfa]\nrole_arn=x\nmfa_serial=y\n',
    );
    const route = await openIn(cloud, CHOICE, { AWS_PROFILE: 'role' });
    expect([await ask(route), await ask(route)]).toEqual(['Hello, wörld.', 'Hello, wörld.']);
    expect(cloud.requests.filter(({ host }) => host.startsWith('sts.'))).toHaveLength(1);
    expect(await ask(await openIn(cloud, CHOICE, { AWS_PROFILE: 'own' }))).toBe('Hello, wörld.');
    for (const [profile, words] of [
      ['loop', 'refers to itself'],
      ['wrong', 'assuming the role arn:wrong failed (HTTP 403): Not authorized.'],
      ['mfa', 'mfa_serial'],
    ] as const)
      expect((await failureOf(openIn(cloud, CHOICE, { AWS_PROFILE: profile }))).message).toContain(words);
  });

  verifies('PROV-3', 'uses the login of `aws sso login`, and says when it has expired', async () => {
    const portal = ({ host, url, headers }: CloudRequest): CloudReply | undefined => {
      const isRight = url === '/federation/credentials?role_name=Dev&account_id=123';
      if (host !== 'portal.sso.us-east-1.amazonaws.com' || !isRight) return undefined;
      if (headers['x-amz-sso_bearer_token'] !== 'sso-access-token-1')
        return { status: 401, body: { message: 'expired' } };
      return { body: { roleCredentials: { ...ROLE, expiration: Date.parse(LATER) } } };
    };
    await using cloud = await startCloud((request) => portal(request) ?? bedrock(ROLE)(request));
    await mkdir(`${cloud.home}/.aws/sso/cache`, { recursive: true });
    await cloud.write(
      '.aws/config',
      '[profile dev]\nsso_session = corp\nsso_account_id = 123\nsso_role_name = Dev\n' +
        '[sso-session corp]\nsso_start_url = https://corp.awsapps.com/start\nsso_region = us-east-1\n',
    );
    const file = `.aws/sso/cache/${createHash('sha1').update('corp').digest('hex')}.json`;
    await cloud.write(file, { accessToken: 'sso-access-token-1', expiresAt: LATER });
    expect(await ask(await openIn(cloud, CHOICE, { AWS_PROFILE: 'dev' }))).toBe('Hello, wörld.');
    await cloud.write(file, { accessToken: 'sso-access-token-1', expiresAt: '2020-01-01T00:00:00Z' });
    const expired = await failureOf(openIn(cloud, CHOICE, { AWS_PROFILE: 'dev' }));
    expect([expired.message, expired.hint].join(' ')).toMatch(/has expired.*aws sso login --profile dev/);
  });

  verifies('PROV-3', 'uses the output of a credential_process, which gets no keys of other providers', async () => {
    await using cloud = await startCloud(bedrock(ROLE));
    await mkdir(`${cloud.home}/.aws`);
    const keys = {
      Version: 1,
      AccessKeyId: ROLE.accessKeyId,
      SecretAccessKey: ROLE.secretAccessKey,
      SessionToken: ROLE.sessionToken,
    };
    await cloud.write('keys.json', { ...keys, Expiration: LATER });
    await cloud.write('show-keys', '#!/bin/sh\n[ -z "$OPENAI_API_KEY" ] || exit 3\ncat "$HOME/keys.json"\n');
    await chmod(`${cloud.home}/show-keys`, 0o755);
    await cloud.write(
      '.aws/config',
      '[profile p]\ncredential_process = show-keys --json\n[profile bad]\ncredential_process = exit 4\n',
    );
    const variables = { AWS_PROFILE: 'p', OPENAI_API_KEY: 'sk-other-key-123456' };
    expect(await ask(await openIn(cloud, CHOICE, variables))).toBe('Hello, wörld.');
    const failed = await failureOf(openIn(cloud, CHOICE, { AWS_PROFILE: 'bad' }));
    expect(failed.message).toContain('credential_process that failed (4)');
  });

  verifies('PROV-3', 'uses the keys of a container and of a machine', async () => {
    const keys = {
      AccessKeyId: ROLE.accessKeyId,
      SecretAccessKey: ROLE.secretAccessKey,
      Token: ROLE.sessionToken,
      Expiration: LATER,
    };
    const metadata = await startLoopback((response, { request }) => {
      const { method, url, headers } = request;
      if (url === '/container')
        return sendJson(response, headers.authorization === 'container-token' ? 200 : 403, keys);
      if (method === 'PUT' && url === '/latest/api/token') return void response.end('imds-token');
      const roles = '/latest/meta-data/iam/security-credentials/';
      if (headers['x-aws-ec2-metadata-token'] !== 'imds-token') return sendJson(response, 401, {});
      return url === roles
        ? void response.end('models')
        : sendJson(response, url === `${roles}models` ? 200 : 404, keys);
    });
    await using cloud = await startCloud(bedrock(ROLE));
    const container = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${metadata.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-token',
    };
    expect(await ask(await openIn(cloud, CHOICE, container))).toBe('Hello, wörld.');
    const machine = { AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url };
    expect(await ask(await openIn(cloud, CHOICE, machine))).toBe('Hello, wörld.');
    const foreign = { ...container, AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://evil.example/container' };
    expect((await failureOf(openIn(cloud, CHOICE, foreign))).message).toContain(
      'neither an https URL nor an address of this machine',
    );
    await metadata.close();
  });

  verifies('PROV-4', 'sends a Bedrock API key only to a host of Bedrock', async () => {
    await using cloud = await startCloud(({ headers }) =>
      headers.authorization === 'Bearer bedrock-api-key-abc'
        ? { type: EVENT_STREAM, body: recorded('bedrock-text.eventstream') }
        : { status: 403, body: { message: 'no' } },
    );
    const key = { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-api-key-abc', AWS_REGION: 'eu-west-1' };
    expect(await ask(await openIn(cloud, CHOICE, key))).toBe('Hello, wörld.');
    const own = { ...CHOICE, baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com' };
    expect(await ask(await openIn(cloud, own, key))).toBe('Hello, wörld.');
    for (const host of [
      'evil.example',
      'bedrock-runtime.us-east-1.amazonaws.com.evil.example',
      'bedrock-runtime.evil.example',
    ]) {
      const foreign = { ...CHOICE, baseUrl: `https://${host}` };
      expect(() => openIn(cloud, foreign, key)).toThrow(
        /No API key was found for .*which is not a host of Amazon Bedrock/,
      );
    }
    const unencrypted = { ...CHOICE, baseUrl: 'http://bedrock-runtime.eu-west-1.amazonaws.com' };
    expect(() => openIn(cloud, unencrypted, key)).toThrow(/No API key was found/);
    expect(cloud.hosts()).toEqual([
      'bedrock-runtime.eu-west-1.amazonaws.com',
      'bedrock-runtime.us-east-1.amazonaws.com',
    ]);
  });

  it('names what to do if there are no credentials, or if they are rejected', async () => {
    await using cloud = await startCloud(bedrock(STATIC));
    const none = await failureOf(openIn(cloud, CHOICE));
    expect([none.message, none.hint].join(' ')).toMatch(
      /No AWS credentials were found for Amazon Bedrock.*AWS_PROFILE/,
    );
    const wrong = await failureOf(
      openIn(cloud, CHOICE, { ...VARIABLES, AWS_SECRET_ACCESS_KEY: 'wrong-secret-000000' }),
    );
    expect(wrong).toMatchObject({ failure: { kind: 'auth' } });
    expect(wrong.message).toContain('The request signature does not match.');
    expect((await failureOf(openIn(cloud, CHOICE, { ...VARIABLES, AWS_REGION: 'evil.example/' }))).message).toContain(
      'not a valid AWS region',
    );
  });

  it('is checked by the diagnosis with a signed request without content', async () => {
    await using cloud = await startCloud((request) =>
      isSigned(request, STATIC, 'bedrock')
        ? { status: 400, body: { message: 'messages is required' } }
        : { status: 403, body: {} },
    );
    const settings = settingsWith({ home: cloud.home, model: CHOICE, variables: { ...cloud.variables, ...VARIABLES } });
    expect(await diagnoseRoutes(settings, { offline: false })).toMatchObject([{ status: 'ok' }]);
    const wrong = { ...settings.variables, AWS_SECRET_ACCESS_KEY: 'wrong-secret-000000' };
    expect(await diagnoseRoutes({ ...settings, variables: wrong }, { offline: false })).toMatchObject([
      { status: 'wrong', message: expect.stringContaining('rejects the key from the login of Amazon Bedrock') },
    ]);
  });
});
