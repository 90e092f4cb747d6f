/** @param {string} text */
function countWords(text) {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/**
 * Called once, when the plugin is loaded.
 * @param {import('hermes-agent-ts').Host} host
 */
export function register(host) {
  // `plugins.config.word-count` of config.yaml; everything in it is up to the plugin.
  const { private_folder: privateFolder, weekday } = host.config;

  host.registerTool({
    name: 'count_words',
    description: 'Counts the words of a text.',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string', description: 'the text' } },
      required: ['text'],
    },
    readOnly: true,
    // Nothing in the answer was written by others, so it need not be marked as text from outside.
    outsideText: false,
    run: async ({ text }) => ({ words: typeof text === 'string' ? countWords(text) : 0 }),
  });

  // A reason stops the call, and the model reads it.
  host.registerHook('pre_tool_call', async ({ args }) => {
    const isPrivate = typeof privateFolder === 'string' && JSON.stringify(args).includes(privateFolder);
    return isPrivate ? { block: `${privateFolder} is private.` } : undefined;
  });

  // What is returned is sent along with the message of the user; it is stored, so it stays the same from then on.
  host.registerHook('pre_llm_call', async () => {
    const today = new Date().toLocaleDateString('en', { weekday: 'long' });
    return weekday === true ? { context: `Today is ${today}.` } : undefined;
  });

  host.registerCommand({
    name: 'words',
    about: 'count the words of a text',
    argument: 'TEXT',
    run: (text) => `${countWords(text)} words`,
  });

  host.logger.info('ready');
}
