import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import type { ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { explainFileErrors } from '../text/file-errors.ts';
import { requireWriteApproval } from '../text-file.ts';

export type FilePlan = { path: string; named: boolean };

/**
 * Where a file will be, which is asked about before anything is paid for. Without a path it gets a name of its own in the
 * directory where commands run, so that two of them never meet.
 */
export async function planFile(
  wanted: string | undefined,
  { kind, extension }: { kind: string; extension: string },
  context: ToolContext,
  toolName: string,
): Promise<FilePlan> {
  const plan = wanted
    ? { path: wanted, named: true }
    : { path: `${kind}-${randomUUID().slice(0, 8)}.${extension}`, named: false };
  await requireWriteApproval(plan.path, toolName, context);
  const found = await explainFileErrors(plan.path, 'write', () => context.environment.stat(plan.path));
  if (found !== undefined && found.kind !== 'file') {
    throw new ToolFailure(`${plan.path} is no file. Choose another path.`);
  }
  return plan;
}

/** Writes it; a name of ours gets the extension that fits what came. Gives back the whole path. */
export async function saveFile(
  { path, named }: FilePlan,
  { bytes, extension }: { bytes: Uint8Array; extension: string },
  { environment }: ToolContext,
): Promise<string> {
  const place = named ? path : `${path.slice(0, -extname(path).length)}.${extension}`;
  return explainFileErrors(place, 'write', async () => {
    await environment.writeFile(place, bytes);
    return environment.resolvePath(place);
  });
}
