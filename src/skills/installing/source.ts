import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';

/** The source of a skill. `label` identifies it in the lock file and contains no secrets. */
export type SkillSource =
  | { kind: 'folder'; label: string; folder: string }
  | { kind: 'git'; label: string; url: string; ref: string | undefined }
  | { kind: 'npm'; label: string; name: string; version: string };

export type RemoteSource = Exclude<SkillSource, { kind: 'folder' }>;

const NPM = /^npm:((?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*)(?:@([A-Za-z0-9][A-Za-z0-9._+-]*))?$/;
const SHORT = /^github:([A-Za-z0-9][\w.-]*\/[\w.-]+)$/;
/** URLs that git can fetch without running a program, unlike `ext::`. */
const GIT_URL = /^(?:https?|ssh|git|file):\/\/[^\s]+$|^[\w.-]+@[\w.-]+:[^\s]+$/;
/** A branch, a tag or a commit; never an option. */
const REF = /^[A-Za-z0-9][\w./+-]*$/;

const HINT = 'Pass a folder, a Git URL (with #branch, #tag or #commit), github:OWNER/NAME or npm:NAME[@VERSION].';

export function parseSource(text: string, workingDirectory: string): SkillSource {
  if (text.startsWith('npm:')) return parseRemote(text);
  const folder = resolve(workingDirectory, text.replace(/^~(?=\/|$)/, homedir()));
  if (existsSync(folder) && statSync(folder).isDirectory()) return { kind: 'folder', label: folder, folder };
  return parseRemote(text);
}

/** Parses a remote source by its syntax alone. */
export function parseRemote(text: string): RemoteSource {
  if (text.startsWith('npm:')) {
    const [, name, version = 'latest'] = NPM.exec(text) ?? [];
    if (name === undefined) throw new ConfigurationError(`"${text}" is not a valid npm package.`, { hint: HINT });
    return { kind: 'npm', label: `npm:${name}`, name, version };
  }
  const [address = '', ref] = text.replace(/^git\+/, '').split('#', 2);
  const short = SHORT.exec(address)?.[1];
  const url = short === undefined ? address : `https://github.com/${short}.git`;
  if (!GIT_URL.test(url) || url.includes('::'))
    throw new ConfigurationError(`"${text}" is neither an existing folder nor a supported URL.`, {
      hint: HINT,
    });
  if (ref !== undefined && !REF.test(ref))
    throw new ConfigurationError(`${ref} is not a valid branch, tag or commit.`, { hint: HINT });
  return { kind: 'git', label: withoutUrlCredentials(url), url, ref };
}

/** Whether a text has the syntax of a remote source. */
export function isRemote(text: string): boolean {
  try {
    parseRemote(text);
    return true;
  } catch {
    return false;
  }
}

/** Removes credentials from an HTTP URL. The user name of an ssh URL is part of the address and stays. */
export function withoutUrlCredentials(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@]*@/, '$1');
}
