import { readFile } from 'node:fs/promises';
import { type AwsToken, readKeys } from './aws-keys.ts';
import { assertGranted, type CloudContext, cloudError, requestToken, timeOf } from './cloud-context.ts';
import { type AwsKeys, signAws } from './sign-aws.ts';

type Role = { roleArn: string; sessionName?: string; externalId?: string };

/** Temporary keys of a role, requested with other keys. */
export function assumeRole(context: CloudContext, role: Role & { keys: AwsKeys }, region: string): Promise<AwsToken> {
  const { roleArn, sessionName = 'hermes', externalId, keys } = role;
  const fields = { RoleArn: roleArn, RoleSessionName: sessionName, ...(externalId && { ExternalId: externalId }) };
  return askSts(context, region, { Action: 'AssumeRole', ...fields }, keys);
}

/** Temporary keys of a role, requested with a token in a file, as in Kubernetes. */
export async function assumeRoleWithToken(
  context: CloudContext,
  { roleArn, sessionName = 'hermes', tokenFile }: Role & { tokenFile: string },
  region: string,
): Promise<AwsToken> {
  const token = await readFile(tokenFile, 'utf8').catch(() => {
    throw cloudError('auth_permanent', `The web identity token file ${tokenFile} cannot be read.`);
  });
  const fields = { RoleArn: roleArn, RoleSessionName: sessionName, WebIdentityToken: token.trim() };
  return askSts(context, region, { Action: 'AssumeRoleWithWebIdentity', ...fields });
}

async function askSts(
  context: CloudContext,
  region: string,
  fields: Readonly<Record<string, string>>,
  keys?: AwsKeys,
): Promise<AwsToken> {
  const host = `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const response = await requestToken(context, {
    method: 'POST',
    url: `https://${host}/`,
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: new URLSearchParams({ ...fields, Version: '2011-06-15' }).toString(),
    credential: keys && {
      secret: keys.secretAccessKey,
      hosts: [host],
      sign: (request) => signAws(request, keys, { region, service: 'sts' }, context.clock.now()),
    },
  });
  // The response is XML, of which only these fields are needed.
  const field = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(response.text)?.[1] ?? '';
  const message = field('Message');
  assertGranted(
    context,
    `assuming the role ${fields['RoleArn'] ?? ''}`,
    message ? { ...response, text: message } : response,
  );
  const names = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'] as const;
  const body = Object.fromEntries(names.map((name) => [name, field(name)]));
  return readKeys(context, body, names, timeOf(field('Expiration')));
}
