/** How likely each tool set is to be there for a prompt, in percent. Each is drawn by itself. */
export type Distribution = Readonly<Record<string, number>>;

export type NamedDistribution = { description: string; toolsets: Distribution };

export const DEFAULT_DISTRIBUTION = 'default';

/**
 * What a batch can be run with. Sets that remember, write skills, ask or write to people are in none of them: prompts of a
 * batch know nothing of each other, and nobody is there.
 */
export const DISTRIBUTIONS: Readonly<Record<string, NamedDistribution>> = {
  default: {
    description: 'everything, for every prompt',
    toolsets: {
      ...{ terminal: 100, file: 100, web: 100, code_execution: 100, todo: 100 },
      ...{ browser: 100, vision: 100, image_gen: 100, delegation: 100 },
    },
  },
  balanced: {
    description: 'each with an even chance, so that models learn to do without',
    toolsets: {
      ...{ terminal: 50, file: 50, web: 50, code_execution: 50, todo: 50 },
      ...{ browser: 50, vision: 50, image_gen: 50, delegation: 50 },
    },
  },
  minimal: { description: 'the web alone', toolsets: { web: 100 } },
  terminal_only: { description: 'commands and files', toolsets: { terminal: 100, file: 100 } },
  terminal_web: { description: 'commands, files and the web', toolsets: { terminal: 100, file: 100, web: 100 } },
  development: {
    description: 'work on code',
    toolsets: { terminal: 95, file: 95, code_execution: 60, todo: 60, web: 40, delegation: 20 },
  },
  research: {
    description: 'find things out',
    toolsets: { web: 95, browser: 70, vision: 50, file: 40, code_execution: 25, delegation: 20, terminal: 15 },
  },
  science: {
    description: 'compute and look things up',
    toolsets: { web: 90, terminal: 90, file: 90, code_execution: 80, vision: 50, browser: 40, image_gen: 10 },
  },
  image_gen: { description: 'make images', toolsets: { image_gen: 90, vision: 90, web: 50, terminal: 40, file: 40 } },
  creative: { description: 'images, and text about them', toolsets: { image_gen: 90, vision: 90, web: 30 } },
  reasoning: {
    description: 'thinking with a little help',
    toolsets: { code_execution: 80, todo: 60, web: 30, terminal: 20, file: 20 },
  },
  browser_use: { description: 'pages that have to be used', toolsets: { browser: 100, web: 80, vision: 70 } },
  safe: {
    description: 'nothing that touches this machine',
    toolsets: { web: 80, browser: 70, vision: 60, image_gen: 60 },
  },
};
