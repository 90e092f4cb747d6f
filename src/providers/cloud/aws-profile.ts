import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { CloudContext } from './cloud-context.ts';
import { readIfExists } from './cloud-context.ts';

/** The settings of a profile, from both files of AWS. */
export type AwsProfile = Readonly<Record<string, string>>;

export type AwsFiles = {
  profile(name: string): AwsProfile | undefined;
  ssoSession(name: string): AwsProfile | undefined;
};

/** The chosen profile: of the configuration, else of the environment. Undefined if none was chosen. */
export function chosenProfile({
  settings,
  variables,
}: Pick<CloudContext, 'settings' | 'variables'>): string | undefined {
  return settings.profile || variables['AWS_PROFILE'] || variables['AWS_DEFAULT_PROFILE'] || undefined;
}

/** Reads `~/.aws/config` and `~/.aws/credentials`, or the files that the usual variables name. */
export async function readAwsFiles({ variables }: Pick<CloudContext, 'variables'>): Promise<AwsFiles> {
  const folder = awsFolder(variables);
  const config = await readIni(variables['AWS_CONFIG_FILE'] || (folder && join(folder, 'config')));
  const keys = await readIni(variables['AWS_SHARED_CREDENTIALS_FILE'] || (folder && join(folder, 'credentials')));
  return {
    profile(name) {
      const found = config.get(name === 'default' ? 'default' : `profile ${name}`) ?? config.get(`profile ${name}`);
      const own = keys.get(name);
      return found === undefined && own === undefined ? undefined : { ...found, ...own };
    },
    ssoSession: (name) => config.get(`sso-session ${name}`),
  };
}

function awsFolder(variables: CloudContext['variables']): string | undefined {
  const home = variables['HOME'] || variables['USERPROFILE'];
  return home ? join(home, '.aws') : undefined;
}

/** The file in which the AWS command line stores the login of an SSO session, or of a start URL without a session. */
export function ssoCacheFile({ variables }: Pick<CloudContext, 'variables'>, key: string): string | undefined {
  const folder = awsFolder(variables);
  return folder && join(folder, 'sso', 'cache', `${createHash('sha1').update(key).digest('hex')}.json`);
}

/** The sections of an INI file with their values. A missing file has none. */
async function readIni(file: string | undefined): Promise<Map<string, Record<string, string>>> {
  const text = file === undefined ? undefined : await readIfExists(file);
  return parseIni(text ?? '');
}

export function parseIni(text: string): Map<string, Record<string, string>> {
  const sections = new Map<string, Record<string, string>>();
  let current: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line)?.[1];
    if (name !== undefined) {
      const key = name.replaceAll(/\s+/g, ' ').replaceAll(/["']/g, '');
      current = sections.get(key) ?? {};
      sections.set(key, current);
      continue;
    }
    // An indented line belongs to the setting above, such as those of `s3`.
    const [, field, value] = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (current !== undefined && field !== undefined && value !== undefined && field !== '__proto__')
      current[field.toLowerCase()] = value.replace(/\s[#;].*$/, '');
  }
  return sections;
}
