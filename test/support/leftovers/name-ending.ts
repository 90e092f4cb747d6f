/** Beside the temporary folder of a test file stands a file with its name, which would make the path too long. */
export const NAME_ENDING = '.of';
