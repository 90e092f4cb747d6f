import { ToolFailure } from '../../tools/index.ts';

type Access = 'read' | 'write' | 'search';

/** What the operating system's refusals mean, and what to do about each. */
const EXPLANATIONS: Readonly<Record<string, (path: string, access: Access) => string>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: (path) => `${path} is on a read-only file system. Choose another place.`,
  ENOSPC: (path) => `There is no space left to write ${path}. Nothing was changed there.`,
  EDQUOT: (path) => `The disk quota does not allow to write ${path}. Nothing was changed there.`,
  ELOOP: (path) => `${path} leads through a circle of links. Name the real file.`,
  ENAMETOOLONG: (path) => `The path is too long (${path.length} characters). Use a shorter name.`,
  ENOTDIR: (path) => `A part of ${path} is a file, not a folder. Check the path.`,
  EEXIST: (path) => `A part of ${path} is a file, not a folder. Check the path.`,
  EISDIR: (path) => `${path} is a folder, not a file.`,
};

/** Runs file operations; what the operating system refuses becomes words for the model. */
export async function explainFileErrors<Result>(
  path: string,
  access: Access,
  operation: () => Promise<Result>,
): Promise<Result> {
  try {
    return await operation();
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    const explain = typeof code === 'string' ? EXPLANATIONS[code] : undefined;
    throw explain ? new ToolFailure(explain(path, access)) : thrown;
  }
}

/** Commands run as the same user: saying so saves a detour. */
function noPermission(path: string, access: Access): string {
  return `No permission to ${access} ${path}. Commands in the terminal run as the same user; go on without it, or say what you would need.`;
}
