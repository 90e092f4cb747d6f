import { createSign } from 'node:crypto';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, ModelError, parseJson } from '../../base/index.ts';
import {
  assertGranted,
  type CloudContext,
  cloudError,
  type CloudResponse,
  expiryAfter,
  type FreshToken,
  readIfExists,
  requestToken,
  requestWithForm,
  requiredText,
  timeOf,
} from './cloud-context.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const HINT = 'Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.';

/** The application default credentials: a file, or the service account of this machine. */
export type GoogleLogin = {
  /** The project that belongs to the credentials. */
  project(): Promise<string | undefined>;
  fetchToken(): Promise<FreshToken>;
};

export async function findGoogleLogin(context: CloudContext): Promise<GoogleLogin> {
  const found = await readCredentials(context);
  if (found === undefined) {
    return {
      project: async () => (await askMetadata(context, '/project/project-id'))?.text.trim() || undefined,
      fetchToken: () => machineToken(context),
    };
  }
  const { project_id: own, quota_project_id: billed } = found;
  const project = [own, billed].find((one): one is string => typeof one === 'string' && one !== '');
  return { project: () => Promise.resolve(project), fetchToken: () => tokenFor(context, found) };
}

async function readCredentials({ variables }: CloudContext): Promise<JsonObject | undefined> {
  const named = variables['GOOGLE_APPLICATION_CREDENTIALS'];
  const file = named || defaultFile(variables);
  const text = file === undefined ? undefined : await readIfExists(file);
  if (text === undefined && !named) return undefined;
  const read = text === undefined ? undefined : parseJson(text);
  if (isJsonObject(read)) return read;
  throw cloudError('auth_permanent', `The Google credentials in ${file ?? ''} are missing or not JSON.`, HINT);
}

function defaultFile(variables: CloudContext['variables']): string | undefined {
  const { CLOUDSDK_CONFIG: own, APPDATA: windows, HOME: home } = variables;
  const folder = own || (windows ? join(windows, 'gcloud') : home && join(home, '.config', 'gcloud'));
  return folder ? join(folder, 'application_default_credentials.json') : undefined;
}

/** An access token for credentials of any type. */
async function tokenFor(context: CloudContext, credentials: JsonObject): Promise<FreshToken> {
  switch (credentials['type']) {
    case 'authorized_user':
      return userToken(context, credentials);
    case 'service_account':
      return serviceToken(context, credentials);
    case 'external_account':
      return externalToken(context, credentials);
    case 'impersonated_service_account':
      return impersonatedToken(context, credentials);
    default: {
      const type = JSON.stringify(credentials['type'] ?? 'missing');
      throw cloudError('auth_permanent', `Google credentials of the type ${type} are not supported.`, HINT);
    }
  }
}

async function userToken(context: CloudContext, credentials: JsonObject): Promise<FreshToken> {
  const field = (name: string) => requiredText(context, 'the Google credentials file', credentials, name);
  const response = await requestWithForm(context, TOKEN_URL, {
    grant_type: 'refresh_token',
    client_id: field('client_id'),
    client_secret: field('client_secret'),
    refresh_token: field('refresh_token'),
  });
  const token = readToken(context, response);
  const project = credentials['quota_project_id'];
  return typeof project === 'string' ? { ...token, headers: { 'x-goog-user-project': project } } : token;
}

/** A token for a JWT that is signed with the key of the service account (RFC 7523). */
async function serviceToken(context: CloudContext, credentials: JsonObject): Promise<FreshToken> {
  const field = (name: string) => requiredText(context, 'the Google credentials file', credentials, name);
  const now = Math.floor(context.clock.now() / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', kid: credentials['private_key_id'] };
  const claims = { iss: field('client_email'), scope: SCOPE, aud: TOKEN_URL, iat: now, exp: now + 3_600 };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = signText(context, text, field('private_key'));
  return readToken(
    context,
    await requestWithForm(context, TOKEN_URL, {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `${text}.${signature}`,
    }),
  );
}

function signText({ name }: CloudContext, text: string, key: string): string {
  try {
    return createSign('RSA-SHA256').update(text).sign(key, 'base64url');
  } catch {
    throw cloudError('auth_permanent', `${name}: the private key of the service account is invalid.`, HINT);
  }
}

/** A token in exchange for that of another identity provider (workload identity federation). */
async function externalToken(context: CloudContext, credentials: JsonObject): Promise<FreshToken> {
  const field = (name: string) => requiredText(context, 'the Google credentials file', credentials, name);
  const response = await requestWithForm(context, googleUrl(context, field('token_url')), {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: field('audience'),
    scope: SCOPE,
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token_type: field('subject_token_type'),
    subject_token: await subjectToken(context, credentials['credential_source']),
  });
  const token = readToken(context, response);
  const target = credentials['service_account_impersonation_url'];
  return typeof target === 'string' ? impersonate(context, target, token) : token;
}

/** The token of the other identity provider, from a file or a URL. */
async function subjectToken(context: CloudContext, source: unknown): Promise<string> {
  const { file, url, headers, format } = isJsonObject(source) ? source : {};
  const text = typeof file === 'string' ? await readIfExists(file) : await textAt(context, url, headers);
  const field = isJsonObject(format) && format['type'] === 'json' ? format['subject_token_field_name'] : undefined;
  const body = typeof field === 'string' && text !== undefined ? parseJson(text) : undefined;
  const token = typeof field === 'string' ? (isJsonObject(body) ? body[field] : undefined) : text?.trim();
  if (typeof token === 'string' && token !== '') return token;
  throw cloudError('auth_permanent', 'The subject token of the Google credentials was not found.', HINT);
}

async function textAt(context: CloudContext, url: unknown, headers: unknown): Promise<string | undefined> {
  if (typeof url !== 'string') return undefined;
  const named = isJsonObject(headers) ? Object.entries(headers) : [];
  const texts = named.flatMap(([name, value]) => (typeof value === 'string' ? [[name.toLowerCase(), value]] : []));
  return (await requestToken(context, { url, headers: Object.fromEntries(texts) as Record<string, string> })).text;
}

async function impersonatedToken(context: CloudContext, credentials: JsonObject): Promise<FreshToken> {
  const source = credentials['source_credentials'];
  const target = requiredText(context, 'the Google credentials file', credentials, 'service_account_impersonation_url');
  if (!isJsonObject(source) || source['type'] === 'impersonated_service_account')
    throw cloudError('auth_permanent', 'The Google credentials file has no valid source_credentials.', HINT);
  return impersonate(context, target, await tokenFor(context, source));
}

/** A token of a service account, requested with another token. */
async function impersonate(context: CloudContext, target: string, { secret }: FreshToken): Promise<FreshToken> {
  const url = googleUrl(context, target);
  const response = await requestToken(context, {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scope: [SCOPE] }),
    credential: { secret, hosts: [new URL(url).host], scheme: 'bearer' },
  });
  assertGranted(context, 'the impersonation of the service account', response);
  const token = requiredText(context, 'the response of Google', response.body, 'accessToken');
  return { secret: token, expiresAt: timeOf(response.body['expireTime']) };
}

/** A URL from the credentials file. Tokens are sent only to Google. */
function googleUrl({ name }: CloudContext, text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && /(?:^|\.)googleapis\.com$/.test(url.host)) return url.href;
  throw cloudError(
    'auth_permanent',
    `${name}: the URL "${text}" in the Google credentials is not a host of Google.`,
    HINT,
  );
}

/** The token of the service account of a machine or container in Google Cloud. */
async function machineToken(context: CloudContext): Promise<FreshToken> {
  const response = await askMetadata(context, '/instance/service-accounts/default/token');
  if (response !== undefined) return readToken(context, response);
  throw cloudError('auth_permanent', `No Google application default credentials were found for ${context.name}.`, HINT);
}

/** Undefined if there is no metadata server. */
async function askMetadata(context: CloudContext, path: string): Promise<CloudResponse | undefined> {
  const { GCE_METADATA_HOST: own, NO_GCE_CHECK: off } = context.variables;
  if (off?.toLowerCase() === 'true') return undefined;
  const url = `http://${own || 'metadata.google.internal'}/computeMetadata/v1${path}`;
  try {
    const response = await requestToken(context, { url, headers: { 'metadata-flavor': 'Google' }, metadata: true });
    return response.status === 200 ? response : undefined;
  } catch (thrown) {
    if (thrown instanceof ModelError) return undefined;
    throw thrown;
  }
}

function readToken(context: CloudContext, response: CloudResponse): FreshToken {
  assertGranted(context, 'the request for an access token', response);
  const secret = requiredText(context, 'the response of Google', response.body, 'access_token');
  return { secret, expiresAt: expiryAfter(context, response.body['expires_in']) };
}
