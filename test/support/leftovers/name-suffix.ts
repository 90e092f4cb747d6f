/**
 * The suffix of a file next to a temporary folder. The file contains the name of the test file, which would make the
 * folder's own path too long.
 */
export const NAME_SUFFIX = '.of';
