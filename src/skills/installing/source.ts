import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';

/** Where a skill is to come from. `label` is what the lock file says, without anything secret. */
export type SkillSource =
  | { kind: 'folder'; label: string; folder: string }
  | { kind: 'git'; label: string; url: string; ref: string | undefined }
  | { kind: 'npm'; label: string; name: string; version: string };

export type RemoteSource = Exclude<SkillSource, { kind: 'folder' }>;

const NPM = /^npm:((?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*)(?:@([A-Za-z0-9][A-Za-z0-9._+-]*))?$/;
const SHORT = /^github:([A-Za-z0-9][\w.-]*\/[\w.-]+)$/;
/** Addresses that git fetches from without running a program of ours or theirs, as `ext::` would. */
const GIT_URL = /^(?:https?|ssh|git|file):\/\/[^\s]+$|^[\w.-]+@[\w.-]+:[^\s]+$/;
/** A branch, a tag or a commit; never an option. */
const REF = /^[A-Za-z0-9][\w./+-]*$/;

const HINT = 'Give a folder, a git address (with #branch, #tag or #commit), github:OWNER/NAME, or npm:NAME[@VERSION].';

export function parseSource(text: string, workingDirectory: string): SkillSource {
  if (text.startsWith('npm:')) return parseRemote(text);
  const folder = resolve(workingDirectory, text.replace(/^~(?=\/|$)/, homedir()));
  if (existsSync(folder) && statSync(folder).isDirectory()) return { kind: 'folder', label: folder, folder };
  return parseRemote(text);
}

/** What is fetched from elsewhere, by the form of the text alone. */
export function parseRemote(text: string): RemoteSource {
  if (text.startsWith('npm:')) {
    const [, name, version = 'latest'] = NPM.exec(text) ?? [];
    if (name === undefined) throw new ConfigurationError(`${text} is not the name of an npm package.`, { hint: HINT });
    return { kind: 'npm', label: `npm:${name}`, name, version };
  }
  const [address = '', ref] = text.replace(/^git\+/, '').split('#', 2);
  const short = SHORT.exec(address)?.[1];
  const url = short === undefined ? address : `https://github.com/${short}.git`;
  if (!GIT_URL.test(url) || url.includes('::'))
    throw new ConfigurationError(`There is no folder ${text}, and it is no address that something is fetched from.`, {
      hint: HINT,
    });
  if (ref !== undefined && !REF.test(ref))
    throw new ConfigurationError(`${ref} is not the name of a branch, a tag or a commit.`, { hint: HINT });
  return { kind: 'git', label: withoutUser(url), url, ref };
}

/** Whether a text has the form of something that is fetched from elsewhere. */
export function isRemote(text: string): boolean {
  try {
    parseRemote(text);
    return true;
  } catch {
    return false;
  }
}

/** The user name of an ssh address is part of it; a password in front of a host is not ours to keep. */
export function withoutUser(url: string): string {
  return url.replace(/^(https?:\/\/)[^/@]*@/, '$1');
}
