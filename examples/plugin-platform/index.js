import { createFolderChannel } from './channel.js';

/**
 * Called once, when the plugin is loaded.
 * @param {import('hermes-agent-ts').Host} host
 */
export function register(host) {
  host.registerPlatform({
    name: 'folder_chat',
    label: 'Folder',
    // The platform is on if FOLDER_CHAT_PATH is set.
    required: ['PATH'],
    settings: { PATH: 'The folder with `inbox.jsonl`, and with `outbox.jsonl` for the answers' },
    hasGroups: false,
    // Messages cannot be edited, so a turn is shown when it has ended.
    display: 'plain',
    setup: {
      steps: ['Create a folder that only you can read.'],
      tokens: [{ variable: 'FOLDER_CHAT_PATH', label: 'folder', isPublic: true }],
      idHelp: 'the id is the `user` of a line',
      firstContact: () => 'Append {"id": "1", "user": "me", "text": "hello"} to inbox.jsonl in the folder.',
    },
    open: async (settings) => [createFolderChannel({ folder: settings.token })],
  });
}
