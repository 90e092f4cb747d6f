/** The file that `init` writes. */
export const INSTRUCTIONS_FILE = 'AGENTS.md';

const PURPOSE = `AGENTS.md has the instructions for coding agents that will work on this project and know nothing about it.`;

const READING = `First read the project, several files per call:
- the list of files, the README, manifests and lock files, Makefiles and scripts, CI workflows, and the settings of linters, formatters and test runners;
- instructions for other agents: CLAUDE.md, GEMINI.md, .cursorrules, .cursor/rules, .github/copilot-instructions.md, CONTRIBUTING.md;
- the entry points, and a few typical source and test files.
Do not run builds or tests, do not install anything, and do not change any other file.`;

const CONTENT = `Write only what you verified in files and what an agent could not guess:
- Commands: install, build, start, lint, format, all tests, a single test, exactly as the project defines them.
- Structure: what the main directories contain and which parts may depend on which, in at most ten lines.
- Conventions of this project that differ from the usual ones, with the file that shows them.
- Pitfalls: generated files that must not be edited, services and variables that are required, steps that a change needs.
Use at most 80 lines of Markdown, with headings and lists. Omit a section if there is nothing to say. Write no general advice such as "write clean code", no list of all files, and no credentials. Keep rules from the instructions for other agents that are still true.`;

const ANSWER = `Then answer in a few lines: what the file says, and what you could not find out.`;

/** Asks the model to write the instructions of a project, or to revise those that exist. */
export function initPrompt(exists: boolean): string {
  const task = exists
    ? `Revise AGENTS.md in the working directory. ${PURPOSE} Read it first. Keep its structure and every rule that the files do not contradict, because people wrote them. Correct what is no longer true, add what is missing, and remove what is superfluous, with small edits instead of a new file.`
    : `Write AGENTS.md in the working directory. ${PURPOSE} If the file exists already, do not change it, but say so and stop.`;
  return [task, READING, CONTENT, ANSWER].join('\n\n');
}
