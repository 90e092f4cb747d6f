import { parseJson, isJsonObject, type JsonObject } from '../../base/index.ts';
import { type AwsToken, readKeys, toToken } from './aws-keys.ts';
import { type AwsFiles, type AwsProfile, chosenProfile, readAwsFiles, ssoCacheFile } from './aws-profile.ts';
import { containerKeys, instanceKeys } from './aws-metadata.ts';
import { assumeRole, assumeRoleWithToken } from './aws-roles.ts';
import {
  assertGranted,
  type CloudContext,
  cloudError,
  readIfExists,
  requestToken,
  runProgram,
  timeOf,
} from './cloud-context.ts';

/**
 * Finds AWS keys where AWS's own programs look: the chosen profile, the environment, the default profile, a web
 * identity, the container, and the machine.
 */
export async function findAwsKeys(context: CloudContext, region: string): Promise<AwsToken> {
  const chosen = chosenProfile(context);
  const files = await readAwsFiles(context);
  const scope = { context, files, region };
  if (chosen !== undefined) return keysOfProfile(scope, chosen, []);
  const found =
    keysOfEnvironment(context) ??
    (files.profile('default') && (await keysOfProfile(scope, 'default', [], true))) ??
    (await webIdentityKeys(context, region)) ??
    (await containerKeys(context)) ??
    (await instanceKeys(context));
  if (found !== undefined) return found;
  throw cloudError(
    'auth_permanent',
    `No AWS credentials were found for ${context.name}.`,
    'Set AWS_PROFILE, run `aws configure` or `aws sso login`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  );
}

type Scope = { context: CloudContext; files: AwsFiles; region: string };

function keysOfEnvironment({ variables }: CloudContext): AwsToken | undefined {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = variables;
  return id && secret
    ? toToken({ accessKeyId: id, secretAccessKey: secret, sessionToken: token || undefined })
    : undefined;
}

/** The keys of a profile; undefined only if `isOptional` and the profile has no credentials. */
async function keysOfProfile(scope: Scope, name: string, seen: readonly string[]): Promise<AwsToken>;
async function keysOfProfile(
  scope: Scope,
  name: string,
  seen: readonly string[],
  isOptional: true,
): Promise<AwsToken | undefined>;
async function keysOfProfile(
  scope: Scope,
  name: string,
  seen: readonly string[],
  isOptional = false,
): Promise<AwsToken | undefined> {
  const { context, files } = scope;
  const profile = files.profile(name);
  if (profile === undefined) throw profileError(name, 'does not exist in ~/.aws/config or ~/.aws/credentials');
  if (seen.includes(name)) throw profileError(name, 'refers to itself through source_profile');
  if (profile['role_arn']) return keysOfRole(scope, name, profile, seen);
  const keys = keysIn(profile);
  if (keys !== undefined) return keys;
  if (profile['sso_account_id']) return keysOfSso(scope, name, profile);
  if (profile['credential_process']) return keysOfProcess(context, name, profile['credential_process']);
  if (isOptional) return undefined;
  throw profileError(name, 'contains no credentials');
}

async function keysOfRole(scope: Scope, name: string, profile: AwsProfile, seen: readonly string[]): Promise<AwsToken> {
  const { context, region } = scope;
  if (profile['mfa_serial']) throw profileError(name, 'requires a one-time code (mfa_serial), which is not supported');
  const { web_identity_token_file: file, source_profile: source, credential_source: kind } = profile;
  const role = {
    roleArn: profile['role_arn'] ?? '',
    sessionName: profile['role_session_name'],
    externalId: profile['external_id'],
  };
  const at = profile['region'] ?? region;
  if (file) return assumeRoleWithToken(context, { ...role, tokenFile: file }, at);
  // A profile that is its own source has the keys for its role itself.
  const own = source === name ? keysIn(profile) : undefined;
  const keys =
    own ?? (source ? await keysOfProfile(scope, source, [...seen, name]) : await keysOfSource(context, kind));
  if (keys === undefined) throw profileError(name, 'has a role_arn, but neither source_profile nor credential_source');
  return assumeRole(context, { ...role, keys: keys.keys }, at);
}

/** Temporary keys have a session token, without which they are invalid. */
function keysIn(profile: AwsProfile): AwsToken | undefined {
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token } = profile;
  return id && secret
    ? toToken({ accessKeyId: id, secretAccessKey: secret, sessionToken: token || undefined })
    : undefined;
}

async function keysOfSource(context: CloudContext, source: string | undefined): Promise<AwsToken | undefined> {
  if (source === 'Environment') return keysOfEnvironment(context);
  if (source === 'EcsContainer') return containerKeys(context);
  return source === 'Ec2InstanceMetadata' ? instanceKeys(context) : undefined;
}

async function webIdentityKeys(context: CloudContext, region: string): Promise<AwsToken | undefined> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn } = context.variables;
  if (!tokenFile || !roleArn) return undefined;
  const sessionName = context.variables['AWS_ROLE_SESSION_NAME'];
  return assumeRoleWithToken(context, { roleArn, tokenFile, sessionName }, region);
}

/** The keys for a login of `aws sso login`, which stores its token in a file. */
async function keysOfSso({ context, files }: Scope, name: string, profile: AwsProfile): Promise<AwsToken> {
  const session = profile['sso_session'];
  const login = session ? { ...profile, ...files.ssoSession(session) } : profile;
  const { sso_start_url: url, sso_region: region, sso_account_id: account, sso_role_name: role } = login;
  if (!url || !region || !account || !role) throw profileError(name, 'has an incomplete SSO configuration');
  const file = ssoCacheFile(context, session || url);
  const cached = objectIn(file === undefined ? undefined : await readIfExists(file));
  const token = cached['accessToken'];
  const isValid = typeof token === 'string' && (timeOf(cached['expiresAt']) ?? 0) > context.clock.now();
  if (!isValid) {
    const message = `The SSO login of the AWS profile "${name}" has expired or is missing.`;
    throw cloudError('auth_permanent', message, `Run \`aws sso login --profile ${name}\`, then try again.`);
  }
  const query = new URLSearchParams({ role_name: role, account_id: account });
  const response = await requestToken(context, {
    url: `https://portal.sso.${region}.amazonaws.com/federation/credentials?${query.toString()}`,
    headers: { 'x-amz-sso_bearer_token': token },
  });
  assertGranted(context, 'the request for SSO credentials', response);
  const keys = objectOf(response.body['roleCredentials']);
  const expiration = keys['expiration'];
  const expiresAt = typeof expiration === 'number' ? expiration : undefined;
  return readKeys(context, keys, ['accessKeyId', 'secretAccessKey', 'sessionToken'], expiresAt);
}

/** The command of a profile, which AWS's programs also run with a shell. */
async function keysOfProcess(context: CloudContext, name: string, command: string): Promise<AwsToken> {
  const output = await runProgram(context, '/bin/sh', ['-c', command], /^AWS_/).catch((thrown: unknown) => {
    const { code = 'timeout' } = thrown as { code?: string | number | null };
    throw profileError(name, `has a credential_process that failed (${code ?? 'timeout'})`);
  });
  const keys = objectIn(output);
  if (keys['Version'] !== 1) throw profileError(name, 'has a credential_process with an invalid output');
  return readKeys(context, keys, ['AccessKeyId', 'SecretAccessKey', 'SessionToken'], timeOf(keys['Expiration']));
}

function objectIn(text: string | undefined): JsonObject {
  return objectOf(text === undefined ? undefined : parseJson(text));
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function profileError(name: string, problem: string) {
  const hint = 'Correct the profile, or choose another one with AWS_PROFILE or providers.bedrock.profile.';
  return cloudError('auth_permanent', `The AWS profile "${name}" ${problem}.`, hint);
}
