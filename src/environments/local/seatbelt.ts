import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardProject } from './project-guards.ts';
import { findProgram, type SandboxProgram } from './sandbox-program.ts';
import { findHidden, SANDBOX_FOLDER, type SandboxArguments, type SandboxView } from './sandbox-view.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

/** The command that applies a profile to itself and then becomes the program. */
const SANDBOX_EXEC = 'sandbox-exec';
/** sandbox-exec has no option for the directory. */
const CHANGE_DIRECTORY = 'cd -- "$1" || exit 126; shift; exec "$@"';

/** A view like that of commands, so that the probe shows whether this version of macOS knows all rules. */
const PROBE: SandboxView = {
  workingDirectory: '/var/empty',
  network: true,
  hidden: [],
  folder: '/var/empty',
  visible: [],
};

/** Seatbelt, the sandbox of macOS; undefined if it is not in the search path. */
export function findSeatbelt(path: string | undefined): SandboxProgram | undefined {
  const file = findProgram(SANDBOX_EXEC, path);
  if (file === undefined) return undefined;
  return {
    title: 'Seatbelt (sandbox-exec)',
    file,
    supervisor: undefined,
    hint: 'Use a container instead.',
    argumentsFor: seatbeltArguments,
    probeArguments: () => seatbeltArguments(PROBE).args,
    inDirectory: (directory) => ['--', '/bin/sh', '-c', CHANGE_DIRECTORY, 'sh', directory],
    hasNotRun: () => false,
    temporaryFolder: (folder) => join(folder, SANDBOX_FOLDER.tmp),
    replacedFolders: () => ['/tmp', ...temporaryFolders()],
  };
}

function seatbeltArguments(view: SandboxView): SandboxArguments {
  const guards = [view.workingDirectory, ...(view.addedFolders ?? [])].flatMap(guardProject);
  const hidden = findHidden(view.hidden).map(({ place }) => place);
  const facts = { hidden, temporaryFolders: temporaryFolders(view.temporaryFolders), guards };
  // Rules are about resolved paths, and the temporary folder of macOS is behind a link.
  const visible = view.visible.map(({ path, writable }) => ({ path: resolved(path)[0] ?? path, writable }));
  const profile = seatbeltProfile({ ...view, visible }, facts);
  return { args: ['-p', profile], guards, identity: profile };
}

/** The folders that the private temporary folder replaces. */
function temporaryFolders(more: readonly string[] = []): string[] {
  return [...new Set(['/tmp', tmpdir(), ...more].flatMap(resolved))];
}

function resolved(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
