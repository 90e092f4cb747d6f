import type { ChatRequest } from './chat-request.ts';

/**
 * Whether a request asks for a title, tags or suggestions, as Open WebUI sends them by itself with the model of the chat:
 * a single message that starts with this heading and contains the conversation. It must not start an agent.
 */
export function isTaskOfFrontEnd({ history, input }: ChatRequest): boolean {
  const [only] = input;
  return history.length === 0 && input.length === 1 && only !== undefined && TASK.test(only.text);
}

const TASK = /^\s*###\s*Task:\s*\n[\s\S]*(?:###\s*(?:Output|Chat History|Guidelines)|<chat_history>)/;
