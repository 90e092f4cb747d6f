/** Who speaks, in the words of the ShareGPT form. */
export const TRAJECTORY_ROLES = ['system', 'human', 'gpt', 'tool'] as const;
export type TrajectoryRole = (typeof TRAJECTORY_ROLES)[number];

export type TrajectoryTurn = { from: TrajectoryRole; value: string };

/** One line of a file: a whole conversation. The order of the fields is that of the form. */
export type Trajectory = {
  conversations: TrajectoryTurn[];
  /** Local time with six digits of a second and no zone. */
  timestamp: string;
  model: string;
  completed: boolean;
};

/** Where a turn of a chat is saved: completed ones apart from the rest. */
export const COMPLETED_FILE = 'trajectory_samples.jsonl';
export const FAILED_FILE = 'failed_trajectories.jsonl';

/** The tags that have a meaning in the form. */
const TAGS = ['think', 'tool_call', 'tool_response', 'tools'] as const;

/** What begins such a tag, open or closed: texts that are no part of the form must not have it. */
export const TAG_BEGIN = new RegExp(`<(?=/?(?:${TAGS.join('|')})>)`, 'g');

/** `2026-03-30T14:22:31.456000` */
export function trajectoryTime(timestamp: number): string {
  const at = new Date(timestamp);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const second = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${day}T${second}.${String(at.getMilliseconds()).padStart(3, '0')}000`;
}
