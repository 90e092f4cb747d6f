import { ToolFailure } from '../../tools/index.ts';

type Access = 'read' | 'write' | 'search';

/** Explanations of operating system errors, with advice. */
const EXPLANATIONS: Readonly<Record<string, (path: string, access: Access) => string>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: (path) => `${path} is on a read-only file system. Choose another path.`,
  ENOSPC: (path) => `Could not write ${path}: no space is left on the device. The file was not changed.`,
  EDQUOT: (path) => `Could not write ${path}: the disk quota is exceeded. The file was not changed.`,
  ELOOP: (path) => `${path} contains a cycle of symbolic links. Use the path of the real file.`,
  ENAMETOOLONG: (path) => `The path is too long (${path.length} characters). Use a shorter name.`,
  ENOTDIR: (path) => `A part of ${path} is a file, not a directory. Check the path.`,
  EEXIST: (path) => `A part of ${path} is a file, not a directory. Check the path.`,
  EISDIR: (path) => `${path} is a directory, not a file.`,
};

/** Runs a file operation and turns operating system errors into tool results. */
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

/** Mentions the terminal, because models otherwise try the same operation with a terminal command. */
function noPermission(path: string, access: Access): string {
  return `Permission denied: cannot ${access} ${path}. Terminal commands run as the same user, so they cannot ${access} it either. Continue without it, or tell the user what you need.`;
}
