import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isJsonObject, parseJson } from '../../base/index.ts';
import { homePaths, readIfPresent, type ShellHookSettings } from '../../config/index.ts';
import { changeFile, writeFileAtomic } from '../../util/index.ts';

/**
 * `allowed`: the user allowed its current version. `changed`: the command was allowed, but a file that it runs has
 * changed since.
 */
export type HookState = 'allowed' | 'changed' | 'new';

type AllowedHook = { event: string; command: string; digest: string; allowedAt: string };

/** Splits a command into words, to find the files that it names. Splitting too often does no harm. */
const WORD_SEPARATOR = /[\s"'`;|&()<>=]+/;
/** Interpreters: a file after one of these is run as a program, whatever its name is. */
const INTERPRETER = /(?:^|\/)(?:\.|source|exec|env|(?:ba|da|z|k)?sh|python[\d.]*|node|deno|bun|ruby|perl|php)$/;
const SCRIPT = /\.(?:sh|bash|zsh|py|[cm]?[jt]s|rb|pl|php)$/i;
/** System programs change with every system update, so they are not part of the digest. */
const SYSTEM_PROGRAM = /^\/(?:usr\/)?s?bin\//;
const MAX_BYTES = 16 * 1024 * 1024;

/** Whether the user has allowed the current version of a hook. */
export async function hookState(home: string, hook: ShellHookSettings, workingDirectory: string): Promise<HookState> {
  const known = (await readAllowed(home)).filter(({ event, command }) => isFor(hook, event, command));
  const digest = digestHook(hook, workingDirectory);
  if (known.some((entry) => entry.digest === digest)) return 'allowed';
  return known.length > 0 ? 'changed' : 'new';
}

/** Replaces earlier consent for the same command. */
export async function allowHooks(
  home: string,
  hooks: readonly ShellHookSettings[],
  workingDirectory: string,
): Promise<void> {
  const allowedAt = new Date().toISOString();
  await change(home, (entries) => [
    ...entries.filter(({ event, command }) => !hooks.some((hook) => isFor(hook, event, command))),
    ...hooks.map((hook) => {
      const { event, command } = hook;
      return { event, command, digest: digestHook(hook, workingDirectory), allowedAt };
    }),
  ]);
}

export async function revokeHooks(home: string, hooks: readonly ShellHookSettings[]): Promise<void> {
  await change(home, (entries) =>
    entries.filter(({ event, command }) => !hooks.some((hook) => isFor(hook, event, command))),
  );
}

function isFor(hook: ShellHookSettings, event: string, command: string): boolean {
  return hook.event === event && hook.command === command;
}

/** Reads the allowed hooks. If the file is unreadable, no hook is allowed. */
async function readAllowed(home: string): Promise<AllowedHook[]> {
  const values = parseJson((await readIfPresent(homePaths(home).allowedHooksFile)) ?? '');
  const entries = isJsonObject(values) ? values['hooks'] : undefined;
  return Array.isArray(entries) ? (entries.filter(isJsonObject) as unknown as AllowedHook[]) : [];
}

async function change(home: string, edit: (entries: AllowedHook[]) => AllowedHook[]): Promise<void> {
  const { allowedHooksFile } = homePaths(home);
  await changeFile(allowedHooksFile, async () => {
    const hooks = edit(await readAllowed(home));
    await writeFileAtomic(allowedHooksFile, `${JSON.stringify({ version: 1, hooks }, undefined, 2)}\n`, {
      mode: 0o600,
    });
  });
}

/**
 * A digest of the command and of the programs and scripts that it names. It changes if one of them is modified, or if
 * a relative path leads to another file in this working directory. Data files are not included.
 */
function digestHook({ event, command }: ShellHookSettings, workingDirectory: string): string {
  const hash = createHash('sha256').update(JSON.stringify([event, command]));
  let before = '';
  for (const word of command.split(WORD_SEPARATOR)) {
    const path = resolve(workingDirectory, word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, homedir()));
    const isNamed = word.includes('/') || SCRIPT.test(word) || INTERPRETER.test(before);
    const bytes = isNamed ? readProgram(path, INTERPRETER.test(before)) : undefined;
    if (bytes !== undefined) hash.update(`\0${path}\0`).update(createHash('sha256').update(bytes).digest());
    // There may be options between an interpreter and its script.
    if (!word.startsWith('-')) before = word;
  }
  return hash.digest('hex');
}

/** The content of a program or script; undefined if there is no such file or it is only data. */
function readProgram(path: string, isRead: boolean): Buffer | undefined {
  if (SYSTEM_PROGRAM.test(path)) return undefined;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > MAX_BYTES) return undefined;
  const isProgram = isRead || (stats.mode & 0o111) !== 0 || SCRIPT.test(path);
  const bytes = readFileSync(path);
  return isProgram || bytes.subarray(0, 2).toString() === '#!' ? bytes : undefined;
}
