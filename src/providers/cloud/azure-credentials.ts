import { ModelError, isJsonObject, parseJson } from '../../base/index.ts';
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
  runProgram,
  timeOf,
} from './cloud-context.ts';

/** The public cloud and the sovereign ones, which have their own hosts. */
type Cloud = { authority: string; resource: string };

const CLOUDS: Readonly<Record<'com' | 'us' | 'cn', Cloud>> = {
  com: { authority: 'https://login.microsoftonline.com', resource: 'https://cognitiveservices.azure.com' },
  us: { authority: 'https://login.microsoftonline.us', resource: 'https://cognitiveservices.azure.us' },
  cn: { authority: 'https://login.chinacloudapi.cn', resource: 'https://cognitiveservices.azure.cn' },
};

/**
 * A token of Microsoft Entra for the models of a host: from a secret or a federated token in the environment, from a
 * managed identity, or from the Azure command line.
 */
export async function fetchAzureToken(context: CloudContext, host: string): Promise<FreshToken> {
  const ending = host.split('.').at(-1);
  const cloud = CLOUDS[ending === 'us' || ending === 'cn' ? ending : 'com'];
  const found =
    (await clientToken(context, cloud)) ??
    (await appServiceToken(context, cloud)) ??
    (await commandLineToken(context, cloud)) ??
    (await machineToken(context, cloud));
  if (found !== undefined) return found;
  throw cloudError(
    'auth_permanent',
    `No Azure login was found for ${context.name}.`,
    'Run `az login`, set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or set AZURE_OPENAI_API_KEY.',
  );
}

/** A token of an application, which proves its identity with a secret or with a token of Kubernetes. */
async function clientToken(context: CloudContext, cloud: Cloud): Promise<FreshToken | undefined> {
  const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: client, AZURE_CLIENT_SECRET: secret } = context.variables;
  const file = context.variables['AZURE_FEDERATED_TOKEN_FILE'];
  if (!tenant || !client || !(secret || file)) return undefined;
  const proof = secret ? { client_secret: secret } : await federatedProof(file ?? '');
  const authority = authorityOf(context, cloud);
  const response = await requestWithForm(context, `${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`, {
    grant_type: 'client_credentials',
    client_id: client,
    scope: `${cloud.resource}/.default`,
    ...proof,
  });
  assertGranted(context, 'the login with AZURE_CLIENT_ID', response);
  return readToken(context, response);
}

async function federatedProof(file: string): Promise<Record<string, string>> {
  const token = await readIfExists(file);
  if (token === undefined)
    throw cloudError('auth_permanent', `The file ${file} of AZURE_FEDERATED_TOKEN_FILE is missing.`);
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: token.trim(),
  };
}

function authorityOf({ variables }: CloudContext, cloud: Cloud): string {
  const written = variables['AZURE_AUTHORITY_HOST'];
  if (!written) return cloud.authority;
  const url = URL.parse(written.includes('://') ? written : `https://${written}`);
  if (url?.protocol === 'https:') return url.origin;
  throw cloudError('auth_permanent', 'AZURE_AUTHORITY_HOST must be an https URL.');
}

/** The managed identity in App Service, Functions and Container Apps; undefined elsewhere. */
async function appServiceToken(context: CloudContext, { resource }: Cloud): Promise<FreshToken | undefined> {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = context.variables;
  if (!endpoint || !header) return undefined;
  const url = withQuery(endpoint, { 'api-version': '2019-08-01', resource, ...identityOf(context) });
  const response = await requestToken(context, { url, headers: { 'x-identity-header': header }, metadata: true });
  assertGranted(context, 'the request to the managed identity', response);
  return readToken(context, response);
}

const INSTANCE_URL = 'http://169.254.169.254';

/** The managed identity of a virtual machine; undefined if this is none. */
async function machineToken(context: CloudContext, { resource }: Cloud): Promise<FreshToken | undefined> {
  const base = (context.variables['AZURE_POD_IDENTITY_AUTHORITY_HOST'] || INSTANCE_URL).replace(/\/+$/, '');
  const query = { 'api-version': '2018-02-01', resource, ...identityOf(context) };
  const url = withQuery(`${base}/metadata/identity/oauth2/token`, query);
  try {
    const response = await requestToken(context, { url, headers: { metadata: 'true' }, metadata: true });
    return response.status === 200 ? readToken(context, response) : undefined;
  } catch (thrown) {
    // Nothing responds at this address outside Azure.
    if (thrown instanceof ModelError) return undefined;
    throw thrown;
  }
}

/** The chosen identity, if a machine has several. */
function identityOf({ variables }: CloudContext): Record<string, string> {
  const client = variables['AZURE_CLIENT_ID'];
  return client ? { client_id: client } : {};
}

/** The login of `az login`; undefined if the program is not installed. */
async function commandLineToken(context: CloudContext, { resource }: Cloud): Promise<FreshToken | undefined> {
  const args = ['account', 'get-access-token', '--output', 'json', '--resource', resource];
  const tenant = context.variables['AZURE_TENANT_ID'];
  try {
    const output = await runProgram(
      context,
      'az',
      [...args, ...(tenant ? ['--tenant', tenant] : [])],
      /^(?:AZURE_|ARM_)/,
    );
    const body = parseJson(output);
    if (!isJsonObject(body)) return undefined;
    const secret = requiredText(context, 'the output of `az account get-access-token`', body, 'accessToken');
    return { secret, expiresAt: timeOf(body['expires_on']) ?? timeOf(body['expiresOn']) };
  } catch (thrown) {
    // Not installed, or not signed in: a managed identity may still exist.
    if (thrown instanceof ModelError) throw thrown;
    return undefined;
  }
}

function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  const target = URL.parse(url);
  if (target === null) throw cloudError('auth_permanent', `IDENTITY_ENDPOINT is not a URL.`);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  return target.href;
}

function readToken(context: CloudContext, response: CloudResponse): FreshToken {
  const { body } = response;
  const secret = requiredText(context, 'the response of Microsoft Entra', body, 'access_token');
  const expiresOn = timeOf(Number(body['expires_on']));
  return { secret, expiresAt: expiresOn ?? expiryAfter(context, body['expires_in']) };
}
