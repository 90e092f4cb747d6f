import { type Clock, ConfigurationError, systemClock } from '../../base/index.ts';
import type { ModelRoute } from '../../contracts/index.ts';
import type { WireFormat } from '../../llm/index.ts';
import { type OpenPool, openPool } from '../credentials/credential-pool.ts';
import type { FoundCredential } from '../credentials/plan-credentials.ts';
import type { Endpoint } from '../endpoint.ts';
import { findAwsKeys } from './aws-credentials.ts';
import { chosenProfile, readAwsFiles } from './aws-profile.ts';
import { fetchAzureToken } from './azure-credentials.ts';
import type { CloudContext } from './cloud-context.ts';
import { createCloudLogin } from './cloud-login.ts';
import { findGoogleLogin, type GoogleLogin } from './google-credentials.ts';
import { signAws } from './sign-aws.ts';

/** The address and the login of an endpoint in a cloud. */
export type OpenCloud = {
  baseUrl: string;
  credential?: FoundCredential;
  pool?: OpenPool;
  /** The implementation of an API mode that only this cloud has. */
  format?: WireFormat;
  apiMode?: ModelRoute['apiMode'] & 'bedrock_converse';
};

/** Finds the host of the account or the region, and how to sign in there. Tokens are requested by the first call. */
export async function openCloud(endpoint: Endpoint, clock: Clock = systemClock): Promise<OpenCloud> {
  const { cloud, variables } = endpoint;
  if (cloud === undefined) throw new Error('this endpoint is not in a cloud');
  const context: CloudContext = { name: cloud.name, variables, settings: cloud.settings, clock };
  if (cloud.login === 'aws') return openBedrock(endpoint, context);
  return cloud.login === 'google' ? openVertex(endpoint, context) : openAzure(endpoint, context);
}

async function openBedrock(endpoint: Endpoint, context: CloudContext): Promise<OpenCloud> {
  const region = regionIn(endpoint) ?? (await awsRegion(context));
  const suffix = region.startsWith('cn-') ? '.cn' : '';
  const baseUrl = addressOf(endpoint, `https://bedrock-runtime.${region}.amazonaws.com${suffix}`);
  const { bedrockConverse: format } = await import('../../llm/bedrock-converse/index.ts');
  const { host } = new URL(baseUrl);
  const login = () =>
    createCloudLogin({
      clock: context.clock,
      fetch: () => findAwsKeys(context, region),
      toCredential: ({ keys }) => ({
        secret: keys.secretAccessKey,
        hosts: [host],
        sign: (request) => signAws(request, keys, { region, service: 'bedrock' }, context.clock.now()),
      }),
    });
  return { baseUrl, format, apiMode: 'bedrock_converse', ...(keyFor(endpoint, host, context) ?? { pool: login() }) };
}

/** The region in the host of a configured address. */
function regionIn({ cloud, baseUrl }: Endpoint): string | undefined {
  return cloud?.isOwn ? undefined : /bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(new URL(baseUrl).host)?.[1];
}

async function awsRegion(context: CloudContext): Promise<string> {
  const { settings, variables } = context;
  const set = settings.region || variables['AWS_REGION'] || variables['AWS_DEFAULT_REGION'];
  const region = set || (await readAwsFiles(context)).profile(chosenProfile(context) ?? 'default')?.['region'];
  return checkedName(region || 'us-east-1', 'AWS region', 'providers.bedrock.region');
}

async function openVertex(endpoint: Endpoint, context: CloudContext): Promise<OpenCloud> {
  const { settings, variables, clock } = context;
  let found: Promise<GoogleLogin> | undefined;
  const findLogin = () => (found ??= findGoogleLogin(context));
  const region = settings.region || variables['GOOGLE_CLOUD_LOCATION'] || variables['CLOUD_ML_REGION'] || 'global';
  const baseUrl = endpoint.cloud?.isOwn
    ? addressOf(endpoint, vertexUrl(await googleProject(context, findLogin), region))
    : addressOf(endpoint, endpoint.baseUrl);
  const { host } = new URL(baseUrl);
  const pool = createCloudLogin({
    clock,
    fetch: async () => (await findLogin()).fetchToken(),
    toCredential: ({ secret, headers }) => ({ secret, hosts: [host], scheme: 'bearer', headers }),
  });
  return { baseUrl, ...(keyFor(endpoint, host, context) ?? { pool }) };
}

function vertexUrl(project: string, region: string): string {
  const location = checkedName(region, 'Google Cloud location', 'providers.vertex.region');
  const host = location === 'global' ? 'aiplatform.googleapis.com' : `${location}-aiplatform.googleapis.com`;
  return `https://${host}/v1/projects/${project}/locations/${location}`;
}

const PROJECT_VARIABLES = ['GOOGLE_CLOUD_PROJECT', 'GCLOUD_PROJECT', 'ANTHROPIC_VERTEX_PROJECT_ID'];

async function googleProject(
  { settings, variables }: CloudContext,
  findLogin: () => Promise<GoogleLogin>,
): Promise<string> {
  const variable = PROJECT_VARIABLES.find((name) => variables[name]);
  const set = settings.project || (variable && variables[variable]);
  const project = set || (await (await findLogin()).project());
  if (project) return checkedName(project, 'Google Cloud project', 'providers.vertex.project', /^[a-z0-9.:-]+$/i);
  throw new ConfigurationError('No project is set for Google Vertex AI.', {
    hint: 'Set providers.vertex.project in config.yaml, or GOOGLE_CLOUD_PROJECT.',
  });
}

function openAzure(endpoint: Endpoint, context: CloudContext): OpenCloud {
  const baseUrl = addressOf(endpoint, endpoint.cloud?.isOwn ? azureUrl(context) : endpoint.baseUrl);
  const { host } = new URL(baseUrl);
  const pool = createCloudLogin({
    clock: context.clock,
    fetch: () => fetchAzureToken(context, host),
    toCredential: ({ secret }) => ({ secret, hosts: [host], scheme: 'bearer' }),
  });
  return { baseUrl, ...(keyFor(endpoint, host, context) ?? { pool }) };
}

function azureUrl({ settings, variables }: CloudContext): string {
  const resource = settings.resource || variables['AZURE_RESOURCE_NAME'];
  const written = settings.resource ? undefined : variables['AZURE_OPENAI_ENDPOINT'];
  if (!resource && !written) {
    throw new ConfigurationError('No resource is set for Azure OpenAI.', {
      hint: 'Set providers.azure.resource in config.yaml to the name of the resource, or AZURE_OPENAI_ENDPOINT to its URL.',
    });
  }
  const name = written ? undefined : checkedName(resource ?? '', 'Azure resource', 'providers.azure.resource');
  const plain = written?.trim().replace(/\/+$/, '') ?? `https://${name ?? ''}.openai.azure.com`;
  // The variable of Azure's own programs has no path.
  return plain.endsWith('/openai/v1') ? plain : `${plain.replace(/\/openai$/, '')}/openai/v1`;
}

/** The address, if it is a host of this cloud: a login is not sent anywhere else. */
function addressOf({ cloud, baseUrl }: Endpoint, resolved: string): string {
  const address = cloud?.isOwn ? resolved : baseUrl;
  const url = URL.parse(address);
  if (url?.protocol === 'https:' && cloud?.hosts.test(url.host)) return address;
  throw new ConfigurationError(
    `${url?.host ?? 'The configured address'} is not an https host of ${cloud?.name ?? ''}.`,
    {
      hint: 'Correct the address. For a gateway, define an entry of custom_providers with its own key or headers.',
    },
  );
}

/** A key takes precedence over the login. It is bound to the host that was found. */
function keyFor(
  { credential }: Endpoint,
  host: string,
  { clock }: CloudContext,
): Pick<OpenCloud, 'credential' | 'pool'> | undefined {
  if (credential === undefined) return undefined;
  const { plan, ...key } = credential;
  if (plan === undefined) return { credential: { ...key, hosts: [host] } };
  return { pool: openPool({ ...plan, hosts: [host] }, { clock }) };
}

/** Names become part of a host or a path, so they must not contain anything else. */
function checkedName(name: string, what: string, key: string, pattern = /^[a-z0-9-]+$/i): string {
  if (pattern.test(name)) return name;
  throw new ConfigurationError(`"${name}" is not a valid ${what}.`, { hint: `Correct ${key} or its variable.` });
}
