import { CHAT_COMMANDS } from './groups/chat-commands.ts';
import { CONVERSATION_COMMANDS } from './groups/conversation-commands.ts';
import { GATEWAY_COMMANDS } from './groups/gateway-commands.ts';
import { INFORMATION_COMMANDS } from './groups/information-commands.ts';
import { MODEL_COMMANDS } from './groups/model-commands.ts';
import { TOOL_COMMANDS } from './groups/tool-commands.ts';
import { TURN_COMMANDS } from './groups/turn-commands.ts';
import type { SlashCommand } from './slash-command.ts';

/** The built-in commands, in the order of the help. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  ...CONVERSATION_COMMANDS,
  ...TURN_COMMANDS,
  ...MODEL_COMMANDS,
  ...TOOL_COMMANDS,
  ...INFORMATION_COMMANDS,
  ...CHAT_COMMANDS,
  ...GATEWAY_COMMANDS,
];
