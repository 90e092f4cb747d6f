import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Settings } from '../../config/index.ts';
import { readSystemTemplate, type SystemTemplate } from '../../trajectories/index.ts';

/** A path as a person writes it, from where it is meant. */
export function placeFrom(folder: string, path: string): string {
  const whole = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
  return resolve(folder, whole);
}

/** The template that the settings name; a path without a folder is meant from the home. */
export async function templateOf({ home, trajectories }: Settings): Promise<SystemTemplate | undefined> {
  const file = trajectories?.systemTemplate;
  return file === undefined ? undefined : readSystemTemplate(placeFrom(home, file));
}
