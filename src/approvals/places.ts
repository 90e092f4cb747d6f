import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProtectedPaths, namesOfPath } from './files/file-guard.ts';
import { findSecretPaths } from './files/secrets.ts';
import type { Facts } from './files/targets.ts';
import { isInWorkspace, temporaryFolders } from './files/workspace.ts';

/** Where things are on this machine, under all their names. */
export interface Places {
  factsFor(workingDirectory: string): Facts;
  isOutside(path: string, workingDirectory: string): boolean;
}

export type PlaceOptions = { home?: string; hermesHome?: string; workspaceRoots?: readonly string[] };

/** Looked up when the first judgement needs it: most starts are over before one does. */
export function createPlaces({
  home = homedir(),
  hermesHome = join(home, '.hermes'),
  workspaceRoots = [],
}: PlaceOptions): Places {
  let known: Omit<Facts, 'workingDirectory'> | undefined;
  let free: string[] | undefined;
  return {
    factsFor(workingDirectory) {
      known ??= {
        homes: namesOfPath(home),
        secretPaths: findSecretPaths(namesOfPath(home), namesOfPath(hermesHome)),
        protectedPaths: findProtectedPaths(home, hermesHome),
      };
      return { ...known, workingDirectory };
    },
    isOutside(path, workingDirectory) {
      free ??= [...temporaryFolders(), ...workspaceRoots.flatMap(namesOfPath)];
      return !isInWorkspace(path, [...namesOfPath(workingDirectory), ...free]);
    },
  };
}
