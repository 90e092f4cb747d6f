import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import type { ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { explainFileErrors } from '../text/file-errors.ts';
import { requireWriteApproval } from '../text-file.ts';

export type FilePlan = { path: string; named: boolean };

/**
 * Determines the path of an output file and asks for approval before anything is paid. Without a path, the file gets
 * a unique name in the current directory.
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
    throw new ToolFailure(`${plan.path} is not a regular file. Choose another path.`);
  }
  return plan;
}

/** Writes the file and returns its absolute path. A generated name gets the extension of the actual format. */
export async function saveFile(
  { path, named }: FilePlan,
  { bytes, extension }: { bytes: Uint8Array; extension: string },
  { environment }: ToolContext,
): Promise<string> {
  const target = named ? path : `${path.slice(0, -extname(path).length)}.${extension}`;
  return explainFileErrors(target, 'write', async () => {
    await environment.writeFile(target, bytes);
    return environment.resolvePath(target);
  });
}
