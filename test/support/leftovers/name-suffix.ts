/**
 * The suffix of the file next to a temporary folder that contains the name of its test file, which would make the
 * path too long.
 */
export const NAME_SUFFIX = '.of';
