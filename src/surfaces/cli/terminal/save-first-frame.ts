import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type EnvironmentVariables, homePaths, resolveHome } from '../../../config/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../../../util/index.ts';
import { VERSION } from '../version.ts';
import { colourVariables, type FirstFrame, frameFileOf, type StoredFrame, stampOf } from './first-frame.ts';

/** Stores the first frame of a chat in `home`, so that the next chat can draw it before anything is loaded. */
export async function saveFirstFrame(
  { lines, cursor }: FirstFrame,
  { home, env, columns }: { home: string; env: EnvironmentVariables; columns: number },
): Promise<void> {
  // Not that of a profile, which is not known when the frame is read.
  const folder = resolveHome(process.env);
  const { configFile, envFile } = homePaths(home);
  const settings = [configFile, envFile].map(stampOf);
  const stored: StoredFrame = { version: VERSION, colours: colourVariables(env), columns, settings, lines, cursor };
  const file = frameFileOf(folder);
  const text = `${JSON.stringify(stored)}\n`;
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  await ensurePrivateFolder(dirname(file));
  // Not durable: after a power failure, the next chat only shows its input line a little later.
  await writeFileAtomic(file, text, { durable: false });
}
