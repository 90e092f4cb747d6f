import { ModelError } from '../../base/index.ts';
import { type AwsToken, readKeys } from './aws-keys.ts';
import {
  assertGranted,
  type CloudContext,
  cloudError,
  type CloudResponse,
  readIfExists,
  requestToken,
  timeOf,
} from './cloud-context.ts';

const KEY_NAMES = ['AccessKeyId', 'SecretAccessKey', 'Token'] as const;

const CONTAINER_URL = 'http://169.254.170.2';
/** The addresses of the credential agents of ECS and EKS, and this machine: the only ones that may be unencrypted. */
const CONTAINER_HOSTS = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]', '127.0.0.1', 'localhost', '[::1]'];

/** The keys of a container on ECS or EKS; undefined elsewhere. */
export async function containerKeys(context: CloudContext): Promise<AwsToken | undefined> {
  const { variables } = context;
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = variables;
  const url = path ? `${CONTAINER_URL}${path}` : full;
  if (!url) return undefined;
  const target = URL.parse(url);
  const isSafe = target?.protocol === 'https:' || CONTAINER_HOSTS.includes(target?.hostname ?? '');
  if (!isSafe) {
    const message = 'AWS_CONTAINER_CREDENTIALS_FULL_URI is neither an https URL nor an address of this machine.';
    throw cloudError('auth_permanent', message);
  }
  const file = variables['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file ? (await readIfExists(file))?.trim() : variables['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  const response = await requestToken(context, { url, headers: token ? { authorization: token } : {}, metadata: true });
  assertGranted(context, 'the request for container credentials', response);
  return readKeys(context, response.body, KEY_NAMES, timeOf(response.body['Expiration']));
}

const INSTANCE_URL = 'http://169.254.169.254';
const ROLES_PATH = '/latest/meta-data/iam/security-credentials/';

/** The keys of the role of an EC2 instance (IMDSv2); undefined if this is none. */
export async function instanceKeys(context: CloudContext): Promise<AwsToken | undefined> {
  const { variables } = context;
  if (variables['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return undefined;
  const base = (variables['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || INSTANCE_URL).replace(/\/+$/, '');
  const ask = (path: string, headers: Record<string, string>, method: 'GET' | 'PUT' = 'GET') =>
    requestToken(context, { method, url: `${base}${path}`, headers, metadata: true });
  const token = await ask('/latest/api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '300' }, 'PUT').catch(
    ignoreMissing,
  );
  if (token === undefined || token.status !== 200) return undefined;
  const headers = { 'x-aws-ec2-metadata-token': token.text.trim() };
  const roles = await ask(ROLES_PATH, headers);
  const role = roles.status === 200 ? roles.text.trim().split('\n')[0] : undefined;
  if (!role) return undefined;
  const response = await ask(`${ROLES_PATH}${encodeURIComponent(role)}`, headers);
  assertGranted(context, 'the request for the credentials of this instance', response);
  return readKeys(context, response.body, KEY_NAMES, timeOf(response.body['Expiration']));
}

/** Nothing responds at this address outside the cloud. */
function ignoreMissing(thrown: unknown): CloudResponse | undefined {
  if (thrown instanceof ModelError) return undefined;
  throw thrown;
}
