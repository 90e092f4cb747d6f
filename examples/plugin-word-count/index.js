/** @param {string} text */
function countWords(text) {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

/**
 * Called once, when the plugin is loaded.
 * @param {import('hermes-agent-ts').Host} host
 */
export function register(host) {
  // `plugins.config.word-count` of config.yaml; its content is defined by the plugin.
  const { private_folder: privateFolder, weekday } = host.config;

  host.registerTool({
    name: 'count_words',
    description: 'Count the words of a text.',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The text to count.' } },
      required: ['text'],
    },
    readOnly: true,
    // The result contains no third-party text, so it need not be marked as untrusted.
    outsideText: false,
    run: async ({ text }) => ({ words: typeof text === 'string' ? countWords(text) : 0 }),
  });

  // Returning a reason blocks the call; the model gets the reason.
  host.registerHook('pre_tool_call', async ({ args }) => {
    const isPrivate = typeof privateFolder === 'string' && JSON.stringify(args).includes(privateFolder);
    return isPrivate ? { block: `${privateFolder} is private.` } : undefined;
  });

  // The returned text is sent with the user's message. It is stored, so it stays the same from then on.
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
