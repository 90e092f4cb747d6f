import type { AssistantMessage } from '../base/index.ts';
import type { ModelAnswer, ModelRoute } from '../contracts/index.ts';

/** An answer as it is stored: what the model said, and what its provider wants back. */
export function assistantMessage(answer: ModelAnswer, route: ModelRoute): AssistantMessage {
  const message: AssistantMessage = {
    role: 'assistant',
    content: answer.text,
    finishReason: answer.finishReason,
    producer: route.client.producer,
  };
  if (answer.toolCalls.length > 0) message.toolCalls = answer.toolCalls;
  if (answer.reasoning) message.reasoning = answer.reasoning;
  if (answer.reasoningDetails?.length) message.reasoningDetails = answer.reasoningDetails;
  if (answer.codexReasoningItems?.length) message.codexReasoningItems = answer.codexReasoningItems;
  return message;
}
